import { randomBytes } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { offloadToolResult } from "context-offload";
import { measure } from "./measure.mjs";

const LINE = "2026-03-01T10:00:00.000Z INFO  checkout request=8f3a served in 12 ms\n";

/**
 * One message to a file, against nothing but writing the same bytes to a temporary file and renaming it.
 *
 * @param {string} folder
 * @returns {Promise<import("./run.mjs").Row[]>}
 */
export async function benchDirect(folder) {
  const rows = [];
  for (const { label, chars, rounds } of [
    { label: "10 kB", chars: 10_000, rounds: 1500 },
    { label: "1 MB", chars: 1_000_000, rounds: 300 },
  ]) {
    const content = LINE.repeat(Math.ceil(chars / LINE.length)).slice(0, chars);
    const message = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_01", content }],
    };
    const bareFolder = join(folder, "bare");
    await mkdir(bareFolder, { recursive: true });
    const took = await measure(
      {
        bare: async () => {
          const temporary = join(bareFolder, `.${randomBytes(9).toString("hex")}.tmp`);
          await writeFile(temporary, content);
          await rename(temporary, join(bareFolder, "toolu_01.md"));
        },
        ours: () => offloadToolResult(message, { sessionId: "bench", outputDir: folder }),
      },
      { rounds },
    );
    rows.push({
      what: `direct, ${label}`,
      against: "write to a temporary file and rename",
      ours: took["ours"] ?? 0,
      theirs: took["bare"] ?? 0,
      aim: "at most 1.3",
      limit: 1.3,
    });
  }
  return rows;
}
