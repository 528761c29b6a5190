import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { AnyMessage } from "./tool-messages.js";

/** What a child process is to offload: in direct where a session is given, else as a history. */
export interface ChildTask {
  readonly messages: AnyMessage[];
  readonly outputDir: string;
  readonly sessionId?: string;
  /** Whether to give up root's rights before writing. */
  readonly asNobody?: boolean;
}

export interface ChildOutcome {
  readonly files?: readonly string[];
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly cause: { readonly code?: string; readonly message?: string };
  };
  readonly inputUnchanged?: boolean;
}

const PROGRAM = fileURLToPath(new URL("offload-in-child.mjs", import.meta.url));

/** A child process that has loaded the package and waits for its task. */
export async function startChild(
  limits: { maxFileBlocks?: number } = {},
): Promise<(task: ChildTask) => Promise<ChildOutcome>> {
  const { maxFileBlocks } = limits;
  const node = [process.execPath, PROGRAM];
  // A block has 512 bytes, or 1,024 in some shells. Without the trap the signal would end the process.
  const limited = ["sh", "-c", `ulimit -f ${maxFileBlocks}; trap "" XFSZ; exec "$@"`, "sh"];
  const [command = "", ...args] = maxFileBlocks === undefined ? node : [...limited, ...node];
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const line = await lines.next();
    if (line.done) throw new Error("The child process ended early.");
    return line.value;
  };
  await nextLine();
  return async (task) => {
    const ended = once(child, "close");
    child.stdin.end(JSON.stringify(task));
    const outcome = JSON.parse(await nextLine()) as ChildOutcome;
    await ended;
    return outcome;
  };
}
