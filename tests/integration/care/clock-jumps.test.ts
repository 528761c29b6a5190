import Database from "libsql";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createWorkspace, type WorkspaceEvent } from "../../../src/index.js";
import { sqliteStore } from "../../../src/stores.js";
import { makeTempFolder } from "../../support/temp-folder.js";

const DAY = 86_400_000;

/** As after a suspended machine, or when its clock is set: each look at it is so much later, or earlier. */
function jumpBy(ms: number): void {
  const real = Date.now;
  let passedMs = 0;
  vi.spyOn(Date, "now").mockImplementation(() => real() + (passedMs += ms));
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each([
  ["forwards", DAY],
  ["back", -DAY],
])("a clock that jumps %s", (_, ms) => {
  it("ends no search, and tells no wrong duration", async () => {
    const events: WorkspaceEvent[] = [];
    const logger = (event: WorkspaceEvent) => void events.push(event);
    const workspace = createWorkspace({ root: await makeTempFolder(), logger });
    const content = "line\n".repeat(1_000) + "needle";
    for (const toolCallId of ["a", "b"]) {
      await workspace.put({ content }, { toolCallId, sessionId: "s" });
    }
    jumpBy(ms);
    const limits = { sessionId: "s", deadlineMs: 600_000 };
    expect((await workspace.grepKnowledge("a", "needle", limits)).text).toContain("1001:needle");
    const { text } = await workspace.grepSession("needle", limits);
    expect(text).toContain("[a: 1 match]");
    expect(text).toContain("[b: 1 match]");
    for (const { duration_ms } of events) {
      expect(duration_ms).toBeGreaterThanOrEqual(0);
      expect(duration_ms).toBeLessThan(DAY / 2);
    }
    await workspace.close();
  });

  it("does not change how long a locked store is waited for", async () => {
    const path = join(await makeTempFolder(), "locked.db");
    const limits = { deadlineMs: 3_000, attemptMs: 3_000 };
    const client = new Database(path);
    const workspace = createWorkspace({ store: sqliteStore(client, limits), ledger: false });
    await workspace.put({ content: "first" }, { toolCallId: "a", sessionId: "s" });
    client.prepare("PRAGMA busy_timeout = 1").get();
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    jumpBy(ms);
    const putting = workspace.put({ content: "second" }, { toolCallId: "b", sessionId: "s" });
    setTimeout(() => other.exec("COMMIT"), 50);
    expect((await putting).record.artifactId).toBe("b");

    other.exec("BEGIN IMMEDIATE");
    const never = workspace.put({ content: "third" }, { toolCallId: "c", sessionId: "s" });
    await expect(never).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    other.exec("ROLLBACK");
  });
});

it("a clock that jumps forwards does not end the retention that runs by itself", async () => {
  const root = await makeTempFolder();
  const workspace = createWorkspace({ root, retention: { maxArtifacts: 2, minAgeMs: 0 } });
  jumpBy(DAY);
  for (const round of [1, 2, 3]) {
    for (let at = 0; at < 5; at++) {
      await workspace.put({ content: `${at}` }, { toolCallId: `${round}-${at}`, sessionId: "s" });
    }
    await vi.waitFor(async () => {
      expect((await workspace.queryArtifacts()).artifacts).toHaveLength(2);
    }, 30_000);
  }
  await workspace.close();
});
