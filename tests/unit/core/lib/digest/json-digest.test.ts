import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson, type JsonContent } from "../../../../../src/core/lib/digest/json-content.js";
import { sampleOfStream, sampleText } from "../../../../../src/core/lib/digest/sampled-text.js";
import { scanSampled } from "../../../../../src/core/lib/digest/digest.js";
import { encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";
import { createSampler } from "../../../../../src/core/workspace/artifacts/stream-sample.js";
import { digestText } from "../../../../../src/index.js";
import { memoryWorkspaceOf } from "../../../../support/memory-workspace.js";

const stations = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `Station ${id}`,
    state: id % 4 === 0 ? "closed" : "open",
    position: { lat: 53.2 + id, lon: 7.4 },
  }));

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1]?.replaceAll(",", ""));
}

/** What a pointer leads to. */
function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value);
}

const scalars = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.string({ maxLength: 30 }),
  fc.constant("https://example.org/a/long/address"),
  fc.constant("word ".repeat(90)),
);
const records = fc
  .tuple(fc.integer({ min: 3, max: 60 }), fc.boolean())
  .map(([length, isNested]) =>
    isNested ? stations(length) : stations(length).map(({ id, name }) => ({ id, name })),
  );
/** Objects whose keys are told apart at a glance, and what they hold. */
const objects = fc
  .array(
    fc.oneof(
      scalars,
      fc.array(scalars, { maxLength: 40 }),
      records,
      fc.dictionary(fc.string(), scalars),
    ),
    {
      minLength: 1,
      maxLength: 90,
    },
  )
  .map((values) => Object.fromEntries(values.map((value, at) => [`key${at}x`, value])));
const budgets = fc.constantFrom(300, 480, 900, 2_000);

describe("the digest of JSON", () => {
  it("is the value itself where that fits", () => {
    expect(digestText('{"a": [1, "b", null], "c-d": {"e": true}, "": 1.5}')).toEqual({
      kind: "json",
      text: 'JSON object, 3 keys.\n{a: [1, "b", null], c-d: {e: true}, "": 1.5}',
    });
  });

  it("names or counts every key of the outermost object, whatever the size and the budget", () => {
    fc.assert(
      fc.property(objects, budgets, (value, budgetChars) => {
        const { kind, text } = digestText(JSON.stringify(value), { budgetChars });
        const keys = Object.keys(value);
        expect(kind).toBe("json");
        expect(text.length).toBeLessThanOrEqual(budgetChars);
        expect(text).toMatch(new RegExp(`^JSON object, ${keys.length} keys?\\.`));
        const [, outline = ""] = text.split("\n");
        const named = keys.filter((key) => outline.includes(key));
        const more = numberIn(outline, /, … ([\d,]+) more\}$/) || 0;
        expect(named.length + more).toBeGreaterThanOrEqual(keys.length);
        if (more > 0) expect(named.length + more).toBe(keys.length);
      }),
      { numRuns: 300 },
    );
  });

  it("counts truly, with pointers that lead to what is counted", () => {
    fc.assert(
      fc.property(objects, budgets, (value, budgetChars) => {
        const { text } = digestText(JSON.stringify(value), { budgetChars });
        for (const [, pointer = "", count] of text.matchAll(/^(\/\S+): ([\d,]+) records/gm)) {
          expect(valueAt(value, pointer)).toHaveLength(Number(count));
        }
        for (const [, key = "", count] of text.matchAll(
          /(key\d+x): \[([\d,]+) (?:records|items?)\]/g,
        )) {
          expect(value[key]).toHaveLength(Number(count));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("has counts that are no more than what is there, wherever JSON is cut off", () => {
    fc.assert(
      fc.property(objects, fc.nat(), budgets, (value, at, budgetChars) => {
        const json = JSON.stringify(value);
        const { kind, text } = digestText(json.slice(0, at % json.length), { budgetChars });
        expect(kind).not.toBe("json");
        expect(text).not.toContain("undefined");
        for (const [, pointer = "", least, count] of text.matchAll(
          /^(\/\S+): (at least )?([\d,]+) records/gm,
        )) {
          const { length } = valueAt(value, pointer) as readonly unknown[];
          if (least === undefined) expect(Number(count)).toBe(length);
          else expect(Number(count)).toBeLessThanOrEqual(length);
        }
      }),
      { numRuns: 400 },
    );
  });

  it("knows what is cut off, and what was before", () => {
    const json = JSON.stringify({ n: 40, pages: stations(40), rest: stations(40) });
    const { text } = digestText(json.slice(0, -300));
    expect(text).toMatch(/^JSON object, at least 3 keys, cut off/);
    expect(text).toContain("n: 40");
    expect(text).toContain("/pages: 40 records.");
    expect(text).toMatch(/rest: \[at least 3\d records\]/);
  });

  it.each([
    ["16 thousand", 200],
    ["300 thousand", 3_600],
    ["two million", 25_000],
  ])("of %s characters tells what follows the first long list", (_, length) => {
    const value = { query: "tide", items: stations(length), total: 98_765, next_cursor: "c0ffee" };
    const { kind, text } = digestText(JSON.stringify(value, null, length === 200 ? 2 : undefined));
    expect(kind).toBe("json");
    expect(text).toContain('{query: "tide", total: 98765, next_cursor: "c0ffee", items: [');
    expect(numberIn(text, /\/items: ([\d,]+) records/)).toBe(length);
    expect(text).toContain("position.lat");
    // Values of some of the records have no counts.
    if (length > 1_000) expect(text).not.toContain("×");
    else expect(text).toContain("×");
  });

  it("of more than is walked through tells its start and its end, and says so", () => {
    const value = { query: "tide", items: stations(120_000), total: 98_765, next_cursor: "c0ffee" };
    const { text } = digestText(JSON.stringify(value));
    expect(text).toMatch(/^JSON object, at least 4 keys, read from its start and its end\./);
    expect(text).toContain("total: 98765");
    expect(text).toContain('next_cursor: "c0ffee"');
    expect(text).toMatch(/\/items: at least [\d,]+ records/);
  });

  it("of long text that is cut off is not called JSON, since no query reads it", () => {
    const json = JSON.stringify({ query: "tide", items: stations(9_000) });
    const { kind, text } = digestText(json.slice(0, -9));
    expect(kind).toBe("text");
    expect(text).toMatch(/^JSON object, at least 2 keys, /);
  });

  it("of a stream tells its start and its end, and says so", () => {
    const value = { items: stations(9_000), note: 'a "quoted\\" ]} one', total: 98_765 };
    const json = JSON.stringify(value);
    const sampler = createSampler();
    sampler.push(encodeWtf8(json));
    const sample = sampleOfStream(sampler.sample({ chars: json.length, lines: 1 }));
    const { text } = scanSampled(sample)(900);
    expect(text).toContain("read from its start and its end");
    expect(text).toContain("total: 98765");
    expect(text).toContain("note: ");
  });

  it("tells what is short before long text, addresses and empty fields", () => {
    const issue = {
      url: "https://example.org/repos/a/b/issues/7",
      body: "word ".repeat(900),
      milestone: null,
      labels: [],
      number: 7,
      title: "The tide table is wrong",
      state: "open",
    };
    const { text } = digestText(JSON.stringify(issue), { budgetChars: 480 });
    expect(text).toMatch(/\n\{number: 7, title: "The tide table is wrong", state: "open", /);
    expect(text).toContain("(4,500 chars)}");
  });

  it("has all of short records as rows, where these fit", () => {
    const { text } = digestText(JSON.stringify({ of: stations(12) }, null, 2), {
      budgetChars: 900,
    });
    expect(text).toMatch(/\n\/of: 12 records\. Fields: .*\nAll: id/);
    for (const { name } of stations(12)) expect(text).toContain(name);
  });

  it("has true counts of values, and ranges of numbers", () => {
    const { text } = digestText(JSON.stringify(stations(80)), { budgetChars: 480 });
    expect(text).toContain("80 records. Fields: id (0 … 79), name, state (open ×60, closed ×20), ");
    expect(text).toContain("position.lon (always 7.4)");
    expect(text).toMatch(/\nFirst \d+ of 80: id \| /);
  });

  it("names fields as a query takes them", async () => {
    const rows = stations(60).map((row) => ({
      ...row,
      tags: [{ label: "x" }],
      "a.b": row.id,
      "c d/e": 1,
    }));
    const { text } = digestText(JSON.stringify({ "a/b~c": rows }));
    expect(text).toContain("/a~1b~0c: 60 records.");
    const names =
      /Fields: (.*)$/m
        .exec(text)?.[1]
        ?.replace(/ \([^)]*\)/g, "")
        .split(", ") ?? [];
    expect(names).toHaveLength(8);
    const workspace = await memoryWorkspaceOf(JSON.stringify({ "a/b~c": rows }));
    for (const name of names) {
      const asked = await workspace.queryKnowledge("a", {
        where: [{ field: name, is: "!=", value: "none" }],
        count: true,
      });
      expect(asked.text).toContain("60 of 60");
    }
  });

  it("names or counts the fields of records that differ", () => {
    const rows = Array.from({ length: 90 }, (_, at) => ({ id: at, [`field${at}x`]: at }));
    const { text } = digestText(JSON.stringify(rows));
    const named = rows.filter((_, at) => text.includes(`field${at}x`)).length;
    expect(named + numberIn(text, /, … ([\d,]+) more/)).toBe(90);
  });

  it("shows the start of a record that has no short fields, under its pointer", () => {
    const long = Array.from({ length: 9 }, () => ({ a: "a".repeat(90), b: "b".repeat(90) }));
    const [, pointer = "", value = ""] =
      /\n(\/\S+): (\{a: "a+)/.exec(digestText(JSON.stringify({ "x/y": [1, ...long] })).text) ?? [];
    expect(valueAt({ "x/y": [1, ...long] }, pointer)).toHaveProperty("a");
    expect(value).toMatch(/a$/);
  });

  it("sees records in lists of lists", () => {
    const lists = Array.from({ length: 90 }, () => stations(2));
    expect(digestText(JSON.stringify(lists)).text).toContain("180 records in 90 lists");
  });

  it("sees JSON in text", () => {
    const inner = JSON.stringify({ answer: 42, rows: stations(9) });
    expect(
      digestText(JSON.stringify({ ok: true, log: "x".repeat(2_000), out: inner })).text,
    ).toContain("out: JSON text {answer: 42, rows: ");
  });

  it.each([
    [
      "one value a line",
      stations(40)
        .map((row) => JSON.stringify(row))
        .join("\n"),
      "json",
      /^JSON Lines, 40 values\./,
    ],
    [
      "with text before it",
      `Found 40:\n${JSON.stringify(stations(40))}`,
      "text",
      /\nBefore it: Found 40:\n/,
    ],
    [
      "with text behind it",
      `${JSON.stringify(stations(40))}\nDone.`,
      "text",
      /\nAfter it: Done\.\n/,
    ],
    [
      "with a list by numbers, cut off",
      `{"b": [9, 9], "1": {"2": [1, 2, 3, "cu`,
      "text",
      /^JSON object, at least 2 keys, cut off.*\n\{"1": \{"2": \[1, 2, 3, … more\], … more\}, b: \[9, 9\], … more\}/,
    ],
    [
      "with a key that is cut off",
      `{"a": {"b": "c", "d`,
      "text",
      /\n\{a: \{b: "c", … more\}, … more\}$/,
    ],
  ])(
    "sees %s, and is called JSON only if a query reads it by pointer",
    (_, text, kind, pattern) => {
      const digest = digestText(text);
      expect(digest.kind).toBe(kind);
      expect(digest.text).toMatch(pattern);
    },
  );

  it("of JSON Lines has records that a pointer reads", async () => {
    const workspace = await memoryWorkspaceOf(
      stations(40)
        .map((row) => JSON.stringify(row))
        .join("\n"),
    );
    expect((await workspace.queryKnowledge("a", { pointer: "/39/name" })).text).toBe("Station 39");
  });

  it.each([
    ["that is damaged", JSON.stringify(stations(40)).replace('"id":20', '"id" 20')],
    ["that a log only looks like", "[INFO] started\n[INFO] stopped\n"],
    ["that is a lone string", JSON.stringify("word ".repeat(400))],
    ["in a page of text", `# A page\n\n${"Some words.\n".repeat(40)}\n{"a": 1}\n`],
  ])("is not there for JSON %s", (_, text) => {
    expect(digestText(text).text).not.toMatch(/^JSON/);
  });

  it("has numbers as they are written", () => {
    const id = "12345678901234567890123";
    expect(digestText(`{"id": ${id}, "n": 1}`).text).toContain(`{id: ${id}, n: 1}`);
    const { text } = digestText(`{"n": ${"7".repeat(2_000_000)}, "last": true}`);
    expect(text).toContain("last: true");
  });

  it("is not misled by what looks like its own marks", () => {
    const text = JSON.stringify({
      items: [...stations(4_000), "\u0000more 9+"],
      "\u0000more 7": 0,
    });
    expect(digestText(text).text).not.toMatch(/\b[79] (?:keys|records)/);
  });

  it("knows the true size of every list and object of long text that it reads in part", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 12, maxLength: 30 });
    fc.assert(
      fc.property(sizes, fc.boolean(), fc.boolean(), (lengths, isLines, isIndented) => {
        const values = lengths.map((length, at) => ({
          size: length,
          list: Array.from({ length }, (_, item) => `\\"]},${item}`.repeat(9)),
          keys: Object.fromEntries(Array.from({ length }, (_, key) => [`k${key}`, [[], {}, at]])),
        }));
        const indent = isIndented && !isLines ? 1 : undefined;
        const text = isLines
          ? values.map((value) => JSON.stringify(value)).join("\n")
          : JSON.stringify(values, null, indent);
        const content = readJson(sampleText(text));
        expect(content?.title).toMatch(isLines ? /^JSON Lines/ : /^JSON array/);
        const { value, open } = content as JsonContent;
        const sizeOf = (part: object) => Object.keys(part).length;
        expect(sizeOf(value)).toBe(values.length);
        for (const { size, list, keys } of value as typeof values) {
          expect([sizeOf(list), sizeOf(keys)]).toEqual([size, size]);
        }
        expect(open).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
