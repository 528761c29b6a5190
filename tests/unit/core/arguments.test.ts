import { describe, expect, it } from "vitest";
import {
  requireArray,
  requireChoice,
  requireCount,
  requireNumber,
  requireObject,
  rejectMisspelled,
  requireStrings,
  requireText,
} from "../../../src/core/arguments.js";
import { InvalidArgumentError } from "../../../src/errors.js";

describe("argument checks", () => {
  it("return what is right", () => {
    const list = ["a"];
    expect(requireText("x", "a", "it names it")).toBe("a");
    expect(requireArray("x", list)).toBe(list);
    expect(requireObject("x", { a: 1 }, "an object")).toEqual({ a: 1 });
    expect(requireStrings("x", list)).toBe(list);
    expect(requireNumber("x", -1.5)).toBe(-1.5);
    expect(requireCount("x", 3, undefined)).toBe(3);
    expect(requireCount("x", undefined, 7)).toBe(7);
    requireChoice("x", undefined, ["a", "b"]);
    requireChoice("x", "b", ["a", "b"]);
    rejectMisspelled<object>({ root: "a", rot: undefined, dir: 1, toString: 1 }, { root: true });
  });

  it.each([
    [{ sesionId: "s" }, "`sessionId`"],
    [{ sessionID: "s" }, "`sessionId`"],
    [{ roots: 1 }, "`root`"],
  ])("refuse an option that is misspelled: %j", (options, message) => {
    const check = () => {
      rejectMisspelled<object>(options, { root: true, sessionId: true });
    };
    expect(check).toThrow(InvalidArgumentError);
    expect(check).toThrow(message);
  });

  it.each([
    [() => requireText("x", "", "it names it"), "x must be a non-empty string (it names it)"],
    [() => requireArray("x", "a"), "x must be an array of messages"],
    [() => requireObject("x", [], "an object"), "x must be an object"],
    [() => requireStrings("x", "a"), "x must be an array of strings"],
    [() => requireStrings("x", [1]), "x must be an array of strings"],
    [() => requireNumber("x", Number.NaN), "x must be a number"],
    [() => requireNumber("x", -1, 0), "x must be a number of at least 0"],
    [() => requireNumber("x", Infinity, 0), "x must be a number of at least 0"],
    [() => requireCount("x", 1.5, 7), "x must be a whole number of at least 1"],
    [() => requireCount("x", -1, 7, 0), "x must be a whole number of at least 0"],
    [() => requireCount("x", undefined, undefined), "x is required: a whole number of at least 1"],
    [() => requireCount("x", null as never, 7), "x must be a whole number of at least 1"],
    [
      () => {
        requireChoice("x", "c", ["a", "b"]);
      },
      'x must be "a" or "b"',
    ],
  ])("say what would be right (%#)", (check, message) => {
    expect(check).toThrow(InvalidArgumentError);
    expect(check).toThrow(message);
  });
});
