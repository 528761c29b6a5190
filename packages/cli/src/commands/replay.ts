import { mkdir, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import type { SourceFigures } from "@context-offload/replay";
import type { Command } from "commander";
import { CommandError } from "../command-error.js";
import { findInputs } from "../conversations/conversation-files.js";
import { AGENT_NAMES, findSessions, type SessionSource } from "../replay/find-sessions.js";
import { replaySessions, SYSTEMS } from "../replay/replay-sessions.js";
import { countOf, formatCount, formatShare, renderBar, renderTable } from "../terminal/table.js";
import { harmless } from "../terminal/colors.js";
import type { Terminal } from "../terminal/terminal.js";
import { parsePrice } from "./option-values.js";

interface ReplayFlags {
  readonly find?: boolean;
  readonly picture?: string;
  readonly price: number;
  readonly json?: boolean;
}

export function addReplay(program: Command, terminal: Terminal): void {
  program
    .command("replay")
    .description("show what offloading would have saved, and cost, on recorded sessions")
    .argument("[conversation...]", "files or folders; they are only read")
    .option("--find", `also the sessions of ${AGENT_NAMES} on this computer`)
    .option("--picture <file>", "write a picture, as SVG")
    .option("--price <usd>", "price of a million input tokens", parsePrice, 3)
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Each recorded request is sent again on paper, once with all results whole and once with large ones offloaded, through
a prompt cache; where the recorded reply uses something that is no longer in the context, it is read back first.
Examples:
  context-offload replay --find
  context-offload replay ~/.claude/projects/my-project --picture saved.svg`,
    )
    .action(async (paths: string[], flags: ReplayFlags) => {
      await replay(paths, flags, terminal);
    });
}

async function replay(
  paths: readonly string[],
  flags: ReplayFlags,
  terminal: Terminal,
): Promise<void> {
  const sources = await sourcesOf(paths, flags, terminal);
  const total = sources.reduce((sum, source) => sum + source.paths.length, 0);
  let started = 0;
  const missing = new Set<string>();
  const figures: SourceFigures[] = [];
  for (const source of sources) {
    const shown = await replaySessions(source, terminal, {
      onProgress(path) {
        const bar = renderBar(started / total).padEnd(20);
        terminal.progress(`${bar} ${started++} of ${total}  ${relative(terminal.cwd, path)}`);
      },
      onUnreadable: (why) => missing.add(why),
    });
    figures.push(shown);
  }
  terminal.progress("");
  const read = figures.filter(({ conversations }) => conversations > 0);
  const unread = figures.reduce((sum, source) => sum + source.unread, 0);
  if (read.length === 0) {
    const why = "none is a conversation that the replay can read; see context-offload run for one";
    throw new CommandError(
      missing.size > 0 ? [...missing].join("; ") : `${countOf(total, "file")}: ${why}`,
    );
  }
  for (const why of missing) terminal.note(`context-offload: ${why}`);
  if (flags.json === true) terminal.print(JSON.stringify({ sources: figures }, null, 2));
  else terminal.print(describe(read, unread, flags.price, terminal));
  if (flags.picture === undefined) return;
  const picture = resolve(terminal.cwd, flags.picture);
  const { createReport, DEFAULT_SETTINGS, renderPicture } = await import("@context-offload/replay");
  const report = createReport(read, SYSTEMS, DEFAULT_SETTINGS);
  await mkdir(dirname(picture), { recursive: true });
  await writeFile(picture, renderPicture(report));
  terminal.note(`wrote ${flags.picture}`);
}

async function sourcesOf(
  paths: readonly string[],
  { find }: ReplayFlags,
  terminal: Terminal,
): Promise<SessionSource[]> {
  const named: SessionSource[] = [];
  for (const path of paths) {
    const inputs = await findInputs([path], terminal);
    named.push({ name: path, paths: inputs.flatMap((input) => input.path ?? []) });
  }
  const found = find === true ? await findSessions(terminal) : [];
  if (named.length + found.length > 0) return [...named, ...found];
  throw new CommandError(
    find === true
      ? `no sessions of ${AGENT_NAMES} were found; name files or folders instead`
      : "replay: name files or folders, or look for the sessions of coding agents with --find",
  );
}

function describe(
  figures: readonly SourceFigures[],
  unread: number,
  price: number,
  { colors }: Terminal,
): string {
  const rows = figures.map((source) => rowOf(source, price));
  const all = rows.reduce(
    (sum, row) => ({
      ...{ name: "together", sessions: sum.sessions + row.sessions, turns: sum.turns + row.turns },
      ...{ tokens: sum.tokens + row.tokens, tokensNow: sum.tokensNow + row.tokensNow },
      ...{ cost: sum.cost + row.cost, costNow: sum.costNow + row.costNow },
      ...{ reads: sum.reads + row.reads, lost: sum.lost + row.lost },
    }),
    ZERO,
  );
  const shown = rows.length === 1 ? rows : [...rows, all];
  const right = (title: string) => ({ title, align: "right" as const });
  const table = renderTable(
    [
      { title: "" },
      ...["sessions", "replies", "tokens sent", "now", "cost", "now", "saved"].map(right),
      { title: "" },
      ...["read-backs", "lost"].map(right),
    ],
    shown.map((row) => [
      harmless(row.name),
      ...[row.sessions, row.turns, row.tokens, row.tokensNow].map(formatCount),
      ...[row.cost, row.costNow].map(dollars),
      formatShare(savedBy(row)),
      colors.green(renderBar(savedBy(row), 10)),
      ...[row.reads, row.lost].map(formatCount),
    ]),
  );
  const saved = all.cost - all.costNow;
  const verdict =
    saved >= 0
      ? `Offloading would have saved ${colors.bold(dollars(saved))} of ${dollars(all.cost)}`
      : `Offloading would have cost ${colors.bold(dollars(-saved))} more than the ${dollars(all.cost)} without it`;
  return [
    table,
    "",
    `${verdict} at $${price} per million input tokens, with a prompt cache and everything that is read back.`,
    ...(unread > 0 ? [`${countOf(unread, "file")} could not be read as a conversation.`] : []),
  ].join("\n");
}

interface ReplayRow {
  readonly name: string;
  readonly sessions: number;
  readonly turns: number;
  readonly tokens: number;
  readonly tokensNow: number;
  readonly cost: number;
  readonly costNow: number;
  readonly reads: number;
  readonly lost: number;
}

const NUMBERS = { sessions: 0, turns: 0, tokens: 0, tokensNow: 0, cost: 0, costNow: 0 };
const ZERO: ReplayRow = { name: "together", ...NUMBERS, reads: 0, lost: 0 };

function rowOf({ name, conversations, outcomes }: SourceFigures, price: number): ReplayRow {
  const { everything, ours } = outcomes;
  return {
    ...{ name, sessions: conversations, turns: everything?.turns ?? 0 },
    ...{ tokens: everything?.tokens ?? 0, tokensNow: ours?.tokens ?? 0 },
    cost: ((everything?.price ?? 0) * price) / 1e6,
    costNow: ((ours?.price ?? 0) * price) / 1e6,
    ...{ reads: ours?.readBacks ?? 0, lost: ours?.lost ?? 0 },
  };
}

function savedBy({ cost, costNow }: ReplayRow): number {
  return cost === 0 ? 0 : (cost - costNow) / cost;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount >= 1 ? 2 : 4)}`;
}
