import { basename } from "node:path";
import type { ResultReport } from "context-offload";
import type { OffloadedInput } from "./conversations/offload-input.js";
import { describeExample, type RunExample } from "./run-example.js";
import type { Colors } from "./terminal/colors.js";
import { inLine } from "./terminal/printable.js";
import { countOf, formatCount, formatShare, renderBar, renderTable } from "./terminal/table.js";

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
  /** Shown as it was and as it is. */
  readonly example: RunExample | undefined;
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
  if (offloaded > 0) blocks.push(renderTools(tools, colors));
  if (options.example) blocks.push(describeExample(options.example, options.columns, colors));
  const verb = options.isDryRun ? "would be offloaded" : "offloaded";
  const results = tools.reduce((sum, row) => sum + row.results, 0);
  const share = before === 0 ? 0 : (before - after) / before;
  blocks.push(
    [
      `${colors.bold(`${formatCount(before - after)} tokens`)} (${formatShare(share)}) saved in every request that carries this:`,
      `  ${money(before - after, options.price)}, or ${money(before - after, options.cachedPrice)} from the prompt cache`,
      `${offloaded} of ${countOf(results, "tool result")} ${verb}` +
        (options.isDryRun ? "; nothing was written" : `, stored in ${options.place}`),
      ...done.flatMap(({ brokenLines, input }) =>
        brokenLines === 0
          ? []
          : [`left ${countOf(brokenLines, "broken line")} of ${inLine(input.shown)} as found`],
      ),
      ...done.flatMap(({ output }) => (output === undefined ? [] : [`wrote ${inLine(output)}`])),
    ].join("\n"),
  );
  return blocks.join("\n\n");
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

const SHORT_BAR = 10;
/** What the columns beside the name take, at their usual width. */
const BESIDE_NAME = 62;

function renderConversations(
  done: readonly RunOutcome[],
  { colors: { dim, green }, columns }: ReportOptions,
): string {
  const rows = done.map(({ input, format, messages, tokensBefore, tokensAfter }) => {
    const saved = tokensBefore === 0 ? 0 : (tokensBefore - tokensAfter) / tokensBefore;
    return [
      input.shown.length <= columns - BESIDE_NAME ? input.shown : basename(input.shown),
      dim(format),
      formatCount(messages),
      formatCount(tokensBefore),
      formatCount(tokensAfter),
      formatShare(saved),
      green(renderBar(saved, SHORT_BAR)),
    ];
  });
  return renderTable(
    [
      ...[{ title: "conversation" }, { title: "format" }],
      ...["messages", "tokens", "now", "saved"].map((title) => ({
        title,
        align: "right" as const,
      })),
      { title: "" },
    ],
    rows,
  );
}

function renderTools(tools: readonly ToolRow[], { green }: Colors): string {
  const max = Math.max(...tools.map(({ tokensBefore, tokensAfter }) => tokensBefore - tokensAfter));
  const rows = tools
    .filter(({ offloaded }) => offloaded > 0)
    .sort((a, b) => b.tokensBefore - b.tokensAfter - (a.tokensBefore - a.tokensAfter))
    .map(({ tool, results, offloaded, tokensBefore, tokensAfter }) => [
      tool,
      `${offloaded} of ${results}`,
      formatCount(tokensBefore),
      formatCount(tokensAfter),
      green(renderBar((tokensBefore - tokensAfter) / max)),
    ]);
  return renderTable(
    [
      { title: "tool" },
      ...["offloaded", "tokens", "references"].map((title) => ({ title, align: "right" as const })),
      { title: "saved" },
    ],
    rows,
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
