import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestText } from "../../../../../src/index.js";
import { csvText, logText } from "./sample-texts.js";

const PSQL = ` id | name  | depth
----+-------+-------
  1 | Leer  |   4.5
  2 | Emden |  11.0
  3 | Weener|   3.2
(3 rows)
`;
const MYSQL = `+----+-------+
| id | name  |
+----+-------+
|  1 | Leer  |
|  2 | Emden |
+----+-------+
`;
const KUBECTL = `NAME        READY   STATUS    AGE
tide-0      1/1     Running   3d
tide-1      0/1     Pending   2m
harbour-9   1/1     Running   9d
`;
describe("the digest of a table", () => {
  it("has the header, the columns, the rows and two of them", () => {
    const { text } = digestText(csvText(300));
    expect(text.split("\n").slice(0, 4)).toEqual([
      "Table (CSV), 4 columns, 300 rows, 301 lines.",
      "Columns: id, name, harbour, depth",
      '2: 1,"Buoy, no. 1",Ems,0.5',
      '3: 2,"Buoy, no. 2",Ems,1',
    ]);
  });

  it("counts a quoted cell with a line feed as one row", () => {
    const text = 'id,note,n\n1,"two\nlines",3\n2,"x",4\n3,y,5\n';
    expect(digestText(text).text).toContain("3 columns, 3 rows, 5 lines");
    expect(digestText(text).text).toContain("4: 2,");
  });

  it.each([
    ["TSV", "a\tb\n1\t2\n3\t4\n", "2 columns, 2 rows"],
    ["CSV with semicolons", "a;b;c\n1;2;3\n4;5;6\n", "3 columns, 2 rows"],
    ["Markdown", "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n", "2 columns, 3 rows"],
    ["drawn with |", PSQL, "3 columns, 3 rows"],
    ["drawn with |", MYSQL, "2 columns, 2 rows"],
    ["aligned columns", KUBECTL, "4 columns, 3 rows"],
  ])("reads %s", (format, text, size) => {
    const digest = digestText(text);
    expect(digest.kind).toBe("table");
    expect(digest.text).toContain(`Table (${format}), ${size}`);
  });

  it("says 'about' where it did not count", () => {
    expect(digestText(csvText(9_000)).text).toContain("about 9,000 rows");
  });

  it("names some of many columns", () => {
    const row = (name: string): string =>
      Array.from({ length: 400 }, (_, at) => name + String(at)).join(",");
    const { text } = digestText(`${row("column")}\n${row("a")}\n${row("b")}\n`);
    expect(text).toMatch(/Columns: column0, column1, .*, … 3\d\d more\n2: a0,/);
  });

  it("takes neither logs, code nor prose for one", () => {
    expect(digestText(logText(30).replace(/\.123/g, ",123")).kind).toBe("log");
    expect(
      digestText("Well, then.\nSo, they said.\nNo, thanks.\nYes, please.\nOh, dear.\n").kind,
    ).toBe("text");
    expect(digestText("const [a, b] = f();\nconst [c, d] = g();\nconst [e, f] = h();\n").kind).toBe(
      "code",
    );
  });
});

const stations = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `Station ${id}`,
    position: { lat: 53.2, lon: 7.4 },
  }));
describe("the digest of JSON", () => {
  it("is the value itself where that fits", () => {
    expect(digestText('{"a": [1, "b", null], "c-d": {"e": true}, "": 1.5}')).toEqual({
      kind: "json",
      text: 'JSON object, 3 keys.\n{a: [1, "b", null], c-d: {e: true}, "": 1.5}',
    });
  });

  it("has the field that tells records apart of all, and one record whole", () => {
    const tables = Array.from({ length: 114 }, (_, at) => ({
      rows: 10 * at,
      name: `t${at}`,
      columns: [{ name: "id", type: "int" }],
    }));
    for (const indent of [undefined, 2]) {
      const { kind, text } = digestText(JSON.stringify({ version: 3, tables }, null, indent));
      expect(kind).toBe("json");
      expect(text).toContain("version: 3");
      expect(text).toContain("/tables: 114 records; name of each: t0, t1, ");
      for (const { name } of tables) expect(text).toMatch(new RegExp(`\\b${name}\\b`));
      expect(text).toContain(
        '/tables/0: {rows: 0, name: "t0", columns: [{name: "id", type: "int"}]}',
      );
    }
  });

  it("shows values, not only shapes, and uses its budget", () => {
    const value = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `key${at}`,
        { title: [`Value number ${at}`], on: at },
      ]),
    );
    const { text } = digestText(JSON.stringify(value));
    expect(text).toContain("60 records, by key: key0, key1, ");
    expect(text).toContain('/key0: {title: ["Value number 0"], on: 0}');
    expect(text).toContain("key59");
  });

  it("cuts long strings and says how long they are", () => {
    const { text } = digestText(JSON.stringify({ code: 7, stdout: "word ".repeat(900) }));
    expect(text).toMatch(/^JSON object, 2 keys\.\n\{code: 7, stdout: "word .*…" \(4,500 chars\)\}/);
  });

  it("reads a large one from its start and says so", () => {
    const json = JSON.stringify(stations(9_000));
    const { kind, text } = digestText(json);
    expect(kind).toBe("json");
    expect(text).toMatch(
      /^JSON array of at least \d+ items, read from its start \([\d,]+ chars in all\)\.\n/,
    );
    expect(text).toMatch(
      /\nat least \d+ records; name of each: Station 0, Station 1, .*, … more\n/,
    );
    expect(text).toContain('/0: {id: 0, name: "Station 0", position: {lat: 53.2, lon: 7.4}}');
  });

  it.each([
    ["that is cut off", JSON.stringify(stations(40)).slice(0, -30)],
    ["with text behind it", `${JSON.stringify(stations(40))}\nDone.`],
    ["that is damaged", JSON.stringify(stations(40)).replace('"id":20', '"id" 20')],
    ["one value a line", '{"level":"info","id":1}\n{"level":"info","id":2}\n'],
    ["as Python prints it", "{'name': 'Ems', 'open': True, 'depth': None}"],
    ["that a log only looks like", "[INFO] started\n[INFO] stopped\n"],
    ["that is a lone string", JSON.stringify("word ".repeat(400))],
  ])("is not called JSON if it is some %s, which no query could read", (_, text) => {
    expect(digestText(text).kind).not.toBe("json");
  });

  it("shows what JSON holds that was cut off", () => {
    const { text } = digestText(JSON.stringify({ n: 40, all: stations(40) }).slice(0, -30));
    expect(text).toContain("n: 40");
    expect(text).toContain("Station 0, Station 1, ");
  });

  it.each([
    ["an object", (rows: object[]) => ({ rows }), "/rows: ", "{rows: [at least N items]}\n"],
    ["an array", (rows: object[]) => rows, "", ""],
  ])("has no name for the record of %s that was read in part", (_, wrap, pointer, around) => {
    const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `n${id}`, v: 0.25 }));
    // What is read ends somewhere else in a record each time.
    for (let pad = 0; pad < 60; pad += 10) {
      const padded = [{ ...rows[0], pad: " ".repeat(pad) }, ...rows.slice(1)];
      const { text } = digestText(JSON.stringify(wrap(padded), null, 2), { budgetChars: 4_000 });
      expect(text).not.toContain("undefined");
      const count = Number(/at least (\d+) records/.exec(text)?.[1]);
      expect(count).toBeGreaterThan(100);
      const shown = around.replace("N", String(count));
      expect(text).toContain(
        `\n${shown}${pointer}at least ${count} records; name of each: n0, n1, `,
      );
      expect(text).toContain(`, n${count - 2}`);
    }
  });

  it("gives the exact number of what was read to its end, also if what follows was not", () => {
    const { text } = digestText(
      JSON.stringify({ pages: stations(40), rest: [1, 2, 3, 4] }).slice(0, -4),
    );
    expect(text).toContain("/pages: 40 records; name of each: Station 0, ");
    expect(text).toContain("pages: [40 items], rest: ");
  });

  it("does not say how many more there are in what was not read to its end", () => {
    const grid = Array.from({ length: 3_000 }, (_, at) => Array.from({ length: 40 }, () => at));
    const { text } = digestText(JSON.stringify({ grid }));
    expect(text).toContain(", … 28 more], [1, 1, ");
    expect(text).toMatch(/, … 28 more\], … more\]\}\n/);
  });

  it("has no value and no exact number of what was not read, wherever JSON is cut off", () => {
    // No two of these have the same number of items, so that each number says which one is meant.
    const lists = fc.uniqueArray(fc.integer({ min: 7, max: 60 }), { minLength: 1, maxLength: 4 });
    const budgets = fc.constantFrom(150, 300, 600, 2_000);
    fc.assert(
      fc.property(lists, fc.nat(), budgets, fc.boolean(), (lengths, at, budgetChars, isDeep) => {
        const entries = lengths.map((length) => [`list${length}`, stations(length)] as const);
        const value = isDeep
          ? { of: { a: 1, all: Object.fromEntries(entries) }, b: 1, c: 2, d: 3, e: 4 }
          : Object.fromEntries(entries);
        const json = JSON.stringify(value);
        const read = json.slice(0, at % json.length);
        const { text } = digestText(read, { budgetChars });
        expect(text).not.toContain("undefined");
        for (const length of lengths) {
          const isComplete = read.includes(`"list${length}":${JSON.stringify(stations(length))}`);
          const counts = new RegExp(
            `list${length}: (?:\\[(at least )?(\\d+) items|(at least )?(\\d+) records)`,
            "g",
          );
          for (const [, atLeast, items, atLeastRecords, records] of text.matchAll(counts)) {
            const count = Number(items ?? records);
            expect(count).toBeLessThanOrEqual(length);
            if ((atLeast ?? atLeastRecords) !== undefined) continue;
            expect([count, isComplete]).toEqual([length, true]);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it("leaves out the name of a record that has none", () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({
      ...(at % 9 === 4 ? {} : { name: `Station ${at}` }),
      position: { lat: 53.2, lon: 7.4 },
    }));
    const { text } = digestText(JSON.stringify(rows));
    expect(text).toContain("60 records; name of each: Station 0, Station 1,");
    expect(text).toContain("Station 3, Station 5,");
    expect(text).not.toContain("undefined");
  });

  it("escapes the pointers that it prints", () => {
    const { text } = digestText(JSON.stringify({ "a/b~c": stations(60) }));
    expect(text).toContain("/a~1b~0c: 60 records;");
    expect(text).toContain("/a~1b~0c/0: {");
  });
});
