import { describe, expect, it } from "vitest";
import {
  byTool,
  everything,
  flagged,
  keepErrors,
} from "../../../../src/core/policies/by-result.js";
import { at, decide } from "../../../support/decide.js";

describe("everything", () => {
  it("offloads all, the empty one too", () => {
    expect(decide(everything, [at(1, 0), at(1, 1), at(1, 1000)])).toEqual([true, true, true]);
  });
});

describe("policies that look at one result alone", () => {
  it("byTool offloads or keeps by name and action", () => {
    const results = [
      at(1, 9, { toolName: "bash" }),
      at(1, 9, { toolName: "browser", actionName: "snapshot" }),
      at(1, 9, { toolName: "browser", actionName: "click" }),
      at(1, 9),
    ];
    expect(decide(byTool({ only: ["bash", "browser:snapshot"] }), results)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(decide(byTool({ never: ["browser"] }), results)).toEqual([true, false, false, true]);
    expect(decide(byTool({ only: ["browser"], never: ["browser:click"] }), results)).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect(() => byTool({})).toThrow("an object with only, never or both");
  });

  it("flagged and keepErrors look at the flags", () => {
    const results = [at(1, 9, { offloadFlag: true }), at(1, 9, { isError: true }), at(1, 9)];
    expect(decide(flagged, results)).toEqual([true, false, false]);
    expect(decide(keepErrors, results)).toEqual([true, false, true]);
  });
});
