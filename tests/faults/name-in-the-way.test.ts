import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { offloadToolResult, offloadToolResults } from "../../src/index.js";
import { readOffloadedFile } from "../../src/files.js";
import { WriteFailedError } from "../../src/errors.js";
import { listTree } from "../support/list-tree.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { carrying, textOf, toolResult } from "../support/tool-messages.js";

const MESSAGE = carrying(toolResult("toolu_1", textOf(500)));

describe("a file where the folder should be", () => {
  it.each([
    ["direct, the output folder", "out", "s1"],
    ["direct, above the output folder", "out/deeper/down", "s1"],
    ["direct, the session's folder", ".", "out"],
    ["history, the output folder", "out", undefined],
    ["history, above the output folder", "out/deeper/down", undefined],
  ])("%s", async (_, path, sessionId) => {
    const folder = await makeTempFolder();
    await writeFile(join(folder, "out"), "a file");
    const outputDir = join(folder, path);
    const input = structuredClone(MESSAGE);
    const error = await rejectionOf(
      sessionId === undefined
        ? offloadToolResults([input], { outputDir })
        : offloadToolResult(input, { sessionId, outputDir }),
    );
    expect(error).toBeInstanceOf(WriteFailedError);
    expect(error.code).toBe("WRITE_FAILED");
    expect(error.cause).toBeInstanceOf(Error);
    expect((error.cause as NodeJS.ErrnoException).code).toMatch(/^(?:ENOTDIR|EEXIST)$/);
    expect(error.message).toContain((error.cause as Error).message);
    expect(error.message).toContain((error as WriteFailedError).path);
    expect((error as WriteFailedError).path.startsWith(outputDir)).toBe(true);
    expect(input).toEqual(MESSAGE);
    expect(await listTree(folder)).toEqual(["out"]);
    expect(await readFile(join(folder, "out"), "utf8")).toBe("a file");
  });
});

describe("a folder where the file should be", () => {
  it("direct fails without a trace of a temporary file, and the folder is still there", async () => {
    const outputDir = await makeTempFolder();
    const inTheWay = join(outputDir, "s1", "toolu_1.md");
    await mkdir(inTheWay, { recursive: true });
    await writeFile(join(inTheWay, "mine.txt"), "mine");
    const error = await rejectionOf(offloadToolResult(MESSAGE, { sessionId: "s1", outputDir }));
    expect(error).toMatchObject({ code: "WRITE_FAILED", path: inTheWay });
    expect(error.message).toContain((error.cause as Error).message);
    expect(await listTree(outputDir)).toEqual(["s1/", "s1/toolu_1.md/", "s1/toolu_1.md/mine.txt"]);
  });

  it("history goes round it, as round any name that is taken", async () => {
    const outputDir = await makeTempFolder();
    await mkdir(join(outputDir, "tool-result-toolu_1.md"));
    const { files, messages } = await offloadToolResults([MESSAGE], { outputDir });
    expect(files[0]).toMatch(/tool-result-toolu_1~[0-9a-f]{12}\.md$/);
    expect(await readOffloadedFile(files[0] ?? "")).toBe(textOf(500));
    expect((await offloadToolResults(messages, { outputDir })).messages).toBe(messages);
  });

  it("history fails where every name is taken, without a trace of a temporary file", async () => {
    const outputDir = await makeTempFolder();
    await mkdir(join(outputDir, "tool-result-toolu_1.md"));
    const { files } = await offloadToolResults([MESSAGE], { outputDir });
    const short = (files[0] ?? "").replace(/\.md$/, "");
    await writeFile(`${short}.md`, "other content");
    const { files: whole } = await offloadToolResults([MESSAGE], { outputDir });
    expect(whole[0]).toMatch(/tool-result-toolu_1~[0-9a-f]{64}\.md$/);
    await writeFile(whole[0] ?? "", "other content, too");
    const before = await listTree(outputDir);
    const error = await rejectionOf(offloadToolResults([MESSAGE], { outputDir }));
    expect(error.code).toBe("WRITE_FAILED");
    expect(await listTree(outputDir)).toEqual(before);
  });
});
