import type { Command } from "commander";
import type { ArtifactRecord, Workspace } from "context-offload";
import { eachArtifact, filterOf } from "../artifacts.js";
import { EXIT, type SetExitCode } from "../command-error.js";
import { withWorkspace, type WorkspaceFlags } from "../open-workspace.js";
import { inLine, printable, printableJson } from "../terminal/printable.js";
import type { Terminal } from "../terminal/terminal.js";
import { parseCount } from "./option-values.js";
import { RAW_HELP } from "./reading.js";

interface GrepFlags extends WorkspaceFlags {
  readonly session?: string;
  readonly tool?: string;
  readonly ignoreCase?: boolean;
  readonly fixedStrings?: boolean;
  readonly context?: number;
  readonly count?: boolean;
  readonly maxCount?: number;
  readonly filesWithMatches?: boolean;
  readonly raw?: boolean;
  readonly json?: boolean;
}

const MAX_CHARS = Number.MAX_SAFE_INTEGER;
const MAX_MATCHES = 1_000_000;
const DEADLINE_MS = 60_000;

export function addGrep(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  program
    .command("grep")
    .description("search the named artifacts, those of a session, or all")
    .argument("<pattern>", "a JavaScript regular expression")
    .argument("[artifact...]", "ids of artifacts; default: all")
    .option("--session <id>", "only this session")
    .option("--tool <name>", "only results of this tool")
    .option("-i, --ignore-case", "ignore case")
    .option("-F, --fixed-strings", "treat the pattern as plain text")
    .option("-C, --context <lines>", "lines around each match", parseCount)
    .option("-c, --count", "print only the number of matches per artifact")
    .option("-l, --files-with-matches", "print only the ids of artifacts with matches")
    .option("-m, --max-count <matches>", "maximum number of matches per artifact", parseCount)
    .option("--raw", RAW_HELP)
    .option("--json", "print one JSON object per artifact with matches")
    .addHelpText(
      "after",
      `
Exits with 0 on a match, with 1 if there is none.
Examples:
  context-offload grep "timeout|refused"
  context-offload grep -i error toolu_01 toolu_02
  context-offload grep -c TODO --session my-session`,
    )
    .action(async (pattern: string, ids: string[], _: GrepFlags, command: Command) => {
      const found = await grep(pattern, ids, command.optsWithGlobals(), terminal);
      if (!found) setExitCode(EXIT.no);
    });
}

async function grep(
  pattern: string,
  ids: readonly string[],
  flags: GrepFlags,
  terminal: Terminal,
): Promise<boolean> {
  let shown = 0;
  await withWorkspace(flags, terminal, async (workspace) => {
    const isOne = ids.length === 1;
    const records: ArtifactRecord[] = [];
    for await (const record of chosen(workspace, ids, flags, terminal)) records.push(record);
    const nameOf = namesOf(records);
    for (const record of records) {
      const { text, range } = await workspace.grepKnowledge(record.artifactId, pattern, {
        ...{ sessionId: record.sessionId, signal: terminal.signal, maxChars: MAX_CHARS },
        ...{ ignoreCase: flags.ignoreCase, literal: flags.fixedStrings },
        ...{ contextBefore: flags.context, contextAfter: flags.context, deadlineMs: DEADLINE_MS },
        maxResults: flags.maxCount ?? MAX_MATCHES,
      });
      if (range.of === 0) continue;
      shown++;
      const options = { ...flags, isOne, isFirst: shown === 1, name: nameOf(record) };
      await printMatches(record, text, range.of, options, terminal);
    }
  });
  return shown > 0;
}

async function* chosen(
  workspace: Workspace,
  ids: readonly string[],
  flags: GrepFlags,
  terminal: Terminal,
): AsyncGenerator<ArtifactRecord> {
  if (ids.length === 0) {
    yield* eachArtifact(workspace, terminal, filterOf(flags));
    return;
  }
  const scope = { sessionId: flags.session, signal: terminal.signal };
  for (const id of ids) yield await workspace.getArtifact(id, scope);
}

/** What an artifact is called: with its session where another one has the same id. */
function namesOf(records: readonly ArtifactRecord[]): (record: ArtifactRecord) => string {
  const counts = new Map<string, number>();
  for (const { artifactId } of records) counts.set(artifactId, (counts.get(artifactId) ?? 0) + 1);
  return ({ artifactId, sessionId }) =>
    counts.get(artifactId) === 1 ? artifactId : `${sessionId}/${artifactId}`;
}

/** As ripgrep does: under a heading for people, with the name in each line for programs. */
async function printMatches(
  { artifactId, sessionId }: ArtifactRecord,
  text: string,
  matches: number,
  flags: GrepFlags & { readonly isOne: boolean; readonly isFirst: boolean; readonly name: string },
  terminal: Terminal,
): Promise<void> {
  const { cyan, green } = terminal.colors;
  const name = inLine(flags.name);
  const found = flags.raw === true ? text : printable(text);
  if (flags.json === true) {
    terminal.print(printableJson({ artifactId, sessionId, matches, text }));
  } else if (flags.filesWithMatches === true) {
    terminal.print(cyan(name));
  } else if (flags.count === true) {
    terminal.print(flags.isOne ? String(matches) : `${cyan(name)}:${matches}`);
  } else if (terminal.isWatched) {
    if (!flags.isOne) terminal.print(`${flags.isFirst ? "" : "\n"}${cyan(name)}`);
    const lines = found.replace(
      LINE_NUMBER,
      (_, line: string, mark: string) => printable(green(line)) + mark,
    );
    await terminal.write(`${lines}\n`);
  } else {
    const lines = flags.isOne
      ? found
      : found.replace(LINE_NUMBER, (_, line: string, mark: string) => name + mark + line + mark);
    await terminal.write(`${lines}\n`);
  }
}

const LINE_NUMBER = /^(\d+)([:-])/gm;
