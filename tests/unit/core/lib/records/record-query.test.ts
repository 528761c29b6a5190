import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatRecordQuery,
  parseRecordQuery,
  RecordChooser,
  toConditions,
  type Comparison,
  type QueryCondition,
  type RecordQuery,
} from "../../../../../src/core/lib/records/record-query.js";
import { parseExactly, renderRecord } from "../../../../../src/core/lib/records/record-value.js";

const OPERATORS: readonly Comparison[] = ["=", "!=", "<", "<=", ">", ">=", "~", "!~"];
const name = fc.oneof(
  fc.stringMatching(/^[a-z_]{1,8}(?:\.[a-z]{1,4})?$/),
  fc.constantFrom("Athletic Style", "a,b", "/a/b"),
);
const value = fc.oneof(
  fc.string({ maxLength: 12 }).filter((text) => text === text.trim()),
  fc.constantFrom(
    "null",
    "x, y",
    "rock and roll",
    "limit 5",
    'say "hi"',
    "10-K 2017 Report",
    "/a",
    "a or b=1",
    "in (a)",
  ),
  fc.constant(null),
);
const single = fc.record({ field: name, is: fc.constantFrom(...OPERATORS), value });
const condition = fc.oneof(
  single,
  fc
    .tuple(single, fc.array(single, { minLength: 1, maxLength: 2 }))
    .map(([first, or]): QueryCondition => ({ ...first, or })),
);

function answerOf(records: readonly unknown[], query: Partial<RecordQuery>): string {
  const chooser = new RecordChooser({ where: [], offset: 0, maxChars: 20_000, ...query });
  for (const [at, record] of records.entries()) chooser.add({ place: `/${at}`, value: record });
  return chooser.answer("").text;
}

describe("the language of queries", () => {
  it("property: a query that is written down is read back", () => {
    fc.assert(
      fc.property(
        fc.array(condition, { maxLength: 4 }),
        fc.record(
          {
            count: fc.constant(true),
            distinct: fc.constantFrom("name", "a.b"),
            sort: fc.constantFrom("name", "-price"),
            fields: fc.array(name, { minLength: 1, maxLength: 3 }),
            limit: fc.integer({ min: 1, max: 99 }),
            offset: fc.integer({ min: 1, max: 99 }),
          },
          { requiredKeys: [] },
        ),
        (where, words) => {
          expect(parseRecordQuery(formatRecordQuery({ where, ...words }))).toEqual({
            where,
            ...words,
          });
        },
      ),
    );
  });

  it.each([
    ["status=failed and price >= 100", { where: 2 }],
    ["where status == failed && name contains foo", { where: 2 }],
    ["/items price>5, sort name, limit 3", { pointer: "/items", where: 1, sort: "name", limit: 3 }],
    ["/items/0/a name", { pointer: "/items/0/a name", where: 0 }],
    ["/price>5", { where: 1 }],
    ["price>5 order by price desc limit 3", { where: 1, sort: "-price", limit: 3 }],
    ["count", { where: 0, count: true }],
    ["city=Rome count", { where: 1, count: true }],
    ["count city=Rome", { where: 1, count: true }],
    ["city contains om sort -price limit 3", { where: 1, sort: "-price", limit: 3 }],
    ["/orders id=ord-17", { pointer: "/orders", where: 1 }],
    ["/orders id = ord-17", { pointer: "/orders", where: 1 }],
    ["/id = ord-17", { where: 1 }],
    ["count /orders where price > 440", { pointer: "/orders", where: 1, count: true }],
    ["/orders avg price", { pointer: "/orders", where: 0, sum: "price" }],
    ["sum(price), status=ok", { where: 1, sum: "price" }],
    ["count by status", { where: 0, distinct: "status" }],
    ["select a, b, c>1", { where: 1, fields: ["a", "b"] }],
    ["a=1, skip 20", { where: 1, offset: 20 }],
    ['{"status":"failed","price":{"$gt":5}}', { where: 2 }],
    ['[{"field":"a","op":">=","value":3}]', { where: 1 }],
  ])("takes %s", (text, { where, ...words }) => {
    const { where: conditions, ...parsed } = parseRecordQuery(text);
    expect(conditions).toHaveLength(where);
    expect(parsed).toEqual(words);
  });

  it.each([
    ["city=Rome count", "Rome"],
    ['name="Name 3, Jr" count', "Name 3, Jr"],
    ["name='Name 3' sort price", "Name 3"],
    ['title="word count"', "word count"],
    ["title='order by count'", "order by count"],
    ["date>=2026-09-01 count", "2026-09-01"],
    ["title=a new limit", "a new limit"],
  ])("tells the value from the words behind it: %s", (text, value) => {
    expect(parseRecordQuery(text).where).toEqual([expect.objectContaining({ value })]);
  });

  it.each([
    ["s=a or s=b", "2"],
    ["s=a or n>7, count", "2"],
    ["(s=a || n=8) and n<8", "1"],
    ["n<9 and (s=a or s=b), count", "2"],
    ["s in (a, b)", "2"],
    ["s not in (a, b) and n>0", "1"],
    ["s in ('a, b')", "0"],
    ["s=a or b", "0"],
  ])("knows one condition of several: %s", (text, count) => {
    const rows = [
      { s: "a", n: 7 },
      { s: "b", n: 1 },
      { s: "c", n: 8 },
    ];
    const query = { ...parseRecordQuery(text), count: true, offset: 0 };
    expect(answerOf(rows, query).split(" ")[0]).toBe(count);
  });

  it("guesses nothing where and is beside or", () => {
    expect(() => parseRecordQuery("a=1 and b=2 or c=3")).toThrow(/with parentheses around/);
  });

  it.each([
    ["items[3].name", "/items/3/name"],
    [".items[3]", "/items/3"],
    [".[5].name", "/5/name"],
    ["a.0.b", "/a/0/b"],
    [".items[].name", "/items/*/name"],
    ['.a["b c"].d', "/a/b c/d"],
    [".items price>5", "/items"],
    ["$.items[3]", "$.items[3]"],
  ])("takes a path as a pointer: %s", (text, pointer) => {
    expect(parseRecordQuery(text).pointer).toBe(pointer);
  });

  it("says that ~ is no regular expression where it found nothing so", () => {
    const query = { ...parseRecordQuery("title~^Pa.*, count"), offset: 0 };
    expect(answerOf([{ title: "Page" }], query)).toMatch(
      /^0 of 1 record: .*not a regular expression/,
    );
    const plain = { ...parseRecordQuery("title~pag, count"), offset: 0 };
    expect(answerOf([{ title: "Page" }], plain)).not.toContain("regular");
  });

  it("shows the record that has the smallest or largest value, and how many have it", () => {
    const rows = [
      { n: 2, s: "x" },
      { n: 9, s: "y" },
      { n: 9, s: "z" },
    ];
    expect(answerOf(rows, { max: "n" })).toBe(
      'max of n: 9 ×2, first (3 records)\n/1 {n: 9, s: "y"}',
    );
    expect(answerOf(rows, { min: "n", fields: ["s"] })).toBe("min of n: 2 (3 records)\nx");
    expect(answerOf([{ n: null }], { min: "n" })).toBe("min of n: none (1 record)");
  });

  it("says what it counted", () => {
    const query = { ...parseRecordQuery("title=Page count"), offset: 0 };
    expect(answerOf([{ title: "Page" }, { title: "Page count" }], query)).toBe(
      "1 of 2 records: title=Page",
    );
  });

  it("says what it looked for where it found nothing", () => {
    const query = { ...parseRecordQuery('title="word count", n>3'), offset: 0 };
    expect(answerOf([{ title: "x", n: 5 }], query)).toBe('0 of 1 record: title="word count", n>3');
  });

  it.each(["price", "limit many", "a=1, whatever b", "sort"])("says what it knows: %s", (text) => {
    expect(() => parseRecordQuery(`a=1, ${text}`)).toThrow(
      /where must be a pointer such as .*, or conditions and words/,
    );
  });

  it("rejects conditions of another shape", () => {
    expect(() => toConditions([{ field: "a", is: "near", value: 1 }])).toThrow(/one of = != </);
    expect(() => toConditions(5)).toThrow(/where must be conditions/);
  });
});

describe("records that meet conditions", () => {
  const record = fc.record({
    n: fc.integer({ min: -5, max: 5 }),
    s: fc.constantFrom("a", "ab", "b"),
  });
  const holds: Record<Comparison, (a: number, b: number) => boolean> = {
    "=": (a, b) => a === b,
    "!=": (a, b) => a !== b,
    "<": (a, b) => a < b,
    "<=": (a, b) => a <= b,
    ">": (a, b) => a > b,
    ">=": (a, b) => a >= b,
    "~": (a, b) => String(a).includes(String(b)),
    "!~": (a, b) => !String(a).includes(String(b)),
  };

  it("property: are those that a plain filter finds, sorted and counted alike", () => {
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(...OPERATORS),
        fc.integer({ min: -5, max: 5 }),
        (records, is, wanted) => {
          const found = records.filter(({ n }) => holds[is](n, wanted));
          const where: QueryCondition[] = [{ field: "n", is, value: wanted }];
          const lines = answerOf(records, { where, sort: "-n", fields: ["n"] }).split("\n");
          const sorted = found.map(({ n }) => n).sort((a, b) => b - a);
          expect(lines.slice(2).map(Number)).toEqual(sorted);
          expect(answerOf(records, { where, count: true })).toMatch(
            new RegExp(`^${found.length} of ${records.length} record`),
          );
          const total = found.reduce((sum, { n }) => sum + n, 0);
          const sum = answerOf(records, { where, sum: "n" });
          expect(sum).toMatch(new RegExp(`: ${total}[,( ]`));
          const mean = Number(/mean (\S+)/.exec(sum)?.[1]);
          if (found.length > 0) expect(mean).toBeCloseTo(total / found.length);
          const values = new Set(found.map(({ s }) => s));
          expect(answerOf(records, { where, distinct: "s" })).toMatch(
            new RegExp(`^${values.size} values of s`),
          );
        },
      ),
    );
  });

  it("are compared with money, percent, dates, other fields and items of lists", () => {
    const records = [
      {
        price: "$1,299.00",
        off: "17% off",
        day: "2016-03-01T00:00",
        seen: "2016-03-01T00:00",
        tags: ["x"],
      },
      { price: "$9.50", off: null, day: "2017-01-01", seen: "2017-01-02", tags: [] },
      { price: "free", off: "5%", day: "2018-01-01", tags: ["y", "z"] },
    ];
    const count = (text: string) =>
      Number(
        answerOf(records, { ...parseRecordQuery(text), offset: 0, count: true }).split(" ")[0],
      );
    expect(count("price>100")).toBe(1);
    expect(count("price<=9.5")).toBe(1);
    expect(count("off>=10")).toBe(1);
    expect(count("day>=2016, day<2018")).toBe(2);
    expect(count("day=/seen")).toBe(1);
    expect(count("tags=z")).toBe(1);
    expect(count("seen=null")).toBe(1);
    expect(count("off!=null")).toBe(2);
    expect(count("price~FREE")).toBe(0);
    expect(count("price~free")).toBe(1);
  });

  it("are told apart by ids that are longer than a number can be, printed as they are written", () => {
    const text = '[{"id":12345678901234567890,"v":1.50},{"id":12345678901234567891,"v":2}]';
    const records = parseExactly(text) as unknown[];
    const where: QueryCondition[] = [{ field: "id", is: "=", value: "12345678901234567891" }];
    expect(answerOf(records, { where, fields: ["id", "v"] })).toMatch(
      /\n12345678901234567891 \| 2$/,
    );
    expect(renderRecord(records[0], { maxChars: 100 })).toBe("{id: 12345678901234567890, v: 1.50}");
  });

  it("a field that no record has is an error that names those there are", () => {
    const records = [{ status: "ok", user: { name: "x" } }];
    expect(() => answerOf(records, { where: [{ field: "state", is: "=", value: 1 }] })).toThrow(
      /a field that the records have \("status"/,
    );
  });

  it("hold no more than is bounded: too many different values are an error", () => {
    const records = Array.from({ length: 10_001 }, (_, id) => ({ id }));
    expect(() => answerOf(records, { distinct: "id" })).toThrow(/at most 10000 different values/);
    expect(() => answerOf(records, { sort: "id", limit: 20_000 })).toThrow(/at most 10000/);
  });

  it("say how many fields they do not show", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`key${at}`, "x".repeat(20)]),
    );
    const line = renderRecord({ ...wide, list: [1], long: "y".repeat(5_000) }, { maxChars: 300 });
    const [, left] = /… (\d+) more\}$/.exec(line) ?? [];
    expect(line.length).toBeLessThan(340);
    expect(Number(left) + (line.match(/key\d+: /g)?.length ?? 0)).toBe(62);
  });
});
