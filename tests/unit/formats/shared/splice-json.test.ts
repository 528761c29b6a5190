import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findRawJson,
  spliceJson,
  type JsonPath,
} from "../../../../src/formats/shared/line-splicer.js";
import { fill, Hole, oddWriters } from "../odd-json.js";

describe("splicing JSON", () => {
  it.each<[string, JsonPath, string]>([
    ['{"a":1}', ["a"], '{"a":X}'],
    [' { "a" : [ 1 , {"b":null} ,3]}\r', ["a", 1, "b"], ' { "a" : [ 1 , {"b":X} ,3]}\r'],
    ['{"a":1,"b":2,"a":3 }', ["a"], '{"a":1,"b":2,"a":X }'],
    ['{"a":{"c":1},"a":{"b":2}}', ["a", "b"], '{"a":{"c":1},"a":{"b":X}}'],
    ['{"\\u0061":true}', ["a"], '{"\\u0061":X}'],
    ['{"a\\"":"}","b":"\\\\"}', ["b"], '{"a\\"":"}","b":X}'],
    ['[[["]"]],-1.5e3]', [1], '[[["]"]],X]'],
    ["  true\n", [], "  X\n"],
  ])("in %s at %j", (text, path, expected) => {
    expect(spliceJson(text, path, "X")).toBe(expected);
    expect(spliceJson(expected.replace("X", '"a longer text"'), path, "X")).toBe(expected);
  });

  it.each<[string, JsonPath]>([
    ["{}", ["a"]],
    ["[]", [0]],
    ["[1,2]", [2]],
    ["[1]", ["0"]],
    ['{"0":1}', [0]],
    ['{"a":"b"}', ["a", "b"]],
    ['{"a":{"b":1},"a":{}}', ["a", "b"]],
  ])("finds in %s nothing at %j", (text, path) => {
    expect(findRawJson(text, path)).toBeUndefined();
    expect(() => spliceJson(text, path, "X")).toThrow("path must be the path of a value");
  });

  it.each(['{"a":[1', '{"a":"b', '{"a":', "{"])("ends on %s, which is not JSON", (text) => {
    const read = () => findRawJson(text, ["a"]);
    if (text === "{") expect(read()).toBeUndefined();
    else expect(read).toThrow("text must be JSON");
  });

  it("takes nesting that no stack would hold", () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    expect(spliceJson(`{"a":${deep},"b":1}`, ["b"], "2")).toBe(`{"a":${deep},"b":2}`);
    expect(findRawJson(`{"a":${deep}}`, ["a"])).toBe(deep);
  });

  it("is done with a long run of backslashes in time", () => {
    const run = "\\\\".repeat(300_000);
    expect(findRawJson(`{"a":"${run}\\"","b":0}`, ["b"])).toBe("0");
  });

  it("changes the value at the path and no other character", () => {
    const step = fc.oneof(
      fc.record({ key: fc.string(), beside: fc.dictionary(fc.string(), fc.jsonValue()) }),
      fc.record({ before: fc.array(fc.jsonValue()), after: fc.array(fc.jsonValue()) }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 5 }),
        fc.jsonValue(),
        oddWriters,
        (steps, value, write) => {
          let tree: unknown = new Hole("@@hole@@");
          const path: (string | number)[] = [];
          for (const each of steps) {
            if ("key" in each) {
              tree = Object.fromEntries([...Object.entries(each.beside), [each.key, tree]]);
              path.unshift(each.key);
            } else {
              tree = [...each.before, tree, ...each.after];
              path.unshift(each.before.length);
            }
          }
          const frame = write(tree);
          const raw = write(value).trim();
          const text = fill(frame, { "@@hole@@": raw });
          expect(findRawJson(text, path)).toBe(raw);
          const spliced = spliceJson(text, path, '"new"');
          expect(spliced).toBe(fill(frame, { "@@hole@@": '"new"' }));
          expect(spliceJson(spliced, path, raw)).toBe(text);
        },
      ),
    );
  });
});
