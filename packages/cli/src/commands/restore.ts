import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { createOffloader, type UnknownReference } from "context-offload";
import { CommandError, EXIT } from "../command-error.js";
import {
  encodeText,
  findInputs,
  sessionOf,
  type Input,
  readText,
  openOutput,
} from "../conversations/conversation-files.js";
import { findExactText } from "../conversations/exact-text.js";
import { parseText } from "../conversations/parse-text.js";
import {
  withWorkspace,
  workspaceFolder,
  workspacePlace,
  type WorkspaceFlags,
} from "../open-workspace.js";
import { countOf } from "../terminal/table.js";
import { inLine, printable } from "../terminal/printable.js";
import type { Terminal } from "../terminal/terminal.js";

interface RestoreFlags extends WorkspaceFlags {
  readonly out?: string;
  readonly session?: string;
  readonly quiet?: boolean;
}

export function addRestore(program: Command, terminal: Terminal): void {
  program
    .command("restore")
    .description("write conversations back exactly as they were before run")
    .argument("<conversation...>", "what run wrote: files, or - for standard input")
    .option(
      "-o, --out <folder>",
      "where to write <name>.restored.<ext>; default: the working directory",
    )
    .option("--session <id>", "the session that holds the results; default: the file's name")
    .option("-q, --quiet", "print nothing but errors")
    .addHelpText("after", "\nExample: context-offload restore session.offloaded.jsonl")
    .action(async (paths: string[], _: RestoreFlags, command: Command) => {
      await restore(paths, command.optsWithGlobals(), terminal);
    });
}

async function restore(
  paths: readonly string[],
  flags: RestoreFlags,
  terminal: Terminal,
): Promise<void> {
  const inputs = (await findInputs(paths, terminal)).map(withoutMark);
  await withWorkspace(flags, terminal, async (workspace) => {
    for (const input of inputs) {
      let mark = "";
      const written = await readText(input, terminal, (found) => (mark = found));
      const { format, messages, stringify, lineOf } = parseText(written, input);
      const sessionId = flags.session ?? input.name;
      const offloader = createOffloader({ workspace, sessionId, format });
      const unknown: UnknownReference[] = [];
      const restored = await offloader.restore(messages, {
        signal: terminal.signal,
        onUnknown: (reference) => unknown.push(reference),
      });
      if (unknown.length > 0) throw notHeld(unknown, input, sessionId, flags, terminal);
      const isUntouched = restored.every((message, index) => message === messages[index]);
      const exact = (part: string) => findExactText(workspace, sessionId, part);
      const restoreLine = async (message: unknown, index: number): Promise<unknown> => {
        if (message === messages[index] || !lineOf) return message;
        return (await exact(lineOf(index))) ?? message;
      };
      const text = isUntouched
        ? written
        : ((await exact(written)) ?? stringify(await Promise.all(restored.map(restoreLine))));
      if (input.path === undefined && flags.out === undefined) {
        await terminal.write(terminal.isWatched ? printable(text) : encodeText(mark + text));
        continue;
      }
      const output = await openOutput(input, {
        ...{ mark: "restored", folder: resolve(terminal.cwd, flags.out ?? "."), inputs },
        root: workspaceFolder(flags, terminal),
      });
      try {
        await output.write(mark + text);
        await output.finish();
      } catch (error) {
        await output.discard();
        throw error;
      }
      if (flags.quiet !== true)
        terminal.print(`wrote ${inLine(relative(terminal.cwd, output.path))}`);
    }
  });
}

function withoutMark(input: Input): Input {
  return { ...input, name: sessionOf(input) };
}

function notHeld(
  unknown: readonly UnknownReference[],
  { shown }: Input,
  sessionId: string,
  flags: RestoreFlags,
  terminal: Terminal,
): CommandError {
  const place = workspacePlace(flags, terminal);
  return new CommandError(
    `${shown}: ${countOf(unknown.length, "result")} (${unknown[0]?.artifactId ?? ""}, …) not in session ` +
      `${JSON.stringify(sessionId)} of ${place}; name where they are with --session and --workspace`,
    EXIT.no,
  );
}
