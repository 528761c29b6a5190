import { describe, expect, it } from "vitest";
import { memoryWorkspaceOf } from "../../../../support/memory-workspace.js";
import { rejectionOf } from "../../../../support/rejection.js";
import { followPrinted, toolRunner } from "../../../../support/run-tools.js";

const ROWS = Array.from({ length: 30 }, (_, at) => ({
  id: `id-${at}`,
  status: at % 3 === 0 ? "failed" : "passed",
  price: at * 10,
}));
const COLUMNS = ["id", "status", "price"] as const;
const cells = (separator: string) =>
  ROWS.map((row) => COLUMNS.map((name) => row[name]).join(separator));
const TEXTS: [string, string][] = [
  ["an array", JSON.stringify(ROWS)],
  ["an array inside of objects", JSON.stringify({ ok: true, data: { rows: ROWS, total: 30 } })],
  ["indented JSON", JSON.stringify({ rows: ROWS }, null, 2)],
  ["an object of objects", JSON.stringify(Object.fromEntries(ROWS.map((row) => [row.id, row])))],
  ["JSON Lines", ROWS.map((row) => JSON.stringify(row)).join("\n")],
  ["CSV", [COLUMNS.join(","), ...cells(",")].join("\n")],
  ["TSV", [COLUMNS.join("\t"), ...cells("\t")].join("\r\n")],
  [
    "a Markdown table",
    [
      "Some text",
      "",
      `| ${COLUMNS.join(" | ")} |`,
      "| --- | --- | --: |",
      ...cells(" | ").map((row) => `| ${row} |`),
    ].join("\n"),
  ],
  ["lists in a list", JSON.stringify({ pages: [ROWS.slice(0, 9), ROWS.slice(9)], next: null })],
  ["JSON behind a line of text", `Found 30 rows:\n${JSON.stringify(ROWS)}`],
  ["JSON in a text block", JSON.stringify([{ type: "text", text: JSON.stringify(ROWS) }])],
];

describe("records", () => {
  it.each(TEXTS)("of %s are chosen, counted and sorted alike", async (_, content) => {
    const workspace = await memoryWorkspaceOf(content);
    const ask = async (where: string) => (await workspace.queryKnowledge("a", { where })).text;
    expect(await ask("status=failed, price>200, fields id")).toMatch(
      /^3 of 30 records.*\nid\nid-21\nid-24\nid-27$/,
    );
    expect(await ask("status=failed, count")).toMatch(/^10 of 30 records/);
    expect(await ask("distinct status")).toMatch(
      /^2 values of status in 30 .*\npassed ×20\nfailed ×10$/,
    );
    expect(await ask("sum price, status=failed")).toMatch(/^sum of price: 1350, mean 135 /);
    expect(await ask("min price")).toMatch(/^min of price: 0 \(30 records.*\)\n.*id: "id-0"/);
    expect(await ask("max price")).toMatch(/^max of price: 290 \(30 records.*\)\n.*id: "id-29"/);
    expect(await ask("sort -price, limit 2, fields id")).toMatch(/\nid\nid-29\nid-28$/);
  });

  it("are told in a line each, with what reads them, and continue to the last", async () => {
    const workspace = await memoryWorkspaceOf(JSON.stringify({ rows: [...ROWS, ...ROWS] }));
    const first = await workspace.queryKnowledge("a", { where: { status: "passed" } });
    expect(first.text.split("\n")[1]).toBe('/rows/1 {id: "id-1", status: "passed", price: 10}');
    expect(first).toMatchObject({ range: { from: 1, to: 20, of: 40 }, leftOut: { count: 20 } });
    const { where } = first.next?.input ?? {};
    const next = await workspace.queryKnowledge("a", { where: String(where) });
    expect(next).toMatchObject({ range: { from: 21, to: 40, of: 40 }, next: undefined });
    const pointer = next.text.split("\n").at(-1)?.split(" ")[0] ?? "";
    const last = await workspace.queryKnowledge("a", { pointer });
    expect(JSON.parse(last.text)).toEqual(ROWS[29]);
  });

  it("give a rest of a few at once", async () => {
    const workspace = await memoryWorkspaceOf(JSON.stringify(ROWS.slice(0, 24)));
    const reading = await workspace.queryKnowledge("a", { where: "price>=0" });
    expect(reading).toMatchObject({ range: { to: 24, of: 24 }, next: undefined });
  });

  it("of JSON that was cut off are those that are complete, and the answer says so", async () => {
    const content = JSON.stringify({ rows: ROWS }).slice(0, -300);
    const reading = await (
      await memoryWorkspaceOf(content)
    ).queryKnowledge("a", { where: "count" });
    expect(reading.text).toMatch(/^2\d records at \/rows$/);
    expect(reading.note).toMatch(/cut off or damaged after 2\d records/);
  });

  it.each<[string, string, RegExp]>([
    ["plain text\nand more", "a=1", /no list of records/],
    ['{"a":1}', "a=1", /no list of records/],
    [JSON.stringify(ROWS), "colour=red", /a field that the records have/],
    [JSON.stringify(ROWS), "nonsense", /conditions and words/],
    [JSON.stringify({ rows: ROWS }), "/none price>5", /\/none/],
  ])("that cannot be had are an error with a code: %#", async (content, where, message) => {
    const workspace = await memoryWorkspaceOf(content);
    const error = await rejectionOf(workspace.queryKnowledge("a", { where }));
    expect(error).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/) as string });
    expect(error.message).toMatch(message);
  });

  it("are looked at in bounded memory: a long list is not held", async () => {
    const rows = Array.from({ length: 60_000 }, (_, id) => ({ id, text: "x".repeat(40) }));
    const workspace = await memoryWorkspaceOf(JSON.stringify(rows));
    const { text } = await workspace.queryKnowledge("a", { where: "id>=59998, fields id" });
    expect(text).toBe("2 of 60000 records\nid\n59998\n59999");
  });

  it("of several tables are told apart by their columns; what is between them is no record", async () => {
    const content = [
      ...["| a | b |", "|---|---|", "| 1 | x |", "| 2 | y |", "", "An aside with | in it", ""],
      ...["| c | a |", "|:--|--:|", "| z | 5 |", "", "done | over"],
    ].join("\n");
    const workspace = await memoryWorkspaceOf(content);
    const ask = async (where: string) => (await workspace.queryKnowledge("a", { where })).text;
    expect(await ask("count")).toBe("3 records");
    expect(await ask("c=z")).toBe('1 of 3 records\nline 10 {c: "z", a: "5"}');
    expect(await ask("sum a")).toBe("sum of a: 8, mean 2.66666666666667 (3 records)");
  });

  it("without a value come last, whichever way they are sorted", async () => {
    const rows = [{ id: 1, n: null }, { id: 2, n: 5 }, { id: 3 }, { id: 4, n: 7 }];
    const workspace = await memoryWorkspaceOf(JSON.stringify(rows));
    const ask = async (where: string) => (await workspace.queryKnowledge("a", { where })).text;
    expect(await ask("sort -n, fields id")).toMatch(/\nid\n4\n2\n1\n3$/);
    expect(await ask("sort n, fields id")).toMatch(/\nid\n2\n4\n1\n3$/);
  });

  it("show the start of a long text if they are few, and name the field if they are many", async () => {
    const rows = ROWS.map((row) => ({
      ...row,
      body: `### About ${row.id}\n${'word "\n'.repeat(300)}`,
    }));
    const workspace = await memoryWorkspaceOf(JSON.stringify(rows));
    const few = await workspace.queryKnowledge("a", { where: "price>=280" });
    expect(few.text).toMatch(/body: "### About id-28\\nword .*"… \(21\d\d chars\)}\n/);
    expect(few.text.length).toBeLessThan(1_800);
    const many = await workspace.queryKnowledge("a", { where: "price>=200" });
    expect(many.text).toContain('{id: "id-29", status: "passed", price: 290, … body}');
  });

  it("are the matches of a search, by file", async () => {
    const match = (at: number) =>
      `${at < 4 ? "src/a b.ts" : "C:\\src\\c.ts"}:${at}:const x = { at: ${at} };`;
    const lines = Array.from({ length: 30 }, (_, at) => match(at + 1));
    const ask = async (text: string, where: string) =>
      (await (await memoryWorkspaceOf(text)).queryKnowledge("a", { where })).text;
    const found = lines.join("\n");
    expect(await ask(found, "count by file")).toMatch(/\nC:\\src\\c.ts ×27\nsrc\/a b.ts ×3$/);
    expect(await ask(found, "line=3, fields text")).toMatch(/\ntext\nconst x = \{ at: 3 \};$/);
    expect(await ask("a.ts:12\nb/c.ts:3\n", "max count")).toContain('file: "a.ts"');
    const log = lines.map((_, at) => `2026-01-02T03:04:${10 + at} api.request: done`).join("\n");
    await expect(ask(log, "count by file")).rejects.toThrow(/no list of records/);
  });

  it("in lists of a list are told with their fields alone, too", async () => {
    const lists = [[{ a: 1, b: { c: 2 } }, { a: 3 }], [{ a: 4, b: { c: 5 } }]];
    const workspace = await memoryWorkspaceOf(JSON.stringify(lists));
    const { text } = await toolRunner(workspace)("query_knowledge", {
      artifact_id: "a",
      where: "fields a b.c",
    });
    expect(text.split("\n").slice(1, 5)).toEqual(["a | b.c", "1 | 2", "3 | ", "4 | 5"]);
  });

  it("are chosen by the compact tool in one parameter", async () => {
    const run = toolRunner(await memoryWorkspaceOf(JSON.stringify({ rows: ROWS })));
    const { text } = await run("read_stored", { id: "a", query: "/rows status=failed, count" });
    expect(text).toBe("10 of 30 records at /rows: status=failed");
    const asData = await run("read_stored", { id: "a", where: { status: "failed" }, count: true });
    expect(asData.text).toBe(text);
  });
});

describe("a search in JSON", () => {
  const PRODUCTS = {
    data: {
      products: [3, 4, 5].map((at) => ({
        product_id: `90000000000000000${at}`,
        title: `Shoe ${at}`,
        description: "long ".repeat(200),
        url: `https://shop.example/p/90000000000000000${at}`,
        rating: 4 + at / 10,
        attributes: { Department: at === 4 ? "Women's" : "Men's" },
        variants: [{ color: "red", product_id: `90000000000000000${at}` }],
      })),
    },
  };

  it.each([
    ["on one line", JSON.stringify(PRODUCTS)],
    ["indented", JSON.stringify(PRODUCTS, null, 2)],
  ])("%s answers with the record, its pointer and its short fields, once", async (_, content) => {
    const workspace = await memoryWorkspaceOf(content);
    const found = await workspace.grepKnowledge("a", "900000000000000004");
    expect(found.text).toMatch(/^\d+:\/data\/products\/1 \{product_id: "900000000000000004", /);
    for (const field of ['title: "Shoe 4"', "rating: 4.4", 'attributes.Department: "Women\'s"']) {
      expect(found.text).toContain(field);
    }
    expect(found.text.split("\n")).toHaveLength(1);
    expect(found.text).toMatch(/… \d+ more\}$/);
    expect(found).toMatchObject({ range: { of: 3 }, next: undefined });
  });

  it("counts records rather than lines for its limit", async () => {
    const urls = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`url_${at}`, "hub/x"]));
    const list = Array.from({ length: 60 }, (_, id) => ({ id, ...(id < 30 ? urls : {}) }));
    const workspace = await memoryWorkspaceOf(JSON.stringify(list, null, 2));
    const { text, leftOut, next } = await workspace.grepKnowledge("a", "hub");
    expect(text.match(/\{id: \d+/g)).toHaveLength(30);
    expect([leftOut, next]).toEqual([undefined, undefined]);
    const many = await memoryWorkspaceOf(
      JSON.stringify(
        list.map(() => urls),
        null,
        2,
      ),
    );
    const first = await many.grepKnowledge("a", "hub");
    expect(first.text.split("\n")).toHaveLength(50);
    expect(first.leftOut).toEqual({ unit: "matches", count: 80 });
    const rest = await many.grepKnowledge("a", "hub", {
      startLine: Number(first.next?.input["start_line"]),
    });
    expect(rest.text.split("\n")[0]).toMatch(/^\d+:\/50 /);
  });

  it("shows every short field that matches before others", async () => {
    const flight = {
      from: "ATL-long-name-of-a-town",
      to: "DFW-long-name-of-a-town",
      day: "2024-05-24",
    };
    const seats = { seats: { low: 1, mid: 2, high: 3 }, prices: { low: 55, mid: 122, high: 379 } };
    const record = { ...flight, gate: "a gate with a long name", crew: "two and one", ...seats };
    const workspace = await memoryWorkspaceOf(JSON.stringify(Array(9).fill(record)));
    const { text } = await workspace.grepKnowledge("a", '"(mid|high)": \\d{3}');
    for (const line of text.split("\n")) expect(line).toMatch(/prices.mid: 122.*prices.high: 379/);
  });

  it("in JSON that a wrapping cut off, gives pointers that a query takes", async () => {
    const week = {
      days: [{ meals: [{ name: "soup", grams: 455 }] }, { meals: [{ name: "tofu" }] }],
    };
    const whole = JSON.stringify({
      content: [{ type: "text", text: JSON.stringify(week, null, 2) }],
    });
    const quoted = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
    const cut = quoted(whole).slice(0, -60);
    const workspace = await memoryWorkspaceOf(
      `meta=None content=[TextContent(type='text', text='${cut}`,
    );
    const { text } = await workspace.grepKnowledge("a", "soup");
    const [, pointer = ""] = /^\d+:(\/\S+) /.exec(text) ?? [];
    expect(pointer).not.toBe("");
    for (const query of [`${pointer}/meals/0/grams`, `${pointer}/meals/* fields grams`]) {
      expect((await toolRunner(workspace)("read_stored", { id: "a", query })).text, query).toMatch(
        /^455$/m,
      );
    }
  });

  it("shows the part of a long value that matches", async () => {
    const remark = `${"x".repeat(300)} needle ${"y".repeat(300)}`;
    const rows = [{ id: 1, remark }, ...ROWS, ...ROWS];
    const found = await (
      await memoryWorkspaceOf(JSON.stringify(rows))
    ).grepKnowledge("a", "needle");
    expect(found.text).toMatch(/^\d+:\/0 \{id: 1, remark: "….*needle .*… \(608 chars\)\}$/);
  });

  it("of JSON Lines names the record, and of what is in no list the value", async () => {
    const lines = await memoryWorkspaceOf(ROWS.map((row) => JSON.stringify(row)).join("\n"));
    expect((await lines.grepKnowledge("a", "id-7\\b")).text).toBe(
      '8:/7 {id: "id-7", status: "passed", price: 70}',
    );
    const plain = await memoryWorkspaceOf(JSON.stringify({ scripts: { test: "vitest" } }));
    expect((await plain.grepKnowledge("a", "vitest")).text).toBe('3:    "test": "vitest"');
  });

  it.each<[string, string, string]>([
    ["an array behind a line of text", `Found 30 rows:\n${JSON.stringify(ROWS)}`, "/7"],
    [
      "indented JSON behind text, with text below",
      `Done.\n\n${JSON.stringify({ rows: ROWS }, null, 2)}\n\nexit code 0`,
      "/rows/7",
    ],
    [
      "JSON Lines behind text",
      `Fetching…\n${ROWS.map((row) => JSON.stringify(row)).join("\n")}`,
      "/7",
    ],
  ])("in %s gives pointers that a query takes", async (_, content, pointer) => {
    const workspace = await memoryWorkspaceOf(content);
    const { text } = await workspace.grepKnowledge("a", '"id-7"');
    expect(text).toMatch(
      new RegExp(`^\\d+:${pointer} \\{id: "id-7", status: "passed", price: 70\\}$`),
    );
    const read = await workspace.queryKnowledge("a", { pointer });
    expect(JSON.parse(read.text)).toEqual(ROWS[7]);
    expect((await workspace.queryKnowledge("a", { pointer: `${pointer}/price` })).text).toBe("70");
    expect((await workspace.grepKnowledge("a", "Found|Done|Fetching|text")).text).toMatch(/^1:\S/);
    const some = await workspace.queryKnowledge("a", { where: "status=failed, price>200, count" });
    expect(some.text).toMatch(/^3 of 30 records/);
    if (content.includes('"q"')) {
      expect((await workspace.queryKnowledge("a", { pointer: "/q/n" })).text).toBe("1");
    }
  });

  it("behind JSON that text or other JSON follows, or that is cut off, are lines", async () => {
    const rows = JSON.stringify({ rows: ROWS.slice(0, 9) }, null, 2);
    for (const rest of ['--- structured ---\n{ "id": "id-7" }', '  {\n"id": "id-7"']) {
      const content = rest.startsWith("-") ? `${rows}\n${rest}` : `${rows.slice(0, -6)},\n${rest}`;
      const workspace = await memoryWorkspaceOf(`--- text ---\n${content}`);
      const { text } = await workspace.grepKnowledge("a", "id-7");
      expect(text).toMatch(/^\d+:\/rows\/7 \{id: "id-7".*\}\n\d+:\S* .*"id": "id-7"/);
    }
  });

  it("in a log whose lines begin with brackets answers with lines", async () => {
    const workspace = await memoryWorkspaceOf('start\n[1] a\n[INFO] b\n["x"] c\n{ d\n');
    expect((await workspace.grepKnowledge("a", "a|b|c|d")).text).toContain("3:[INFO] b");
  });

  it("answers with lines where lines around the match are asked for", async () => {
    const workspace = await memoryWorkspaceOf(JSON.stringify(ROWS));
    const found = await workspace.grepKnowledge("a", '"id-7"', { contextAfter: 1 });
    expect(found.text).toMatch(/^\d+: +"id": "id-7",\n\d+- +"status": "passed",$/);
  });
});

describe("a pointer with an asterisk", () => {
  const PAGES = {
    pages: [
      [
        { n: "a", price: 1 },
        { n: "b", price: 7 },
      ],
      [{ n: "c", price: 9 }],
    ],
    pairs: [
      [1, "x"],
      [2, "y"],
    ],
  };

  it.each<[string, string]>([
    ["/pages/*/*", '3 records at /pages\n/pages/0/0 {n: "a", price: 1}'],
    ["/pages/*/* price>5", '2 of 3 records at /pages\n/pages/0/1 {n: "b", price: 7}'],
    ["/*/0/0", '2 records\n/pages/0/0 {n: "a", price: 1}\n/pairs/0/0 1'],
    ["/pages/*/*/price", "3 records at /pages\n/pages/0/0/price 1"],
    ["/pages/*, count", "3 records at /pages"],
    ["/pages/*/*, sort -price, limit 1", '3 records at /pages\n/pages/1/0 {n: "c", price: 9}'],
    ["/pairs/*", '2 records at /pairs\n/pairs/0 [1, "x"]\n/pairs/1 [2, "y"]'],
  ])("goes through every item: %s", async (query, start) => {
    const run = toolRunner(await memoryWorkspaceOf(JSON.stringify(PAGES)));
    const { text, isError } = await run("read_stored", { id: "a", query });
    expect(isError).toBe(false);
    expect(text.slice(0, start.length)).toBe(start);
  });

  it("is continued, and means the key where there is one", async () => {
    const many = { rows: [ROWS, ROWS] };
    const run = toolRunner(await memoryWorkspaceOf(JSON.stringify(many)));
    const answers = await followPrinted(run, "read_stored", { id: "a", query: "/rows/*/*" });
    expect(answers.join("\n").match(/^\/rows\/\d\/\d+ /gm)).toHaveLength(60);
    const workspace = await memoryWorkspaceOf('{"*": [1, 2], "a": [3]}');
    expect((await workspace.queryKnowledge("a", { pointer: "/*/1" })).text).toBe("2");
    const error = await rejectionOf(workspace.queryKnowledge("a", { pointer: "/b/*" }));
    expect(error.code).toBe("POINTER_NOT_FOUND");
  });
});
