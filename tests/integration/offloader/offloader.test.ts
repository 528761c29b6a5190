import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOffloader, createWorkspace, type OffloaderOptions } from "../../../src/index.js";
import { listTree } from "../../support/list-tree.js";
import { rejectionOf } from "../../support/rejection.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { readSample } from "../../support/conversation.js";

async function makeOffloader(options: Partial<OffloaderOptions> = {}) {
  const root = join(await makeTempFolder(), "workspace");
  const workspace = createWorkspace({ root });
  return {
    root,
    workspace,
    offloader: createOffloader({ workspace, sessionId: "s1", ...options }),
  };
}

describe("an offloader", () => {
  it("replaces long results by short references, and puts everything back", async () => {
    const { offloader } = await makeOffloader();
    const history = await readSample();
    const before = structuredClone(history);
    const { messages, report } = await offloader.offload(history);
    expect(history).toEqual(before);
    expect(report.totals.offloaded).toBeGreaterThan(5);
    expect(JSON.stringify(messages).length).toBeLessThan(JSON.stringify(history).length / 2);
    expect(await offloader.restore(messages)).toEqual(history);
  });

  it("restores in another process's workspace on the same folder", async () => {
    const { root, offloader } = await makeOffloader();
    const history = await readSample();
    const { messages } = await offloader.offload(history);
    const other = createOffloader({ workspace: createWorkspace({ root }), sessionId: "s1" });
    expect(await other.restore(structuredClone(messages))).toEqual(history);
  });

  it("tells beforehand what would be offloaded and what it would save, and writes nothing", async () => {
    const { root, offloader } = await makeOffloader();
    const history = await readSample();
    const plan = await offloader.estimate(history);
    expect(await listTree(root).catch(() => [])).toEqual([]);
    const { report } = await offloader.offload(history);
    expect(plan.totals).toEqual(report.totals);
    expect(plan.results.map(({ outcome, reference }) => [outcome, reference])).toEqual(
      report.results.map(({ outcome, reference }) => [outcome, reference]),
    );
  });

  it("tells whether it pays after what the tools and the prompt add to each request", async () => {
    const { offloader } = await makeOffloader();
    const long = await offloader.estimate(await readSample());
    expect(long.addedTokens).toBeGreaterThan(100);
    expect(long.addedTokens).toBeLessThanOrEqual(450);
    expect(long.netTokensSaved).toBe(long.totals.tokensSaved - long.addedTokens);
    expect(long.netTokensSaved).toBeGreaterThan(0);
    const short = await offloader.estimate([{ role: "user", content: "Hello" }]);
    expect(short.netTokensSaved).toBe(-short.addedTokens);
    const workspace = createWorkspace({ root: await makeTempFolder(), readBy: "path" });
    const byPath = createOffloader({ workspace, sessionId: "s1" });
    expect((await byPath.estimate(await readSample())).addedTokens).toBe(0);
  });

  it("refuses a history that is not an array, and stops when it is aborted", async () => {
    const { offloader, root } = await makeOffloader();
    expect(await rejectionOf(offloader.offload("no" as never))).toMatchObject({
      argument: "history",
    });
    const reason = new Error("called off");
    const signal = AbortSignal.abort(reason);
    await expect(offloader.offload(await readSample(), { signal })).rejects.toBe(reason);
    expect(await readdir(root).catch(() => [])).toEqual([]);
  });
});
