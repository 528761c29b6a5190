import { describe, expect, it } from "vitest";
import { readThreshold } from "../../../../src/core/policies/by-size.js";

const read = (given: unknown, text?: string) =>
  readThreshold({
    option: "ratioThreshold",
    given: given as number | undefined,
    variable: "OFFLOAD_RATIO_THRESHOLD",
    environment: { OFFLOAD_RATIO_THRESHOLD: text },
    fallback: 0.2,
  });

describe("a threshold", () => {
  it("is the option, else the environment, else the default", () => {
    expect(read(0.5, "0.7")).toBe(0.5);
    expect(read(undefined, "0.7")).toBe(0.7);
    expect(read(undefined, undefined)).toBe(0.2);
    expect(read(undefined, "")).toBe(0.2);
    expect(read(undefined, "  ")).toBe(0.2);
    expect(read(0, "abc")).toBe(0);
  });

  it.each([
    ["0", 0],
    ["1", 1],
    [" .25 ", 0.25],
    ["-3", -3],
    ["+2.", 2],
    ["1e3", 1000],
  ])("reads the plain number %j", (text, value) => {
    expect(read(undefined, text)).toBe(value);
  });

  it.each(["20%", "abc", "0x10", "Infinity", "NaN", "1,5", "0.2.1", "1 2"])(
    "refuses %j and says what would be right",
    (text) => {
      expect(() => read(undefined, text)).toThrow(
        expect.objectContaining({
          code: "INVALID_ENVIRONMENT",
          variable: "OFFLOAD_RATIO_THRESHOLD",
          received: text,
          message: expect.stringContaining("must be a plain number such as 0.2") as string,
        }),
      );
    },
  );

  it.each([Number.NaN, "0.2", null])("refuses the option %j", (given) => {
    expect(() => read(given)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", argument: "ratioThreshold" }),
    );
  });
});
