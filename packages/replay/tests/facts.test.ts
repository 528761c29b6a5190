import { describe, expect, it } from "vitest";
import type { Item } from "../src/conversation/conversation.js";
import { factsIn, factsUsedLater, mentionsIn, usedFacts } from "../src/facts.js";

describe("facts of a text", () => {
  it.each([
    ["a path", "opened src/core/engine.ts today", ["src/core/engine.ts", "engine.ts"]],
    ["a file name", "see tsconfig.build.json for it", ["tsconfig.build.json"]],
    ["a number of four digits or more", "took 12345 of 999 steps", ["12345"]],
    ["a decimal number", "it was 4.8508 high", ["4.8508"]],
    ["a hash", "commit 8bad857f was it", ["8bad857f"]],
    ["an id", "flight HAT030 is late", ["HAT030"]],
    ["camelCase", "calls readFile twice", ["readFile"]],
    ["snake_case", "calls read_file twice", ["read_file"]],
    ["kebab-case", "uses flex-wrap here", ["flex-wrap"]],
    ["a quoted word", 'status "pending" now', ["pending"]],
  ])("finds %s", (_, text, facts) => {
    expect([...factsIn(text)].sort()).toEqual([...facts].sort());
  });

  it("does not take plain words, short numbers or short quoted words for facts", () => {
    expect(factsIn('The quick "fox" jumps 123 times over a lazy dog.').size).toBe(0);
  });

  it("undoes the escapes of JSON and of markup", () => {
    expect([...factsIn('{"text":"one\\nread_file\\tnext"}')]).toContain("read_file");
    expect([...factsIn("&lt;my-element&gt;")]).toContain("my-element");
  });

  it("takes lines for facts only when strict, without the numbers that listings print", () => {
    const line = "\nreturn total + 1;";
    expect(factsIn("  12→  return total + 1;").has(line)).toBe(false);
    expect(factsIn("  12→  return total + 1;", { strict: true }).has(line)).toBe(true);
    expect(mentionsIn("7:   12→  return total + 1;", { strict: true }).has(line)).toBe(true);
  });

  it("leaves out names that every model knows", () => {
    const known = new Set(["package.json"]);
    expect([...factsIn("package.json and read_file", { known })]).toEqual(["read_file"]);
  });

  it("mentions a word that was quoted elsewhere", () => {
    expect(mentionsIn("It is pending.").has("pending")).toBe(true);
  });
});

const conversation = (...items: Item[]) => ({ items });

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
    const talk = conversation(
      ...[result("order_id"), result("order_id user_name"), says("order_id user_name")],
    );
    const used = factsUsedLater(usedFacts(talk));
    expect([...(used.get(0) ?? [])]).toEqual(["order_id"]);
    expect([...(used.get(1) ?? [])]).toEqual(["user_name"]);
  });

  it("counts a repeated line only when strict", () => {
    const talk = conversation(
      result("if total then stop"),
      says("", { old: "if total then stop" }),
    );
    expect(factsUsedLater(usedFacts(talk)).size).toBe(0);
    expect(factsUsedLater(usedFacts(talk, { strict: true })).get(0)?.size).toBe(1);
  });
});
