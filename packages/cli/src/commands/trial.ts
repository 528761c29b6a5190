import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { readLedger } from "context-offload/ledger";
import { CommandError, EXIT, type SetExitCode } from "../command-error.js";

import {
  withWorkspace,
  workspaceFolder,
  workspacePlace,
  type WorkspaceFlags,
} from "../open-workspace.js";
import { formatCount, renderTable } from "../terminal/table.js";
import { inLine, printableJson } from "../terminal/printable.js";
import type { Terminal } from "../terminal/terminal.js";
import {
  compareMeans,
  compareShares,
  isOpen,
  MIN_RUNS,
  type Difference,
} from "../trial/compare.js";
import {
  lookAtRecordings,
  RECORDING_AGENTS,
  usageSince,
  type RecordedUsage,
} from "../trial/recorded-usage.js";
import { parseCount } from "./option-values.js";

interface TrialFlags extends WorkspaceFlags {
  readonly runs: number;
  readonly json?: boolean;
}

/** One run of the command. */
interface Run extends RecordedUsage {
  readonly isWith: boolean;
  readonly seconds: number;
  readonly exit: number;
}

export function addTrial(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  program
    .command("trial")
    .description("run your agent's command with and without offloading, and compare what it took")
    .argument("<command...>", "after --: what runs the agent to its end, such as claude -p")
    .option(
      "-n, --runs <count>",
      "runs each; nothing is claimed for fewer than 5",
      parseCount,
      MIN_RUNS,
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Runs it alternately with the hook and with CONTEXT_OFFLOAD=off, and reads what the provider counted from the sessions that ${RECORDING_AGENTS} record. \
Let no other session run meanwhile. Each run is paid for, and starts from the same folder: a task that changes files should put them back itself.

Example: context-offload trial -n 8 -- claude -p "Why does the build fail? Answer in one line."`,
    )
    .action(async (command: string[], _: TrialFlags, self: Command) => {
      const runs = await makeTrial(command, self.optsWithGlobals<TrialFlags>(), terminal);
      if (runs.some(({ exit }) => exit !== 0)) setExitCode(EXIT.no);
    });
}

async function makeTrial(
  command: readonly string[],
  flags: TrialFlags,
  terminal: Terminal,
): Promise<readonly Run[]> {
  const folder = workspaceFolder(flags, terminal);
  if (folder !== undefined && existsSync(join(folder, "off"))) {
    throw new CommandError("trial: offloading is switched off here; run context-offload on first");
  }
  if (flags.runs === 0) throw new CommandError("trial: --runs must be at least 1");
  const runs: Run[] = [];
  const before = await countOffloaded(flags, terminal);
  for (let pair = 0; pair < flags.runs; pair++) {
    // Whichever comes second may find a warm cache: they take turns.
    for (const isWith of pair % 2 === 0 ? [true, false] : [false, true]) {
      terminal.progress(`run ${runs.length + 1} of ${2 * flags.runs}`);
      runs.push(await runOnce(command, isWith, terminal));
    }
  }
  terminal.progress("");
  const compared = compare(runs);
  const offloaded = (await countOffloaded(flags, terminal)) - before;
  const whyNone = whyNoClaim(runs, offloaded, workspacePlace(flags, terminal));
  if (flags.json === true) {
    const claim = whyNone === undefined ? claimOf(compared.input) : null;
    terminal.print(printableJson({ runs, compared, offloaded, claim, whyNoClaim: whyNone }, 2));
  } else terminal.print(describe(compared, whyNone, terminal));
  return runs;
}

/** How many results the workspace's ledger tells of. */
async function countOffloaded(flags: WorkspaceFlags, terminal: Terminal): Promise<number> {
  const opened = { ...flags, ifMissing: "as empty" } as const;
  const { sessions } = await withWorkspace(opened, terminal, (workspace) => readLedger(workspace));
  return sessions.reduce((sum, { results }) => sum + results, 0);
}

function whyNoClaim(runs: readonly Run[], offloaded: number, place: string): string | undefined {
  if (runs.length < 2 * MIN_RUNS) {
    return `Nothing is claimed for fewer than ${MIN_RUNS} runs each; ask for them with --runs ${MIN_RUNS}.`;
  }
  if (runs.some(({ exit }) => exit !== 0)) {
    return "Nothing is claimed, since not all runs ended without an error: one that failed took less.";
  }
  if (offloaded > 0) return undefined;
  return `Nothing is claimed, since nothing was offloaded into ${inLine(place)} in these runs; run context-offload doctor.`;
}

async function runOnce(
  command: readonly string[],
  isWith: boolean,
  terminal: Terminal,
): Promise<Run> {
  const before = await lookAtRecordings(terminal);
  const started = performance.now();
  const exit = await run(command, isWith, terminal);
  const seconds = (performance.now() - started) / 1_000;
  const usage = await usageSince(before, terminal);
  if (!usage) {
    throw new CommandError(
      `trial: ${command[0] ?? ""} recorded no session with the provider's figures, as ${RECORDING_AGENTS} do; without them nothing can be compared`,
    );
  }
  return { ...usage, isWith, seconds, exit };
}

function run(
  [program = "", ...args]: readonly string[],
  isWith: boolean,
  { cwd, env, signal }: Terminal,
): Promise<number> {
  const child = spawn(program, args, {
    ...{ cwd, signal, stdio: ["ignore", "ignore", "inherit"] },
    env: { ...env, CONTEXT_OFFLOAD: isWith ? "" : "off" },
    shell: process.platform === "win32",
  });
  return new Promise((resolve, reject) => {
    child.on("error", (cause) => {
      reject(
        signal.aborted
          ? cause
          : new CommandError(`trial: ${program} cannot be started`, undefined, { cause }),
      );
    });
    child.on("close", (code) => {
      resolve(code ?? EXIT.failed);
    });
  });
}

type Compared = Readonly<
  Record<"input" | "cached" | "output" | "turns" | "seconds" | "ended", Difference>
>;

function compare(runs: readonly Run[]): Compared {
  const [withUs, without] = [true, false].map((isWith) =>
    runs.filter((run) => run.isWith === isWith),
  );
  const of = (figure: (run: Run) => number): Difference =>
    compareMeans((withUs ?? []).map(figure), (without ?? []).map(figure));
  const hasEnded = ({ exit }: Run): boolean => exit === 0;
  return {
    input: of(({ inputTokens }) => inputTokens),
    cached: of(({ cacheReadTokens }) => cacheReadTokens),
    output: of(({ outputTokens }) => outputTokens),
    turns: of(({ turns }) => turns),
    seconds: of(({ seconds }) => seconds),
    ended: compareShares((withUs ?? []).map(hasEnded), (without ?? []).map(hasEnded)),
  };
}

const TITLES: Readonly<Record<keyof Compared, string>> = {
  input: "input tokens, all",
  cached: "of these, from a cache",
  output: "output tokens",
  turns: "turns",
  seconds: "seconds",
  ended: "ended without an error, %",
};

function claimOf(input: Difference): string {
  const { difference, interval, without } = input;
  if (!interval || isOpen(input)) {
    return "No difference in input tokens can be told from chance.";
  }
  const way = difference < 0 ? "fewer" : "more";
  const [near, far] = interval.map(Math.abs).sort((one, other) => one - other);
  const share = without === 0 ? "" : `, ${Math.round((100 * Math.abs(difference)) / without)} %`;
  return `With context-offload, the provider counted ${round(Math.abs(difference))} input tokens ${way} in each run (95 %: ${round(near ?? 0)} to ${round(far ?? 0)})${share}.`;
}

function describe(compared: Compared, whyNone: string | undefined, { colors }: Terminal): string {
  const right = (title: string) => ({ title, align: "right" as const });
  const table = renderTable(
    [
      { title: "mean of each run" },
      ...["with", "without", "difference", "95 % interval"].map(right),
    ],
    (Object.keys(TITLES) as (keyof Compared)[]).map((name) => {
      const { interval, difference, ...means } = compared[name];
      return [
        TITLES[name],
        ...[means.with, means.without, difference].map(round),
        interval ? interval.map(round).join(" to ") : "too few runs",
      ];
    }),
  );
  return [
    table,
    "",
    whyNone ?? colors.bold(claimOf(compared.input)),
    "Intervals are of the difference: of means by Welch's t, of shares by Newcombe's score. Tokens are the provider's.",
  ].join("\n");
}

function round(value: number): string {
  return formatCount(Math.abs(value) < 100 ? Number(value.toFixed(1)) : Math.round(value));
}
