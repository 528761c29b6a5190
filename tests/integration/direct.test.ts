import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { offloadToolResult } from "../../src/index.js";
import { NodeFileWriter, offloadToolResultWithWriter } from "../../src/files.js";
import { NoToolResultError, WriteFailedError } from "../../src/errors.js";
import { listTree } from "../support/list-tree.js";
import { MemoryWriter } from "../support/memory-writer.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { blockOf, carrying, textOf, toolResult } from "../support/tool-messages.js";

const referenceTo = (path: string) => `[Tool result offloaded to file: ${path}]`;

const BLOCKS = [
  { type: "text", text: textOf(1_000) },
  { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
];

describe("one long tool result", () => {
  it("a long string content goes whole to the file, a path hint takes its place", async () => {
    const outputDir = await makeTempFolder();
    const content = textOf(1_000);
    const { message, file } = await offloadToolResult(carrying(toolResult("toolu_1", content)), {
      sessionId: "s1",
      outputDir,
    });
    expect(await readFile(file, "utf8")).toBe(content);
    expect(message).toEqual(carrying(toolResult("toolu_1", referenceTo(file))));
  });

  it("a long array content goes to the file as JSON, a path hint takes its place", async () => {
    const outputDir = await makeTempFolder();
    const { message, file } = await offloadToolResult(carrying(toolResult("toolu_1", BLOCKS)), {
      sessionId: "s1",
      outputDir,
    });
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(BLOCKS);
    expect(blockOf(message)["content"]).toBe(referenceTo(file));
  });

  it("an array content is written by a plain JSON.stringify, with no indentation", async () => {
    const outputDir = await makeTempFolder();
    const message = carrying(toolResult("toolu_1", BLOCKS));
    const { file } = await offloadToolResult(message, { sessionId: "s1", outputDir });
    expect(await readFile(file, "utf8")).toBe(JSON.stringify(BLOCKS));
  });

  it("the hint is exactly [Tool result offloaded to file: <absolute path>]", async () => {
    const outputDir = await makeTempFolder();
    const { message } = await offloadToolResult(carrying(toolResult("toolu_1", "text")), {
      sessionId: "s1",
      outputDir,
    });
    const path = join(outputDir, "s1", "toolu_1.md");
    expect(blockOf(message)["content"]).toBe(`[Tool result offloaded to file: ${path}]`);
  });

  it.each([
    ["a string", textOf(5_000), 5_000],
    ["an array, by its JSON", BLOCKS, JSON.stringify(BLOCKS).length],
    ["a string shorter than the hint, below zero", "x", 1],
  ])("freedChars is the original length minus the hint's: %s", async (_, content, chars) => {
    const outputDir = await makeTempFolder();
    const outcome = await offloadToolResult(carrying(toolResult("toolu_1", content)), {
      sessionId: "s1",
      outputDir,
    });
    expect(outcome.freedChars).toBe(chars - referenceTo(outcome.file).length);
  });

  it("no threshold is checked: one character is offloaded, and so is empty content", async () => {
    const outputDir = await makeTempFolder();
    const { files } = await offloadToolResult(
      carrying(toolResult("one", "x"), toolResult("none", "")),
      { sessionId: "s1", outputDir },
    );
    expect(await Promise.all(files.map((file) => readFile(file, "utf8")))).toEqual(["x", ""]);
  });

  it("the same id in one session overwrites the file", async () => {
    const outputDir = await makeTempFolder();
    const options = { sessionId: "s1", outputDir };
    const first = await offloadToolResult(carrying(toolResult("toolu_1", "old")), options);
    const second = await offloadToolResult(carrying(toolResult("toolu_1", "new")), options);
    expect(second.file).toBe(first.file);
    expect(await readFile(second.file, "utf8")).toBe("new");
    expect(await listTree(outputDir)).toEqual(["s1/", "s1/toolu_1.md"]);
  });

  it("there is no state: the same call gives the same outcome", async () => {
    const options = { sessionId: "s1", outputDir: await makeTempFolder() };
    const message = carrying(toolResult("toolu_1", textOf(1_000)));
    const first = await offloadToolResult(message, options);
    await offloadToolResult(carrying(toolResult("toolu_2", "between")), options);
    expect(await offloadToolResult(message, options)).toEqual(first);
  });

  it("a write that fails throws an error with the original one's message in it", async () => {
    const outputDir = join(await makeTempFolder(), "a-file");
    await writeFile(outputDir, "in the way");
    const error = await rejectionOf(
      offloadToolResult(carrying(toolResult("toolu_1", "text")), { sessionId: "s1", outputDir }),
    );
    expect(error).toBeInstanceOf(WriteFailedError);
    expect(error.message).toContain((error.cause as Error).message);
    expect(error.message).toContain(join(outputDir, "s1", "toolu_1.md"));
  });
});

describe("the path", () => {
  it("is <outputDir>/<sessionId>/<tool_use_id>.md, the id taken as it stands", async () => {
    const outputDir = await makeTempFolder();
    const message = carrying(toolResult("toolu_01A-b.C_9", "text"));
    const { file, files } = await offloadToolResult(message, {
      sessionId: "session-abc123",
      outputDir,
    });
    expect(file).toBe(join(outputDir, "session-abc123", "toolu_01A-b.C_9.md"));
    expect(files).toEqual([file]);
  });

  it("has its folders made when they are missing, all the way down", async () => {
    const outputDir = join(await makeTempFolder(), "a", "b", "c");
    const message = carrying(toolResult("toolu_1", "text"));
    const { file } = await offloadToolResult(message, { sessionId: "s1", outputDir });
    expect(await readFile(file, "utf8")).toBe("text");
  });

  it("may lie in a folder that is there already, whose other files are not touched", async () => {
    const outputDir = await makeTempFolder();
    await mkdir(join(outputDir, "s1"));
    await writeFile(join(outputDir, "s1", "mine.txt"), "mine");
    const message = carrying(toolResult("toolu_1", "text"));
    await offloadToolResult(message, { sessionId: "s1", outputDir });
    expect(await readFile(join(outputDir, "s1", "mine.txt"), "utf8")).toBe("mine");
  });

  it("is absolute, also for a relative outputDir", async () => {
    const folder = await makeTempFolder();
    const { file, message } = await offloadToolResult(carrying(toolResult("toolu_1", "text")), {
      sessionId: "s1",
      outputDir: relative(process.cwd(), folder),
    });
    expect(file).toBe(join(folder, "s1", "toolu_1.md"));
    expect(blockOf(message)["content"]).toBe(referenceTo(file));
  });
});

describe("the writer", () => {
  it("of the short form is NodeFileWriter: both forms have one outcome", async () => {
    const outputDir = await makeTempFolder();
    const message = carrying(toolResult("toolu_1", BLOCKS));
    const short = await offloadToolResult(message, { sessionId: "s1", outputDir });
    const long = await offloadToolResultWithWriter(message, "s1", outputDir, new NodeFileWriter());
    expect(long).toEqual(short);
  });

  it("may be the caller's own, and nothing touches the disk then", async () => {
    const outputDir = join(await makeTempFolder(), "never-made");
    const writer = new MemoryWriter();
    const message = carrying(toolResult("toolu_1", "text"));
    const { file } = await offloadToolResultWithWriter(message, "s1", outputDir, writer);
    expect([...writer.files]).toEqual([[join(outputDir, "s1", "toolu_1.md"), "text"]]);
    expect(file).toBe(join(outputDir, "s1", "toolu_1.md"));
    await expect(listTree(outputDir)).rejects.toThrow("ENOENT");
  });
});

describe("which content is replaced", () => {
  it("that of each tool_result block; the message and its other blocks are kept", async () => {
    const outputDir = await makeTempFolder();
    const text = { type: "text", text: "here they are" };
    const { message, files, file, freedChars } = await offloadToolResult(
      carrying(toolResult("a", textOf(900, "a")), text, toolResult("b", textOf(800, "b"))),
      { sessionId: "s1", outputDir },
    );
    expect(files).toEqual(["a", "b"].map((id) => join(outputDir, "s1", `${id}.md`)));
    expect(file).toBe(files[0]);
    expect(message).toEqual(
      carrying(
        toolResult("a", referenceTo(files[0] ?? "")),
        text,
        toolResult("b", referenceTo(files[1] ?? "")),
      ),
    );
    expect(freedChars).toBe(1_700 - files.reduce((sum, path) => sum + referenceTo(path).length, 0));
  });

  it.each([
    ["tool_use_id", "text"],
    ["tool_call_id", "text"],
    ["tool_call_id", BLOCKS],
  ])('that of the message where its role is "tool" (%s)', async (idField, content) => {
    const outputDir = await makeTempFolder();
    const input = { role: "tool", [idField]: "call_1", content };
    const { message, file } = await offloadToolResult(input, { sessionId: "s1", outputDir });
    expect(file).toBe(join(outputDir, "s1", "call_1.md"));
    expect(message).toEqual({ ...input, content: referenceTo(file) });
  });

  it("that of the message where its content is a plain string, named by its hash", async () => {
    const outputDir = await makeTempFolder();
    const input = { role: "user", content: textOf(1_000) };
    const { message, file } = await offloadToolResult(input, { sessionId: "s1", outputDir });
    expect(file).toMatch(/[\\/]s1[\\/]unknown-[0-9a-f]{16}\.md$/);
    expect(await readFile(file, "utf8")).toBe(input.content);
    expect(message).toEqual({ role: "user", content: referenceTo(file) });
  });

  it.each([
    ["no tool_result block", carrying({ type: "text", text: "hello" })],
    ["no block at all", carrying()],
    ["a tool_result without content", carrying(toolResult("toolu_1", undefined))],
    ["an assistant's words", { role: "assistant", content: "hello" }],
  ])("none at all is an error: %s", async (_, message) => {
    const outputDir = await makeTempFolder();
    const error = await rejectionOf(offloadToolResult(message, { sessionId: "s1", outputDir }));
    expect(error).toBeInstanceOf(NoToolResultError);
    expect(await listTree(outputDir)).toEqual([]);
  });
});
