import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Argument, type Command } from "commander";
import { CommandError, EXIT } from "../command-error.js";
import type { Client, InstallContext } from "../install/client.js";
import { CLIENTS } from "../install/clients.js";
import { install, uninstall, type InstallStep } from "../install/set-up.js";
import { isWithin } from "../make-folder.js";
import { parseCount } from "./option-values.js";
import { say, type Terminal } from "../terminal/terminal.js";

interface InstallFlags {
  readonly user?: boolean;
  readonly exclude?: string;
  readonly minTokens?: number;
  readonly tools: boolean;
}

const NAMES = CLIENTS.map(({ name }) => name);

export function addInstall(program: Command, terminal: Terminal): void {
  program
    .command("install")
    .description("set up a coding agent: its hook, its plugin, or the gateway for its MCP servers")
    .addArgument(new Argument("<client>", "what to set up").choices(NAMES))
    .option("--user", "for all projects of this user instead of this project")
    .option("--exclude <tools>", "tools whose results are kept, separated by commas")
    .option("--min-tokens <count>", "keep results of fewer tokens; default: 6400", parseCount)
    .option("--no-tools", "Claude Code: no reading server; references give file paths")
    .addHelpText("after", "\nExample: context-offload install claude-code --user")
    .action(async (name: string, flags: InstallFlags) => {
      const context = contextOf(terminal, flags);
      const client = clientNamed(name);
      const steps = await install(client, context);
      report(steps, "Nothing to do.", terminal);
      if (!steps.some(({ isChange }) => isChange)) return;
      const where = flags.user === true ? " --user" : "";
      if (steps.some(({ path, isChange }) => isChange && isWithin(path, terminal.cwd))) {
        say("It has paths of this computer: do not commit it, or use --user instead.", terminal);
      }
      const check = "check it with: context-offload doctor";
      say(`If ${client.title} is running, start it again; ${check}`, terminal);
      say(`Undo it with: context-offload uninstall ${name}${where}`, terminal);
    });
  program
    .command("uninstall")
    .description("undo install, and leave everything else as it was")
    .addArgument(new Argument("<client>", "what to undo").choices(NAMES))
    .option("--user", "for all projects of this user instead of this project")
    .action(async (name: string, flags: Pick<InstallFlags, "user">) => {
      const context = contextOf(terminal, { ...flags, tools: true });
      report(await uninstall(clientNamed(name), context), "Nothing of ours was set up.", terminal);
    });
}

export function contextOf(terminal: Terminal, flags: InstallFlags): InstallContext {
  const { cwd, env } = terminal;
  return {
    ...{ cwd, env, home: env["HOME"] || homedir(), platform: process.platform },
    scope: flags.user === true ? "user" : "project",
    node: process.execPath,
    main: fileURLToPath(new URL("../main.js", import.meta.url)),
    hook: fileURLToPath(new URL("../hook.js", import.meta.url)),
    opencodePlugin,
    exclude: (flags.exclude ?? "").split(",").filter(Boolean).map(requireToolName),
    minTokens: flags.minTokens,
    withTools: flags.tools,
    versionOf: (program) => {
      const isWindows = process.platform === "win32";
      const { status, stdout } = spawnSync(program, ["--version"], {
        ...{ cwd, env: { ...env }, encoding: "utf8", timeout: VERSION_MS, shell: isWindows },
      });
      return status === 0 ? stdout.trim() : undefined;
    },
  };
}

const VERSION_MS = 20_000;

function opencodePlugin(): string {
  try {
    return fileURLToPath(import.meta.resolve("context-offload/opencode"));
  } catch (cause) {
    throw new CommandError(
      "the installed context-offload has no plugin for OpenCode; update it and try again",
      EXIT.failed,
      { cause },
    );
  }
}

function clientNamed(name: string): Client {
  return CLIENTS.find((client) => client.name === name) as Client;
}

function report(steps: readonly InstallStep[], nothing: string, terminal: Terminal): void {
  if (steps.length === 0) say(nothing, terminal);
  for (const { path, what } of steps) {
    const short = relative(terminal.cwd, path);
    say(`${short.startsWith("..") ? path : short}: ${what}`, terminal);
  }
}

/** Names go into command lines of several shells; those of tools may come from a server that lies. */
function requireToolName(name: string): string {
  if (!/["'`$\\%!&|<>\p{Cc}]/u.test(name)) return name;
  const why = "has characters with a meaning in a shell";
  throw new CommandError(
    `--exclude: the tool name ${JSON.stringify(name)} ${why}; leave it out, or set it in CONTEXT_OFFLOAD_EXCLUDE`,
  );
}
