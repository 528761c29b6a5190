import { expect, it } from "vitest";
import { ContentMemory, LocatedResult } from "../../../../src/core/offloader/turn-memory.js";
import { toolResult } from "../../../support/tool-results.js";
import { sha256 } from "../../../../src/infrastructure/hash.js";

it("forgets the content that was not used for longest, and counts it again", () => {
  let counted = 0;
  const memory = new ContentMemory(sha256, () => ++counted);
  const count = (content: string) =>
    new LocatedResult(toolResult(content), 0, undefined, memory).tokens;
  const first = count("first");
  for (let at = 0; at < 4_000; at++) count(`content ${at}`);
  expect(count("first")).toBe(first);
  for (let at = 0; at < 4_096; at++) count(`other ${at}`);
  expect(count("first")).not.toBe(first);
});
