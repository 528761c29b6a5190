import { describe, expect, it } from "vitest";
import type { Conversation, Item } from "../../../../bench/replay/conversation.mjs";
import { factsUsedLater, usedFacts } from "../../../../bench/replay/used-facts.mjs";

function conversation(...items: Item[]): Conversation {
  return { source: "test", name: "test", items };
}

const user = (text: string): Item => ({ role: "user", text });
const says = (text: string, input?: unknown): Item => ({
  role: "assistant",
  text,
  calls: input === undefined ? [] : [{ id: "c", name: "tool", input }],
});
const result = (text: string): Item => ({
  role: "result",
  callId: "c",
  toolName: "tool",
  text,
  isError: false,
});

describe("facts that are used later", () => {
  it("counts what first came with a result and is used in a text or in an argument", () => {
    const uses = usedFacts(
      conversation(
        user("Look."),
        says("", { path: "." }),
        result("found order_id and user_name"),
        says("The order_id is there.", { field: "user_name" }),
      ),
    );
    expect(uses.get(3)).toEqual([
      { origin: 2, fact: "order_id" },
      { origin: 2, fact: "user_name" },
    ]);
  });

  it("does not count what the user or the assistant named first", () => {
    const uses = usedFacts(
      conversation(
        user("Find order_id."),
        says("", { grep: "user_name" }),
        result("order_id user_name"),
        says("order_id and user_name"),
      ),
    );
    expect(uses.get(3)).toEqual([]);
  });

  it("gives a fact to the first result that has it", () => {
    const used = factsUsedLater(
      conversation(result("order_id"), result("order_id user_name"), says("order_id user_name")),
    );
    expect([...(used.get(0) ?? [])]).toEqual(["order_id"]);
    expect([...(used.get(1) ?? [])]).toEqual(["user_name"]);
  });

  it("counts a repeated line only when strict", () => {
    const talk = conversation(
      result("if total then stop"),
      says("", { old: "if total then stop" }),
    );
    expect(factsUsedLater(talk).size).toBe(0);
    expect(factsUsedLater(talk, { strict: true }).get(0)?.size).toBe(1);
  });
});
