import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, expect, test } from "vitest";
import { offloadToolResults, readOffloadedFile } from "../../src/index.js";
import { listTree } from "../support/list-tree.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { historyOf, textOf } from "../support/tool-messages.js";

// A file system without hard links (exFAT, some network folders) cannot be mounted everywhere, so
// the system calls are made to answer as on one.
const { link, rename } = fs;

function refuse(code: string): () => Promise<never> {
  return () => Promise.reject(Object.assign(new Error(`${code}: not here`), { code }));
}

function answer(calls: Partial<Pick<typeof fs, "link" | "rename">>): void {
  Object.assign(fs, calls);
  syncBuiltinESMExports();
}

beforeEach(() => {
  answer({ link: refuse("EPERM") });
});
afterEach(() => {
  answer({ link, rename });
});

test("twenty calls at once, one id, different contents: every content is found again", async () => {
  const outputDir = await makeTempFolder();
  const contents = Array.from({ length: 20 }, (_, call) => textOf(200, `call ${call}`));
  const outcomes = await Promise.all(
    contents.map((content) => offloadToolResults(historyOf(["a", content]), { outputDir })),
  );
  const files = outcomes.flatMap((outcome) => outcome.files);
  expect(await Promise.all(files.map(readOffloadedFile))).toEqual(contents);
  expect(await listTree(outputDir)).toHaveLength(20);
});

test("the same content again goes to the same file, other content to another", async () => {
  const outputDir = await makeTempFolder();
  const first = await offloadToolResults(historyOf(["a", textOf(200)]), { outputDir });
  const again = await offloadToolResults(historyOf(["a", textOf(200)]), { outputDir });
  const other = await offloadToolResults(historyOf(["a", textOf(201)]), { outputDir });
  expect(again).toEqual(first);
  expect(other.files).not.toEqual(first.files);
  expect(await listTree(outputDir)).toHaveLength(2);
});

test("a rename that fails leaves nothing behind, under any name", async () => {
  const outputDir = await makeTempFolder();
  answer({ rename: refuse("EIO") });
  const error = await rejectionOf(offloadToolResults(historyOf(["a", textOf(200)]), { outputDir }));
  expect(error).toMatchObject({ code: "WRITE_FAILED", cause: { code: "EIO" } });
  expect(await listTree(outputDir)).toEqual([]);
});
