// Puts artifacts into one session with the built package and prints what was acknowledged, one JSON
// array of id, number and content seed per line: write-in-child.mjs <root> <writer> <count> <seed>
import { createWorkspace } from "context-offload";
import { contentOf } from "./written-content.mjs";

const [root = "", writer = "", count = "0", seed = "0"] = process.argv.slice(2);
const workspace = createWorkspace({ root });
const print = (/** @type {unknown[]} */ ...words) => console.log(JSON.stringify(words));

/** @param {string} text */
async function* streamOf(text) {
  for (let at = 0; at < text.length; at += 1_000) yield Buffer.from(text.slice(at, at + 1_000));
}

for (let number = 0; number < Number(count); number++) {
  const text = contentOf(writer, number, Number(seed));
  const content = number % 5 === 4 ? streamOf(text) : text;
  // Both writers use the same ids, all of one length, and now and then the same content.
  const toolCallId = `id${10 + (number % 17)}`;
  const { record } = await workspace.put({ content }, { toolCallId, sessionId: "s1" });
  print("put", record.artifactId, number);
  if (number % 7 !== 6) continue;
  // Nobody else writes this id, so it must be gone when the next line says so.
  const own = { toolCallId: `${writer}-${number}`, sessionId: "s1" };
  const { artifactId } = (await workspace.put({ content: text }, own)).record;
  await workspace.remove(artifactId, { sessionId: "s1" });
  print("removed", artifactId, number);
}
await workspace.close();
