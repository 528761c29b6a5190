import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { offloadToolResult, offloadToolResults } from "../../src/index.js";
import { listTree, readTree } from "../support/list-tree.js";
import { rejectionOf } from "../support/rejection.js";
import { startChild } from "../support/run-child.js";
import { mountSmallDisk } from "../support/small-disk.js";
import { skipOnWindows } from "../support/skip-on-windows.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { carrying, historyOf, textOf, toolResult } from "../support/tool-messages.js";

// Together more than fits on 256 kB, and a large one is more than 100 blocks.
const SMALL = ["a", "b"].map((id) => [id, textOf(20_000, id)] as const);
const LARGE = ["c", "d", "e"].map((id) => [id, textOf(300_000, id)] as const);

/** Whatever stands under a final name is whole, and nothing else stands there. */
async function expectWholeFiles(outputDir: string): Promise<void> {
  const whole = [...SMALL, ...LARGE].map(([id, content]) => [`tool-result-${id}.md`, content]);
  for (const file of await readTree(outputDir)) expect(whole).toContainEqual(file);
}

it("a full disk: an error with its cause, nothing half-written, the input as it was", async (t) => {
  const disk = await makeTempFolder();
  const { whyNot } = await mountSmallDisk(disk);
  if (whyNot !== undefined) {
    console.log(
      `full disk: by a file-size limit only, since no small disk could be had: ${whyNot}`,
    );
    t.skip(`no small disk could be had: ${whyNot}`);
  }
  console.log("full disk: on a tmpfs of 256 kB, and by a file-size limit as well");

  const input = historyOf(...SMALL, ...LARGE);
  const snapshot = structuredClone(input);
  const before = [...input];
  const error = await rejectionOf(offloadToolResults(input, { outputDir: disk }));
  expect(error.code).toBe("WRITE_FAILED");
  expect(error.cause).toMatchObject({ code: "ENOSPC" });
  expect(error.message).toContain((error.cause as Error).message);
  expect(error.message).toContain(join(disk, "tool-result-"));
  expect(input).toEqual(snapshot);
  expect(input.every((message, index) => message === before[index])).toBe(true);
  await expectWholeFiles(disk);

  // What was there before is there after, though the id is the same.
  const options = { sessionId: "s1", outputDir: disk };
  const { file } = await offloadToolResult(carrying(toolResult("same", "old")), options);
  const tooLong = carrying(toolResult("same", textOf(300_000)));
  const second = await rejectionOf(offloadToolResult(tooLong, options));
  expect(second.code).toBe("WRITE_FAILED");
  expect(await readFile(file, "utf8")).toBe("old");
  expect((await listTree(disk)).filter((path) => path.startsWith("s1"))).toEqual([
    "s1/",
    "s1/same.md",
  ]);
});

it("a file-size limit: an error with its cause, nothing half-written, the input as it was", async (t) => {
  skipOnWindows(t, "it has no ulimit");
  const outputDir = await makeTempFolder();
  const offload = await startChild({ maxFileBlocks: 100 });
  const messages = historyOf(...SMALL, ...LARGE);
  const { error, inputUnchanged } = await offload({ messages, outputDir });
  expect(error).toMatchObject({ code: "WRITE_FAILED", cause: { code: "EFBIG" } });
  expect(error?.message).toContain(error?.cause.message);
  expect(error?.message).toContain(join(outputDir, "tool-result-"));
  expect(inputUnchanged).toBe(true);
  await expectWholeFiles(outputDir);
});
