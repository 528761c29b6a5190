import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { makeStore } from "../support/store-files.js";

it("a cache that is deleted while it is searched and read changes no answer", async () => {
  const { workspace } = await makeStore();
  const items = Array.from({ length: 60_000 }, (_, i) => ({ i, v: "xxxxxxxxxxxx" }));
  const { record } = await workspace.put({ content: items }, { toolCallId: "a", sessionId: "s" });
  const cache = join(dirname(record.location), ".cache");
  const done = new AbortController();
  const deleting = (async () => {
    while (!done.signal.aborted)
      await rm(cache, { recursive: true, force: true }).catch(() => undefined);
  })();
  try {
    for (let round = 0; round < 2; round++) {
      const [found, read, queried] = await Promise.all([
        workspace.grepKnowledge("a", '"i": 59999', { deadlineMs: 30_000 }),
        workspace.getKnowledgeByLines("a", 1, 3),
        workspace.queryKnowledge("a", { pointer: "/59999/i" }),
      ]);
      expect(found.range.of).toBe(1);
      expect(read.range.to).toBe(3);
      expect(queried.text).toBe("59999");
    }
  } finally {
    done.abort();
    await deleting;
  }
});
