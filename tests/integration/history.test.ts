import { readFile, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { offloadToolResults } from "../../src/index.js";
import { NodeFileWriter, offloadToolResultsWithWriter } from "../../src/files.js";
import { WriteFailedError } from "../../src/errors.js";
import { listTree, readTree } from "../support/list-tree.js";
import { MemoryWriter } from "../support/memory-writer.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";
import {
  blockOf,
  carrying,
  historyOf,
  resultContents,
  textOf,
  toolResult,
} from "../support/tool-messages.js";

const referenceTo = (name: string) => `[Content offloaded to: ./tool-result-${name}.md]`;
const words = (role: string, text: string) => ({ role, content: [{ type: "text", text }] });

beforeEach(() => {
  vi.stubEnv("OFFLOAD_CHAR_THRESHOLD", undefined);
  vi.stubEnv("OFFLOAD_RATIO_THRESHOLD", undefined);
  return () => {
    vi.unstubAllEnvs();
  };
});

describe("what is offloaded", () => {
  it("a result of 100 characters or more: written to a file, replaced by its path", async () => {
    const outputDir = await makeTempFolder();
    const content = textOf(500);
    const { messages } = await offloadToolResults(historyOf(["toolu_1", content]), { outputDir });
    expect(messages).toEqual(historyOf(["toolu_1", referenceTo("toolu_1")]));
    expect([...(await readTree(outputDir))]).toEqual([["tool-result-toolu_1.md", content]]);
  });

  it("a result under 100 characters is kept, and nothing is written", async () => {
    const outputDir = await makeTempFolder();
    const input = historyOf(["toolu_1", "short"]);
    const outcome = await offloadToolResults(input, { outputDir });
    expect(outcome).toEqual({ messages: input, offloadedCount: 0, freedChars: 0, files: [] });
    expect(await listTree(outputDir)).toEqual([]);
  });

  it("of long and short ones together only the long", async () => {
    const outputDir = await makeTempFolder();
    const input = historyOf(["long", textOf(300)], ["short", "ok"], ["longer", textOf(400)]);
    const { messages } = await offloadToolResults(input, { outputDir });
    const expected = [referenceTo("long"), "ok", referenceTo("longer")];
    expect(resultContents(messages)).toEqual(expected);
    expect(await listTree(outputDir)).toEqual(["tool-result-long.md", "tool-result-longer.md"]);
  });

  it("nothing where there is no tool result: the messages come back as they are", async () => {
    const outputDir = await makeTempFolder();
    const call = { type: "tool_use", id: "toolu_1", name: "read", input: { path: textOf(500) } };
    const input = [words("user", textOf(500)), { role: "assistant", content: [call] }];
    const { messages, files } = await offloadToolResults(input, { outputDir });
    expect(messages).toBe(input);
    expect(files).toEqual([]);
    expect(await listTree(outputDir)).toEqual([]);
  });

  it("only tool_result blocks, whatever else is long", async () => {
    const outputDir = await makeTempFolder();
    const others = [
      { type: "text", text: textOf(300) },
      { type: "tool_use", id: "toolu_2", name: "run", input: { command: textOf(300) } },
      { type: "thinking", thinking: textOf(300), signature: "c2ln" },
    ];
    const input = [carrying(...others, toolResult("toolu_1", textOf(300)))];
    const { messages } = await offloadToolResults(input, { outputDir });
    expect(messages).toEqual([carrying(...others, toolResult("toolu_1", referenceTo("toolu_1")))]);
  });

  it.each([
    [100, true],
    [99, false],
    [0, false],
  ])("a string of %i characters is offloaded: %s", async (chars, offloaded) => {
    const outputDir = await makeTempFolder();
    const input = historyOf(["toolu_1", textOf(chars)]);
    const { offloadedCount } = await offloadToolResults(input, { outputDir });
    expect(offloadedCount).toBe(offloaded ? 1 : 0);
  });

  it.each([
    [100, true],
    [99, false],
  ])("an array whose compact JSON has %i characters is offloaded: %s", async (chars, offloaded) => {
    const outputDir = await makeTempFolder();
    const frame = JSON.stringify([{ type: "text", text: "" }]).length;
    const content = [{ type: "text", text: "x".repeat(chars - frame) }];
    expect(JSON.stringify(content)).toHaveLength(chars);
    const input = historyOf(["toolu_1", content]);
    const { offloadedCount } = await offloadToolResults(input, { outputDir });
    expect(offloadedCount).toBe(offloaded ? 1 : 0);
  });

  it("characters are UTF-16 units, as String.length counts them", async () => {
    const outputDir = await makeTempFolder();
    const input = historyOf(["fifty", "😀".repeat(50)], ["less", "字".repeat(99)]);
    const { files } = await offloadToolResults(input, { outputDir });
    expect(files).toEqual([join(outputDir, "tool-result-fifty.md")]);
  });

  it('a message of role "tool" is a result as a whole; plain words are not', async () => {
    const outputDir = await makeTempFolder();
    const input = [
      { role: "user", content: textOf(200) },
      { role: "tool", tool_call_id: "call_1", content: textOf(300) },
    ];
    const { messages } = await offloadToolResults(input, { outputDir });
    expect(messages[0]).toBe(input[0]);
    expect(messages[1]).toEqual({ ...input[1], content: referenceTo("call_1") });
  });
});

describe("the files", () => {
  it("from the earliest message to the latest, blocks in their order", async () => {
    const outputDir = await makeTempFolder();
    const input = [
      carrying(toolResult("z", textOf(100, "z")), toolResult("y", textOf(100, "y"))),
      carrying(toolResult("x", textOf(100, "x"))),
    ];
    const { files } = await offloadToolResults(input, { outputDir });
    expect(files).toEqual(["z", "y", "x"].map((id) => join(outputDir, `tool-result-${id}.md`)));
  });

  it("an id that comes again gets -1, -2 behind its name", async () => {
    const outputDir = await makeTempFolder();
    const contents = ["one", "two", "three"].map((label) => textOf(200, label));
    const input = historyOf(...contents.map((content) => ["same", content] as const));
    const { messages, files } = await offloadToolResults(input, { outputDir });
    expect(resultContents(messages)).toEqual(["same", "same-1", "same-2"].map(referenceTo));
    expect(await Promise.all(files.map((file) => readFile(file, "utf8")))).toEqual(contents);
  });

  it("array content is indented by two, and comes back value-exact, images too", async () => {
    const outputDir = await makeTempFolder();
    const image = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo".repeat(20) };
    const content = [
      { type: "text", text: "a picture" },
      { type: "image", source: image, cache_control: { type: "ephemeral" } },
    ];
    const { messages, files } = await offloadToolResults(historyOf(["toolu_1", content]), {
      outputDir,
    });
    const written = await readFile(files[0] ?? "", "utf8");
    expect(written).toBe(JSON.stringify(content, null, 2));
    expect(JSON.parse(written)).toEqual(content);
    // The cache mark goes with the reference: it must not be lost.
    expect(blockOf(messages[0])["content"]).toEqual([
      { type: "text", text: referenceTo("toolu_1"), cache_control: { type: "ephemeral" } },
    ]);
  });

  it("the folder is made when it is missing, all the way down", async () => {
    const outputDir = join(await makeTempFolder(), "a", "b");
    const input = historyOf(["toolu_1", textOf(200)]);
    const { files } = await offloadToolResults(input, { outputDir });
    expect((await stat(files[0] ?? "")).isFile()).toBe(true);
  });

  it("a folder that is there already is fine, and its other files are kept", async () => {
    const outputDir = await makeTempFolder();
    await writeFile(join(outputDir, "mine.txt"), "mine");
    await offloadToolResults(historyOf(["toolu_1", textOf(200)]), { outputDir });
    expect(await readFile(join(outputDir, "mine.txt"), "utf8")).toBe("mine");
  });

  it("are told by absolute paths, also for a relative outputDir", async () => {
    const folder = await makeTempFolder();
    const { files } = await offloadToolResults(historyOf(["toolu_1", textOf(200)]), {
      outputDir: relative(process.cwd(), folder),
    });
    expect(files).toEqual([join(folder, "tool-result-toolu_1.md")]);
  });
});

describe("the outcome", () => {
  it("of an empty history is an empty one, and no folder is made", async () => {
    const outputDir = join(await makeTempFolder(), "never-made");
    const outcome = await offloadToolResults([], { outputDir });
    expect(outcome).toEqual({ messages: [], offloadedCount: 0, freedChars: 0, files: [] });
    await expect(stat(outputDir)).rejects.toThrow("ENOENT");
  });

  it("counts what was offloaded, and freedChars is the sum of the original lengths", async () => {
    const outputDir = await makeTempFolder();
    const blocks = [{ type: "text", text: textOf(250) }];
    const input = historyOf(["a", textOf(300)], ["b", "short"], ["c", blocks]);
    const outcome = await offloadToolResults(input, { outputDir });
    expect(outcome.offloadedCount).toBe(2);
    expect(outcome.freedChars).toBe(300 + JSON.stringify(blocks).length);
  });

  it("is the same for the same input: there is no state", async () => {
    const outputDir = await makeTempFolder();
    const input = historyOf(["a", textOf(300, "a")], ["a", textOf(300, "b")]);
    const first = await offloadToolResults(input, { outputDir });
    expect(await offloadToolResults(input, { outputDir })).toEqual(first);
    expect(await listTree(outputDir)).toEqual(["tool-result-a-1.md", "tool-result-a.md"]);
  });

  it("is the same with a writer passed in; the caller's own gets path and text", async () => {
    const outputDir = await makeTempFolder();
    const input = historyOf(["toolu_1", textOf(300)]);
    const short = await offloadToolResults(input, { outputDir });
    const node = await offloadToolResultsWithWriter(input, outputDir, new NodeFileWriter());
    const memory = new MemoryWriter();
    const own = await offloadToolResultsWithWriter(input, outputDir, memory);
    expect(node).toEqual(short);
    expect(own).toEqual(short);
    expect([...memory.files]).toEqual([[join(outputDir, "tool-result-toolu_1.md"), textOf(300)]]);
  });

  it("of a write that fails is an error for the caller to handle", async () => {
    const outputDir = join(await makeTempFolder(), "a-file");
    await writeFile(outputDir, "in the way");
    const error = await rejectionOf(
      offloadToolResults(historyOf(["toolu_1", textOf(300)]), { outputDir }),
    );
    expect(error).toBeInstanceOf(WriteFailedError);
    expect(error.message).toContain((error.cause as Error).message);
  });
});
