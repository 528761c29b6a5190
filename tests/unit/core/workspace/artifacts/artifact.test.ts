import { describe, expect, it } from "vitest";
import {
  candidateIds,
  idOfContent,
  isIdFor,
} from "../../../../../src/core/workspace/artifacts/artifact.js";

const HASH = "0123456789abcdef".repeat(4);

describe("the ids that content may take", () => {
  it("the wanted one, then with a short hash, then with the whole hash", () => {
    expect(candidateIds("toolu_1", HASH)).toEqual([
      "toolu_1",
      "toolu_1-0123456789ab",
      `toolu_1-${HASH}`,
    ]);
  });

  it("without a wanted one, an id of the content", () => {
    expect(idOfContent(HASH)).toBe("unknown-0123456789abcdef");
    expect(candidateIds(undefined, HASH)[0]).toBe(idOfContent(HASH));
  });

  it.each(["toolu_1", "a-b", "a.b*c", "", undefined])(
    "all are known again as those of %j",
    (id) => {
      for (const candidate of candidateIds(id, HASH)) expect(isIdFor(candidate, id)).toBe(true);
    },
  );

  it.each([
    ["toolu_1", "toolu_2"],
    ["toolu_1-0123456789ab", "toolu_2"],
    ["toolu_1-0123456789a", "toolu_1"],
    ["toolu_1-0123456789abc", "toolu_1"],
    ["toolu_1-0123456789aX", "toolu_1"],
    ["toolu_10123456789ab", "toolu_1"],
    ["toolu_1-0123456789ab-0123456789ab", "toolu_1"],
    ["x-toolu_1", "toolu_1"],
    ["aXb", "a.b"],
    ["", "toolu_1"],
    ["toolu_1", undefined],
    ["unknown-0123", undefined],
    ["unknown-0123456789abcdef-0", undefined],
    ["unknown-0123456789abcdef-0123456789ab-0", undefined],
    ["x-unknown-0123456789abcdef", undefined],
  ])("%j is not one of %j", (artifactId, toolCallId) => {
    expect(isIdFor(artifactId, toolCallId)).toBe(false);
  });
});
