import fc from "fast-check";
import { expect, it } from "vitest";
import type { Workspace } from "../../src/index.js";
import { runs } from "../support/adversarial-runs.js";
import { followAll } from "../support/follow-readings.js";
import { memoryWorkspaceOf } from "../support/memory-workspace.js";
import { rejectionOf } from "../support/rejection.js";
import { makeStore } from "../support/store-files.js";
import { hostileText, isInsidePair, splitLines } from "./generated-texts.js";

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const maxChars = fc.oneof(fc.integer({ min: 2, max: 40 }), fc.constantFrom(1_000, 1_000_000));

/** The units that a read must give: where it would cut a character, it begins or ends one earlier. */
function expected(text: string, startChar: number, endChar: number, max: number): [number, number] {
  const start = startChar - 1 - (isInsidePair(text, startChar - 1) ? 1 : 0);
  const limit = Math.min(endChar, text.length, start + max);
  return [start, limit - (isInsidePair(text, limit) ? 1 : 0)];
}

async function check(workspace: Workspace, text: string, from: number, to: number, max: number) {
  const options = { view: "raw" as const, maxChars: max };
  const range = { ...options, startChar: from, endChar: to };
  const first = await workspace.getKnowledgeById("a", range);
  const [start, end] = expected(text, from, to, max);
  // One character of two units that was asked for by halves comes whole.
  const isOnePair = end <= start;
  expect(first.text).toBe(text.slice(start, isOnePair ? start + 2 : end));
  expect(first.range).toMatchObject({ unit: "chars", from: start + 1, of: text.length });
  if ((to - from) / max > 500) return;
  const readings = await followAll(workspace, first, { maxChars: max });
  const all = readings.map((reading) => reading.text).join("");
  const [, last] = expected(text, from, to, Infinity);
  expect(all).toBe(text.slice(start, Math.max(last, start + (isOnePair ? 2 : 0))));
}

it("a range of characters is a slice of the string", async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, fraction, fraction, maxChars, async (text, x, y, max) => {
      const workspace = await memoryWorkspaceOf(text);
      if (text.length > 0) {
        const [low = 1, high = 1] = [Math.min(x, y), Math.max(x, y)].map((at) =>
          Math.min(text.length, 1 + Math.floor(at * text.length)),
        );
        await check(workspace, text, low, high, max);
        await check(workspace, text, low, low, max);
        await check(workspace, text, high, text.length + 9, max);
      }
      const past = { view: "raw" as const, startChar: text.length + 1, endChar: text.length + 1 };
      const error = await rejectionOf(workspace.getKnowledgeById("a", past));
      expect(error.code).toBe("OUT_OF_RANGE");
    }),
    { numRuns: runs(500) },
  );
});

it("columns of a line are a slice of that line", async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, fraction, fraction, maxChars, async (text, x, y, max) => {
      const lines = splitLines(text);
      const at = Math.min(lines.length - 1, Math.floor(x * lines.length));
      const line = lines[at] ?? "";
      if (line === "") return;
      const workspace = await memoryWorkspaceOf(text);
      const startChar = Math.min(line.length, 1 + Math.floor(y * line.length));
      const options = { view: "raw" as const, maxChars: max, startChar, endChar: line.length };
      const { text: read } = await workspace.getKnowledgeByLines("a", at + 1, at + 1, options);
      const [start, end] = expected(line, startChar, line.length, max);
      expect(read).toBe(line.slice(start, end <= start ? start + 2 : end));
    }),
    { numRuns: runs(200) },
  );
});

it("what is stored comes back exactly, whatever it is", async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (text) => {
      const { workspace } = await makeStore();
      const { record } = await workspace.put(
        { content: text },
        { sessionId: "default", toolCallId: "a" },
      );
      expect(await workspace.getOriginal("a")).toBe(text);
      expect(record.size).toMatchObject({ chars: text.length, lines: splitLines(text).length });
      await workspace.close();
    }),
    { numRuns: runs(100) },
  );
});
