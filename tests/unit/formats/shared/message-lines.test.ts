import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FORMATS } from "../../../../src/formats/formats.js";
import {
  mcpFormat,
  openaiChatFormat,
  type JsonPath,
  messageLines,
} from "../../../../src/formats/index.js";
import {
  findChange,
  findRawJson,
  spliceJson,
} from "../../../../src/formats/shared/line-splicer.js";
import { valueAt } from "../../../../src/formats/shared/message-parts.js";
import { FIXTURES } from "../../../conformance/fixtures.js";
import { anyString } from "../../../support/any-string.js";
import { fill, Hole, oddWriters } from "../odd-json.js";
import { offloadAndRestore, readMessage } from "../offload-and-restore.js";

const format = messageLines(openaiChatFormat);
const answer = { role: "tool", tool_call_id: "c1", content: "two files" };
const line = JSON.stringify(answer);
describe("messages of a format, one per line", () => {
  it("exist for every format of messages, and are named after it", () => {
    const names = FORMATS.map(({ name }) => name as string);
    for (const name of names) {
      if (name.endsWith("-jsonl")) expect(names).not.toContain(`${name}-jsonl`);
      else expect(names).toContain(`${name}-jsonl`);
    }
  });

  it("replace a result in the text of its line", () => {
    const { offloaded, restored } = offloadAndRestore(format, line);
    expect(offloaded).toBe(line.replace("two files", "reference 0"));
    expect(restored).toBe(line);
  });

  it.each(["", "\n", "broken", "[]", "null", '"text"'])("have no result in %j", (text) => {
    expect(readMessage(format, text).results).toEqual([]);
    expect(format.replace(text, [{ slot: 0, text: "x" }], { media: "keep" })).toBe(text);
    expect(format.restore(text, [{ slot: 0, content: "x", wrapping: undefined }])).toBe(text);
  });

  it("are told by their lines; broken ones do not count", () => {
    expect(format.mismatch([])).toBeUndefined();
    expect(format.mismatch([line, "broken\n", "", `${line}\n`])).toBeUndefined();
    expect(format.mismatch(["broken"])).toBe("0 of the first 1 lines are JSON objects");
    expect(format.mismatch([answer])).toBe("message 0 is not a line of text");
    const late = [...Array.from({ length: 100 }, () => line), '{"role":"narrator"}'];
    expect(format.mismatch(late)).toBe('message 100 has the role "narrator"');
  });

  it("restore every byte, however the JSON was written", () => {
    const blocks = fc.array(
      fc.record({ type: fc.constantFrom("text", "file"), text: fc.string() }),
    );
    fc.assert(
      fc.property(
        fc.oneof(anyString(), blocks),
        fc.jsonValue(),
        oddWriters,
        fc.constantFrom("", "\r\n", "\n"),
        (content, unknown, write, lineEnd) => {
          const text = write({ unknown, ...answer, content, more: unknown }) + lineEnd;
          expect(offloadAndRestore(format, text).restored).toBe(text);
        },
      ),
    );
    const hole = new Hole("@@hole@@");
    fc.assert(
      fc.property(anyString(), oddWriters, (content, write) => {
        const frame = write({ ...answer, content: hole });
        const text = fill(frame, { "@@hole@@": write(content).trim() });
        const { offloaded } = offloadAndRestore(format, text);
        expect(offloaded).toBe(fill(frame, { "@@hole@@": '"reference 0"' }));
      }),
    );
  });

  it("restore what a format keeps beside the content, and every byte of it", () => {
    const lines = messageLines(mcpFormat);
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), oddWriters, (...all) => {
        const [text, structuredContent, write] = all;
        const content = [{ type: "text", text }];
        const before = write({ _meta: 1, structuredContent, isError: true, content });
        expect(offloadAndRestore(lines, before).restored).toBe(before);
      }),
    );
  });

  it.each(FIXTURES.filter(({ format: { name } }) => name.endsWith("-jsonl")))(
    "restore media that was offloaded too: $name",
    ({ format: lines, build }) => {
      const results = [{ id: "a", toolName: "x", input: {}, text: "words", isError: true }];
      for (const message of build([{ say: "Look.", results }])) {
        expect(offloadAndRestore(lines, message, "offload").restored).toBe(message);
      }
    },
  );
});

describe("where two JSON values differ", () => {
  it.each<[string, unknown, unknown, unknown]>([
    ["nothing", { a: [1] }, { a: [1] }, undefined],
    ["a value deep inside", { a: [1, { b: "x" }] }, { a: [1, { b: "y" }] }, ["a", 1, "b"]],
    ["two values", { a: { b: 1, c: 2 } }, { a: { b: 2, c: 1 } }, ["a"]],
    ["a missing key", { a: { b: 1, c: 2 } }, { a: { b: 1 } }, ["a"]],
    ["another order of keys", { a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, ["a"]],
    ["another length", { a: [1] }, { a: [1, 2] }, ["a"]],
    ["another type", { a: [1] }, { a: { 0: 1 } }, ["a"]],
    ["everything", 1, "1", []],
  ])("%s", (_what, before, after, path) => {
    expect(findChange(before, after)).toEqual(path);
    expect(findChange(after, before)).toEqual(path);
  });

  it("holds every difference, whatever the values", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const before = { same: left, other: [left, { deep: left }] };
        const after = { same: left, other: [left, { deep: right }] };
        const path = findChange(before, after);
        expect((path ?? []).slice(0, 3)).toEqual(path ? ["other", 1, "deep"] : []);
        const isSame = JSON.stringify(after) === JSON.stringify(before);
        expect(path === undefined).toBe(isSame);
        if (path) {
          const differ =
            JSON.stringify(valueAt(after, path)) !== JSON.stringify(valueAt(before, path));
          expect(differ).toBe(true);
        }
      }),
    );
  });
});

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
