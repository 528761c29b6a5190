import { readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkspace, type ArtifactInput } from "../../../src/index.js";
import { makeTempFolder } from "../../support/temp-folder.js";

const DATA = { items: Array.from({ length: 400 }, (_, id) => ({ id, message: `event ${id}` })) };
const INDENTED = JSON.stringify(DATA, null, 2);
const TEXT = "one\ntwo\n".repeat(200);

async function putByPath(content: ArtifactInput["content"], artifactId = "call_1") {
  const root = await makeTempFolder();
  const workspace = createWorkspace({ root, readBy: "path" });
  const { record, reference } = await workspace.put(
    { content },
    { sessionId: "default", toolCallId: artifactId },
  );
  const path = /path="([^"]+)"/.exec(reference)?.[1] ?? "";
  return { root, workspace, record, reference, path, file: await readFile(path, "utf8") };
}

describe("reading by path", () => {
  it.each<[string, ArtifactInput["content"], string]>([
    ["a text block", [{ type: "text", text: TEXT }], TEXT],
    ["JSON in a text block", [{ type: "text", text: JSON.stringify(DATA) }], INDENTED],
    ["JSON on one line", JSON.stringify(DATA), INDENTED],
    ["output of a command", { stdout: TEXT, code: 1 }, `${TEXT}--- above: stdout, code: 1 ---`],
  ])("the file has the readable text, the original is beside it: %s", async (_, content, text) => {
    const { workspace, record, reference, path, file } = await putByPath(content);
    expect(file).toBe(text);
    expect(reference).toContain(`lines="${text.trimEnd().split("\n").length}"`);
    expect(dirname(path)).toBe(dirname(record.location));
    expect(basename(path)).toBe("call_1~readable.txt");
    const stored = typeof content === "string" ? content : JSON.stringify(content);
    expect(await readFile(record.location, "utf8")).toBe(stored);
    expect(await workspace.getOriginal("call_1")).toEqual(content);
  });

  it("plain text is read from its own file, and nothing is beside it", async () => {
    const { record, path } = await putByPath(TEXT);
    expect(path).toBe(record.location);
    expect(await readdir(dirname(path))).toEqual(["call_1.txt", "manifest.jsonl"]);
  });

  it("a stream is read the same way", async () => {
    const content = (async function* () {
      await Promise.resolve();
      yield Buffer.from(JSON.stringify({ stdout: TEXT }));
    })();
    expect((await putByPath(content)).file).toBe(`${TEXT}--- above: stdout ---`);
  });

  it("no artifact can have the name of another's readable file", async () => {
    const { workspace, path, file } = await putByPath(JSON.stringify(DATA), "a");
    for (const id of ["a~readable", "a~readable.txt", "a.readable"]) {
      const { record } = await workspace.put(
        { content: `other ${id}` },
        { sessionId: "default", toolCallId: id },
      );
      expect(record.location).not.toBe(path);
    }
    expect(await readFile(path, "utf8")).toBe(file);
  });

  it("a readable file that was deleted or changed is written again with the next reference", async () => {
    const { workspace, path, file } = await putByPath(JSON.stringify(DATA));
    await rm(path);
    await workspace.put(
      { content: JSON.stringify(DATA) },
      { sessionId: "default", toolCallId: "call_1" },
    );
    expect(await readFile(path, "utf8")).toBe(file);
  });

  it("verify takes it for part of its artifact, and remove deletes both", async () => {
    const { workspace, record, path } = await putByPath(JSON.stringify(DATA));
    const report = await workspace.verify({ deleteOrphans: true, orphanAgeMs: 0 });
    expect(report).toMatchObject({ artifacts: 1, orphaned: [], deleted: [], damaged: [] });
    await workspace.remove("call_1");
    const names = await readdir(dirname(record.location));
    expect(names).not.toContain(basename(path));
    expect(names).not.toContain(basename(record.location));
  });
});
