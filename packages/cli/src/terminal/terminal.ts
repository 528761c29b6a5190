import { createColors, type Colors } from "./colors.js";
import { inLine, printable } from "./printable.js";
import { clip, wrap } from "./table.js";

/** Where a command reads and writes; a test passes its own. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: AsyncIterable<Uint8Array>;
  /** What the command was asked for. */
  readonly print: (text: string) => void;
  /** Exactly these bytes, without a line break; resolves when there is room for more. */
  readonly write: (data: string | Uint8Array) => Promise<void>;
  /** Progress, notes and errors. */
  readonly note: (text: string) => void;
  /** Replaces the last line of progress; nothing where nobody watches. */
  readonly progress: (text: string) => void;
  readonly colors: Colors;
  readonly isWatched: boolean;
  readonly columns: number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** How wide tables and sentences may be: what goes to a file or a pipe is neither cut nor wrapped. */
export function roomIn({ isWatched, columns }: Pick<Terminal, "isWatched" | "columns">): number {
  return isWatched ? columns : Infinity;
}

/** Prints a sentence; on a terminal its words are whole, and further lines are indented. */
export function say(sentence: string, terminal: Terminal, indent = 2): void {
  terminal.print(wrap(inLine(sentence), roomIn(terminal), " ".repeat(indent)));
}

const CLEAR_LINE = "\r\u001b[K";
/** The exit code of a process that an interrupt ended. */
export const INTERRUPTED = 130;

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdout, stderr } = process;
  const controller = new AbortController();
  process.once("SIGINT", () => {
    controller.abort(new Error("interrupted"));
    // The second time, whoever presses the keys does not want to wait.
    process.once("SIGINT", () => process.exit(INTERRUPTED));
  });
  // A reader such as `head` may close the pipe early.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  let hasProgress = false;
  const clear = (): void => {
    if (hasProgress) stderr.write(CLEAR_LINE);
    hasProgress = false;
  };
  return {
    cwd: process.cwd(),
    env: process.env,
    input: process.stdin,
    print(text) {
      clear();
      stdout.write(`${text}\n`);
    },
    write: (data) => {
      clear();
      return new Promise((resolve) => {
        stdout.write(data, () => {
          resolve();
        });
      });
    },
    note(text) {
      clear();
      stderr.write(`${text}\n`);
    },
    progress(text) {
      if (text === "") clear();
      if (!stderr.isTTY || text === "") return;
      // What is wider wraps, and only the last line of it would be cleared. Some terminals wrap a full line, too.
      stderr.write(`${CLEAR_LINE}${clip(text, (stderr.columns || 80) - 1)}`);
      hasProgress = true;
    },
    colors: createColors(stdout.isTTY && process.env["NO_COLOR"] === undefined),
    isWatched: stdout.isTTY,
    // Some terminals do not tell their size.
    columns: (stdout.isTTY && stdout.columns) || 80,
    signal: controller.signal,
  };
}

/** A terminal on which nothing but `write`, which is for exact bytes, can print anything else. */
export function withPrintableOutput(terminal: Terminal): Terminal {
  return {
    ...terminal,
    print: (text) => {
      terminal.print(printable(text));
    },
    note: (text) => {
      terminal.note(printable(text));
    },
    progress: (text) => {
      terminal.progress(printable(text));
    },
  };
}
