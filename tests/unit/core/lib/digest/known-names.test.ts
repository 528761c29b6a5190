import { describe, expect, it } from "vitest";
import { KnownNames } from "../../../../../src/core/lib/digest/known-names.js";

describe("known names", () => {
  it("are known after the text that has them first, not in it", () => {
    const names = new KnownNames();
    names.add(["call parseOrder in src/orders/parse.ts"]);
    names.add(["parseOrder and formatTotal"]);
    expect(names.hasBefore(0, "parseOrder")).toBe(false);
    expect(names.hasBefore(1, "parseOrder")).toBe(true);
    expect(names.hasBefore(1, "src/orders/parse.ts")).toBe(true);
    expect(names.hasBefore(1, "formatTotal")).toBe(false);
    expect(names.hasBefore(2, "formatTotal")).toBe(true);
    expect(names.hasBefore(2, "parseCart")).toBe(false);
  });

  it("are as if a text that was cut had never been there", () => {
    const names = new KnownNames();
    names.add(["parseOrder"]);
    names.add(["parseOrder formatTotal"]);
    names.cut(1);
    names.add(["readCart"]);
    expect(names.length).toBe(2);
    expect(
      ["parseOrder", "formatTotal", "readCart"].map((name) => names.hasBefore(2, name)),
    ).toEqual([true, false, true]);
  });

  it("are not more than a bounded number, the first ones", () => {
    const names = new KnownNames();
    const textOf = (part: number) =>
      Array.from({ length: 2_000 }, (_, index) => `name_${part}_${index}`).join("\n");
    for (let part = 0; part < 40; part += 1) names.add([textOf(part)]);
    const known = [0, 20, 39].map((part) => names.hasBefore(40, `name_${part}_7`));
    expect(known).toEqual([true, true, false]);
  });
});
