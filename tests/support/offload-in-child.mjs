// Offloads in a process of its own, with the built package: says "ready", reads a task as JSON from
// standard input, and prints what became of it as JSON.
import { text } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import { offloadToolResult, offloadToolResults } from "context-offload";

console.log("ready");
/** @type {import("./run-child.js").ChildTask} */
const task = JSON.parse(await text(process.stdin));
const input = structuredClone(task.messages);

// Permissions do not bind root. The package is loaded by now, so that its folder need not be readable.
if (task.asNobody && process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(65534);
  process.setuid?.(65534);
}

/** @returns {Promise<import("./run-child.js").ChildOutcome>} */
async function run() {
  try {
    if (task.sessionId === undefined) {
      const { files } = await offloadToolResults(input, { outputDir: task.outputDir });
      return { files };
    }
    const { sessionId, outputDir } = task;
    const [message = { role: "user", content: [] }] = input;
    const { files } = await offloadToolResult(message, { sessionId, outputDir });
    return { files };
  } catch (error) {
    const { code, message, cause } = /** @type {{ code: string, message: string, cause: any }} */ (
      error
    );
    return { error: { code, message, cause: { code: cause?.code, message: cause?.message } } };
  }
}

const outcome = await run();
console.log(
  JSON.stringify({ ...outcome, inputUnchanged: isDeepStrictEqual(input, task.messages) }),
);
