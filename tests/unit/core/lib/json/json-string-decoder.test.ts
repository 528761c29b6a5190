import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeJsonString } from "../../../../../src/core/lib/json/json-string.js";
import { type ByteSource, collectPieces } from "../../../../../src/core/lib/text/byte-source.js";
import { decodeWtf8, encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";
import { anyString } from "../../../../support/any-string.js";

const PIECE = 1_048_576;

/** Decodes a JSON string that is cut in two before the given byte of it. */
async function decode(json: string, cut: number): Promise<string> {
  const bytes = encodeWtf8(json);
  const inside = bytes.subarray(1, -1);
  // Pieces have a fixed length, so the first one is filled up with what stands for itself.
  const filled = PIECE - Math.min(cut, inside.length);
  const size = filled + inside.length;
  const source: ByteSource = {
    size,
    read: (start, end) => {
      const part = new Uint8Array(Math.min(end, size) - start).fill(0x2e);
      part.set(
        inside.subarray(Math.max(start - filled, 0), Math.max(end - filled, 0)),
        Math.max(filled - start, 0),
      );
      return Promise.resolve(part);
    },
  };
  const decoded = await collectPieces(decodeJsonString(source, { start: 0, end: size }));
  return decodeWtf8(decoded.subarray(filled));
}

describe("a JSON string decoded as a stream", () => {
  const spelled =
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u00e9\\u4e2d\\uD83D\\ude00 é中😀 \\ud83d \\ude00"';

  it("is what JSON.parse says, wherever it is cut", async () => {
    const expected = JSON.parse(spelled) as string;
    for (let cut = 0; cut < encodeWtf8(spelled).length; cut += 1) {
      expect(await decode(spelled, cut)).toBe(expected);
    }
  });

  it.each(['"\\ud83d"', '"\\ud83d\\n"', '"\\ud83d\\ud83d\\ude00"', '"\\ud83dx"', '""'])(
    "%s keeps every lone surrogate",
    async (json) => {
      for (let cut = 0; cut <= json.length; cut += 1) {
        expect(await decode(json, cut)).toBe(JSON.parse(json));
      }
    },
  );

  it("gives back any text", async () => {
    const text = anyString();
    await fc.assert(
      fc.asyncProperty(text, fc.nat(40), async (value, cut) => {
        expect(await decode(JSON.stringify(value), cut)).toBe(value);
      }),
      { numRuns: 30 },
    );
  });
});
