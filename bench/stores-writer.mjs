/** One of four processes that put 10 kB at a time: `node bench/stores-writer.mjs <store> <name> <count>`. */
import { createWorkspace } from "context-offload";

const [store = "", name = "", count = ""] = process.argv.slice(2);
const workspace = createWorkspace({ store });
const line = "2026-01-02T03:04:05Z INFO request 8f14e45f served in 12 ms\n";
const put = (/** @type {number} */ index) =>
  workspace.put(
    { content: `${name} ${index}\n${line.repeat(170)}` },
    { toolCallId: `call_${index}`, sessionId: name },
  );
// The tables, the connection and the code are not what is measured.
await put(-1);
process.send?.("ready");
process.once("message", async () => {
  for (let index = 0; index < Number(count); index++) await put(index);
  await workspace.close();
  process.exit(0);
});
