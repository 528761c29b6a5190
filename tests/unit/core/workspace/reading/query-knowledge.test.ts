import { describe, expect, it } from "vitest";
import { rejectionOf } from "../../../../support/rejection.js";
import { CountingStore } from "../../../../support/counting-store.js";
import { followAll } from "../../../../support/follow-readings.js";
import { memoryWorkspaceOf } from "../../../../support/memory-workspace.js";

const ROWS = Array.from({ length: 45 }, (_, id) => ({ id, name: `n${id}`, note: "x".repeat(50) }));
const VALUE = {
  items: ROWS,
  meta: { "a/b": { "~": "odd" }, count: 45 },
  text: "long ".repeat(100),
};
const JSON_TEXT = JSON.stringify(VALUE);

describe("a query", () => {
  it("reads a part of JSON by its pointer, a text unescaped, in the one shape of readings", async () => {
    const workspace = await memoryWorkspaceOf(JSON_TEXT, { sessionId: "s1" });
    const reading = await workspace.queryKnowledge("a", { pointer: "/items/3/name" });
    expect(reading).toEqual({
      artifactId: "a",
      sessionId: "s1",
      view: "raw",
      text: "n3",
      range: { unit: "chars", from: 1, to: 2, of: 2 },
      leftOut: undefined,
      next: undefined,
      note: undefined,
    });
    const odd = await workspace.queryKnowledge("a", { pointer: "/meta/a~1b/~0" });
    expect(odd.text).toBe("odd");
  });

  it("without a pointer, or with an empty one, it is the whole", async () => {
    const workspace = await memoryWorkspaceOf('{"a":1,"b":[true]}');
    for (const options of [{}, { pointer: "" }]) {
      const { text, range } = await workspace.queryKnowledge("a", options);
      expect(JSON.parse(text)).toEqual({ a: 1, b: [true] });
      expect(range).toEqual({ unit: "items", from: 1, to: 2, of: 2 });
    }
  });

  it("gives 20 elements of an array unless told, or a few more if these are the last", async () => {
    const workspace = await memoryWorkspaceOf(JSON_TEXT);
    const first = await workspace.queryKnowledge("a", { pointer: "/items" });
    expect(first).toMatchObject({
      range: { unit: "items", from: 1, to: 20, of: 45 },
      leftOut: { unit: "items", count: 25 },
      next: {
        tool: "query_knowledge",
        input: { artifact_id: "a", pointer: "/items", cursor: "20" },
      },
    });
    const readings = await followAll(workspace, first);
    expect(readings.map(({ range }) => range.to)).toEqual([20, 45]);
    expect(readings.flatMap(({ text }) => JSON.parse(text) as unknown[])).toEqual(ROWS);
  });

  it("an object's members are not limited to 20", async () => {
    const value = Object.fromEntries(ROWS.map(({ id }) => [`key${id}`, id]));
    const workspace = await memoryWorkspaceOf(JSON.stringify(value));
    const { text, next } = await workspace.queryKnowledge("a");
    expect(JSON.parse(text)).toEqual(value);
    expect(next).toBeUndefined();
    const limited = await workspace.queryKnowledge("a", { limit: 30 });
    const readings = await followAll(workspace, limited);
    expect(readings.map(({ range }) => range.to)).toEqual([30, 45]);
  });

  it("picks fields, and keeps them and the limit when it goes on", async () => {
    const workspace = await memoryWorkspaceOf(JSON_TEXT);
    const options = { pointer: "/items", fields: ["id", "name"], limit: 10 };
    const first = await workspace.queryKnowledge("a", options);
    const readings = await followAll(workspace, first);
    expect(readings).toHaveLength(5);
    const rows = readings.flatMap(({ text }) => JSON.parse(text) as unknown[]);
    expect(rows).toEqual(ROWS.map(({ id, name }) => ({ id, name })));
  });

  it("is capped, and following next gives every element once", async () => {
    const workspace = await memoryWorkspaceOf(JSON_TEXT);
    const options = { maxChars: 400 };
    const first = await workspace.queryKnowledge("a", { pointer: "/items", ...options });
    const readings = await followAll(workspace, first, options);
    expect(readings.length).toBeGreaterThan(5);
    for (const { text } of readings) expect(text.length).toBeLessThanOrEqual(400);
    const ids = readings.flatMap(({ text }) => [...text.matchAll(/"id": ?(\d+)/g)]);
    expect(ids.map(([, id]) => Number(id))).toEqual(ROWS.map(({ id }) => id));
  });

  it("a value that is too long is left out, with the pointer to read it by", async () => {
    const long = { list: Array.from({ length: 900 }, (_, at) => at), short: 1 };
    const workspace = await memoryWorkspaceOf(JSON.stringify([long, long, long]));
    const whole = await workspace.queryKnowledge("a", { pointer: "/1", maxChars: 300 });
    expect(whole.leftOut).toMatchObject({ unit: "chars" });
    expect(whole.note).toContain("pointer");
    expect(whole.text).toContain("pointer /1/list");
    const rows = await workspace.queryKnowledge("a", { maxChars: 300, limit: 2 });
    expect(rows.leftOut).toMatchObject({ unit: "items" });
    expect(rows.note).toContain("pointer");
    const inner = await workspace.queryKnowledge("a", { pointer: "/1/list" });
    expect(inner.range).toEqual({ unit: "items", from: 1, to: 20, of: 900 });
    expect(inner.note).toBeUndefined();
  });

  it("a long string is read on by characters", async () => {
    const workspace = await memoryWorkspaceOf(JSON_TEXT);
    const options = { maxChars: 120 };
    const first = await workspace.queryKnowledge("a", { pointer: "/text", ...options });
    expect(first.leftOut).toEqual({ unit: "chars", count: VALUE.text.length - 120 });
    const readings = await followAll(workspace, first, options);
    expect(readings.map(({ text }) => text).join("")).toBe(VALUE.text);
    expect(readings.at(-1)?.range.of).toBe(VALUE.text.length);
  });
});

describe("a query of blocks", () => {
  it("means the JSON inside of a lone text block, and reaches the block itself too", async () => {
    const workspace = await memoryWorkspaceOf([{ type: "text", text: JSON_TEXT, id: 7 }]);
    const query = async (pointer: string) =>
      (await workspace.queryKnowledge("a", { pointer })).text;
    expect(await query("/meta/count")).toBe("45");
    expect(await query("/0/id")).toBe("7");
  });

  it("a large text block is queried by what it holds, and reads as that, indented", async () => {
    const rows = Array.from({ length: 30_000 }, (_, id) => ({ id, name: `"n${id}"\n`, s: "é😀" }));
    const text = JSON.stringify({ rows });
    expect(text.length).toBeGreaterThan(1_000_000);
    const workspace = await memoryWorkspaceOf([{ type: "text", text }]);
    for (const round of ["made", "kept"]) {
      const { text: name } = await workspace.queryKnowledge("a", { pointer: "/rows/29999/name" });
      expect(name, round).toBe('"n29999"\n');
    }
    const indented = JSON.stringify({ rows }, null, 2);
    const read = await workspace.getKnowledgeById("a", { startChar: indented.length - 40 });
    expect(read.text).toBe(indented.slice(-41));
    expect((await workspace.queryKnowledge("a", { pointer: "/0/type" })).text).toBe("text");
  });

  it("of text that is not JSON, or of several, means the blocks", async () => {
    const text = { type: "text", text: "[INFO] no JSON" };
    const query = async (content: readonly unknown[]) =>
      (await (await memoryWorkspaceOf(content)).queryKnowledge("a", { pointer: "/0/text" })).text;
    expect(await query([text])).toBe("[INFO] no JSON");
    expect(await query([{ ...text, text: "{}" }, text])).toBe("{}");
  });

  it("a cursor past the inner JSON's end is not taken for one of the blocks", async () => {
    const workspace = await memoryWorkspaceOf([{ type: "text", text: '[["one"]]' }]);
    const past = workspace.queryKnowledge("a", { pointer: "/0", cursor: "1" });
    expect((await rejectionOf(past)).message).toMatch(/cursor must be 0/);
  });
});

describe("a query that cannot be answered", () => {
  it.each(["plain text", "[INFO] log", '{"cut": [1, 2', "", '{"a":1} rest'])(
    "content that is not JSON says so: %j",
    async (content) => {
      const workspace = await memoryWorkspaceOf(content);
      const error = await rejectionOf(workspace.queryKnowledge("a", { pointer: "/a" }));
      expect(error.code).toBe("NOT_JSON");
      expect(error.message).toMatch(/read it by lines or search it/);
    },
  );

  it.each([
    ["/meta/missing", /keys "a\/b", "count"/],
    ["/items/45", /indices 0 to 44/],
    ["/items/x", /indices 0 to 44/],
    ["/meta/count/deep", /has no members/],
  ])("%s leads nowhere, and what is there is named", async (pointer, message) => {
    const workspace = await memoryWorkspaceOf(JSON_TEXT);
    const error = await rejectionOf(workspace.queryKnowledge("a", { pointer }));
    expect(error).toMatchObject({ code: "POINTER_NOT_FOUND", pointer });
    expect(error.message).toMatch(message);
  });

  it.each([
    ["pointer", { pointer: "/a~2" }],
    ["limit", { limit: 0 }],
    ["cursor", { cursor: "abc" }],
    ["cursor", { cursor: "-1" }],
    ["cursor", { cursor: "45", pointer: "/items" }],
    ["maxChars", { maxChars: -1 }],
    ["fields", { fields: ["missing"], pointer: "/items" }],
  ])("a wrong %s is refused by its name", async (argument, options) => {
    const workspace = await memoryWorkspaceOf(JSON_TEXT);
    const error = await rejectionOf(workspace.queryKnowledge("a", options));
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(error.message).toContain(argument);
  });
});

describe("what a query costs", () => {
  const rows = Array.from({ length: 60_000 }, (_, id) => ({ id, name: `name ${id}`, rest: "x" }));
  const content = JSON.stringify({ first: "here", rows });

  it("is one pass in pieces: it is never parsed as a whole, and nothing is made from it", async () => {
    const store = new CountingStore();
    const workspace = await memoryWorkspaceOf(content, { store });
    const { text } = await workspace.queryKnowledge("a", { pointer: "/rows/59999/name" });
    expect(text).toBe("name 59999");
    expect(content.length).toBeGreaterThan(2_500_000);
    expect(store.largest).toBeLessThan(content.length / 2);
    expect(store.derived).toEqual([]);
    // Once, and a little more to see what it begins with.
    expect(store.total).toBeLessThan(content.length * 1.1);
  });
});
