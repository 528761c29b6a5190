import { mkdir, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import type { Outcome, SourceFigures } from "@context-offload/replay";
import type { Command } from "commander";
import { CommandError } from "../command-error.js";
import { findInputs } from "../conversations/conversation-files.js";
import { AGENT_NAMES, findSessions, type SessionSource } from "../replay/find-sessions.js";
import { replaySessions, SYSTEMS } from "../replay/replay-sessions.js";
import { countOf, formatCount, omittable, renderBar, renderTable } from "../terminal/table.js";
import { inLine, printableJson } from "../terminal/printable.js";
import { roomIn, type Terminal } from "../terminal/terminal.js";
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
    .option(
      "--price <usd>",
      "price of a million input tokens; a million output tokens cost five times as much",
      parsePrice,
      3,
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Each recorded request is sent again on paper, once with all results whole and once with context-offload, through a prompt cache. \
A scripted reader reads back what is hidden when it arrives, as live agents did, and whatever a recorded reply uses that is no longer in the context; its requests and its calls are paid for. \
The last column shows the same for a reader to whom a name in a reference is as good as the text: the best that could happen.

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
  const read = figures.filter(({ conversations }) => conversations.length > 0);
  if (read.length === 0) {
    const why = "none is a conversation that the replay can read; see context-offload run for one";
    throw new CommandError(
      missing.size > 0 ? [...missing].join("; ") : `${countOf(total, "file")}: ${why}`,
    );
  }
  for (const why of missing) terminal.note(`context-offload: ${why}`);
  const { addFigures, createReport, DEFAULT_SETTINGS, renderPicture } =
    await import("@context-offload/replay");
  if (flags.json === true) terminal.print(printableJson({ sources: figures }, 2));
  else terminal.print(describe(read, addFigures("together", figures), flags.price, terminal));
  if (flags.picture === undefined) return;
  const picture = resolve(terminal.cwd, flags.picture);
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
  together: SourceFigures,
  price: number,
  terminal: Terminal,
): string {
  const { colors } = terminal;
  const rows = figures.map((source) => rowOf(source, price));
  const all = rowOf(together, price);
  const shown = rows.length === 1 ? rows : [...rows, all];
  const right = (title: string) => ({ title, align: "right" as const });
  const table = renderTable(
    [
      { title: "", ifNarrow: "cut" },
      ...["sessions", "replies", "tokens sent", "now"].map(right).map(omittable),
      ...["cost", "now", "saved"].map(right),
      omittable({ title: "" }),
      ...["read-backs", "lost", "if names were enough"].map(right).map(omittable),
    ],
    shown.map((row) => [
      row.name,
      ...[row.sessions, row.turns, row.tokens, row.tokensNow].map(formatCount),
      ...[row.cost, row.costNow].map(dollars),
      share(savedBy(row)),
      colors.green(renderBar(Math.max(0, savedBy(row)), 10)),
      ...[row.reads, row.lost].map(formatCount),
      share(savedBy({ ...row, costNow: row.costIfNames })),
    ]),
    roomIn(terminal),
  );
  const ratios = sessionRatios(together).sort((a, b) => b.ratio - a.ratio);
  const dearer = ratios.filter(({ ratio }) => ratio > 1);
  const worst = dearer[0];
  return [
    table,
    "",
    `${verdict(all, colors)} ${basisOf(price)}`,
    `If a name in a reference were as good as the text to your agent, ${verdictIfNames(all)}.`,
    ...(worst
      ? [
          `${formatCount(dearer.length)} of ${countOf(ratios.length, "session")} would have cost more than ` +
            `without it, the worst ${share(worst.ratio - 1)} more (${inLine(worst.name)}).`,
        ]
      : []),
    ...(together.unread > 0
      ? [`${countOf(together.unread, "file")} could not be read as a conversation.`]
      : []),
  ].join("\n");
}

function verdict(row: ReplayRow, colors: Terminal["colors"]): string {
  const saved = row.cost - row.costNow;
  const amount = colors.bold(dollars(Math.abs(saved)));
  return saved >= 0
    ? `context-offload would have saved ${amount} of ${dollars(row.cost)}`
    : `context-offload costs more here than sending everything: ${amount} more than ${dollars(row.cost)}`;
}

function basisOf(price: number): string {
  return (
    `at $${price} per million input tokens, with a prompt cache, with an agent that reads back what is ` +
    "hidden when it arrives, as live agents did."
  );
}

function verdictIfNames({ cost, costIfNames }: ReplayRow): string {
  const saved = cost - costIfNames;
  const amount = dollars(Math.abs(saved));
  return saved >= 0 ? `it would have saved ${amount}` : `it would still have cost ${amount} more`;
}

/** What offloading costs in each session, against sending everything. */
function sessionRatios({ conversations }: SourceFigures) {
  return conversations.map(({ name, outcomes }) => {
    const { everything, ours } = outcomes.live;
    return { name, ratio: everything && ours ? billOf(ours) / billOf(everything) : 1 };
  });
}

interface ReplayRow {
  readonly name: string;
  readonly sessions: number;
  readonly turns: number;
  readonly tokens: number;
  readonly tokensNow: number;
  readonly cost: number;
  readonly costNow: number;
  readonly costIfNames: number;
  readonly reads: number;
  readonly lost: number;
}

function rowOf({ name, conversations, outcomes }: SourceFigures, price: number): ReplayRow {
  const { everything, ours } = outcomes.live;
  const cost = (outcome: Outcome | undefined) => (outcome ? (billOf(outcome) * price) / 1e6 : 0);
  return {
    ...{ name, sessions: conversations.length, turns: everything?.turns ?? 0 },
    ...{ tokens: everything?.tokens ?? 0, tokensNow: ours?.tokens ?? 0 },
    ...{ cost: cost(everything), costNow: cost(ours), costIfNames: cost(outcomes.names["ours"]) },
    ...{ reads: ours?.readBacks ?? 0, lost: ours?.lost ?? 0 },
  };
}

/** All that a person pays for, the recorded replies included. */
function billOf({ price, replyPrice }: Outcome): number {
  return price + replyPrice;
}

function savedBy({ cost, costNow }: Pick<ReplayRow, "cost" | "costNow">): number {
  return cost === 0 ? 0 : (cost - costNow) / cost;
}

/** To a tenth where a whole percent would hide it. */
function share(value: number): string {
  const percent = 100 * value;
  return `${percent.toFixed(Math.abs(percent) < 10 ? 1 : 0)} %`;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount >= 1 ? 2 : 4)}`;
}
