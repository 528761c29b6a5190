import fc from "fast-check";
import { expect, it } from "vitest";
import type { Reading, Workspace } from "../../src/index.js";
import { runs } from "../support/adversarial-runs.js";
import { followAll, joinReadings } from "../support/follow-readings.js";
import { memoryWorkspaceOf } from "../support/memory-workspace.js";
import { rejectionOf } from "../support/rejection.js";
import { makeStore } from "../support/store-files.js";
import { hostileText, splitLines } from "./generated-texts.js";

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const maxChars = fc.oneof(
  fc.integer({ min: 2, max: 40 }),
  fc.constantFrom(1_000, 65_536, 1_000_000),
);

/** Reads these lines, follows every next call, and compares with a split of the text. */
async function check(workspace: Workspace, lines: string[], from: number, to: number, max: number) {
  const options = { view: "raw" as const, maxChars: max };
  const first = await workspace.getKnowledgeByLines("a", from, to, options);
  // A line of 65,536 characters is not worth 32,768 reads.
  const asked = lines.slice(from - 1, to).join("\n");
  expectStart(first, asked, max);
  if (asked.length / max > 500) return;
  const readings = await followAll(workspace, first, { maxChars: max });
  for (const reading of readings) expect(reading.text.length).toBeLessThanOrEqual(max);
  expect(joinReadings(readings)).toBe(asked);
}

function expectStart({ text, range, leftOut, next }: Reading, asked: string, max: number): void {
  expect(asked.startsWith(text)).toBe(true);
  expect(range.unit).toBe("lines");
  if (asked.length <= max) expect({ text, leftOut, next }).toMatchObject({ text: asked });
  expect(next === undefined).toBe(text.length === asked.length);
  expect(leftOut === undefined).toBe(next === undefined);
}

const open = {
  "in memory": memoryWorkspaceOf,
  "on disk": async (content: string) => {
    const { workspace } = await makeStore();
    await workspace.put({ content }, { sessionId: "default", toolCallId: "a" });
    return workspace;
  },
};

it.each([
  ["in memory", 500],
  ["on disk", 100],
] as const)("lines are those of a plain split, %s", async (where, inCi) => {
  await fc.assert(
    fc.asyncProperty(hostileText, fraction, fraction, maxChars, async (text, x, y, max) => {
      const lines = splitLines(text);
      const workspace = await open[where](text);
      const { of } = (await workspace.getKnowledgeById("a", { view: "raw" })).range;
      expect(of).toBe(lines.length);
      if (lines.length > 0) {
        const [low, high] = [Math.min(x, y), Math.max(x, y)].map((at) =>
          Math.min(lines.length, 1 + Math.floor(at * lines.length)),
        );
        await check(workspace, lines, low ?? 1, high ?? 1, max);
        await check(workspace, lines, lines.length, lines.length + 7, max);
      }
      const past = workspace.getKnowledgeByLines("a", lines.length + 1, lines.length + 2, {
        view: "raw",
      });
      expect((await rejectionOf(past)).code).toBe("OUT_OF_RANGE");
      await workspace.close();
    }),
    { numRuns: runs(inCi) },
  );
});
