import { type Argument, Command } from "commander";
import { addDoctor } from "./commands/doctor.js";
import { addGateway, addMcp } from "./commands/serve.js";
import { addGrep } from "./commands/grep.js";
import { addHook } from "./commands/hook.js";
import { addInstall } from "./commands/install.js";
import { addLearn } from "./commands/learn.js";
import { addListing } from "./commands/listing.js";
import { addStatusLine } from "./commands/status-line.js";
import { addStats } from "./commands/stats.js";
import { addPrune, addVerify } from "./commands/maintenance.js";
import { addPage } from "./commands/page.js";
import { addReading } from "./commands/reading.js";
import { addReplay } from "./commands/replay.js";
import { addRestore } from "./commands/restore.js";
import { addRun } from "./commands/run.js";
import { addSwitch } from "./commands/switch.js";
import { addTrial } from "./commands/trial.js";
import { addCompletion } from "./commands/completion.js";
import type { SetExitCode } from "./command-error.js";
import { PACKAGE_VERSION } from "./package-version.js";
import { WORKSPACE_VARIABLE } from "./open-workspace.js";
import { wrap } from "./terminal/table.js";
import { roomIn, type Terminal } from "./terminal/terminal.js";

const MIN_HELP_COLUMNS = 16;

/** The whole command line. */
export function createProgram(terminal: Terminal, setExitCode: SetExitCode): Command {
  const program = new Command("context-offload")
    .description(
      "Moves large tool results out of an agent's context window, and lets the model read them back.",
    )
    .version(PACKAGE_VERSION, "-V, --version")
    .option(
      "-w, --workspace <place>",
      `a folder, or file:, sqlite:, postgres:, s3:, memory:; default: $${WORKSPACE_VARIABLE} or .offload`,
    )
    .option("--namespace <name>", "the namespace in the workspace; default: default")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        terminal.print(wrap(text.trimEnd(), terminal.columns));
      },
      writeErr: (text) => {
        terminal.note(wrap(text.trimEnd(), roomIn(terminal), "  "));
      },
      outputError: (text, write) => {
        const [, said = ""] = /^(?:error: )?(.*?)\.?\s*$/s.exec(text) ?? [];
        write(`context-offload: ${said.replaceAll("\n", " ")}; see context-offload --help\n`);
      },
    })
    .configureHelp({
      // The description of an option is beside it in a narrow terminal, too.
      minWidthToWrap: MIN_HELP_COLUMNS,
      // Nearly all have options: to say so of each only makes the column wider.
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map(humanReadableArgName)].join(" "),
    })
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      `
Examples:
  Offload large tool results in Claude Code:
    context-offload install claude-code
  Shorten the answers of an MCP server:
    context-offload gateway -- npx some-mcp-server
  Shorten a recorded conversation, and search what was offloaded:
    context-offload run session.jsonl
    context-offload grep "ECONNREFUSED"

Exit codes: 0 done; 1 no match, or something is broken; 2 a wrong call or input; 3 a failure; 130 interrupted.`,
    );
  addRun(program, terminal);
  addListing(program, terminal);
  addStats(program, terminal);
  addStatusLine(program, terminal);
  addReading(program, terminal);
  addGrep(program, terminal, setExitCode);
  addRestore(program, terminal);
  addVerify(program, terminal, setExitCode);
  addPrune(program, terminal);
  addPage(program, terminal);
  addReplay(program, terminal);
  addLearn(program, terminal);
  addTrial(program, terminal, setExitCode);
  addDoctor(program, terminal, setExitCode);
  addMcp(program, terminal);
  addGateway(program, terminal);
  addHook(program, terminal);
  addInstall(program, terminal);
  addSwitch(program, terminal);
  addCompletion(program, terminal);
  return program;
}

/** As commander writes an argument. */
function humanReadableArgName(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? "..." : "");
  return argument.required ? `<${name}>` : `[${name}]`;
}
