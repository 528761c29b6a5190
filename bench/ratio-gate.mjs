import { offloadToolResults } from "context-offload";
import { measure } from "./measure.mjs";

const MESSAGES = 10_000;
const CHARS = 10_000;

/**
 * A history pass that is skipped because of the ratio: 10,000 messages with 100 MB of strings, against
 * a bare loop that adds up the lengths.
 *
 * @param {string} folder
 * @returns {Promise<import("./run.mjs").Row[]>}
 */
export async function benchRatioGate(folder) {
  const messages = Array.from({ length: MESSAGES }, (_, index) => {
    const text = `${index} `.padEnd(CHARS, "lorem ipsum ");
    return index % 10 === 9
      ? {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: `t${index}`, content: text }],
        }
      : { role: index % 2 ? "user" : "assistant", content: [{ type: "text", text }] };
  });
  const bare = () => {
    let total = 0;
    for (const { content } of messages) {
      for (const block of content) {
        total += "text" in block ? block.text.length : block.content.length;
      }
    }
    return total;
  };
  const ours = () => offloadToolResults(messages, { outputDir: folder });
  const skipped = await ours();
  if (skipped.messages !== messages) throw new Error("the gate should have skipped this pass");

  const took = await measure({ bare, ours }, { rounds: 400 });
  return [
    {
      what: "history skipped by the ratio gate, 10,000 messages, 100 MB",
      against: "a loop that adds up the lengths",
      ours: took["ours"] ?? 0,
      theirs: took["bare"] ?? 0,
      aim: "at most 2",
      limit: 2,
    },
  ];
}

/**
 * What the skipped pass allocates when the content grows a hundredfold. Run with --expose-gc.
 *
 * @param {string} folder
 */
export async function allocationOfSkippedPass(folder) {
  const allocations = [];
  for (const chars of [100, 10_000]) {
    const messages = Array.from({ length: 1_000 }, (_, index) => ({
      role: "user",
      content: [
        { type: "text", text: `${index}`.padEnd(chars * 9, "x") },
        { type: "tool_result", tool_use_id: `t${index}`, content: "y".padEnd(chars, "z") },
      ],
    }));
    await offloadToolResults(messages, { outputDir: folder });
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    await offloadToolResults(messages, { outputDir: folder });
    allocations.push(process.memoryUsage().heapUsed - before);
  }
  return { small: allocations[0] ?? 0, large: allocations[1] ?? 0 };
}
