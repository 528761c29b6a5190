import type { Command } from "commander";
import type { Workspace } from "context-offload";
import { CommandError } from "../command-error.js";
import { withWorkspace, type WorkspaceFlags } from "../open-workspace.js";
import { printable, printableJson } from "../terminal/printable.js";
import type { Terminal } from "../terminal/terminal.js";

interface ReadFlags extends WorkspaceFlags {
  readonly session?: string;
  readonly raw?: boolean;
  readonly info?: boolean;
}

/** The whole of it: a person, unlike a model, has no context window to fill. */
const MAX_CHARS = Number.MAX_SAFE_INTEGER;

export const RAW_HELP = "print control characters as they are; default: each as \ufffd";

export function addReading(program: Command, terminal: Terminal): void {
  program
    .command("show")
    .description("print an artifact")
    .argument("<artifact>", "its id, as list shows it")
    .option("--session <id>", "the session that holds it, if several do")
    .option("--raw", "print exactly the bytes that were stored")
    .option("--info", "print its record, without the content")
    .action(async (id: string, _: ReadFlags, command: Command) => {
      const flags = command.optsWithGlobals<ReadFlags>();
      await withWorkspace(flags, terminal, (workspace) => show(id, flags, workspace, terminal));
    });
  program
    .command("lines")
    .description("print lines of an artifact")
    .argument("<artifact>", "its id, as list shows it")
    .argument("<range>", "10-40, 10-, 10, or ~20 for the last twenty")
    .option("--session <id>", "the session that holds it, if several do")
    .option("--raw", RAW_HELP)
    .addHelpText("after", "\nExample: context-offload lines toolu_01 100-140")
    .action(async (id: string, range: string, _: ReadFlags, command: Command) => {
      const flags = command.optsWithGlobals<ReadFlags>();
      const chosen = parseRange(range);
      await withWorkspace(flags, terminal, async (workspace) => {
        const options = { sessionId: flags.session, maxChars: MAX_CHARS, signal: terminal.signal };
        const { size } = await workspace.getArtifact(id, options);
        const [start, end] =
          "last" in chosen ? [Math.max(1, size.lines - chosen.last + 1), MAX_CHARS] : chosen.lines;
        const { text } = await workspace.getKnowledgeByLines(id, start, end, options);
        await printText(text, flags, terminal);
      });
    });
  program
    .command("query")
    .description("print a part of a JSON artifact, by a JSON pointer")
    .argument("<artifact>", "its id, as list shows it")
    .argument("[pointer]", 'such as /items/0/name; default: "", the whole')
    .option("--session <id>", "the session that holds it, if several do")
    .option("--raw", RAW_HELP)
    .addHelpText("after", "\nExample: context-offload query toolu_01 /items/0")
    .action(async (id: string, pointer: string | undefined, _: ReadFlags, command: Command) => {
      const flags = command.optsWithGlobals<ReadFlags>();
      await withWorkspace(flags, terminal, async (workspace) => {
        const { text } = await workspace.queryKnowledge(id, {
          ...{ pointer: pointer ?? "", sessionId: flags.session, signal: terminal.signal },
          ...{ maxChars: MAX_CHARS, limit: MAX_CHARS },
        });
        await printText(text, flags, terminal);
      });
    });
}

async function show(
  id: string,
  { session: sessionId, raw, info }: ReadFlags,
  workspace: Workspace,
  terminal: Terminal,
): Promise<void> {
  const scope = { sessionId, signal: terminal.signal };
  if (info === true) {
    terminal.print(printableJson(await workspace.getArtifact(id, scope), 2));
    return;
  }
  if (raw !== true) {
    const options = { ...scope, maxChars: MAX_CHARS };
    const { size } = await workspace.getArtifact(id, scope);
    if (size.chars === 0) return;
    const { text } = await workspace.getKnowledgeByLines(id, 1, MAX_CHARS, options);
    await printText(text, {}, terminal);
    return;
  }
  const original = await workspace.getOriginal(id, scope);
  if (typeof original === "string") await terminal.write(original);
  else if (Symbol.asyncIterator in original) {
    for await (const bytes of original) await terminal.write(bytes);
  } else await terminal.write(JSON.stringify(original));
}

async function printText(text: string, { raw }: ReadFlags, terminal: Terminal): Promise<void> {
  const shown = raw === true ? text : printable(text);
  await terminal.write(shown === "" || shown.endsWith("\n") ? shown : `${shown}\n`);
}

type LineRange = { readonly lines: readonly [number, number] } | { readonly last: number };

function parseRange(text: string): LineRange {
  const last = Number(/^~(\d+)$/.exec(text)?.[1]);
  if (last > 0) return { last };
  const [, start, dash, end] = /^(\d+)(-)?(\d+)?$/.exec(text) ?? [];
  if (start === undefined) {
    throw new CommandError(
      `${text}: is not a range of lines; pass one such as 10-40, 10-, 10 or ~20`,
    );
  }
  if (end !== undefined) return { lines: [Number(start), Number(end)] };
  return { lines: [Number(start), dash === undefined ? Number(start) : MAX_CHARS] };
}
