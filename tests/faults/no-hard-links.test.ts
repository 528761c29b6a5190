import callbacks from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, expect, it } from "vitest";
import { offloadToolResults } from "../../src/index.js";
import { readOffloadedFile } from "../../src/files.js";
import { listTree } from "../support/list-tree.js";
import { rejectionOf } from "../support/rejection.js";
import { makeStore, openStore } from "../support/store-files.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { historyOf, textOf } from "../support/tool-messages.js";

// A file system without hard links (exFAT, some network folders) cannot be mounted everywhere, so
// the system calls are made to answer as on one; odd-disks.test.ts tries a real one.
const { link, rename } = fs;
const { link: linkWithCallback } = callbacks;

function refuse(code: string): () => Promise<never> {
  return () => Promise.reject(Object.assign(new Error(`${code}: not here`), { code }));
}

function answer(calls: Partial<Pick<typeof fs, "link" | "rename">>): void {
  Object.assign(fs, calls);
  syncBuiltinESMExports();
}

beforeEach(() => {
  callbacks.link = ((_from: unknown, _to: unknown, callback: (error: Error) => void) => {
    callback(Object.assign(new Error("EPERM: not here"), { code: "EPERM" }));
  }) as unknown as typeof callbacks.link;
  answer({ link: refuse("EPERM") });
});
afterEach(() => {
  callbacks.link = linkWithCallback;
  answer({ link, rename });
});

it("a workspace stores, restores and cleans up without a single link", async () => {
  const { root, workspace, sessionFolder } = await makeStore();
  const put = (content: string) =>
    workspace.put({ content }, { toolCallId: "a", sessionId: "s1" }).then(({ record }) => record);
  const [one, two] = [await put("one"), await put("two")];
  expect(await put("one")).toEqual(one);
  await fs.unlink(one.location);
  expect(await put("one")).toEqual(one);
  await workspace.remove(two.artifactId);
  await fs.writeFile(`${sessionFolder("s1")}/orphan.txt`, "x");
  await workspace.verify({ deleteOrphans: true, orphanAgeMs: 0 });
  expect(await openStore(root).getOriginal("a")).toBe("one");
  expect(await listTree(sessionFolder("s1"))).toEqual(["a.txt", "manifest.jsonl"]);
});

it("twenty calls at once, one id, different content: all of it is found again", async () => {
  const outputDir = await makeTempFolder();
  const contents = Array.from({ length: 20 }, (_, call) => textOf(200, `call ${call}`));
  const outcomes = await Promise.all(
    contents.map((content) => offloadToolResults(historyOf(["a", content]), { outputDir })),
  );
  const files = outcomes.flatMap((outcome) => outcome.files);
  expect(await Promise.all(files.map(readOffloadedFile))).toEqual(contents);
  expect(await listTree(outputDir)).toHaveLength(20);
});

it("the same content again goes to the same file, other content to another", async () => {
  const outputDir = await makeTempFolder();
  const first = await offloadToolResults(historyOf(["a", textOf(200)]), { outputDir });
  const again = await offloadToolResults(historyOf(["a", textOf(200)]), { outputDir });
  const other = await offloadToolResults(historyOf(["a", textOf(201)]), { outputDir });
  expect(again).toEqual(first);
  expect(other.files).not.toEqual(first.files);
  expect(await listTree(outputDir)).toHaveLength(2);
});

it("a rename that fails keeps nothing, under any name", async () => {
  const outputDir = await makeTempFolder();
  answer({ rename: refuse("EIO") });
  const error = await rejectionOf(offloadToolResults(historyOf(["a", textOf(200)]), { outputDir }));
  expect(error).toMatchObject({ code: "WRITE_FAILED", cause: { code: "EIO" } });
  expect(await listTree(outputDir)).toEqual([]);
});
