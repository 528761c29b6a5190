import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskVarying } from "../../../../../src/core/lib/digest/mask-varying.js";

/** The same by expressions. */
function byExpressions(line: string): string {
  return line.replace(/[\w-]+|\[[^[\]]{0,100}\]/g, (word) =>
    word.startsWith("[") || /\d/.test(word) || /^[0-9a-f]{8,}$/i.test(word) ? "#" : word,
  );
}

describe("masking what varies", () => {
  it.each([
    ["2026-02-02T02:40:00.444Z WARN checkout-2 took 524 ms", "#:#:#.# WARN # took # ms"],
    ["deadbeef and dead and test[a b] é[x", "# and dead and test# é[x"],
  ])("%s", (line, masked) => {
    expect(maskVarying(line)).toBe(masked);
  });

  it("is what expressions would do", () => {
    const part = fc.oneof(
      fc.constantFrom("[", "]", " ", "abc", "cafebabe", "CAFEBABE", "-", "_", "7", "é", ": "),
      fc.constantFrom("x".repeat(100), "y".repeat(101)),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const line = parts.join("");
        expect(maskVarying(line)).toBe(byExpressions(line));
      }),
      { numRuns: 2_000 },
    );
  });
});
