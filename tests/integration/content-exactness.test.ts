import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { offloadToolResult, offloadToolResults } from "../../src/index.js";
import { readOffloadedFile } from "../../src/files.js";
import { readTree } from "../support/list-tree.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { blockOf, carrying, historyOf, textOf, toolResult } from "../support/tool-messages.js";

/** The files that the content goes to: one of direct, one of history. */
async function offloadBoth(content: unknown): Promise<string[]> {
  const outputDir = await makeTempFolder();
  const input = carrying(toolResult("toolu_1", content));
  const direct = await offloadToolResult(input, { sessionId: "s1", outputDir });
  const history = await offloadToolResults([input], { outputDir, charThreshold: 0 });
  return [direct.file, ...history.files];
}

const PADDING = textOf(100);

describe("a text comes back exactly", () => {
  it.each([
    ["$& and its kin", "$& $' $` $1 $$ $<name>"],
    ["CRLF", "one\r\ntwo\rthree\n\r\nfour"],
    ["NUL and other control characters", "a\0b\u0001\u001b[31m\u007f"],
    ["a byte order mark at the start", "\uFEFFtext"],
    ["a byte order mark in the middle", `text\uFEFF\uFEFFtext`],
    ["a byte order mark behind a lone surrogate", "\ud800\uFEFFtext"],
    ["no line end at the end", "one\ntwo"],
    ["blank lines at the end", "one\n\n\n"],
    ["line separators", "a\u2028b\u2029c\u0085d"],
    ["many scripts", "汉字 かな 한글 العربية עברית ไทย हिन्दी 👩‍👩‍👧‍👦 🇩🇪"],
    ["unassigned and private characters", "\uFFFE\uFFFF\uE000\u{10FFFF}"],
    ["a composed and a decomposed letter", "é e\u0301"],
    ["the last character below the surrogates", "\uD7FF\uE000"],
    ["a lone high surrogate", "a\ud800b"],
    ["a lone low surrogate", "a\udfffb"],
    ["surrogates in the wrong order", "\udc00\ud800"],
    ["a pair beside a lone one", "\ud800\u{1F600}\udc00"],
    ["nothing but lone surrogates", "\udc00".repeat(300)],
  ])("%s", async (_, content) => {
    for (const text of [content, content + PADDING, PADDING + content]) {
      const files = await offloadBoth(text);
      expect(files).toHaveLength(2);
      for (const file of files) expect(await readOffloadedFile(file)).toBe(text);
    }
  });

  it("its bytes are plain UTF-8 where it is well-formed", async () => {
    const text = `\uFEFFä字😀\r\n\0${PADDING}`;
    for (const file of await offloadBoth(text)) {
      expect((await readFile(file)).equals(Buffer.from(text, "utf8"))).toBe(true);
    }
  });

  it("its bytes are WTF-8 where it is not: a lone U+D800 is ED A0 80", async () => {
    for (const file of await offloadBoth(`a\ud800b\udfff😀${PADDING}`)) {
      const bytes = await readFile(file);
      expect(bytes.subarray(0, 12).toString("hex")).toBe("61eda08062edbfbff09f9880");
    }
  });

  it.each([1, 99, 100, 101])("one of %i characters", async (chars) => {
    const text = textOf(chars);
    for (const file of await offloadBoth(text)) expect(await readOffloadedFile(file)).toBe(text);
  });

  it("one of 0 characters is offloaded in direct and kept in a history", async () => {
    const files = await offloadBoth("");
    expect(files).toHaveLength(1);
    expect(await readOffloadedFile(files[0] ?? "")).toBe("");
  });

  it("one of 50,000,000 characters", async () => {
    const text = textOf(50_000_000, "a long line of a log");
    const files = await offloadBoth(text);
    for (const file of files) {
      expect((await stat(file)).size).toBe(50_000_000);
      // Compared outside of the matcher, which would print both.
      expect((await readOffloadedFile(file)) === text).toBe(true);
    }
  });

  it("any text, well-formed or not", async () => {
    const unit = fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0xd7f0, max: 0xe010 }),
      fc.constantFrom(0, 0x0a, 0x0d, 0x24, 0xfeff, 0xfffd),
    );
    const anyText = fc.array(unit, { minLength: 1 }).map((units) => String.fromCharCode(...units));
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const files = await offloadBoth(text);
        expect(files).toHaveLength(2);
        for (const file of files) expect(await readOffloadedFile(file)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });
});

describe("an array of blocks comes back value-exact", () => {
  it.each([
    ["10,000 blocks", Array.from({ length: 10_000 }, (_, n) => ({ type: "text", text: `#${n}` }))],
    [
      "an image",
      [{ type: "image", source: { type: "base64", data: "iVBORw0KGgo=\n".repeat(99) } }],
    ],
    ["lone surrogates and NUL", [{ type: "text", text: `\ud800\0\udc00${PADDING}` }]],
    ["unknown blocks, numbers and null", [{ type: "x", list: [1.5, -0.1, null, true, {}, []] }]],
    ["no block", []],
  ])("%s", async (_, content) => {
    const [direct = "", history = ""] = await offloadBoth(content);
    expect(await readOffloadedFile(direct)).toBe(JSON.stringify(content));
    expect(await readOffloadedFile(history)).toBe(JSON.stringify(content, null, 2));
    expect(JSON.parse(await readOffloadedFile(history))).toEqual(content);
  });
});

describe("content that merely contains the text of a reference is offloaded as any other", () => {
  const direct = (id: string) => `[Tool result offloaded to file: /data/s1/${id}.md]`;
  const history = (id: string) => `[Content offloaded to: ./tool-result-${id}.md]`;

  describe.each([
    ["direct's", direct],
    ["history's", history],
  ])("%s", (_, reference) => {
    const own = reference("toolu_1");
    it.each([
      ["with text before", `see ${own}`],
      ["with a line before", `\n${own}`],
      ["with text after", `${own} and more`],
      ["with a line break after", `${own}\n`],
      ["with text around", `see ${own}, please`],
      ["twice", own + own],
      ["twice, in two lines", `${own}\n${own}`],
      ["once, with a path in brackets behind", `${own} as in [/data/s1/toolu_1.md]`],
      ["once, with lines up to its own end", own.replace("to", `to\n${PADDING}`)],
      ["a line inside of the path", own.replace("toolu_1.md", `more\n${PADDING}/toolu_1.md`)],
      ["with another id", reference("toolu_2")],
      ["with an id that only begins like its own", reference("toolu_12")],
      ["with an id that only ends like its own", reference("my-toolu_1")],
      [
        "with the safe name of an id that looks like its own",
        reference(`toolu_1~${"0".repeat(20)}`),
      ],
      ["with no id", reference("")],
      ["with another ending", own.replace(".md]", ".txt]")],
      ["in another case", own.toUpperCase()],
      ["not closed", own.slice(0, -1)],
    ])("%s", async (__, content) => {
      const outputDir = await makeTempFolder();
      const input = historyOf(["toolu_1", content]);
      const message = input[0] ?? carrying();
      const one = await offloadToolResult(message, { sessionId: "s1", outputDir });
      const all = await offloadToolResults(input, { outputDir, charThreshold: 1 });
      const files = [
        join(outputDir, "s1", "toolu_1.md"),
        join(outputDir, "tool-result-toolu_1.md"),
      ];
      expect([one.file, ...all.files]).toEqual(files);
      for (const file of files) expect(await readOffloadedFile(file)).toBe(content);
      expect(blockOf(one.message)["content"]).toBe(`[Tool result offloaded to file: ${one.file}]`);
    });
  });

  it("an array that holds a reference as a text is not a reference", async () => {
    const content = [{ type: "text", text: history("toolu_1") }];
    const outputDir = await makeTempFolder();
    const input = historyOf(["toolu_1", content]);
    const { files } = await offloadToolResults(input, { outputDir, charThreshold: 1 });
    expect(files).toEqual([join(outputDir, "tool-result-toolu_1.md")]);
    expect([...(await readTree(outputDir)).values()]).toEqual([JSON.stringify(content, null, 2)]);
  });
});
