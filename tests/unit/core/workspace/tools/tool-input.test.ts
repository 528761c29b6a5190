import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolInput } from "../../../../../src/core/workspace/tools/reading-tools.js";

const inputOf = (value: unknown) => new ToolInput({ p: value }, ["p"]);

describe("the input of a tool call", () => {
  it("is taken in the type that was meant, whether it came as that or as text", () => {
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), (count, flag) => {
        expect(inputOf(count).count("p")).toBe(count);
        expect(inputOf(` ${count} `).count("p")).toBe(count);
        expect(inputOf(count).text("p")).toBe(String(count));
        expect(inputOf(flag).flag("p")).toBe(flag);
        expect(inputOf(String(flag)).flag("p")).toBe(flag);
      }),
    );
  });

  it("takes a list as such, or separated by commas", () => {
    const name = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), (names) => {
        expect(inputOf(names).list("p")).toEqual(names);
        expect(inputOf(names.join(", ")).list("p")).toEqual(names);
      }),
    );
  });

  it.each([[null], [""], [undefined]])("takes %j for a parameter that is missing", (value) => {
    const input = inputOf(value);
    expect(input.text("p")).toBeUndefined();
    expect(input.count("p")).toBeUndefined();
    expect(input.flag("p")).toBeUndefined();
    expect(input.list("p")).toBeUndefined();
    expect(input.choice("p", ["a"])).toBeUndefined();
    for (const read of [() => input.requiredText("p"), () => input.requiredCount("p")]) {
      expect(read).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT", argument: "p" }));
    }
  });

  it("gives what is right or names what is wrong, whatever came", () => {
    const isRight = {
      text: (value: unknown) => typeof value === "string",
      count: (value: unknown) => typeof value === "number",
      flag: (value: unknown) => typeof value === "boolean",
      list: (value: unknown) => Array.isArray(value) && value.every((x) => typeof x === "string"),
    };
    const verb = fc.constantFrom(...(Object.keys(isRight) as (keyof typeof isRight)[]));
    fc.assert(
      fc.property(verb, fc.anything(), (name, value) => {
        try {
          const read = inputOf(value)[name]("p");
          expect(read === undefined || isRight[name](read)).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "p" });
        }
      }),
    );
  });

  it.each([
    ["count", "1.5"],
    ["count", "ten"],
    ["flag", "yes"],
    ["flag", 1],
    ["text", true],
    ["list", "a,,b"],
    ["list", [1]],
  ] as const)("refuses as %s what is not clear: %j", (name, value) => {
    expect(() => inputOf(value)[name]("p")).toThrow(/^p must be .*, but it is /);
  });

  it("takes one of the choices alone", () => {
    expect(inputOf("raw").choice("p", ["readable", "raw"])).toBe("raw");
    expect(() => inputOf("RAW").choice("p", ["readable", "raw"])).toThrow("readable, raw");
  });

  it.each(["text", 7, true, ["a"]])("is refused when it is not an object: %j", (input) => {
    expect(() => new ToolInput(input, [])).toThrow(/^input must be an object/);
  });

  it("may be missing as a whole; what the tool does not take is ignored, and named", () => {
    expect(new ToolInput(undefined, ["p"]).text("p")).toBeUndefined();
    expect(new ToolInput(null, ["p"]).text("p")).toBeUndefined();
    const input = new ToolInput({ q: 1, p: "x" }, ["p", "r"]);
    expect(input.ignored).toEqual(["q"]);
    expect(input.text("p")).toBe("x");
    expect(input.text("toString")).toBeUndefined();
  });

  it("may be JSON, and so may a list", () => {
    expect(new ToolInput('{"p": 7}', ["p"]).count("p")).toBe(7);
    expect(() => new ToolInput('["p"]', ["p"])).toThrow(/^input must be an object/);
    expect(inputOf('["a", "b,c"]').list("p")).toEqual(["a", "b,c"]);
  });

  it("shows a value as it was given", () => {
    expect(() => inputOf("").requiredText("p")).toThrow("but it is empty.");
    expect(() => inputOf(null).requiredText("p")).toThrow("but it is null.");
    expect(() => inputOf("abc").count("p")).toThrow('"abc"');
  });
});
