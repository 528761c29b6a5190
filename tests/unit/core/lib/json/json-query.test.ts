import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonPointerError } from "../../../../../src/core/lib/json/json-pointer.js";
import {
  queryJson,
  type JsonQuery,
  type JsonReading,
} from "../../../../../src/core/lib/json/json-query.js";
import { JsonSyntaxError } from "../../../../../src/core/lib/json/json-walker.js";
import { ArgumentError } from "../../../../../src/core/lib/text/text-range.js";
import { generatedArray, sourceOf } from "./sources.js";

function ask(content: unknown, query: Partial<JsonQuery> = {}): Promise<JsonReading> {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return queryJson(sourceOf(text), { maxChars: 20_000, arrayLimit: 20, ...query });
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

describe("queryJson: a scalar", () => {
  it("is its JSON text, and a string is its plain text", async () => {
    const content =
      '{"n":1.0,"big":123456789012345678901,"t":true,"z":null,"s":"a\\n\\u00e9\\ud83d"}';
    expect(await ask(content, { pointer: "/n" })).toEqual({ text: "1.0", kind: "number" });
    expect(await ask(content, { pointer: "/big" })).toMatchObject({
      text: "123456789012345678901",
    });
    expect(await ask(content, { pointer: "/t" })).toEqual({ text: "true", kind: "boolean" });
    expect(await ask(content, { pointer: "/z" })).toEqual({ text: "null", kind: "null" });
    expect(await ask(content, { pointer: "$.s" })).toEqual({ text: "a\né\ud83d", kind: "string" });
    expect(await ask('""')).toEqual({ text: "", kind: "string" });
  });

  it("comes page by page when it is long, no character lost or halved", async () => {
    const pair = fc.constantFrom(
      "a",
      "é",
      "漢",
      "😀",
      "\n",
      '"',
      "\\",
      "\u0001",
      "\ud83d",
      "\ude00",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(pair, { maxLength: 60 }).map((parts) => parts.join("")),
        fc.integer({ min: 2, max: 20 }),
        fc.boolean(),
        async (value, maxChars, isAscii) => {
          const json = JSON.stringify(value);
          const content = isAscii
            ? json.replace(/[^ -~]/g, (u) => `\\u${u.charCodeAt(0).toString(16).padStart(4, "0")}`)
            : json;
          let text = "";
          let offset: number | undefined = 0;
          while (offset !== undefined) {
            const page: JsonReading = await ask(content, { offset, maxChars });
            expect(page.text.length).toBeLessThanOrEqual(maxChars);
            expect(page.leftOut?.chars ?? 0).toBe(value.length - offset - page.text.length);
            text += page.text;
            offset = page.nextOffset;
          }
          expect(text).toBe(value);
        },
      ),
    );
  });

  it("begins in the middle of a pair if told so", async () => {
    expect((await ask('"😀x"', { offset: 1 })).text).toBe("\ude00x");
  });

  it("is read in a window when it is huge", async () => {
    const source = generatedArray(2_000_000, () => "abcdefgh", ['{"s":"', '"}']);
    const reading = await queryJson(source, {
      pointer: "/s",
      offset: 9_000_000,
      maxChars: 17,
      arrayLimit: 20,
    });
    expect(reading.text).toBe("abcdefgh,abcdefgh");
    expect(reading.nextOffset).toBe(9_000_017);
    expect(reading.leftOut).toEqual({ chars: 17_999_999 - 9_000_017 });
    expect(source.largestRead).toBeLessThanOrEqual(256 * 1024);
  });
});

describe("queryJson: an array", () => {
  const numbers = Array.from({ length: 50 }, (_, n) => n);

  it("gives twenty items unless told, and how to go on", async () => {
    expect(await ask(numbers)).toEqual({
      text: pretty(numbers.slice(0, 20)),
      kind: "array",
      items: { from: 1, to: 20, of: 50 },
      leftOut: { items: 30 },
      nextOffset: 20,
    });
    expect(await ask(numbers, { offset: 45, limit: 10 })).toEqual({
      text: pretty(numbers.slice(45)),
      kind: "array",
      items: { from: 46, to: 50, of: 50 },
    });
    expect(await ask("[]")).toEqual({
      text: "[]",
      kind: "array",
      items: { from: 0, to: 0, of: 0 },
    });
  });

  it("indents each item as JSON.stringify does", async () => {
    const value = [{ a: [1, { b: [] }], c: {} }, "x\ny", [[]]];
    expect((await ask(value)).text).toBe(pretty(value));
  });

  it("stops before the cap", async () => {
    const items = Array.from({ length: 10 }, () => "x".repeat(100));
    const reading = await ask(items, { maxChars: 500 });
    expect(reading.text).toBe(pretty(items.slice(0, 4)));
    expect(reading).toMatchObject({
      items: { from: 1, to: 4, of: 10 },
      leftOut: { items: 6 },
      nextOffset: 4,
    });
  });

  it("cuts a first item that is too long, with its shape in view", async () => {
    const items = [{ id: 7, "bo/dy": "y".repeat(5000), list: numbers.map(String) }, 2];
    const reading = await ask(items, { maxChars: 400 });
    expect(JSON.parse(reading.text)).toEqual([
      {
        id: 7,
        "bo/dy": `${"y".repeat(60)}… 5,000 characters, pointer /0/bo~1dy`,
        list: "… array, 241 characters, pointer /0/list",
      },
    ]);
    expect(reading).toMatchObject({
      items: { from: 1, to: 1, of: 2 },
      leftOut: { items: 1 },
      nextOffset: 1,
    });
    const body = await ask(items, { pointer: "/0/bo~1dy" });
    expect(body.text).toBe("y".repeat(5000));
  });

  it("lays a cut item out like any other", async () => {
    const { text } = await ask([{ id: 7, body: "y".repeat(500), in: { a: 1 } }], { maxChars: 200 });
    expect(text).toBe(pretty(JSON.parse(text)));
    expect(text).toContain('\n    "in": {\n      "a": 1\n    }\n  }\n]');
  });

  it("is the last of those with the same key", async () => {
    expect(await ask('{"a":[1,2],"b":0,"a":[3]}', { pointer: "/a" })).toMatchObject({
      text: pretty([3]),
      items: { from: 1, to: 1, of: 1 },
    });
  });

  it("says how many there are in a first item that is too long for its members", async () => {
    const reading = await ask([numbers, 1], { maxChars: 120 });
    const [first] = JSON.parse(reading.text) as [unknown[]];
    expect(first.at(-1)).toBe("… 50 in all");
    expect(first.slice(0, -1)).toEqual(numbers.slice(0, first.length - 1));
    const object = Object.fromEntries(numbers.map((n) => [`k${n}`, n]));
    const [cut] = JSON.parse((await ask([object], { maxChars: 200 })).text) as [object];
    expect(Object.entries(cut)[0]).toEqual(["k0", 0]);
    expect(cut).toHaveProperty("…", "… 50 in all");
  });

  it("reads lines of JSON as one", async () => {
    expect(await ask('{"a":1}\n{"a":2}\n', { fields: ["a"] })).toEqual({
      text: pretty([{ a: 1 }, { a: 2 }]),
      kind: "array",
      items: { from: 1, to: 2, of: 2 },
    });
    expect((await ask('{"a":1}\n{"a":2}\n', { pointer: "/1/a" })).text).toBe("2");
  });

  it("is counted to its end in little memory", async () => {
    const unit = (n: number): string => `{"id":${String(n).padStart(7, " ")},"name":"a name"}`;
    const source = generatedArray(1_500_000, unit, ['{"data":{"rows":[', "]}}"]);
    expect(source.size).toBeGreaterThan(45_000_000);
    const before = process.memoryUsage().arrayBuffers;
    const reading = await queryJson(source, {
      pointer: "/data/rows",
      offset: 1_499_999,
      maxChars: 2000,
      arrayLimit: 20,
    });
    expect(reading).toEqual({
      text: pretty([{ id: 1_499_999, name: "a name" }]),
      kind: "array",
      items: { from: 1_500_000, to: 1_500_000, of: 1_500_000 },
    });
    expect(source.largestRead).toBeLessThanOrEqual(256 * 1024);
    expect(source.bytesRead).toBeLessThan(source.size + 1_000_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64_000_000);
  });
});

describe("queryJson: an object", () => {
  it("gives its members, by windows too", async () => {
    const value = { a: 1, b: { c: [1, 2] }, "": "x", "é\n": null };
    expect(await ask(value)).toEqual({
      text: pretty(value),
      kind: "object",
      items: { from: 1, to: 4, of: 4 },
    });
    expect(await ask(value, { offset: 1, limit: 2 })).toEqual({
      text: pretty({ b: { c: [1, 2] }, "": "x" }),
      kind: "object",
      items: { from: 2, to: 3, of: 4 },
      leftOut: { items: 1 },
      nextOffset: 3,
    });
    expect(await ask("{}")).toMatchObject({ text: "{}", items: { from: 0, to: 0, of: 0 } });
  });

  it("keeps numbers and escapes as they came", async () => {
    expect((await ask('{"\\u0061":1.0,"b":"\\/"}')).text).toBe(
      '{\n  "\\u0061": 1.0,\n  "b": "\\/"\n}',
    );
  });

  it("abbreviates what is long, the shortest whole first", async () => {
    const value = {
      meta: { ok: true },
      "a/~b": "z".repeat(9000),
      rows: [1, 2, 3],
      html: "h".repeat(200),
    };
    const reading = await ask(value, { maxChars: 600 });
    expect(JSON.parse(reading.text)).toEqual({
      ...value,
      "a/~b": `${"z".repeat(60)}… 9,000 characters, pointer /a~1~0b`,
    });
    expect(reading.leftOut).toEqual({ chars: 8940 });
    expect((await ask(value, { pointer: "/a~1~0b" })).text).toHaveLength(9000);
  });

  it("rather gives several short values whole than one long", async () => {
    const value = { long: "l".repeat(290), a: "a".repeat(140), b: "b".repeat(140) };
    const { text } = await ask(value, { maxChars: 530 });
    expect(JSON.parse(text)).toEqual({
      ...value,
      long: `${"l".repeat(60)}… 290 characters, pointer /long`,
    });
  });

  it("abbreviates a value that is too large to be held", async () => {
    const source = generatedArray(300_000, () => '"0123456789"', [
      '{"first":1,"rows":[',
      '],"last":2}',
    ]);
    const reading = await queryJson(source, { maxChars: 1000, arrayLimit: 20 });
    const chars = 300_000 * 13 - 1 + 2;
    expect(JSON.parse(reading.text)).toEqual({
      first: 1,
      rows: "… array, 3,900,001 characters, pointer /rows",
      last: 2,
    });
    expect(reading.leftOut).toEqual({ chars });
    expect(source.largestRead).toBeLessThanOrEqual(256 * 1024);
  });

  it("abbreviates what is nested too deep to indent", async () => {
    const reading = await ask(`{"deep":${"[".repeat(600)}${"]".repeat(600)},"x":1}`);
    expect(JSON.parse(reading.text)).toEqual({
      deep: "… array, 1,200 characters, pointer /deep",
      x: 1,
    });
  });

  it("shows what it can of a key without end", async () => {
    const reading = await ask(`{"${"k".repeat(9000)}":"${"v".repeat(9000)}"}`, { maxChars: 600 });
    expect(reading.text.length).toBeLessThanOrEqual(600);
    expect(reading.text).toMatch(/^\{\n {2}"k{240}…": "v{60}… 9,000 characters"\n\}$/);
  });
});

describe("queryJson: fields", () => {
  const rows = [
    { id: 1, name: "a", user: { mail: "x@y", tags: ["t"] }, "a.b": "dot" },
    { id: 2, user: { mail: "z@y" } },
    "other",
  ];

  it("are the only ones given, without missing ones", async () => {
    const fields = ["name", "id", "/user/mail", "user.tags[0]", "a.b"];
    expect(JSON.parse((await ask(rows, { fields })).text)).toEqual([
      { name: "a", id: 1, "/user/mail": "x@y", "user.tags[0]": "t", "a.b": "dot" },
      { id: 2, "/user/mail": "z@y" },
      "other",
    ]);
    expect(await ask(rows, { pointer: "/0", fields: ["id", "user.mail"] })).toEqual({
      text: pretty({ id: 1, "user.mail": "x@y" }),
      kind: "object",
      items: { from: 1, to: 2, of: 2 },
    });
  });

  it("that only later items have are not an error", async () => {
    expect((await ask(rows, { fields: ["name"], offset: 1, limit: 1 })).text).toBe("[\n  {}\n]");
    const late = '{"a":1}\n{"a":2}\n{"b":3}';
    expect((await ask(late, { fields: ["b"], limit: 1 })).text).toBe("[\n  {}\n]");
  });

  it("that no item has are an error with the keys there are", async () => {
    const answer = ask(rows, { fields: ["id", "titel"], limit: 1 });
    await expect(answer).rejects.toThrow(ArgumentError);
    await expect(answer).rejects.toThrow(
      'fields[1] must be a key that exists at the top ("id", "name", "user", "a.b")',
    );
    await expect(ask({ x: { y: 1 } }, { pointer: "/x", fields: ["z"] })).rejects.toThrow(
      'fields[0] must be a key that exists at "/x" ("y")',
    );
    await expect(ask([1, 2], { fields: ["z"] })).rejects.toThrow(/there are no objects with keys/);
    await expect(ask("7", { fields: ["z"] })).rejects.toThrow(/left out: at the top/);
    expect((await ask("[]", { fields: ["z"] })).text).toBe("[]");
  });

  it("are abbreviated with a pointer that can be asked", async () => {
    const long = [{ id: 1, user: { bio: "b".repeat(3000) } }];
    const reading = await ask(long, { fields: ["id", "user.bio"], maxChars: 300 });
    expect(JSON.parse(reading.text)).toEqual([
      { id: 1, "user.bio": `${"b".repeat(60)}… 3,000 characters, pointer /0/user/bio` },
    ]);
  });
});

describe("queryJson: what cannot be answered", () => {
  it("names the longest part that exists", async () => {
    const value = { a: [{ b: 1 }], "k/1": "text", e: [], o: {} };
    const cases = [
      ["/x", { reached: "", kind: "object", keys: ["a", "k/1", "e", "o"], length: 4 }],
      ["/a/3/b", { reached: "/a", kind: "array", length: 1 }],
      ["/a/0/c", { reached: "/a/0", kind: "object", keys: ["b"], length: 1 }],
      ["/k~11/0", { reached: "/k~11", kind: "string" }],
      ["/e/0", { reached: "/e", kind: "array", length: 0 }],
      ["/o/x", { reached: "/o", kind: "object", keys: [], length: 0 }],
    ] as const;
    for (const [pointer, reach] of cases) {
      const answer = ask(value, { pointer });
      await expect(answer).rejects.toThrow(JsonPointerError);
      await expect(answer).rejects.toMatchObject({ pointer, reach });
    }
  });

  it("refuses wrong counts and an offset past the end", async () => {
    await expect(ask([1], { maxChars: 0 })).rejects.toThrow(
      /^maxChars must be a whole number of at least 1/,
    );
    await expect(ask([1], { limit: 0 })).rejects.toThrow(/^limit must be/);
    await expect(ask([1], { offset: -1 })).rejects.toThrow(/^offset must be/);
    await expect(ask([1, 2], { offset: 2 })).rejects.toThrow(
      "offset must be 0 to 1, since there are 2 items",
    );
    await expect(ask({}, { offset: 1 })).rejects.toThrow(
      "offset must be 0, since there are no members",
    );
    await expect(ask('"abc"', { offset: 3 })).rejects.toThrow(
      "0 to 2, since there are 3 characters",
    );
    await expect(ask({ a: 1 }, { fields: ["a"], offset: 1 })).rejects.toThrow(
      "since there are 1 fields",
    );
  });

  it("says which byte is wrong inside a value that was passed over", async () => {
    const answer = ask('{"a":{"b":[1,,2]}}');
    await expect(answer).rejects.toThrow(JsonSyntaxError);
    await expect(answer).rejects.toMatchObject({ offset: 13 });
    await expect(ask('{"a":[{"b":1 2}]}', { pointer: "/a", fields: ["b"] })).rejects.toMatchObject({
      offset: 13,
    });
    await expect(ask("It was a dark night")).rejects.toThrow('unexpected "I" at byte 0');
    await expect(ask("[1")).rejects.toThrow("unexpected end at byte 2");
  });

  it("stops with the signal's reason", async () => {
    const reason = new Error("enough");
    await expect(ask([1], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe("queryJson: the cap", () => {
  it("holds for every value and every cap, pages reach the end, and the same is said twice", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 3 }),
        fc.integer({ min: 1, max: 120 }),
        fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        async (value, maxChars, limit) => {
          let offset: number | undefined = 0;
          for (let pages = 0; offset !== undefined; pages += 1) {
            const query: Partial<JsonQuery> = { maxChars, limit, offset };
            const reading: JsonReading = await ask(JSON.stringify(value), query);
            expect(reading.text.length).toBeLessThanOrEqual(maxChars);
            expect(await ask(JSON.stringify(value), query)).toEqual(reading);
            expect(reading.nextOffset ?? Infinity).toBeGreaterThan(offset);
            offset = reading.nextOffset;
            expect(pages).toBeLessThan(2000);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("is valid JSON where a container and its notes fit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue()), { minLength: 1 }),
        async (value) => {
          const { text, items } = await ask(value, { maxChars: 400 });
          expect(JSON.parse(text)).toHaveLength(items?.to ?? -1);
        },
      ),
    );
  });
});
