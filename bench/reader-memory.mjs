import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createWorkspace } from "context-offload";
import { runOrThrow } from "../scripts/run-command.mjs";
import { logPieces } from "./sample-log.mjs";

const BYTES = 1_000_000_000;

/**
 * The peak memory of a fresh process that only reads an artifact of 1 GB: lines at its end, and a
 * search through all of it.
 *
 * @param {string} folder
 * @returns {Promise<number>} in megabytes
 */
export async function peakOfReader(folder) {
  const root = join(folder, "reader");
  async function* pieces() {
    for (const piece of logPieces(BYTES)) yield await Promise.resolve(piece);
  }
  await createWorkspace({ root }).put(
    { content: pieces() },
    { toolCallId: "big", sessionId: "bench" },
  );
  const program = `
    import { createWorkspace } from "context-offload";
    import { peakMemory } from "./bench/peak-memory.mjs";
    const workspace = createWorkspace({ root: process.argv[1] });
    const { size } = await workspace.getArtifact("big");
    await workspace.getKnowledgeByLines("big", size.lines - 99, size.lines);
    await workspace.grepKnowledge("big", "zanzibar", { deadlineMs: 60_000 });
    console.log(peakMemory());
  `;
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const printed = await runOrThrow(process.execPath, ["--input-type=module", "-e", program, root], {
    cwd,
  });
  return Math.round(Number(printed) / 2 ** 20);
}
