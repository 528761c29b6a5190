// Puts artifacts into one session with the built package and prints what was acknowledged, one JSON
// array of id, number and content seed per line: write-in-child.mjs <root> <writer> <count> <seed>
import { createWorkspace } from "context-offload";
import { contentOf } from "./written-content.mjs";

const [root = "", writer = "", count = "0", seed = "0"] = process.argv.slice(2);
const workspace = createWorkspace({ root });
const print = (/** @type {unknown[]} */ ...words) => console.log(JSON.stringify(words));

/** @param {string} text */
async function* streamOf(text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

/**
 * Puts until it is acknowledged: somebody who deletes files of any age takes unfinished ones, too.
 *
 * @param {() => string | AsyncIterable<Uint8Array>} content
 * @param {string} toolCallId
 */
async function put(content, toolCallId) {
  for (let tries = 0; ; tries++) {
    try {
      const options = { toolCallId, sessionId: "s1" };
      return (await workspace.put({ content: content() }, options)).record;
    } catch (error) {
      const { code } = /** @type {{ code?: string }} */ (error);
      if (code !== "WRITE_FAILED" || tries === 100) throw error;
    }
  }
}

for (let number = 0; number < Number(count); number++) {
  const text = contentOf(writer, number, Number(seed));
  // Both writers use the same ids, all of one length, and now and then the same content.
  const toolCallId = `id${10 + (number % 17)}`;
  const record = await put(() => (number % 5 === 4 ? streamOf(text) : text), toolCallId);
  print("put", record.artifactId, number);
  if (number % 7 !== 6) continue;
  // Nobody else writes this id, so it must be gone when the next line says so.
  const { artifactId } = await put(() => text, `${writer}-${number}`);
  await workspace.remove(artifactId, { sessionId: "s1" });
  print("removed", artifactId, number);
}
await workspace.close();
