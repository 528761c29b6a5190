import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { OFF_FILE, OFF_VARIABLE } from "@context-offload/mcp/off-switch";
import { CommandError } from "../command-error.js";
import { makeWorkspaceFolder, PRIVATE } from "../make-folder.js";
import { workspaceFolder, type WorkspaceFlags } from "../open-workspace.js";
import { say, type Terminal } from "../terminal/terminal.js";

export function addSwitch(program: Command, terminal: Terminal): void {
  program
    .command("off")
    .description("switch hook and gateway off at once; what was offloaded can still be read")
    .addHelpText("after", `\nFor one process: set ${OFF_VARIABLE}=off in its environment.`)
    .action(async (_: WorkspaceFlags, command: Command) => {
      const folder = requireFolder(command.optsWithGlobals(), terminal);
      makeWorkspaceFolder(folder);
      await switchOff(join(folder, OFF_FILE));
      say(`Off for ${folder}. Switch it on again with: context-offload on`, terminal);
    });
  program
    .command("on")
    .description("switch hook and gateway on again")
    .action(async (_: WorkspaceFlags, command: Command) => {
      const folder = requireFolder(command.optsWithGlobals(), terminal);
      await rm(join(folder, OFF_FILE), { force: true });
      say(`On for ${folder}.`, terminal);
    });
}

/** Never through a link that is there already, as a repository may bring one: what it leads to would be emptied. */
async function switchOff(path: string): Promise<void> {
  await writeFile(path, "", { flag: "wx", mode: PRIVATE.file }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  });
}

function requireFolder(flags: WorkspaceFlags, terminal: Terminal): string {
  const folder = workspaceFolder(flags, terminal);
  if (folder !== undefined) return folder;
  throw new CommandError(
    `off and on need a workspace in a folder; set ${OFF_VARIABLE}=off in the environment instead`,
  );
}
