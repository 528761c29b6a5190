import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Content, parseKnowledgeList } from "../../../../../src/index.js";
import { followAll, joinReadings } from "../../../../support/follow-readings.js";
import { memoryWorkspaceOf, openMemoryWorkspace } from "../../../../support/memory-workspace.js";

const VALUE = { name: "x", list: [1, { deep: true }], empty: {}, none: null };
const ONE_LINE = JSON.stringify(VALUE);
async function viewOf(content: string | readonly unknown[]): Promise<string> {
  return (await (await memoryWorkspaceOf(content)).getKnowledgeById("a")).text;
}
describe("the readable view", () => {
  it.each([
    "plain text\r\nwith lines\n\nand blanks  ",
    '{\n "already": "indented"\n}',
    '{"two":1}\n{"lines":2}',
    "[INFO] it only looks like JSON",
    '{"cut": "sho',
    "\ufeffwith a mark",
    "42",
  ])("a text is as it is: %j", async (content) => {
    expect(await viewOf(content)).toBe(content);
  });

  it("JSON on one line is indented", async () => {
    expect(await viewOf(ONE_LINE)).toBe(JSON.stringify(VALUE, null, 2));
    expect((await viewOf(`${ONE_LINE}\n`)).trimEnd()).toBe(JSON.stringify(VALUE, null, 2));
    const workspace = await memoryWorkspaceOf(ONE_LINE);
    expect(await workspace.getKnowledgeByLines("a", 3, 4)).toMatchObject({
      text: '  "list": [\n    1,',
      range: { from: 3, to: 4, of: 11 },
    });
  });

  it("JSON keeps its numbers and escapes as they were written", async () => {
    const content = '{"big":12345678901234567890,"exact":1.10,"text":"\\u00e9\\n","big":1}';
    expect(await viewOf(content)).toBe(
      '{\n  "big": 12345678901234567890,\n  "exact": 1.10,\n  "text": "\\u00e9\\n",\n  "big": 1\n}',
    );
  });

  it("a lone text block is its text, unescaped", async () => {
    expect(await viewOf([{ type: "text", text: 'say "hi"\n\tto\u0001 you' }])).toBe(
      'say "hi"\n\tto\u0001 you',
    );
  });

  it("several blocks are told apart, texts unescaped and others in one line", async () => {
    const blocks = [
      { type: "text", text: 'one\n"two"' },
      { type: "image", source: { data: "aGk=" } },
      "bare",
      null,
    ];
    expect(await viewOf(blocks)).toBe(
      [
        "--- block 1 of 4: text ---",
        "one",
        '"two"',
        '--- block 2 of 4: image, block 2.source: {"data":"aGk="} ---',
        "--- block 3 of 4: string ---",
        "bare",
        "--- block 4 of 4: null ---",
      ].join("\n"),
    );
  });

  it("no blocks at all", async () => {
    const workspace = await memoryWorkspaceOf([]);
    expect((await workspace.getKnowledgeById("a", { view: "raw" })).text).toBe("[]");
    expect(await workspace.getOriginal("a")).toEqual([]);
  });

  it("over a megabyte, where it is kept beside the artifact, it is the same", async () => {
    const rows = Array.from({ length: 40_000 }, (_, id) => ({ id, name: `name ${id}` }));
    const workspace = await memoryWorkspaceOf(JSON.stringify(rows));
    const lines = JSON.stringify(rows, null, 2).split("\n");
    for (let time = 1; time <= 2; time++) {
      const end = await workspace.getKnowledgeByLines("a", lines.length - 5, lines.length);
      expect(end.text).toBe(lines.slice(-6).join("\n"));
      expect(end.range.of).toBe(lines.length);
      const found = await workspace.grepKnowledge("a", '"id": 39999,');
      expect(found.text).toBe(`${lines.length - 3}:/39999 {id: 39999, name: "name 39999"}`);
    }
  });
});
describe("the raw view", () => {
  it.each([
    ["a text", "one\ntwo", "one\ntwo"],
    ["JSON on one line", ONE_LINE, ONE_LINE],
    ["blocks", [{ type: "text", text: "a\nb" }], '[{"type":"text","text":"a\\nb"}]'],
  ])("reads and searches the stored text itself: %s", async (_, content, stored) => {
    const workspace = await memoryWorkspaceOf(content);
    const reading = await workspace.getKnowledgeById("a", { view: "raw" });
    expect(reading).toMatchObject({ text: stored, view: "raw" });
    const found = await workspace.grepKnowledge("a", stored.slice(0, 3), {
      view: "raw",
      literal: true,
    });
    expect(found.text).toBe(`1:${stored.split("\n")[0] ?? ""}`);
  });

  it("next keeps the view, by lines and by characters", async () => {
    const content = JSON.stringify(Array.from({ length: 300 }, (_, at) => at));
    const workspace = await memoryWorkspaceOf(content);
    const options = { maxChars: 100 };
    const byLines = await workspace.getKnowledgeById("a", { ...options, view: "raw" });
    expect(joinReadings(await followAll(workspace, byLines, options))).toBe(content);
    const byChars = await workspace.getKnowledgeById("a", {
      ...options,
      view: "raw",
      startChar: 1,
    });
    expect(joinReadings(await followAll(workspace, byChars, options))).toBe(content);
  });

  it("following next through the readable view reads all of it", async () => {
    const value = Array.from({ length: 50 }, (_, at) => ({ at, text: "long ".repeat(30) }));
    for (const content of [JSON.stringify(value), [...value, { type: "text", text: "é\n😀" }]]) {
      const workspace = await memoryWorkspaceOf(content);
      const whole = await workspace.getKnowledgeById("a", { startChar: 1, maxChars: 1e6 });
      const first = await workspace.getKnowledgeById("a", { maxChars: 77 });
      const readings = await followAll(workspace, first, { maxChars: 77 });
      expect(joinReadings(readings)).toBe(whole.text);
    }
  });
});
describe("a record", () => {
  it("tells the size of what is stored", async () => {
    const workspace = openMemoryWorkspace({ countTokens: (text) => text.length });
    const { record } = await workspace.put(
      { content: "é\n😀" },
      { sessionId: "default", toolCallId: "a" },
    );
    expect(record.size).toEqual({ bytes: 7, chars: 4, lines: 2, tokens: 4 });
  });
});

const ITEMS = Array.from({ length: 1_224 }, (_, id) => ({ id, message: `event ${id}: "ok"` }));
const DATA = { items: ITEMS, next: "page/2" };
const JSON_TEXT = JSON.stringify(DATA);
const HEADER =
  "Chunk ID: 2238c8\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 9\nOutput:\n";
const printed = (text: string) =>
  `meta=None content=[TextContent(type='text', text='${text.replaceAll("\\", "\\\\")}', annotations=None)] isError=False`;
const WRAPPED_JSON: [string, Content][] = [
  ["a text block", [{ type: "text", text: JSON_TEXT }]],
  ["a text block as a string", JSON.stringify([{ type: "text", text: JSON_TEXT }])],
  ["an MCP result", { content: [{ type: "text", text: JSON_TEXT }], isError: false }],
  [
    "an MCP result with the same data as a value",
    { content: [{ type: "text", text: JSON_TEXT }], structuredContent: DATA },
  ],
  ["a JSON string", JSON.stringify(JSON_TEXT)],
  ["the output of a command", { stdout: JSON_TEXT, stderr: "", exitCode: 0 }],
  ["a part of OpenAI's Responses", [{ type: "input_text", text: JSON_TEXT }]],
  ["a typed output", { type: "json", value: DATA }],
  ["a Codex header", HEADER + JSON_TEXT],
  ["a Python client's print", printed(JSON_TEXT)],
  [
    "an MCP result in a print",
    printed(JSON.stringify({ content: [{ type: "text", text: JSON_TEXT }] })),
  ],
];
describe("one level of wrapping is seen through", () => {
  it.each(WRAPPED_JSON)("JSON in %s is searched and read by lines", async (_, content) => {
    const workspace = await memoryWorkspaceOf(content);
    const found = await workspace.grepKnowledge("a", '"message":', {
      ...{ literal: true, maxResults: 50, contextAfter: 1 },
    });
    expect(found.range.of).toBe(1_224);
    const [first = ""] = found.text.split("\n");
    const line = Number(first.split(":")[0]);
    expect((await workspace.getKnowledgeByLines("a", line, line)).text).toBe(
      first.slice(String(line).length + 1),
    );
    expect((await workspace.getKnowledgeById("a")).range.to).toBeGreaterThan(300);
    expect(await workspace.getOriginal("a")).toEqual(content);
  });

  it.each(WRAPPED_JSON)("a pointer goes into the JSON in %s", async (_, content) => {
    const workspace = await memoryWorkspaceOf(content);
    const query = async (pointer: string) =>
      (await workspace.queryKnowledge("a", { pointer })).text;
    expect(await query("/items/7/message")).toBe('event 7: "ok"');
    expect(await query("/next")).toBe("page/2");
  });

  it.each([
    [[{ type: "text", text: JSON_TEXT }], "/0/type", "text"],
    [{ content: [{ type: "text", text: JSON_TEXT }], isError: false }, "/isError", "false"],
    [{ stdout: JSON_TEXT, stderr: "", exitCode: 3 }, "/exitCode", "3"],
    [{ type: "json", value: DATA }, "/value/next", "page/2"],
    [{ stdout: "one\ntwo\n".repeat(99), meta: { cwd: "/tmp" } }, "/meta/cwd", "/tmp"],
  ] as [Content, string, string][])(
    "a pointer that the inner value does not have goes to the outer one: %#",
    async (content, pointer, text) => {
      const workspace = await memoryWorkspaceOf(content);
      expect((await workspace.queryKnowledge("a", { pointer })).text).toBe(text);
    },
  );

  it.each(WRAPPED_JSON)("the reference describes the JSON in %s", async (_, content) => {
    const { reference } = await openMemoryWorkspace().put(
      { content },
      { sessionId: "default", toolCallId: "a" },
    );
    expect(parseKnowledgeList(reference)).toEqual(["a"]);
    expect(reference).toContain('kind="json"');
    expect(reference).not.toContain('\\"');
  });

  it.each([
    ["JSON that was cut short", JSON_TEXT.slice(0, -40)],
    ["JSON with something after it", `${JSON_TEXT} and more`],
    ["cut JSON in a print", printed(JSON_TEXT.slice(0, -40))],
    ["lines of JSON and others", `${JSON_TEXT}\n${JSON_TEXT}\nnot JSON\n`],
  ])("what a query cannot answer is not called JSON: %s", async (_, content) => {
    const { reference } = await openMemoryWorkspace().put(
      { content },
      { sessionId: "default", toolCallId: "a" },
    );
    expect(reference).not.toContain('kind="json"');
    const lines = `${JSON_TEXT}\n${JSON_TEXT}\n`;
    const other = await openMemoryWorkspace().put(
      { content: lines },
      { sessionId: "default", toolCallId: "a" },
    );
    expect(other.reference).toContain('kind="json"');
  });

  it("a text of several lines is unwrapped however long the JSON inside, and by stream, too", async () => {
    const rows = JSON.stringify(Array.from({ length: 30_000 }, (_, id) => ({ id, ok: true })));
    expect(rows.length).toBeGreaterThan(500_000);
    const workspace = await memoryWorkspaceOf(HEADER + rows);
    expect((await workspace.queryKnowledge("a", { pointer: "/29999/id" })).text).toBe("29999");
    expect((await workspace.grepKnowledge("a", '"id": 29999', { literal: true })).range.of).toBe(1);
    const stream = (async function* () {
      await Promise.resolve();
      yield Buffer.from(HEADER + JSON_TEXT);
    })();
    const streamed = await memoryWorkspaceOf(stream);
    expect((await streamed.queryKnowledge("a", { pointer: "/items/7/id" })).text).toBe("7");
  });

  it("numbers of lines in a reference are those of the readable text", async () => {
    const lines = Array.from({ length: 400 }, (_, at) => `worker ${at} is ready`);
    lines[250] = "ERROR connection refused";
    const content = { stdout: lines.join("\n"), stderr: "", exitCode: 1 };
    const workspace = openMemoryWorkspace();
    const { reference } = await workspace.put(
      { content },
      { sessionId: "default", toolCallId: "a" },
    );
    expect(reference).toMatch(/lines="401"/);
    const { text } = await workspace.getKnowledgeByLines("a", 251, 251);
    expect(text.trimEnd()).toBe("ERROR connection refused");
    expect((await workspace.getKnowledgeByLines("a", 401, 401)).text).toContain("exitCode: 1");
  });
});
/** A string as tools write them: with line breaks, quotes, escapes, other scripts. */
const text = fc.string({
  unit: fc.constantFrom(
    "a",
    "B",
    " ",
    "\n",
    '"',
    "\\",
    "'",
    "é",
    "漢",
    "😀",
    "\t",
    "{",
    "-",
    "\u0001",
  ),
  minLength: 1,
  maxLength: 250,
});
const small = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), text);
const block = fc.oneof(
  text.map((value) => ({ type: "text", text: value })),
  fc.record({ type: fc.constant("resource"), resource: fc.record({ uri: text, text }) }),
  fc.record({ type: fc.constant("text"), text, annotations: fc.record({ audience: text }) }),
);
const blocks = fc
  .tuple(text, fc.array(block, { maxLength: 4 }))
  .map(([first, others]): Content => [{ type: "text", text: first }, ...others]);
const wrapper = fc.oneof(
  blocks,
  fc.record({ content: blocks, isError: fc.boolean(), note: text }),
  fc.record({
    stdout: text.map((value) => `${value}${"output line\n".repeat(400)}`),
    stderr: text,
    code: small,
  }),
  fc.record({ type: fc.constant("text"), value: text }),
);
describe("wrappers of any kind", () => {
  it("every line of every string is found by a literal search, at its own line", async () => {
    await fc.assert(
      fc.asyncProperty(wrapper, fc.boolean(), async (value, asString) => {
        const content = asString ? JSON.stringify(value) : value;
        const workspace = await memoryWorkspaceOf(content);
        expect(await workspace.getOriginal("a")).toEqual(content);
        const whole = await workspace.getKnowledgeById("a", { startChar: 1, maxChars: 1e7 });
        const lines = whole.text.split("\n");
        const wanted = stringsOf(value).flatMap((leaf) => leaf.split("\n").filter(Boolean));
        for (const line of wanted) {
          const at = lines.findIndex((shown) => shown.includes(line));
          expect(at, JSON.stringify(line)).not.toBe(-1);
        }
        const [line] = wanted;
        if (line === undefined) return;
        const options = { literal: true, maxResults: 1, maxChars: 1e6 };
        const found = await workspace.grepKnowledge("a", line, options);
        const at = Number(found.text.split(":")[0]);
        const read = await workspace.getKnowledgeByLines("a", at, at);
        expect(read.text.replace(/\n$/, "")).toBe(lines[at - 1]);
        expect(read.text).toContain(line);
      }),
      { numRuns: 150 },
    );
  });

  it("the number of lines in the record is that of the readable text, and reading on gives all of it", async () => {
    await fc.assert(
      fc.asyncProperty(wrapper, async (content) => {
        const workspace = openMemoryWorkspace();
        const { record } = await workspace.put(
          { content },
          { sessionId: "default", toolCallId: "a" },
        );
        const first = await workspace.getKnowledgeById("a", { maxChars: 200 });
        expect(first.range.of).toBe(record.size.viewLines ?? record.size.lines);
        const whole = await workspace.getKnowledgeById("a", { startChar: 1, maxChars: 1e7 });
        const readings = await followAll(workspace, first, { maxChars: 200 });
        expect(joinReadings(readings)).toBe(whole.text.replace(/\n$/, ""));
      }),
      { numRuns: 40 },
    );
  });
});
/** The strings that a wrapper holds, without the types of its blocks. */
function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === "type" ? [] : stringsOf(inner)));
}
