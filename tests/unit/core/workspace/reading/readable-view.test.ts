import { describe, expect, it } from "vitest";
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
      expect(found.text).toBe(`${lines.length - 3}:    "id": 39999,`);
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
