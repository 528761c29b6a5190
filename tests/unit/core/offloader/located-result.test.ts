import { describe, expect, it } from "vitest";
import type { Content } from "../../../../src/core/engine/format.js";
import { ContentMemory, LocatedResult } from "../../../../src/core/offloader/turn-memory.js";
import { toolResult } from "../../../support/tool-results.js";

function createMemory() {
  const counted: string[] = [];
  const memory = new ContentMemory(
    (data) => `#${String(data)}`,
    (text) => counted.push(text),
  );
  const located = (content: Content) =>
    new LocatedResult({ ...toolResult(""), id: "a", content }, 0, undefined, memory);
  return { memory, counted, located };
}

describe("the memory of content", () => {
  it("counts tokens when they are first asked for, and once", () => {
    const { counted, located } = createMemory();
    const result = located("text");
    expect(counted).toEqual([]);
    expect([result.tokens, result.tokens]).toEqual([1, 1]);
    expect(located("text").tokens).toBe(1);
    expect(counted).toEqual(["text"]);
  });

  it("counts blocks by what can be read of them, and hashes them as they are stored", () => {
    const { counted, located } = createMemory();
    const result = located([{ type: "text", text: "readable" }]);
    expect(result.tokens).toBe(1);
    expect(counted).toEqual(["readable"]);
    expect(result.known.hash).toBe('#[{"type":"text","text":"readable"}]');
  });

  it.each([
    ["another id", { id: "b", content: "[]" }],
    ["no id", { id: undefined, content: "[]" }],
    ["other content", { id: "a", content: "[1]" }],
    ["blocks that are stored as the same text", { id: "a", content: [] }],
  ])("tells a result from one with %s", (_, other) => {
    const { memory } = createMemory();
    const known = memory.of({ id: "a", content: "[]" });
    expect(memory.of(other)).not.toBe(known);
    expect(memory.of({ id: "a", content: "[]" })).toBe(known);
  });
});
