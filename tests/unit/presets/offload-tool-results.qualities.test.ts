import { describe, expect, it } from "vitest";
import { offloadToolResultsWithWriter, offloadToolResultWithWriter } from "../../../src/files.js";
import { type AnthropicMessageLike } from "../../../src/formats/index.js";
import { MemoryWriter } from "../../support/memory-writer.js";

const THRESHOLDS = { charThreshold: 100, ratioThreshold: 0.2 };

describe("direct, with a writer in memory", () => {
  it("takes less than 100 ms", async () => {
    const message = resultMessage("toolu_1", "x".repeat(1_000_000));
    const durations: number[] = [];
    for (let round = 0; round < 5; round++) {
      const start = performance.now();
      await offloadToolResultWithWriter(message, "session", "/out", new MemoryWriter());
      durations.push(performance.now() - start);
    }
    // The quickest of a few, for a busy machine must not turn the test red.
    expect(Math.min(...durations)).toBeLessThan(100);
  });

  it("does not depend on the calls before", async () => {
    const offload = async (id: string, before: readonly string[]) => {
      for (const other of before) {
        await offloadToolResultWithWriter(
          resultMessage(other, other.repeat(50)),
          "session",
          "/out",
          new MemoryWriter(),
        );
      }
      const writer = new MemoryWriter();
      const outcome = await offloadToolResultWithWriter(
        resultMessage(id, "content"),
        "session",
        "/out",
        writer,
      );
      return { outcome, files: [...writer.files] };
    };
    expect(await offload("a", ["a", "b", "a"])).toEqual(await offload("a", []));
  });
});

describe("a history pass that is skipped", () => {
  it("looks at each message a fixed number of times", async () => {
    const [few, many] = [await countReads(100), await countReads(1_000)];
    expect(few).toBeGreaterThanOrEqual(100);
    expect(many).toBe(10 * few);
    expect(few).toBeLessThanOrEqual(200);
  });

  it("copies nothing and calls no writer", async () => {
    const writer = new MemoryWriter();
    const history = Object.freeze([
      Object.freeze({ role: "user", content: "words ".repeat(1_000) }),
      Object.freeze(resultMessage("toolu_1", "x".repeat(200))),
    ]);
    const { messages } = await offloadToolResultsWithWriter(history, "/out", writer, THRESHOLDS);
    expect(messages).toBe(history);
    expect(writer.files.size).toBe(0);
  });
});

describe("when a history pass runs", () => {
  const offload = async (history: AnthropicMessageLike[]) => {
    const { offloadedCount } = await offloadToolResultsWithWriter(
      history,
      "/out",
      new MemoryWriter(),
      THRESHOLDS,
    );
    return offloadedCount;
  };

  it("is for the caller to say: a small history is offloaded, a huge one not by its size", async () => {
    expect(await offload([resultMessage("toolu_1", "x".repeat(100))])).toBe(1);
    expect(await offload([{ role: "user", content: "x".repeat(5_000_000) }])).toBe(0);
  });

  it("goes by characters, whatever tokens they make", async () => {
    for (const letter of ["a", "字", " ", "é"]) {
      expect(await offload([resultMessage("toolu_1", letter.repeat(99))])).toBe(0);
      expect(await offload([resultMessage("toolu_1", letter.repeat(100))])).toBe(1);
    }
  });

  it("a caller sees a skip by the count alone", async () => {
    const skipped = await offloadToolResultsWithWriter([], "/out", new MemoryWriter());
    const passed = await offloadToolResultsWithWriter(
      [resultMessage("toolu_1", "x".repeat(100))],
      "/out",
      new MemoryWriter(),
      THRESHOLDS,
    );
    expect(skipped.offloadedCount).toBe(0);
    expect(Object.keys(skipped)).toEqual(Object.keys(passed));
  });
});

function resultMessage(id: string, content: string) {
  return { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] };
}

/** How often the contents of so many messages are read in a pass that is skipped. */
async function countReads(count: number): Promise<number> {
  let reads = 0;
  const history = Array.from({ length: count }, () => ({
    role: "user",
    get content() {
      reads++;
      return "words";
    },
  }));
  await offloadToolResultsWithWriter(history, "/out", new MemoryWriter(), THRESHOLDS);
  return reads;
}
