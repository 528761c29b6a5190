import type { Command } from "commander";
import type { WorkspaceFlags } from "../open-workspace.js";
import { statusLine } from "../savings/status-line.js";
import type { Terminal } from "../terminal/terminal.js";

export function addStatusLine(program: Command, terminal: Terminal): void {
  program
    .command("status-line")
    .description("one line for an agent's status line: net in this session, results stored, reads")
    .addHelpText(
      "after",
      `
Claude Code, in settings.json:
  "statusLine": { "type": "command", "command": "context-offload status-line" }`,
    )
    .action(async (_: WorkspaceFlags, command: Command) => {
      const { workspace: root, namespace } = command.optsWithGlobals<WorkspaceFlags>();
      const chunks: Uint8Array[] = [];
      if (!process.stdin.isTTY) for await (const chunk of terminal.input) chunks.push(chunk);
      const { cwd, env } = terminal;
      const input = Buffer.concat(chunks).toString("utf8");
      terminal.print(await statusLine(input, { cwd, env, root, namespace }, terminal.colors.red));
    });
}
