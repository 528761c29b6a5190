import { describe, expect, it } from "vitest";
import type { Conversation } from "../../../../bench/replay/conversation.mjs";
import {
  bareNames,
  densestLines,
  headAndTail,
  oracleLines,
  randomLines,
} from "../../../../bench/replay/rival-digests.mjs";
import { studyDigests } from "../../../../bench/replay/study-digests.mjs";

const text = Array.from({ length: 1_000 }, (_, line) =>
  line === 500 ? "the order_id was 4711" : `plain words in line ${line}`,
).join("\n");
const used = new Set(["order_id", "4711"]);

describe("digests to compare with", () => {
  it.each(Object.entries({ headAndTail, randomLines, bareNames, densestLines, oracleLines }))(
    "%s keeps within its budget and gives the same each time",
    (_, way) => {
      const digest = way(text, 300, used);
      expect(digest.length).toBeLessThanOrEqual(300);
      expect(way(text, 300, used)).toBe(digest);
    },
  );

  it("finds the line that matters only by looking for names, or by knowing it", () => {
    expect(headAndTail(text, 300, used)).not.toContain("order_id");
    expect(densestLines(text, 300, used)).toContain("501: the order_id was 4711");
    expect(oracleLines(text, 300, used)).toBe("501: the order_id was 4711");
    expect(bareNames(text, 300, used)).toBe("order_id 4711 ");
  });
});

describe("the digest study", () => {
  it("counts, of the facts used later, those that a digest shows", () => {
    const conversation: Conversation = {
      source: "test",
      name: "test",
      items: [
        { role: "assistant", text: "", calls: [{ id: "c", name: "bash", input: {} }] },
        { role: "result", callId: "c", toolName: "bash", text, isError: false },
        { role: "assistant", text: "order_id 4711", calls: [] },
      ],
    };
    const ways = {
      nothing: () => "",
      half: () => "order_id",
      all: () => "the order_id was 4711",
    };
    const rows = studyDigests([conversation], { budgetOf: () => 300, ways });
    expect(rows.map(({ group }) => group)).toEqual([
      "all",
      "source: test",
      "kind: text",
      "tool: bash",
    ]);
    expect(rows[0]).toMatchObject({
      results: 1,
      facts: {
        nothing: { used: 2, shown: 0 },
        half: { used: 2, shown: 1 },
        all: { used: 2, shown: 2 },
      },
    });
  });
});
