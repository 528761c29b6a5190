import { describe, expect, it } from "vitest";
import { nearestNames } from "../../../../../src/core/lib/text/nearest-names.js";

describe("the nearest names", () => {
  it("come most alike first, as many as asked for", () => {
    const ids = ["toolu_99", "call_1", "toolu_12", "toolu_1", "other"];
    expect(nearestNames("toolu_2", ids, 3)).toEqual(["toolu_1", "toolu_12", "toolu_99"]);
    expect(nearestNames("toolu_2", ids, 10)).toHaveLength(5);
    expect(nearestNames("toolu_2", ids, 0)).toEqual([]);
    expect(nearestNames("toolu_2", [], 5)).toEqual([]);
  });

  it.each([
    ["a letter changed", "toolx_abc"],
    ["a letter missing", "tool_abc"],
    ["a letter too many", "tooluu_abc"],
    ["two letters in the wrong order", "tolou_abc"],
    ["the suffix left out", "toolu_ab"],
  ])("find what was meant: %s", (_, asked) => {
    const ids = ["call_9876", "toolu_xyz", "toolu_abc", "fetch:page", "browser"];
    expect(nearestNames(asked, ids, 1)).toEqual(["toolu_abc"]);
  });

  it("do not mind upper and lower case", () => {
    expect(nearestNames("ABC", ["aab", "abc"], 1)).toEqual(["abc"]);
    expect(nearestNames("abc", ["AAB", "ABC"], 1)).toEqual(["ABC"]);
  });

  it("come in the same order, however they were listed", () => {
    const ids = ["b1", "a1", "c1"];
    expect(nearestNames("x1", ids, 3)).toEqual(["a1", "b1", "c1"]);
    expect(nearestNames("x1", [...ids].reverse(), 3)).toEqual(["a1", "b1", "c1"]);
  });

  it("are looked for among the latest only, and by the first characters only", () => {
    const many = ["exact", ...Array.from({ length: 2_000 }, (_, at) => `id-${at}`)];
    expect(nearestNames("exact", many, 1)).not.toEqual(["exact"]);
    const long = "x".repeat(100_000);
    expect(nearestNames(long, [long, "y"], 2)).toEqual([long, "y"]);
    expect(nearestNames("", ["ab", "a"], 2)).toEqual(["a", "ab"]);
  });
});
