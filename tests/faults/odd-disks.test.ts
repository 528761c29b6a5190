import { link, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { offloadToolResult, offloadToolResults } from "../../src/index.js";
import { readOffloadedFile } from "../../src/files.js";
import { listTree } from "../support/list-tree.js";
import { mountOddDisk } from "../support/odd-disk.js";
import { runProgram } from "../support/run-program.js";
import { openStore } from "../support/store-files.js";
import { carrying, historyOf, textOf, toolResult } from "../support/tool-messages.js";

async function diskOf(t: TestContext, kind: "no-links" | "no-case"): Promise<string> {
  const { folder, whyNot } = await mountOddDisk(kind);
  if (whyNot !== undefined) {
    console.warn(`A disk of the kind ${kind} could not be mounted here: ${whyNot}`);
    t.skip(whyNot);
  }
  return folder;
}

describe("a disk without hard links", () => {
  it("is one", async (t) => {
    const disk = await diskOf(t, "no-links");
    await writeFile(join(disk, "a"), "x");
    await expect(link(join(disk, "a"), join(disk, "b"))).rejects.toMatchObject({ code: "EPERM" });
  });

  it("keeps artifacts: put, put again, other content, streams, removal, verify", async (t) => {
    const root = join(await diskOf(t, "no-links"), "root");
    const workspace = openStore(root);
    const scope = { sessionId: "s1" };
    async function* stream() {
      yield await Promise.resolve(Buffer.from("of a stream"));
    }
    const contents = new Map<string, string>();
    for (const content of ["one", "two", "one"]) {
      const { record } = await workspace.put({ content }, { toolCallId: "a", ...scope });
      contents.set(record.artifactId, content);
    }
    const { record } = await workspace.put({ content: stream() }, { toolCallId: "b", ...scope });
    contents.set(record.artifactId, "of a stream");
    await workspace.put({ content: "removed" }, { toolCallId: "gone", ...scope });
    await workspace.remove("gone", scope);
    expect([...contents.keys()]).toHaveLength(3);
    for (const one of [workspace, openStore(root)]) {
      for (const [id, content] of contents) expect(await one.getOriginal(id)).toBe(content);
      expect(await one.verify()).toMatchObject({
        artifacts: 3,
        damaged: [],
        missing: [],
        orphaned: [],
        brokenLines: 0,
      });
    }
  });

  it("takes two processes at once", async (t) => {
    const root = join(await diskOf(t, "no-links"), "root");
    const writer = `
      import { createWorkspace } from "context-offload";
      const [root, label] = process.argv.slice(1);
      const workspace = createWorkspace({ root });
      for (let at = 0; at < 20; at++) {
        const content = label + at;
        const { record } = await workspace.put({ content }, { toolCallId: "id" + (at % 5), sessionId: "s1" });
        console.log(JSON.stringify([record.artifactId, content]));
      }
    `;
    const printed = await Promise.all(["x", "y"].map((label) => runProgram(writer, [root, label])));
    const reader = openStore(root);
    expect(printed.flat()).toHaveLength(40);
    for (const line of printed.flat()) {
      const [id, content] = JSON.parse(line) as [string, string];
      expect(await reader.getOriginal(id)).toBe(content);
    }
    expect(await reader.verify()).toMatchObject({ artifacts: 40, damaged: [], orphaned: [] });
  });

  it("keeps files of both presets", async (t) => {
    const outputDir = await diskOf(t, "no-links");
    const message = carrying(toolResult("toolu_1", textOf(500)));
    const { file } = await offloadToolResult(message, { sessionId: "s1", outputDir });
    const outcomes = [500, 500, 501].map((chars) => historyOf(["a", textOf(chars)]));
    const files: string[] = [];
    for (const history of outcomes) {
      files.push(...(await offloadToolResults(history, { outputDir })).files);
    }
    expect(await readOffloadedFile(file)).toBe(textOf(500));
    expect(files[0]).toBe(files[1]);
    expect(await Promise.all(files.map(readOffloadedFile))).toEqual(
      [500, 500, 501].map((chars) => textOf(chars)),
    );
    expect(await listTree(outputDir)).toHaveLength(4);
  });
});

describe("a disk that ignores case", () => {
  it("is one", async (t) => {
    const disk = await diskOf(t, "no-case");
    await writeFile(join(disk, "name"), "x");
    expect((await stat(join(disk, "NAME"))).size).toBe(1);
  });

  it("keeps sessions, namespaces and ids apart that differ in case", async (t) => {
    const root = join(await diskOf(t, "no-case"), "root");
    const workspace = openStore(root);
    const content = (of: string) => ({ content: `secret of ${of}` });
    for (const name of ["alice", "Alice", "ALICE"]) {
      await workspace.put(content(name), { toolCallId: "t1", sessionId: name });
      await workspace.put(content(name), { toolCallId: name, sessionId: "ids" });
      await openStore(root, name).put(content(name), { toolCallId: "t1", sessionId: "s" });
    }
    const fresh = openStore(root);
    for (const name of ["alice", "Alice", "ALICE"]) {
      expect(await fresh.getOriginal("t1", { sessionId: name })).toBe(`secret of ${name}`);
      expect(await fresh.getOriginal(name, { sessionId: "ids" })).toBe(`secret of ${name}`);
      expect(await openStore(root, name).getOriginal("t1")).toBe(`secret of ${name}`);
    }
    const nobody = fresh.getOriginal("t1", { sessionId: "aLICE" });
    await expect(nobody).rejects.toMatchObject({ code: "UNKNOWN_ARTIFACT" });
    await workspace.remove("Alice", { sessionId: "ids" });
    expect(await fresh.getOriginal("alice", { sessionId: "ids" })).toBe("secret of alice");
    expect(await fresh.verify()).toMatchObject({ artifacts: 5, missing: [], damaged: [] });
  });

  it("keeps files of the direct preset apart: ids, sessions, and at once", async (t) => {
    const outputDir = await diskOf(t, "no-case");
    const put = (id: string, sessionId: string, chars: number) =>
      offloadToolResult(carrying(toolResult(id, textOf(chars))), { sessionId, outputDir });
    const expected = new Map<string, string>();
    for (const [id, sessionId, chars] of [
      ["call_ab", "alice", 300],
      ["call_AB", "alice", 400],
      ["call_ab", "Alice", 500],
      ["call_cd", "Alice", 600],
      ["call_cd", "alice", 700],
    ] as const) {
      const { file, message } = await put(id, sessionId, chars);
      expected.set(file, textOf(chars));
      const again = await offloadToolResult(message, { sessionId, outputDir });
      expect(again).toMatchObject({ freedChars: 0, file });
    }
    const atOnce = await Promise.all(
      ["call_ef", "call_EF", "Call_ef"].map((id, at) => put(id, "bob", 800 + at)),
    );
    for (const [at, { file }] of atOnce.entries()) expected.set(file, textOf(800 + at));
    expect(expected.size).toBe(8);
    for (const [file, text] of expected) expect(await readOffloadedFile(file)).toBe(text);
    // The same id overwrites, as on any other disk.
    const { file } = await put("call_ab", "alice", 350);
    expect(expected.get(file)).toBe(textOf(300));
    expect(await readOffloadedFile(file)).toBe(textOf(350));
  });

  it("keeps ids of one call apart", async (t) => {
    const outputDir = await diskOf(t, "no-case");
    const history = historyOf(["id", textOf(300)], ["ID", textOf(400)], ["Id", textOf(500)]);
    const { files } = await offloadToolResults(history, { outputDir });
    const texts = [textOf(300), textOf(400), textOf(500)];
    expect(await Promise.all(files.map(readOffloadedFile))).toEqual(texts);
  });

  it("keeps files of the history preset apart", async (t) => {
    const outputDir = await diskOf(t, "no-case");
    const files = [];
    for (const [id, chars] of [
      ["call_ab", 300],
      ["call_AB", 400],
    ] as const) {
      files.push(
        ...(await offloadToolResults(historyOf([id, textOf(chars)]), { outputDir })).files,
      );
    }
    expect(await Promise.all(files.map(readOffloadedFile))).toEqual([textOf(300), textOf(400)]);
  });
});
