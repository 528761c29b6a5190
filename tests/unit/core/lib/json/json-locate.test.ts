import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  locatePointer,
  type Located,
  formatPointer,
} from "../../../../../src/core/lib/json/json-pointer.js";
import { JsonSyntaxError, type JsonKind } from "../../../../../src/core/lib/json/json-walker.js";
import { decodeWtf8, encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";
import { generatedArray, sourceOf } from "./sources.js";
import { anyString } from "../../../../support/any-string.js";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function kindOf(value: Json): JsonKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

type Walked = { found: true; value: Json } | Exclude<Located, { found: true }>;

/** The same question put to a parsed value. */
function walk(root: Json, pointer: readonly string[]): Walked {
  let value = root;
  for (const [depth, token] of pointer.entries()) {
    const miss = {
      found: false as const,
      reached: formatPointer(pointer.slice(0, depth)),
      kind: kindOf(value),
    };
    if (Array.isArray(value)) {
      const item = /^(?:0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
      if (item === undefined) return { ...miss, length: value.length };
      value = item;
    } else if (typeof value === "object" && value !== null) {
      const keys = Object.keys(value);
      const next = Object.hasOwn(value, token) ? value[token] : undefined;
      if (next === undefined) return { ...miss, keys, length: keys.length };
      value = next;
    } else return miss;
  }
  return { found: true, value };
}

async function locateText(
  text: string,
  pointer: readonly string[],
  chunkBytes?: number,
): Promise<Walked> {
  const located = await locatePointer(sourceOf(text), pointer, { chunkBytes });
  if (!located.found) return located;
  const piece = decodeWtf8(encodeWtf8(text).subarray(located.start, located.end));
  const value = JSON.parse(piece) as Json;
  expect(located.kind).toBe(kindOf(value));
  return { found: true, value };
}

/** Keys that collide, escape and look like indices; integers so that their order is ours to see. */
const key = fc.oneof(
  fc.constantFrom("a", "b", "", "a/b", "~", "m~1n", '"', "\\", "é", "😀", "\n", "-", "x1"),
  anyString({ maxLength: 4 }).filter((text) => !/^\d+$/.test(text)),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, 0, -1.5, 1e21, "", "x,]}", 'q"\\'),
    anyString({ maxLength: 6 }),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(key, tie("json"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

/** A pointer that leads somewhere for as long as the numbers last. */
function existing(root: Json, choices: readonly number[]): string[] {
  const pointer: string[] = [];
  let value = root;
  for (const choice of choices) {
    if (typeof value !== "object" || value === null) break;
    const names = Object.keys(value);
    const name = names[choice % Math.max(1, names.length)];
    if (name === undefined) break;
    pointer.push(name);
    value = (value as Record<string, Json>)[name] ?? null;
  }
  return pointer;
}

describe("locatePointer", () => {
  it("finds what walking the parsed value finds, with any chunks and any layout", async () => {
    await fc.assert(
      fc.asyncProperty(
        json,
        fc.array(fc.nat({ max: 3 }), { maxLength: 4 }),
        fc.array(fc.oneof(key, fc.constantFrom("0", "1", "01", "-", "9")), { maxLength: 2 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(0, 2, "\t"),
        async (value, choices, beyond, chunkBytes, by) => {
          const text = JSON.stringify(value, null, by);
          const parsed = JSON.parse(text) as Json;
          for (const pointer of [
            existing(parsed, choices),
            [...existing(parsed, choices), ...beyond],
            beyond,
          ]) {
            expect(await locateText(text, pointer, chunkBytes)).toEqual(walk(parsed, pointer));
          }
        },
      ),
      { numRuns: 600 },
    );
  });

  it("counts lines of JSON as an array of them", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(json, { minLength: 2, maxLength: 4 }),
        fc.array(fc.nat({ max: 3 }), { maxLength: 3 }),
        fc.constantFrom("\n", "\r\n", "\n\n  "),
        fc.constantFrom(0, 2),
        fc.integer({ min: 1, max: 9 }),
        async (values, choices, gap, by, chunkBytes) => {
          const text = values.map((value) => JSON.stringify(value, null, by)).join(gap);
          const parsed = values.map((value) => JSON.parse(JSON.stringify(value)) as Json);
          const pointer = existing(parsed, choices);
          for (const tokens of [pointer, [...pointer, "none"], ["0", "a"], ["7"]]) {
            if (tokens.length === 0) continue;
            expect(await locateText(text, tokens, chunkBytes)).toEqual(walk(parsed, tokens));
          }
          expect(await locatePointer(sourceOf(text), [])).toEqual({
            found: true,
            start: 0,
            end: encodeWtf8(text).length,
            kind: "array",
            isSequence: true,
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  it("lets the last of equal keys win, on every level", async () => {
    const text = '{"a":{"b":1,"b":2},"c":0,"a":{"b":3,"\\u0062":[4]}}';
    expect(await locateText(text, ["a", "b", "0"])).toEqual({ found: true, value: 4 });
    expect(await locateText('{"a":{"b":1},"a":{}}', ["a", "b"])).toMatchObject({
      found: false,
      reached: "/a",
      keys: [],
    });
    expect(await locateText('{"a":{"b":1},"a":7}', ["a", "b"])).toEqual({
      found: false,
      reached: "/a",
      kind: "number",
    });
  });

  it("compares keys after unescaping", async () => {
    const text = '{"\\u00e9\\n\\/":1,"\\ud83d\\ude00":2,"":3}';
    expect(await locateText(text, ["é\n/"])).toEqual({ found: true, value: 1 });
    expect(await locateText(text, ["😀"])).toEqual({ found: true, value: 2 });
    expect(await locateText(text, [""])).toEqual({ found: true, value: 3 });
    const lone = '{"\ud800":1,"\\udfff":2}';
    expect(await locateText(lone, ["\ud800"])).toEqual({ found: true, value: 1 });
    expect(await locateText(lone, ["\udfff"])).toEqual({ found: true, value: 2 });
  });

  it("names the first twenty keys, and how many there are", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, n]));
    const located = await locatePointer(sourceOf(JSON.stringify(many)), ["none"]);
    expect(located).toMatchObject({ found: false, length: 30 });
    expect(located.found ? [] : located.keys).toEqual(Object.keys(many).slice(0, 20));
  });

  it("passes over a million levels and a huge key", async () => {
    const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
    const text = `{"deep":${deep},"${"k".repeat(3_000_000)}":1,"last":true}`;
    expect(await locateText(text, ["last"])).toEqual({ found: true, value: true });
    const located = await locatePointer(sourceOf(text), ["none"]);
    expect(located.found ? [] : located.keys).toEqual(["deep", "last"]);
  });

  it("tolerates a byte order mark", async () => {
    expect(await locatePointer(sourceOf('\ufeff{"a":1}'), ["a"])).toEqual({
      found: true,
      start: 8,
      end: 9,
      kind: "number",
    });
  });

  it.each([
    ["", 0],
    ["plain text", 0],
    ["{a:1}", 1],
    ['{"a":1 "b":2}', 7],
    ['{"a":1,}', 7],
    ["[1,]", 3],
    ["[1}", 2],
    ["[tru]", 4],
    ['["a]', 4],
    ["[[1,2]", 6],
    ["[{", 2],
    ["1 2", 2],
    ["NaN", 0],
    ["12:00 start", 2],
    ['{"a":1}\nthen text', 9],
  ])("says of %j that byte %i is not JSON", async (text, offset) => {
    for (const chunkBytes of [1, 1000]) {
      const answer = locatePointer(sourceOf(text), ["x"], { chunkBytes });
      await expect(answer).rejects.toThrow(JsonSyntaxError);
      await expect(answer).rejects.toMatchObject({ offset });
    }
  });

  it("stops early in a large array, and in lines", async () => {
    const array = generatedArray(1_000_000, (n) => `{"n":${String(n).padStart(9, " ")}}`);
    expect(await locatePointer(array, ["3", "n"])).toMatchObject({ found: true, kind: "number" });
    expect(array.bytesRead).toBeLessThan(2_000_000);
    expect(array.largestRead).toBeLessThanOrEqual(256 * 1024);

    const line = `{"n":1}\n`;
    const lines = sourceOf(line.repeat(200_000));
    expect(await locatePointer(lines, ["3", "n"])).toMatchObject({ found: true, start: 29 });
    expect(lines.bytesRead).toBeLessThan(600_000);
  });

  it("stops with the signal's reason", async () => {
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect(locatePointer(sourceOf("[1]"), [], { signal })).rejects.toBe(reason);
    const controller = new AbortController();
    const source = generatedArray(1_000_000, () => "123456789");
    const stopping = {
      size: source.size,
      read: (start: number, end: number) => {
        if (start > 1_000_000) controller.abort(reason);
        return source.read(start, end);
      },
    };
    const answer = locatePointer(stopping, ["x"], { signal: controller.signal });
    await expect(answer).rejects.toBe(reason);
    expect(source.bytesRead).toBeLessThan(2_000_000);
  });
});
