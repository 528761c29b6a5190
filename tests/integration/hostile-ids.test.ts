import { mkdir, symlink } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { offloadToolResult, offloadToolResults } from "../../src/index.js";
import { readOffloadedFile } from "../../src/files.js";
import { listTree, readTree } from "../support/list-tree.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { blockOf, carrying, historyOf, textOf, toolResult } from "../support/tool-messages.js";
import { anyString } from "../support/any-string.js";

const LOOK_ALIKE = `x~${"0123456789abcdef".repeat(2).slice(0, 20)}`;
const HOSTILE = {
  "climbing out": "../../x",
  "a separator": "a/b",
  "a backslash": "a\\b",
  "an absolute path": "/etc/x",
  "a drive": "C:x",
  "a dot": ".",
  "two dots": "..",
  empty: "",
  "a device": "CON",
  "a device with an ending": "con.txt",
  "an option": "-rf",
  "a NUL": "a\0b",
  "a line break": "a\nb",
  "1,500 characters": "i".repeat(1_500),
  "1,500 emoji": "😀".repeat(1_500),
  emoji: "🎉🎊",
  "a right-to-left override": "a\u202Egpj.exe",
  "a lone surrogate": "a\ud800",
  "a trailing dot": "a.",
  "a trailing blank": "a ",
  "a hidden file": ".offload-0.tmp",
  "a look-alike of a safe name": LOOK_ALIKE,
  "a key of every object": "__proto__",
};
const hostile = Object.entries(HOSTILE);

/** A folder two levels below a temporary one, with a witness at each level. */
async function makeNestedFolder(): Promise<{ top: string; outputDir: string }> {
  const top = await makeTempFolder();
  const outputDir = join(top, "one", "out");
  await mkdir(outputDir, { recursive: true });
  return { top, outputDir };
}

const readAll = (files: readonly string[]) => Promise.all(files.map(readOffloadedFile));
const textsOf = (count: number) => Array.from({ length: count }, (_, at) => textOf(150, `#${at}`));

describe("an id is data, not a path", () => {
  it.each(hostile)("history: %s", async (_, id) => {
    const { top, outputDir } = await makeNestedFolder();
    const contents = textsOf(3);
    const input = historyOf(...contents.map((content) => [id, content] as const));
    const { files, messages } = await offloadToolResults(input, { outputDir });
    expect(await readAll(files)).toEqual(contents);
    expect(new Set(files.map(dirname))).toEqual(new Set([outputDir]));
    expect(await listTree(top)).toHaveLength(2 + 3);
    expect((await offloadToolResults(messages, { outputDir })).messages).toBe(messages);
  });

  it.each(hostile)("direct: %s", async (_, id) => {
    const { top, outputDir } = await makeNestedFolder();
    const contents = textsOf(2);
    const input = carrying(...contents.map((content) => toolResult(id, content)));
    const { files } = await offloadToolResult(input, { sessionId: "s1", outputDir });
    expect(await readAll(files)).toEqual(contents);
    expect(new Set(files.map(dirname))).toEqual(new Set([join(outputDir, "s1")]));
    expect(await listTree(top)).toHaveLength(3 + 2);
  });

  it.each(hostile.filter(([, id]) => id !== ""))("a session id: %s", async (_, sessionId) => {
    const { top, outputDir } = await makeNestedFolder();
    const input = carrying(toolResult("toolu_1", "text"));
    const { file } = await offloadToolResult(input, { sessionId, outputDir });
    expect(await readOffloadedFile(file)).toBe("text");
    expect(dirname(dirname(file))).toBe(outputDir);
    expect(await listTree(top)).toHaveLength(3 + 1);
  });

  it("all of them at once, and each keeps its own content", async () => {
    const { outputDir } = await makeNestedFolder();
    const contents = textsOf(hostile.length);
    const input = hostile.map(([, id], at) => carrying(toolResult(id, contents[at])));
    const history = await offloadToolResults(input, { outputDir });
    expect(await readAll(history.files)).toEqual(contents);
    for (const [at, message] of input.entries()) {
      const { file } = await offloadToolResult(message, { sessionId: "s1", outputDir });
      expect(await readOffloadedFile(file)).toBe(contents[at]);
    }
    expect(await readAll(history.files)).toEqual(contents);
    const lowerCase = (await listTree(outputDir)).map((path) => path.toLowerCase());
    expect(new Set(lowerCase).size).toBe(2 * hostile.length + 1);
  });

  it.each([
    ["ids", ["a/b", "a\\b", "a:b", "a b", "a_b", "a\0b", "a/b/"]],
    ["long ids", ["x", "y", "z"].map((end) => "i".repeat(1_499) + end)],
  ])("%s that differ in one unsafe character only have files of their own", async (_, ids) => {
    const outputDir = await makeTempFolder();
    const contents = textsOf(ids.length);
    for (const [at, id] of ids.entries()) {
      const input = carrying(toolResult(id, contents[at]));
      await offloadToolResult(input, { sessionId: "s1", outputDir });
    }
    expect([...(await readTree(outputDir)).values()].sort()).toEqual(contents);
    const bySession = await makeTempFolder();
    for (const [at, sessionId] of ids.entries()) {
      const input = carrying(toolResult("same", contents[at]));
      await offloadToolResult(input, { sessionId, outputDir: bySession });
    }
    expect([...(await readTree(bySession)).values()].sort()).toEqual(contents);
  });

  it("an id that is the safe name of another one does not get its file", async () => {
    const outputDir = await makeTempFolder();
    const options = { sessionId: "s1", outputDir };
    const first = await offloadToolResult(carrying(toolResult("../x", "first")), options);
    const safeName = first.file.slice(first.file.lastIndexOf(sep) + 1, -".md".length);
    const second = await offloadToolResult(carrying(toolResult(safeName, "second")), options);
    expect(await readAll([first.file, second.file])).toEqual(["first", "second"]);
  });
});

describe("numbers behind a name", () => {
  it.each([[["a", "a", "a-1"]], [["a-1", "a", "a"]], [["a", "a-1", "a"]]])(
    "%j are three files, and a-1 keeps its own name",
    async (ids) => {
      const outputDir = await makeTempFolder();
      const contents = textsOf(3);
      const input = ids.map((id, at) => carrying(toolResult(id, contents[at])));
      const { files } = await offloadToolResults(input, { outputDir });
      expect(await readAll(files)).toEqual(contents);
      expect(files[ids.indexOf("a-1")]).toBe(join(outputDir, "tool-result-a-1.md"));
      expect(files[ids.indexOf("a")]).toBe(join(outputDir, "tool-result-a.md"));
      expect(files[ids.lastIndexOf("a")]).toBe(join(outputDir, "tool-result-a-2.md"));
    },
  );

  it("an id used before with other content gets a name with its hash, same content none", async () => {
    const outputDir = await makeTempFolder();
    const [old = "", other = ""] = textsOf(2);
    const first = await offloadToolResults(historyOf(["a", old]), { outputDir });
    const second = await offloadToolResults(historyOf(["a", other]), { outputDir });
    const again = await offloadToolResults(historyOf(["a", other]), { outputDir });
    expect(second.files[0]).toMatch(/[\\/]tool-result-a~[0-9a-f]{12}\.md$/);
    expect(again).toEqual(second);
    expect(await readAll([...first.files, ...second.files])).toEqual([old, other]);
    const twice = await offloadToolResults(second.messages, { outputDir, ratioThreshold: 0 });
    expect(twice.messages).toBe(second.messages);
  });
});

describe("symbolic links", () => {
  it.each([true, false])("a session folder that is one is refused (target: %s)", async (there) => {
    const outputDir = await makeTempFolder();
    const target = join(await makeTempFolder(), "elsewhere");
    if (there) await mkdir(target);
    await symlink(target, join(outputDir, "s1"));
    const input = carrying(toolResult("toolu_1", "text"));
    const error = await rejectionOf(offloadToolResult(input, { sessionId: "s1", outputDir }));
    expect(error.code).toBe("UNSAFE_PATH");
    expect(error.message).toContain(join(outputDir, "s1"));
    expect(await listTree(dirname(target))).toEqual(there ? ["elsewhere/"] : []);
  });

  it("a file name that is one is not written through", async () => {
    const outputDir = await makeTempFolder();
    const elsewhere = join(await makeTempFolder(), "target.md");
    await mkdir(join(outputDir, "s1"));
    await symlink(elsewhere, join(outputDir, "s1", "toolu_1.md"));
    await symlink(elsewhere, join(outputDir, "tool-result-toolu_1.md"));
    const input = carrying(toolResult("toolu_1", textOf(150)));
    const direct = await offloadToolResult(input, { sessionId: "s1", outputDir });
    const history = await offloadToolResults([input], { outputDir });
    expect(await readAll([direct.file, ...history.files])).toEqual([textOf(150), textOf(150)]);
    expect(await listTree(dirname(elsewhere))).toEqual([]);
  });
});

it("for any ids and content: all found again, inside the folder, and a second pass rests", async () => {
  const id = fc.oneof(
    fc.constantFrom(...Object.values(HOSTILE), "a", "a-1", "a-2", "a-1-1", "A"),
    anyString({ maxLength: 8 }),
  );
  const content = fc.oneof(
    anyString({ maxLength: 8 }).map((text) => text + textOf(100)),
    fc.array(fc.record({ type: fc.constant("text"), text: fc.string() }), { minLength: 5 }),
  );
  const results = fc.array(fc.record({ id, content }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(results, async (given) => {
      const outputDir = await makeTempFolder();
      const input = given.map((result) => carrying(toolResult(result.id, result.content)));
      const options = { outputDir, ratioThreshold: 0 };
      const first = await offloadToolResults(input, options);
      expect(new Set(first.files).size).toBe(given.length);
      for (const [at, file] of first.files.entries()) {
        expect(resolve(file)).toBe(file);
        expect(dirname(file)).toBe(outputDir);
        const written = await readOffloadedFile(file);
        const original = given[at]?.content;
        expect(typeof original === "string" ? written : JSON.parse(written)).toEqual(original);
        expect(blockOf(first.messages[at])["content"]).toContain("offloaded to: ./");
      }
      const before = await readTree(outputDir);
      expect((await offloadToolResults(first.messages, options)).messages).toBe(first.messages);
      expect(await readTree(outputDir)).toEqual(before);
    }),
    { numRuns: 100 },
  );
});
