import { basename, dirname } from "node:path";
import type { ResultReport } from "context-offload";
import type { Example, OffloadedInput } from "./conversations/offload-input.js";
import { describeExample } from "./run-example.js";
import type { Colors } from "./terminal/colors.js";
import { inLine } from "./terminal/printable.js";
import {
  countOf,
  formatCount,
  formatShare,
  omittable,
  renderBar,
  renderTable,
  wrap,
} from "./terminal/table.js";

/** A conversation, and where its short form is. */
export type RunOutcome = OffloadedInput & { readonly output: string | undefined };

interface Prices {
  /** Of a million input tokens, in dollars; and of those that come from a prompt cache. */
  readonly price: number;
  readonly cachedPrice: number;
}

interface ReportOptions extends Prices {
  readonly place: string;
  readonly colors: Colors;
  readonly isDryRun: boolean;
  readonly columns: number;
  /** How wide a table may be. */
  readonly room: number;
  /** Shown as it was and as it is. */
  readonly example: Example | undefined;
}

/** What became of the results of one tool. */
interface ToolRow {
  readonly tool: string;
  results: number;
  offloaded: number;
  tokensBefore: number;
  tokensAfter: number;
}

/** The report of `run`, for people. */
export function describeRun(done: readonly RunOutcome[], options: ReportOptions): string {
  const { colors } = options;
  const tools = addUp(done.flatMap(({ results }) => results));
  const before = done.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0);
  const after = done.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0);
  const offloaded = tools.reduce((sum, row) => sum + row.offloaded, 0);
  const blocks = [renderConversations(done, options)];
  if (offloaded > 0) blocks.push(renderTools(tools, options));
  if (options.example) blocks.push(describeExample(options.example, options.columns, colors));
  const written = describeWritten(done.flatMap(({ output }) => output ?? []));
  if (written !== "") blocks.push(written);
  const verb = options.isDryRun ? "would be offloaded" : "offloaded";
  const results = tools.reduce((sum, row) => sum + row.results, 0);
  const share = before === 0 ? 0 : (before - after) / before;
  blocks.push(
    [
      wrap(
        `${colors.bold(`${formatCount(before - after)} tokens`)} (${formatShare(share)}) saved in every request that carries this:`,
        options.room,
      ),
      `  ${money(before - after, options.price)}, or ${money(before - after, options.cachedPrice)} from the prompt cache`,
      wrap(
        `${formatCount(offloaded)} of ${countOf(results, "tool result")} ${verb}` +
          (options.isDryRun ? "; nothing was written" : `, stored in ${options.place}`),
        options.room,
      ),
      ...done.flatMap(({ brokenLines, input }) =>
        brokenLines === 0
          ? []
          : [`left ${countOf(brokenLines, "broken line")} of ${inLine(input.shown)} as found`],
      ),
    ].join("\n"),
  );
  return blocks.join("\n\n");
}

const MAX_LISTED_FILES = 5;

function describeWritten(outputs: readonly string[]): string {
  if (outputs.length <= MAX_LISTED_FILES) {
    return outputs.map((output) => `wrote ${inLine(output)}`).join("\n");
  }
  // All are in the same folder.
  return `wrote ${countOf(outputs.length, "file")} to ${inLine(dirname(outputs[0] ?? ""))}`;
}

/** The same for programs. */
export function runAsJson(done: readonly RunOutcome[], prices: Prices, place: string): object {
  return {
    workspace: place,
    prices: { perMillion: prices.price, perMillionCached: prices.cachedPrice },
    conversations: done.map((outcome) => ({
      input: outcome.input.shown,
      output: outcome.output ?? null,
      format: outcome.format,
      messages: outcome.messages,
      brokenLines: outcome.brokenLines,
      tokensBefore: outcome.tokensBefore,
      tokensAfter: outcome.tokensAfter,
      tools: addUp(outcome.results),
    })),
  };
}

const MAX_CONVERSATIONS = 20;
const SHORT_BAR = 10;
/** What the columns beside the name take, at their usual width. */
const BESIDE_NAME = 62;

function renderConversations(
  done: readonly RunOutcome[],
  { colors: { dim, green }, columns, room }: ReportOptions,
): string {
  const isMany = done.length > MAX_CONVERSATIONS;
  const gain = (one: RunOutcome): number => one.tokensBefore - one.tokensAfter;
  const shown = isMany
    ? [...done].sort((one, other) => gain(other) - gain(one)).slice(0, MAX_CONVERSATIONS)
    : done;
  const isShort = shown.every(({ input }) => input.shown.length <= columns - BESIDE_NAME);
  const rows = shown.map(({ input, format, messages, tokensBefore, tokensAfter }) => {
    const saved = tokensBefore === 0 ? 0 : (tokensBefore - tokensAfter) / tokensBefore;
    return [
      isShort ? input.shown : basename(input.shown),
      dim(format),
      formatCount(messages),
      formatCount(tokensBefore),
      formatCount(tokensAfter),
      formatShare(saved),
      green(renderBar(saved, SHORT_BAR)),
    ];
  });
  const table = renderTable(
    [
      { title: "conversation", ifNarrow: "cut" },
      omittable({ title: "format" }),
      omittable(right("messages")),
      ...["tokens", "now", "saved"].map(right),
      omittable({ title: "" }),
    ],
    rows,
    room,
  );
  if (!isMany) return table;
  const all = countOf(done.length, "conversation");
  return `${table}\n${wrap(`… ${shown.length} of ${all}, those that save most; --json lists all`, room)}`;
}

function right(title: string) {
  return { title, align: "right" as const };
}

function renderTools(
  tools: readonly ToolRow[],
  { colors: { green }, room }: Pick<ReportOptions, "colors" | "room">,
): string {
  const max = Math.max(...tools.map(({ tokensBefore, tokensAfter }) => tokensBefore - tokensAfter));
  const rows = tools
    .filter(({ offloaded }) => offloaded > 0)
    .sort((a, b) => b.tokensBefore - b.tokensAfter - (a.tokensBefore - a.tokensAfter))
    .map(({ tool, results, offloaded, tokensBefore, tokensAfter }) => [
      tool,
      `${formatCount(offloaded)} of ${formatCount(results)}`,
      formatCount(tokensBefore),
      formatCount(tokensAfter),
      green(renderBar((tokensBefore - tokensAfter) / max)),
    ]);
  return renderTable(
    [
      { title: "tool", ifNarrow: "cut" },
      ...["offloaded", "tokens", "references"].map(right),
      omittable({ title: "saved" }),
    ],
    rows,
    room,
  );
}

function addUp(results: readonly ResultReport[]): ToolRow[] {
  const rows = new Map<string, ToolRow>();
  for (const { toolName = "(unknown)", outcome, tokens = 0, referenceTokens = 0 } of results) {
    const none = { tool: toolName, results: 0, offloaded: 0, tokensBefore: 0, tokensAfter: 0 };
    const row = rows.get(toolName) ?? none;
    row.results++;
    if (outcome === "offloaded") {
      row.offloaded++;
      row.tokensBefore += tokens;
      row.tokensAfter += referenceTokens;
    }
    rows.set(toolName, row);
  }
  return [...rows.values()];
}

function money(tokens: number, perMillion: number): string {
  const dollars = (tokens * perMillion) / 1_000_000;
  return `$${dollars.toFixed(dollars >= 1 ? 2 : 4)}`;
}
