import { CommanderError } from "commander";
import { explainError, EXIT } from "./command-error.js";
import { createProgram } from "./program.js";
import { wrap } from "./terminal/table.js";
import { INTERRUPTED, roomIn, type Terminal, withPrintableOutput } from "./terminal/terminal.js";

/** Runs one command; resolves to the exit code and never throws. */
export async function runCommandLine(args: readonly string[], output: Terminal): Promise<number> {
  const terminal = withPrintableOutput(output);
  let exitCode: number = EXIT.done;
  const program = createProgram(terminal, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Help and version end this way, too; a wrong option has been explained already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (terminal.signal.aborted) {
      terminal.note("context-offload: interrupted; what was stored is complete");
      return INTERRUPTED;
    }
    const { text, exitCode: code } = explainError(error);
    terminal.note(wrap(`context-offload: ${text}`, roomIn(terminal), "  "));
    return code;
  }
}
