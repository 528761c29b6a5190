import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatPointer,
  indexOfToken,
  parsePointer,
} from "../../../../../src/core/lib/json/json-pointer.js";
import { ArgumentError } from "../../../../../src/core/lib/text/text-range.js";
import { anyString } from "../../../../support/any-string.js";

describe("parsePointer", () => {
  it.each([
    ["", []],
    ["/", [""]],
    ["/a/b/", ["a", "b", ""]],
    ["//", ["", ""]],
    ["/a~1b/0", ["a/b", "0"]],
    ["/m~0n", ["m~n"]],
    ["/~01", ["~1"]],
    ["/a.b[0]", ["a.b[0]"]],
    ["/ ", [" "]],
    ["/$", ["$"]],
    ["#", []],
    ["#/", [""]],
    ["#/a%20b/%C3%A9", ["a b", "é"]],
    ["$", []],
    ["$.a.b[0]", ["a", "b", "0"]],
    ["$[0][1].x", ["0", "1", "x"]],
    ["$['a b'].c", ["a b", "c"]],
    ['a["b.c"]', ["a", "b.c"]],
    ['a["\\x"]', ["a", "x"]],
    ["a['it\\'s']", ["a", "it's"]],
    ["a.b[0]", ["a", "b", "0"]],
    [".a.b", ["a", "b"]],
    [".", []],
    ["[2].name", ["2", "name"]],
    ["items", ["items"]],
    ["$ref", ["$ref"]],
    ["content-type", ["content-type"]],
    ["a b.c d", ["a b", "c d"]],
  ])("%j names %j", (text, tokens) => {
    expect(parsePointer(text)).toEqual(tokens);
  });

  it.each([
    "/a~2",
    "/a~",
    "#/%zz",
    "$..a",
    "a.",
    "a[",
    "a[*]",
    "$.*",
    "a[-1]",
    "a[0]b",
    "a]",
    "a[x]",
  ])("refuses %j with what would be right", (text) => {
    expect(() => parsePointer(text, "fields[1]")).toThrow(ArgumentError);
    expect(() => parsePointer(text, "fields[1]")).toThrow(
      /^fields\[1\] must be a JSON pointer such as "\/items\/0\/name"/,
    );
  });

  it("reads what formatPointer writes", () => {
    fc.assert(
      fc.property(fc.array(anyString()), (tokens) => {
        expect(parsePointer(formatPointer(tokens))).toEqual(tokens);
      }),
    );
  });

  it("takes no leading zero, sign, dash or word for an index", () => {
    expect(["0", "7", "10"].map(indexOfToken)).toEqual([0, 7, 10]);
    for (const token of ["", "-", "01", "-1", "+1", "1.0", "1e2", " 1", "a", "9".repeat(17)]) {
      expect(indexOfToken(token)).toBeUndefined();
    }
  });
});
