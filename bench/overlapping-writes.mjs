import { rm } from "node:fs/promises";
import { join } from "node:path";
import { offloadToolResults } from "context-offload";
import { NodeFileWriter } from "context-offload/files";
import { measure } from "./measure.mjs";

const RESULTS = 1_000;
const CHARS = 10_000;

/**
 * A history pass that offloads 1,000 results of 10 kB, against the same writes one after the other.
 *
 * @param {string} folder
 * @returns {Promise<import("./run.mjs").Row[]>}
 */
export async function benchOverlappingWrites(folder) {
  const messages = Array.from({ length: RESULTS }, (_, index) => ({
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: `t${index}`,
        content: `${index} `.padEnd(CHARS, "data "),
      },
    ],
  }));
  const writer = new NodeFileWriter();
  let round = 0;
  const took = await measure(
    {
      "one after the other": async () => {
        const target = join(folder, `sequential-${round}`);
        for (const { content } of messages) {
          for (const block of content) {
            await writer.writeFile(join(target, `${block.tool_use_id}.md`), block.content);
          }
        }
      },
      ours: async () => {
        const { offloadedCount } = await offloadToolResults(messages, {
          outputDir: join(folder, `overlapping-${round++}`),
        });
        if (offloadedCount !== RESULTS) throw new Error("every result should have left");
      },
    },
    { rounds: 9, warmUp: 2 },
  );
  await rm(folder, { recursive: true, force: true });
  return [
    {
      what: "history that offloads 1,000 results of 10 kB",
      against: "the same writes one after the other",
      ours: took["ours"] ?? 0,
      theirs: took["one after the other"] ?? 0,
      aim: "under 1",
      limit: 1,
    },
  ];
}
