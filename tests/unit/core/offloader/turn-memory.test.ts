import { describe, expect, it } from "vitest";
import { ContentMemory } from "../../../../src/core/offloader/content-memory.js";
import { NOTHING_HELD } from "../../../../src/core/offloader/held-session.js";
import { createReadingCalls } from "../../../../src/core/offloader/reading-answer.js";
import { TurnMemory } from "../../../../src/core/offloader/turn-memory.js";
import { anthropicFormat } from "../../../../src/formats/anthropic.js";
import { conversationOf } from "../../../support/conversation.js";

function createMemory(isFinal = true): TurnMemory {
  return new TurnMemory({
    format: anthropicFormat,
    isFinal,
    read: { media: "keep", countOther: false },
    contents: new ContentMemory(
      (data) => String(data),
      (text) => text.length,
    ),
    readingCalls: createReadingCalls({}),
  });
}

describe("the memory of a turn", () => {
  it("knows the messages that it has seen, and names results by the calls before them", () => {
    const history = conversationOf({ id: "a", text: "one", tool: "bash" });
    const memory = createMemory();
    memory.take(history, 0);
    expect(memory.countKnown(history, NOTHING_HELD)).toBe(history.length);
    expect(memory.countKnown([...history, { role: "user", content: "more" }], NOTHING_HELD)).toBe(
      history.length,
    );
    expect(memory.survey(0).results).toMatchObject([{ id: "a", toolName: "bash", content: "one" }]);
    expect(memory.survey(history.length).results).toEqual([]);
  });

  it("sees a change in place, at any depth that a message can have", () => {
    const history = conversationOf({ id: "a", text: "one" });
    const innermost = { f: "old" };
    const deep = { a: [{ b: { c: [{ d: { e: innermost } }] } }] };
    Object.assign(history[1] ?? {}, { extra: deep });
    const memory = createMemory();
    memory.take(history, 0);
    innermost.f = "new";
    expect(memory.countKnown(history, NOTHING_HELD)).toBe(1);
  });

  it("takes what it returned for what it read only where that is final", () => {
    const history = conversationOf({ id: "a", text: "one" });
    for (const isFinal of [true, false]) {
      const memory = createMemory(isFinal);
      memory.take(history, 0);
      const output = history.map((message) => ({ ...message, content: "a reference" }));
      memory.finish(0, output, []);
      expect(memory.countKnown(output, NOTHING_HELD)).toBe(isFinal ? history.length : 0);
    }
  });

  it("forgets what was changed while it was being stored", () => {
    const history = conversationOf({ id: "a", text: "one" }, { id: "b", text: "two" });
    const memory = createMemory();
    memory.take(history, 0);
    expect(memory.isCurrent(2)).toBe(true);
    Object.assign(history[2] ?? {}, { content: "something else" });
    expect(memory.isCurrent(2)).toBe(false);
    memory.finish(0, history, []);
    expect(memory.countKnown(history, NOTHING_HELD)).toBe(2);
  });

  it("tells calls that nothing answers from those that are still open", () => {
    const [user, call] = conversationOf({ id: "a", text: "one" });
    const memory = createMemory();
    memory.take([user, call], 0);
    expect(memory.hasUnansweredCalls).toBe(false);
    memory.take([user, call, { role: "assistant", content: "done" }], 2);
    // Both messages are one reply; a later reply closes its calls.
    memory.take([user, call, user, { role: "assistant", content: "done" }], 2);
    expect(memory.hasUnansweredCalls).toBe(true);
  });

  it("recognizes an equal history that was loaded anew, and takes its objects over", () => {
    const history = conversationOf({ id: "a", text: "one" });
    const memory = createMemory();
    memory.take(history, 0);
    const anew = structuredClone(history);
    expect(memory.countKnown(anew, NOTHING_HELD)).toBe(history.length);
    expect(memory.outputs(3).map((message, index) => message === anew[index])).toEqual([
      true,
      true,
      true,
    ]);
    const other = conversationOf({ id: "a", text: "two" });
    expect(memory.countKnown(other, NOTHING_HELD)).toBe(2);
  });

  it("does not take an object of a class for another one that looks alike", () => {
    const at = (time: number) => [{ role: "user", content: "hi", sentAt: new Date(time) }];
    const memory = createMemory();
    const history = at(0);
    memory.take(history, 0);
    expect(memory.countKnown(history, NOTHING_HELD)).toBe(1);
    expect(memory.countKnown(at(1), NOTHING_HELD)).toBe(0);
  });
});
