import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { BrokenFileError, CommandError, NotConversationError } from "../command-error.js";
import {
  encodeText,
  findInputs,
  sessionOf,
  type Input,
  openOutput,
  type OutputFile,
} from "../conversations/conversation-files.js";
import { offloadInput, type OffloadedInput } from "../conversations/offload-input.js";
import {
  needsWhole,
  POLICY_HELP,
  parsePolicyOptions,
} from "../conversations/parse-policy-options.js";
import {
  withWorkspace,
  workspaceFolder,
  workspacePlace,
  type WorkspaceFlags,
} from "../open-workspace.js";
import { describeRun, runAsJson } from "../run-report.js";
import { countOf, formatBytes, renderBar } from "../terminal/table.js";
import { createColors } from "../terminal/colors.js";
import { inLine, printable, printableJson } from "../terminal/printable.js";
import { roomIn, type Terminal } from "../terminal/terminal.js";
import { parsePrice } from "./option-values.js";

interface RunFlags extends WorkspaceFlags {
  readonly out?: string;
  readonly session?: string;
  readonly policy?: readonly string[];
  readonly dryRun?: boolean;
  readonly example?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color: boolean;
  readonly price: number;
  readonly cachedPrice: number;
}

export function addRun(program: Command, terminal: Terminal): void {
  program
    .command("run")
    .description("offload the large tool results of recorded conversations, in any format")
    .argument("<conversation...>", "files, folders, or - for standard input")
    .option(
      "-o, --out <folder>",
      "where to write <name>.offloaded.<ext>; default: the working directory",
    )
    .option("--session <id>", "the session that the results belong to; default: the file's name")
    .option(
      "--policy <rule>",
      `which results to offload, may be repeated: ${POLICY_HELP}`,
      (rule, rules: readonly string[] | undefined) => [...(rules ?? []), rule],
    )
    .option("-n, --dry-run", "dry run: show what would be offloaded, write nothing")
    .option("--example", "show one result before and after")
    .option("--price <usd>", "price of a million input tokens", parsePrice, 3)
    .option(
      "--cached-price <usd>",
      "price of a million input tokens from the prompt cache",
      parsePrice,
      0.3,
    )
    .option("--json", "print the report as JSON")
    .option("-q, --quiet", "print nothing but errors")
    .option("--no-color", "plain text")
    .addHelpText(
      "after",
      `
Examples:
  context-offload run session.jsonl
  context-offload run ~/.claude/projects/my-project --dry-run
  context-offload run chat.json --policy min-tokens=1000 --policy keep-errors --out short
  cat chat.json | context-offload run - > short.json`,
    )
    .action(async (paths: string[], flags: RunFlags, command: Command) => {
      const all = command.optsWithGlobals<RunFlags>();
      await runConversations(paths, { ...all, ...flags }, terminal);
    });
}

async function runConversations(
  paths: readonly string[],
  flags: RunFlags,
  terminal: Terminal,
): Promise<void> {
  const policy = parsePolicyOptions(flags.policy);
  if (flags.dryRun !== true && workspacePlace(flags, terminal).startsWith("memory:")) {
    throw new CommandError(
      "--workspace memory: would lose the results when this command ends; name a folder, or add --dry-run",
    );
  }
  const inputs = await findInputs(paths, terminal);
  const totalBytes = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  const done: (OffloadedInput & { output: string | undefined })[] = [];
  const isPiped = inputs.some(({ path }) => path === undefined) && flags.out === undefined;
  let chars = 0;
  let others = 0;
  await withWorkspace({ ...flags, ifMissing: "make" }, terminal, async (workspace) => {
    for (const input of inputs) {
      const isDryRun = flags.dryRun === true;
      const toOutput = input.path === undefined && isPiped;
      let output: OutputFile | undefined;
      try {
        const offloaded = await offloadInput(input, {
          ...{ workspace, policy, isWhole: needsWhole(flags.policy), isDryRun, terminal },
          sessionId: flags.session ?? sessionOf(input),
          withExample: flags.example === true,
          begin: async () => {
            if (isDryRun || toOutput) return;
            const folder = resolve(terminal.cwd, flags.out ?? ".");
            const root = workspaceFolder(flags, terminal);
            output = await openOutput(input, { mark: "offloaded", folder, inputs, root });
          },
          write: (text) =>
            output?.write(text) ??
            terminal.write(terminal.isWatched ? printable(text) : encodeText(text)),
          onProgress: (more) => {
            chars += more;
            showProgress(terminal, input, chars, totalBytes, flags);
          },
        });
        await output?.finish();
        const shown = output && (relative(terminal.cwd, output.path) || output.path);
        done.push({ ...offloaded, output: shown });
      } catch (error) {
        await output?.discard();
        const isBroken = error instanceof BrokenFileError;
        if (!input.isFound || !(isBroken || error instanceof NotConversationError)) throw error;
        if (isBroken) terminal.note(`skipped ${error.message}`);
        else others++;
      }
    }
  });
  terminal.progress("");
  if (done.length === 0) {
    throw new CommandError(
      `${paths.join(", ")}: none of ${countOf(inputs.length, "file")} is a conversation; name others`,
    );
  }
  if (flags.quiet === true) return;
  if (others > 0) terminal.note(`skipped ${countOf(others, "file")} without a conversation`);
  const place = workspacePlace(flags, terminal);
  // With a conversation on standard output, the report must go elsewhere.
  const print = isPiped && flags.dryRun !== true ? terminal.note : terminal.print;
  if (flags.json === true) print(printableJson(runAsJson(done, flags, place), 2));
  else {
    const colors = flags.color && !isPiped ? terminal.colors : createColors(false);
    const { columns } = terminal;
    const isDryRun = flags.dryRun === true;
    const room = roomIn(terminal);
    const [example] = done.flatMap((one) => one.example ?? []).sort((a, b) => b.saved - a.saved);
    print(describeRun(done, { ...flags, place, colors, isDryRun, columns, room, example }));
  }
}

/** Counted in characters, of which most are one byte: near enough for a bar. */
function showProgress(
  terminal: Terminal,
  { shown }: Input,
  chars: number,
  total: number,
  { quiet }: RunFlags,
): void {
  if (quiet === true) return;
  const share = total === 0 ? 0 : chars / total;
  const bar = renderBar(share).padEnd(20);
  terminal.progress(`${bar} ${formatBytes(chars)} of ${formatBytes(total)}  ${inLine(shown)}`);
}
