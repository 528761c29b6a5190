import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createJsonIndenter } from "../../../../../src/core/lib/json/json-indenter.js";
import { JsonSyntaxError } from "../../../../../src/core/lib/json/json-walker.js";
import { decodeWtf8, encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";

/** Hands the bytes over in pieces of the given lengths, then the rest. */
function indentBytes(bytes: Uint8Array, lengths: readonly number[] = []): string {
  const indenter = createJsonIndenter();
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const length of [...lengths, bytes.length]) {
    parts.push(indenter.push(bytes.subarray(at, at + length)));
    at = Math.min(bytes.length, at + length);
  }
  parts.push(indenter.end());
  return decodeWtf8(Buffer.concat(parts));
}

const indent = (text: string, lengths?: readonly number[]): string =>
  indentBytes(encodeWtf8(text), lengths);

function syntaxErrorOf(text: string | Uint8Array, lengths?: readonly number[]): JsonSyntaxError {
  try {
    indentBytes(typeof text === "string" ? encodeWtf8(text) : text, lengths);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error("it was taken for JSON");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const chunking = fc.array(fc.nat({ max: 9 }), { maxLength: 60 });

describe("createJsonIndenter", () => {
  it("lays a value out as JSON.stringify does, however it is cut", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 4, "\t"), chunking, (value, by, cuts) => {
        // By way of the text: -0 becomes 0 there.
        const text = JSON.stringify(value, null, by);
        expect(indent(text, cuts)).toBe(JSON.stringify(JSON.parse(text), null, 2));
      }),
      { numRuns: 400 },
    );
  });

  it("refuses just what JSON.parse refuses", () => {
    const edit = fc.record({
      at: fc.nat(),
      drop: fc.nat({ max: 2 }),
      put: fc.constantFrom(
        ...Array.from('{}[],:"\\u0019.-+eEtfn /\n\t\u0001é'),
        "",
        "true",
        "NaN",
        "\ufffd",
      ),
    });
    let refused = 0;
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 3 }),
        fc.array(edit, { minLength: 1, maxLength: 2 }),
        chunking,
        (json, edits, cuts) => {
          let text = json;
          for (const { at, drop, put } of edits) {
            const index = at % (text.length + 1);
            text = text.slice(0, index) + put + text.slice(index + drop);
          }
          if (isJson(text)) {
            const again: unknown = JSON.parse(indent(text, cuts));
            expect(again).toEqual(JSON.parse(text));
          } else {
            refused += 1;
            const { offset } = syntaxErrorOf(text, cuts);
            expect(offset).toBeLessThanOrEqual(encodeWtf8(text).length);
          }
        },
      ),
      { numRuns: 3000 },
    );
    expect(refused).toBeGreaterThan(300);
  });

  it("never re-encodes a number or a string", () => {
    const text = '[\n  1.0,\n  1e5,\n  -0,\n  123456789012345678901,\n  "\\u0041\\/\\ud800"\n]';
    expect(indent('[1.0,1e5,-0,123456789012345678901,"\\u0041\\/\\ud800"]')).toBe(text);
  });

  it("keeps a lone surrogate in WTF-8, and copies long strings", () => {
    const long = `"\ud800${"é漢😀 ".repeat(5000)}"`;
    expect(indent(`{"k":${long}}`)).toBe(`{\n  "k": ${long}\n}`);
  });

  it("drops a byte order mark, in whatever pieces it comes, and takes no half of one", () => {
    expect(indent("\ufeff[1]")).toBe("[\n  1\n]");
    expect(indent("\ufeff[1]", [1, 0, 1, 1])).toBe("[\n  1\n]");
    expect(syntaxErrorOf(Uint8Array.of(0xef, 0xbb, 0x31)).offset).toBe(2);
    expect(syntaxErrorOf(" \ufeff1").offset).toBe(1);
    expect(syntaxErrorOf(Uint8Array.of(0xef, 0xbb)).offset).toBe(2);
  });

  it.each([
    ["", 0],
    ["  ", 2],
    ["[1", 2],
    ['{"a":1,}', 7],
    ["[1,]", 3],
    ["[1}", 2],
    ['{"a" 1}', 5],
    ["{1:2}", 1],
    ["01", 1],
    ["1.", 2],
    ["-", 1],
    ["1e+", 3],
    ["[1.]", 3],
    ["truex", 4],
    ["tru", 3],
    ["NaN", 0],
    ["1 2", 2],
    ["{} ]", 3],
    ['"a', 2],
    ['"a\nb"', 2],
    ['"\\x"', 2],
    ['"\\u12g4"', 5],
    ["]", 0],
    [":", 0],
    [",", 0],
  ])("says where %j goes wrong: byte %i", (text, offset) => {
    expect(syntaxErrorOf(text).offset).toBe(offset);
    expect(
      syntaxErrorOf(
        text,
        Array.from(text, () => 1),
      ).offset,
    ).toBe(offset);
  });

  it("goes 512 levels deep and no deeper, at once", () => {
    const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    expect(indent(deep(512))).toBe(JSON.stringify(JSON.parse(deep(512)), null, 2));
    const error = syntaxErrorOf("[".repeat(1_000_000));
    expect(error).toMatchObject({ offset: 512, isTooDeep: true });
    expect(error.message).toBe("nested deeper than 512 at byte 512");
    expect(syntaxErrorOf('{"a":'.repeat(1_000_000)).isTooDeep).toBe(true);
  });
});
