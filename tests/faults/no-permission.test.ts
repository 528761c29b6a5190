import { chmod, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { listTree } from "../support/list-tree.js";
import { startChild } from "../support/run-child.js";
import { skipOnWindows } from "../support/skip-on-windows.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { historyOf, textOf } from "../support/tool-messages.js";

const messages = historyOf(["a", textOf(500)]);

/** A folder that may be entered and listed, and not be written to. */
async function makeReadOnlyFolder(): Promise<string> {
  const parent = await makeTempFolder();
  await chmod(parent, 0o755);
  const folder = join(parent, "read-only");
  await mkdir(folder);
  await chmod(folder, 0o555);
  return folder;
}

// A child process, since root may write everywhere: it gives up root's rights first.
describe("a folder without write permission", () => {
  beforeEach((t) => {
    skipOnWindows(t, "a folder's mode does not keep anybody from writing");
  });

  it.each([
    ["history, the folder itself", { below: "", sessionId: undefined }],
    ["history, a folder to be made in it", { below: "new", sessionId: undefined }],
    ["direct, a session's folder to be made in it", { below: "", sessionId: "s1" }],
  ])("%s", async (_, { below, sessionId }) => {
    const folder = await makeReadOnlyFolder();
    const outputDir = join(folder, below);
    const offload = await startChild();
    const session = sessionId === undefined ? {} : { sessionId };
    const { error, inputUnchanged } = await offload({
      messages,
      outputDir,
      ...session,
      asNobody: true,
    });
    expect(error).toMatchObject({ code: "WRITE_FAILED", cause: { code: "EACCES" } });
    expect(error?.message).toContain(error?.cause.message);
    expect(error?.message).toContain(outputDir);
    expect(inputUnchanged).toBe(true);
    expect(await listTree(dirname(folder))).toEqual(["read-only/"]);
  });

  it("the same child writes where it may", async () => {
    const folder = await makeReadOnlyFolder();
    await chmod(folder, 0o777);
    const offload = await startChild();
    const { files } = await offload({ messages, outputDir: folder, asNobody: true });
    expect(files).toEqual([join(folder, "tool-result-a.md")]);
  });
});
