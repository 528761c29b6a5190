import type { Command } from "commander";
import {
  readLedger,
  type LedgerFigures,
  type LedgerReport,
  type SessionFigures,
  type Span,
  type ToolFigures,
  type UsageSums,
} from "context-offload/ledger";
import { eachArtifact, filterOf } from "../artifacts.js";
import {
  emptyByDefault,
  withWorkspace,
  workspacePlace,
  type WorkspaceFlags,
} from "../open-workspace.js";
import type { Colors } from "../terminal/colors.js";
import { inLine, printableJson } from "../terminal/printable.js";
import {
  clip,
  countOf,
  formatBytes,
  formatCount,
  omittable,
  renderTable,
  wrap,
} from "../terminal/table.js";
import { roomIn, say, type Terminal } from "../terminal/terminal.js";
import { findEvidence } from "../savings/find-evidence.js";
import { whyNothing } from "../savings/why-nothing.js";
import { whyExclude } from "../page/verdicts.js";
import { findSetUps, installLine, shellWord, type SetUp } from "../install/find-set-ups.js";
import { contextOf } from "./install.js";

interface StatsFlags extends WorkspaceFlags {
  readonly session?: string;
  readonly json?: boolean;
}

/** Names in the first column are cut, so that the figures fit beside them. */
const NAME_COLUMNS = 24;

export function addStats(program: Command, terminal: Terminal): void {
  program
    .command("stats")
    .description("show what offloading brought, net, by session, tool and day")
    .option("--session <id>", "only this session")
    .option("--json", "print JSON")
    .action(async (_: StatsFlags, command: Command) => {
      await showStats(command.optsWithGlobals(), terminal);
    });
}

interface Stored {
  artifacts: number;
  bytes: number;
  tokens: number;
}

async function showStats(flags: StatsFlags, terminal: Terminal): Promise<void> {
  const stored: Stored = { artifacts: 0, bytes: 0, tokens: 0 };
  const opened = { ...flags, ifMissing: emptyByDefault(flags, terminal) };
  const report = await withWorkspace(opened, terminal, async (workspace) => {
    for await (const { size } of eachArtifact(workspace, terminal, filterOf(flags))) {
      stored.artifacts++;
      stored.bytes += size.bytes;
      stored.tokens += size.tokens;
    }
    return readLedger(workspace, { sessionId: flags.session, signal: terminal.signal });
  });
  const warnings = whyNothing(
    findEvidence(report, flags, terminal, (scope) =>
      contextOf(terminal, { user: scope === "user", tools: true }),
    ),
  );
  if (flags.json === true) {
    terminal.print(printableJson({ stored, ...report, warnings }, 2));
    return;
  }
  const { colors } = terminal;
  say(sentenceOf(report, colors), terminal);
  const place = workspacePlace(flags, terminal);
  const held = `${countOf(stored.artifacts, "artifact")}, ${formatBytes(stored.bytes)}, ${formatCount(stored.tokens)} tokens`;
  say(`Stored in ${place}: ${held}.`, terminal);
  for (const warning of warnings) say(colors.yellow(`Note: ${warning}.`), terminal);
  if (report.sessions.length === 0) return;
  const setUps = await findSetUps((scope) =>
    contextOf(terminal, { user: scope === "user", tools: true }),
  );
  const advice = adviceOf(report.tools, setUps);
  const parts = [
    tableOf("session", report.sessions.map(rowOfSession), terminal),
    report.tools.length === 0 ? "" : toolsOf(report.tools, terminal),
    tableOf("day", daysOf(report.sessions), terminal),
    report.sessions
      .flatMap(({ sessionId, usage }) => (usage ? [usageOf(sessionId, usage)] : []))
      .join("\n"),
    advice === undefined ? "" : colors.yellow(advice),
    wrap(NOTE, Math.min(NOTE_COLUMNS, terminal.columns)),
  ];
  terminal.print(`\n${parts.filter((part) => part !== "").join("\n\n")}`);
}

const NOTE =
  "Tokens of input, estimated. net = whole - references - reads - fixed; prompt caching is " +
  "left out. Sums are over all requests; with * they are what each further request saves, " +
  "where only results were seen as they arrived. Of a tool, whole and read back count each " +
  "result once, however many requests carried it.";
const NOTE_COLUMNS = 88;

/** What a person wants to know, in one sentence. */
export function sentenceOf({ total, eachRequest, sessions }: LedgerReport, colors: Colors): string {
  if (sessions.length === 0) return "Nothing was noted yet: no request went through the offloader.";
  const parts: string[] = [];
  if (total.requests > 0) {
    const over = `in ${countOf(total.requests, "request")}`;
    parts.push(`${brought(total, colors)} of input ${over}, by our estimate`);
  }
  if (eachRequest.results > 0) {
    parts.push(`${brought(eachRequest, colors)} in each further request of the sessions with *`);
  }
  if (parts.length === 0) return "Nothing was offloaded yet.";
  return `Offloading ${parts.join(", and ")}.`;
}

function brought({ net }: LedgerFigures, { bold, red }: Colors): string {
  const tokens = `${formatCount(Math.abs(net))} tokens`;
  return net < 0 ? red(`cost ${tokens} more than it saved`) : `saved ${bold(tokens)}`;
}

interface Row extends LedgerFigures {
  readonly name: string;
  readonly requests: number;
}

function rowOfSession({ sessionId, over, ...figures }: SessionFigures): Row {
  return { ...figures, name: marked(clip(sessionId, NAME_COLUMNS), over) };
}

function marked(name: string, over: Span): string {
  return over === "each request" ? `${name} *` : name;
}

/** The days of all sessions whose requests were seen, the last one first. */
function daysOf(sessions: readonly SessionFigures[]): Row[] {
  const days = new Map<string, Row>();
  for (const { days: own, over } of sessions) {
    for (const [day, figures] of Object.entries(own)) {
      const name = marked(day, over);
      const known = days.get(name);
      days.set(name, known ? addRows(known, figures) : { ...figures, name });
    }
  }
  return [...days.values()].sort((one, other) => (one.name < other.name ? 1 : -1));
}

function addRows(one: Row, other: Omit<Row, "name">): Row {
  const sum = { ...one } as Record<string, number | string>;
  for (const [name, value] of Object.entries(other)) sum[name] = Number(sum[name]) + value;
  return sum as unknown as Row;
}

function tableOf(title: string, rows: readonly Row[], terminal: Terminal): string {
  const { colors } = terminal;
  const figures = ["requests", "whole", "references", "reads", "fixed", "net"] as const;
  return renderTable(
    [
      { title, ifNarrow: "cut" },
      ...figures.map((name) => {
        const column = { title: name, align: "right" as const };
        return name === "net" ? column : omittable(column);
      }),
    ],
    rows.map((row) => [
      row.name,
      ...figures.map((name) => (name === "net" ? netOf(row.net, colors) : formatCount(row[name]))),
    ]),
    roomIn(terminal),
  );
}

function netOf(net: number, { red, green }: Colors): string {
  return net < 0 ? red(formatCount(net)) : green(formatCount(net));
}

function toolsOf(tools: readonly ToolFigures[], terminal: Terminal): string {
  const { colors } = terminal;
  const right = (title: string) => ({ title, align: "right" as const });
  return renderTable(
    [
      { title: "tool", ifNarrow: "cut" },
      ...["results", "whole", "read back", "in full"].map(right).map(omittable),
      right("net"),
      { title: "verdict" },
    ],
    tools.map((tool) => [
      marked(clip(tool.toolName ?? "(unknown)", NAME_COLUMNS), tool.over),
      ...[tool.results, tool.wholeTokens, tool.readTokens, tool.readInFull].map(formatCount),
      netOf(tool.net, colors),
      tool.verdict === "exclude" ? colors.red("exclude it") : tool.verdict,
    ]),
    roomIn(terminal),
  );
}

/** What to do about tools that do not pay, with the lines that do it: each works as it is pasted. */
export function adviceOf(
  tools: readonly ToolFigures[],
  setUps: readonly SetUp[],
): string | undefined {
  const bad = tools.filter(({ verdict, toolName }) => verdict === "exclude" && toolName !== null);
  if (bad.length === 0) return undefined;
  const names = [...new Set(bad.map(({ toolName }) => toolName ?? ""))];
  // An install replaces what an earlier one set up.
  const lines = setUps.map((setUp) => {
    const exclude = [...new Set([...setUp.exclude, ...names])];
    return installLine(setUp, { ...setUp, exclude });
  });
  const variable = `export CONTEXT_OFFLOAD_EXCLUDE=${shellWord(names.join(","))}`;
  return [
    ...bad.map((tool) => `${tool.toolName ?? ""}: ${whyExclude(tool)}. Exclude it:`),
    `  shouldOffload: ({ toolName }) => ${JSON.stringify(names)}.includes(toolName ?? "") ? false : undefined`,
    ...(lines.length === 0 ? [variable] : lines).map((line) => `  ${line}`),
  ]
    .map((line) => inLine(line))
    .join("\n");
}

function usageOf(sessionId: string, usage: UsageSums): string {
  const { requests, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return (
    `${clip(sessionId, NAME_COLUMNS)}, as the provider counted ${countOf(requests, "request")}: ` +
    `${formatCount(inputTokens)} input, ${formatCount(cacheReadTokens)} from cache, ` +
    `${formatCount(cacheWriteTokens)} to cache, ${formatCount(outputTokens)} output.`
  );
}
