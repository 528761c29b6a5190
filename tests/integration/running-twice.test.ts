import { rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { offloadToolResult, offloadToolResults } from "../../src/index.js";
import { parseFileReference, readOffloadedFile } from "../../src/files.js";
import { readTree } from "../support/list-tree.js";
import { makeTempFolder } from "../support/temp-folder.js";
import {
  blockOf,
  carrying,
  historyOf,
  textOf,
  toolResult,
  type AnyBlock,
} from "../support/tool-messages.js";

const LONG_ID = "i".repeat(190);

describe("direct", () => {
  it("a reference comes back as it is: freedChars 0, file is the one that it names", async () => {
    const options = { sessionId: "s1", outputDir: await makeTempFolder() };
    const input = carrying(toolResult("toolu_1", textOf(2_000)));
    const first = await offloadToolResult(input, options);
    const before = await readTree(options.outputDir);
    const second = await offloadToolResult(first.message, options);
    expect(second.message).toEqual(first.message);
    expect(second).toMatchObject({ freedChars: 0, file: first.file, files: [first.file] });
    expect(await readTree(options.outputDir)).toEqual(before);
  });

  it("a reference to another folder's file is content: nothing vouches for it here", async () => {
    const input = carrying(toolResult("toolu_1", textOf(2_000)));
    const elsewhere = { sessionId: "s0", outputDir: await makeTempFolder() };
    const first = await offloadToolResult(input, elsewhere);
    const outputDir = await makeTempFolder();
    const second = await offloadToolResult(first.message, { sessionId: "s1", outputDir });
    const file = join(outputDir, "s1", "toolu_1.md");
    expect(second).toMatchObject({ file, files: [file] });
    expect(await readOffloadedFile(file)).toBe(blockOf(first.message)["content"]);
  });

  it.each([
    ["a string", (text: unknown) => text],
    ["a block", (text: unknown) => [{ type: "text", text, cache_control: { type: "ephemeral" } }]],
  ])(
    "a stale reference as %s never replaces the content of a folder that has moved",
    async (_, form) => {
      const before = join(await makeTempFolder(), "before");
      const input = carrying(toolResult("toolu_1", textOf(2_000)));
      const first = await offloadToolResult(input, { sessionId: "s1", outputDir: before });
      const outputDir = join(await makeTempFolder(), "after");
      await rename(before, outputDir);
      const stale = carrying(toolResult("toolu_1", form(blockOf(first.message)["content"])));
      const second = await offloadToolResult(stale, { sessionId: "s1", outputDir });
      expect(await readOffloadedFile(join(outputDir, "s1", "toolu_1.md"))).toBe(textOf(2_000));
      expect(await readOffloadedFile(second.file)).toContain("[Tool result offloaded to file: ");
      const third = await offloadToolResult(second.message, { sessionId: "s1", outputDir });
      expect(third).toEqual({ ...second, freedChars: 0 });
    },
  );

  it("beside a reference only the new result is offloaded, and the reference's file is kept", async () => {
    const options = { sessionId: "s1", outputDir: await makeTempFolder() };
    const first = await offloadToolResult(carrying(toolResult("a", textOf(900, "old"))), options);
    const old = blockOf(first.message);
    const added = [toolResult("b", textOf(900, "b")), toolResult("a", textOf(900, "new"))];
    const second = await offloadToolResult(carrying(old, ...added), options);
    expect(second.files.slice(0, 2)).toEqual([first.file, join(options.outputDir, "s1", "b.md")]);
    expect(blockOf(second.message)).toEqual(old);
    const written = [...(await readTree(options.outputDir)).values()].sort();
    expect(written).toEqual([textOf(900, "b"), textOf(900, "new"), textOf(900, "old")]);
  });

  it.each([
    ["of a tool's message", { role: "tool", tool_call_id: "call_1", content: textOf(900) }],
    ["of a plain string", { role: "user", content: textOf(900) }],
    ["with an unsafe id", carrying(toolResult("../../x", textOf(900)))],
    ["with a long id", carrying(toolResult(LONG_ID, textOf(900)))],
    ["with one id twice", carrying(toolResult("a", textOf(900)), toolResult("a", textOf(800)))],
  ])("a second pass changes nothing: the result %s", async (_, input) => {
    const options = {
      sessionId: "s1",
      outputDir: join(await makeTempFolder(), "[a]\n.md] folder"),
    };
    const first = await offloadToolResult(input, options);
    const before = await readTree(options.outputDir);
    const second = await offloadToolResult(first.message, options);
    expect(second).toEqual({ ...first, freedChars: 0 });
    expect(await readTree(options.outputDir)).toEqual(before);
  });
});

describe("history", () => {
  it("a second pass returns the same array, whatever the thresholds", async () => {
    const outputDir = await makeTempFolder();
    const input = historyOf(
      ["a", textOf(900, "a")],
      [LONG_ID, textOf(900, "b")],
      ["a", textOf(900, "c")],
      ["../x", textOf(900, "d")],
      ["", textOf(900, "e")],
    );
    const first = await offloadToolResults(input, { outputDir });
    expect(first.offloadedCount).toBe(5);
    const before = await readTree(outputDir);
    const options = { outputDir, charThreshold: 0, ratioThreshold: 0 };
    const second = await offloadToolResults(first.messages, options);
    expect(second.messages).toBe(first.messages);
    expect(second).toMatchObject({ offloadedCount: 0, freedChars: 0, files: [] });
    expect(await readTree(outputDir)).toEqual(before);
  });

  it("a history that grew: old references are kept, only new results are offloaded, no file changes", async () => {
    const outputDir = await makeTempFolder();
    const start = historyOf(["a", textOf(900, "1")], ["b", textOf(900, "2")]);
    const first = await offloadToolResults(start, { outputDir });
    const before = await readTree(outputDir);

    const added = historyOf(["c", textOf(900, "3")], ["a", textOf(900, "4")]);
    const grown = [...first.messages, ...added];
    const second = await offloadToolResults(grown, { outputDir });
    expect(second.offloadedCount).toBe(2);
    expect(second.freedChars).toBe(1_800);
    expect(second.messages[0]).toBe(first.messages[0]);
    expect(second.messages[1]).toBe(first.messages[1]);
    const after = await readTree(outputDir);
    for (const [path, content] of before) expect(after.get(path)).toBe(content);
    expect([...after.values()].sort()).toEqual(["1", "2", "3", "4"].map((s) => textOf(900, s)));
    const third = await offloadToolResults(second.messages, { outputDir, ratioThreshold: 0 });
    expect(third.messages).toBe(second.messages);
  });

  it("the same history into the same folder again writes the same names, no new file", async () => {
    const outputDir = await makeTempFolder();
    const input = historyOf(["a", textOf(900, "1")], ["a", textOf(900, "2")]);
    const first = await offloadToolResults(input, { outputDir });
    const before = await readTree(outputDir);
    expect(await offloadToolResults(input, { outputDir })).toEqual(first);
    expect(await readTree(outputDir)).toEqual(before);
  });
});

describe("the other preset's references", () => {
  it("history does not touch those of direct", async () => {
    const outputDir = await makeTempFolder();
    const input = carrying(toolResult("toolu_1", textOf(2_000)));
    const { message } = await offloadToolResult(input, { sessionId: LONG_ID, outputDir });
    expect(String(blockOf(message)["content"]).length).toBeGreaterThan(100);
    const before = await readTree(outputDir);
    const messages = [message];
    expect((await offloadToolResults(messages, { outputDir })).messages).toBe(messages);
    expect(await readTree(outputDir)).toEqual(before);
  });

  it("direct does not touch those of history, and file is the one they name", async () => {
    const outputDir = await makeTempFolder();
    const input = historyOf(["toolu_1", textOf(2_000)]);
    const { messages, files } = await offloadToolResults(input, { outputDir });
    const message = messages[0] ?? carrying();
    const outcome = await offloadToolResult(message, { sessionId: "s1", outputDir });
    expect(outcome.message).toEqual(message);
    expect(outcome).toMatchObject({ freedChars: 0, file: files[0], files });
  });
});

it("parseFileReference reads the references of both", async () => {
  const outputDir = await makeTempFolder();
  const input = carrying(toolResult("toolu_1", textOf(2_000)));
  const direct = await offloadToolResult(input, { sessionId: "s1", outputDir });
  const history = await offloadToolResults([input], { outputDir });
  const parse = (block: AnyBlock) => parseFileReference(String(block["content"]));
  expect(parse(blockOf(direct.message))).toEqual({ style: "direct", path: direct.file });
  expect(parse(blockOf(history.messages[0]))).toEqual({
    style: "history",
    path: "./tool-result-toolu_1.md",
  });
  expect(parseFileReference("no reference")).toBeUndefined();
});
