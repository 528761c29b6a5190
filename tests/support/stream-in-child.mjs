/** Puts a stream that never ends, and prints a line once much of it was taken; run as a process of its own. */
import { createWorkspace } from "context-offload";

const [store, namespace] = process.argv.slice(2);
const workspace = createWorkspace({ store, namespace });

async function* endless() {
  for (let index = 0; ; index++) {
    yield Buffer.alloc(131_072, 65 + (index % 26));
    if (index === 40) process.stdout.write("taken\n");
  }
}
await workspace.put({ content: endless() }, { toolCallId: "endless", sessionId: "s" });
