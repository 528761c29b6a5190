import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createWorkspace } from "context-offload";
import { measure } from "./measure.mjs";
import { logPieces } from "./sample-log.mjs";

/**
 * An offload of 1 MB with hash, digest, token estimate and manifest, against nothing but writing the
 * same bytes to a temporary file and renaming it.
 *
 * @param {string} folder
 * @returns {Promise<import("./run.mjs").Row[]>}
 */
export async function benchWorkspacePut(folder) {
  const log = Buffer.concat([...logPieces(1_000_000)]).toString();
  const sample = new URL("../examples/conversations/checkout-outage.json", import.meta.url);
  const conversation = JSON.parse(await readFile(sample, "utf8"));
  const rows = [];
  for (const [label, text] of [
    ["1 MB of a log", log],
    ["0.9 MB of JSON", JSON.stringify(Array(5).fill(conversation))],
  ]) {
    const bareFolder = join(folder, "bare");
    await mkdir(bareFolder, { recursive: true });
    const workspace = createWorkspace({ root: join(folder, "workspace") });
    let call = 0;
    const took = await measure(
      {
        bare: async () => {
          const temporary = join(bareFolder, `.${randomBytes(9).toString("hex")}.tmp`);
          await writeFile(temporary, text + " ".repeat(call));
          const path = join(bareFolder, `${call}.md`);
          await rename(temporary, path);
          return () => unlink(path);
        },
        ours: async () => {
          call++;
          const { record } = await workspace.put(
            { content: text + " ".repeat(call) },
            { toolCallId: `${label}-${call}`, sessionId: "bench" },
          );
          return () => workspace.remove(record.artifactId, { sessionId: "bench" });
        },
      },
      { rounds: 150 },
    );
    rows.push({
      what: `workspace.put, ${label}`,
      against: "write to a temporary file and rename",
      ours: took["ours"] ?? 0,
      theirs: took["bare"] ?? 0,
      aim: "at most 1.5",
      limit: 1.5,
    });
  }
  return rows;
}
