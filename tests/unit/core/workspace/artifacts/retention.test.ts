import { describe, expect, it } from "vitest";
import type { Retention } from "../../../../../src/index.js";
import {
  findExpired,
  requireRetention,
  RETENTION_NAMES,
} from "../../../../../src/core/workspace/artifacts/retention.js";
import { MemoryStore } from "../../../../../src/testing/index.js";
import { openMemoryWorkspace } from "../../../../support/memory-workspace.js";

const HOUR = 3_600_000;

/** The ids of what is expired of six artifacts: one an hour, in two sessions by turns. */
async function expiredOf(retention: Retention): Promise<string[]> {
  const store = new MemoryStore();
  let time = Date.parse("2026-01-01T00:00:00Z");
  const clock = { now: () => time };
  const workspace = openMemoryWorkspace({ store, clock });
  for (let at = 0; at < 6; at++) {
    const options = { toolCallId: `t${at}`, sessionId: at % 2 === 0 ? "even" : "odd" };
    await workspace.put({ content: "0123456789" }, options);
    time += HOUR;
  }
  return (await findExpired(store, retention, clock)).map(({ artifactId }) => artifactId);
}

describe("what is expired", () => {
  it.each<[Retention, string[]]>([
    [{ maxAgeMs: 4 * HOUR }, ["t0", "t1"]],
    [{ maxArtifacts: 4 }, ["t0", "t1"]],
    [{ maxBytes: 35 }, ["t0", "t1", "t2"]],
    [{ perSession: { maxArtifacts: 2 } }, ["t0", "t1"]],
    [{ maxArtifacts: 5, perSession: { maxArtifacts: 2 } }, ["t0", "t1"]],
    [{ maxArtifacts: 0, minAgeMs: 0 }, ["t0", "t1", "t2", "t3", "t4", "t5"]],
    // What was handed out within the hour may have been renewed ten minutes before.
    [{ maxArtifacts: 0 }, ["t0", "t1", "t2", "t3", "t4"]],
    [{ maxArtifacts: 0, minAgeMs: 4 * HOUR }, ["t0", "t1"]],
    [{ maxAgeMs: 10 * HOUR }, []],
  ])("with %j is %j, oldest first", async (retention, ids) => {
    expect(await expiredOf(retention)).toEqual(ids);
  });
});

describe("limits", () => {
  it.each([
    undefined,
    {},
    { maxAgeMs: -1 },
    { maxBytes: "1" },
    { perSession: {} },
    { minAgeMs: 1 },
    { maxBytes: 1, maxAge: 1 },
    { perSession: { maxBytes: 1, maxByte: 1 } },
  ])("are refused: %j", (given) => {
    expect(() => requireRetention("retention", given as Retention, RETENTION_NAMES)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }),
    );
  });

  it("are taken as they are", () => {
    const given = { perSession: { maxBytes: 1 } };
    expect(requireRetention<Retention>("retention", given, RETENTION_NAMES)).toBe(given);
  });
});
