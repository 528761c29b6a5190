import { describe, expect, it } from "vitest";
import { ContentMemory } from "../../../../src/core/offloader/turn-memory.js";

function createMemory() {
  const counted: string[] = [];
  const memory = new ContentMemory(
    (data) => `#${String(data)}`,
    (text) => counted.push(text),
  );
  return { memory, counted };
}

describe("the memory of content", () => {
  it("counts tokens when they are first asked for, and once", () => {
    const { memory, counted } = createMemory();
    const known = memory.of({ id: "a", content: "text" });
    expect(counted).toEqual([]);
    expect([known.tokens, known.tokens]).toEqual([1, 1]);
    expect(memory.of({ id: "a", content: "text" }).tokens).toBe(1);
    expect(counted).toEqual(["text"]);
  });

  it("counts blocks by what can be read of them, and hashes them as they are stored", () => {
    const { memory, counted } = createMemory();
    const known = memory.of({ id: "a", content: [{ type: "text", text: "readable" }] });
    expect(known.tokens).toBe(1);
    expect(counted).toEqual(["readable"]);
    expect(known.hash).toBe('#[{"type":"text","text":"readable"}]');
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
