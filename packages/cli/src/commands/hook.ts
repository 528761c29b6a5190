import type { Command } from "commander";
import { answerHook } from "../hook/answer-hook.js";
import type { Terminal } from "../terminal/terminal.js";

export function addHook(program: Command, terminal: Terminal): void {
  program
    .command("hook")
    .description("answer a hook event of a coding agent after a tool call (JSON on standard input)")
    .option("--root <folder>", "the workspace; default: .offload under the event's cwd")
    .option("--in-project", "the workspace of the project, whatever folder the event names")
    .option("--in-transcripts", "the same, in the folder where Gemini CLI keeps what belongs to it")
    .option("--agent <name>", "codex or qwen, whose events look like those of Claude Code")
    .option("--exclude <tools>", "tools whose results are kept, separated by commas")
    .option("--min-tokens <count>", "offload results of at least this many tokens; default: 6400")
    .option(
      "--tool-prefix <text>",
      "prefix of the names of the reading tools; default: give file paths",
    )
    .addHelpText("after", "\nSet it up with: context-offload install claude-code")
    .action(async (flags: Record<string, string | true>) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of terminal.input) chunks.push(chunk);
      const args = Object.entries(flags).flatMap(([name, value]) =>
        value === true ? [`--${inKebab(name)}`] : [`--${inKebab(name)}`, value],
      );
      const answer = await answerHook(Buffer.concat(chunks).toString("utf8"), args);
      if (answer !== undefined) await terminal.write(answer);
    });
}

function inKebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
