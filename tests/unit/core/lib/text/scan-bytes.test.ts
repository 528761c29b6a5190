import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanBytes } from "../../../../../src/core/lib/text/text-index.js";
import { encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";
import { anyText } from "./texts.js";

/** The bytes at another place in memory, so that the words begin elsewhere. */
function shifted(bytes: Uint8Array, by: number): Uint8Array {
  const room = new Uint8Array(bytes.length + by + 4).fill(0x0a);
  room.set(bytes, by);
  return room.subarray(by, by + bytes.length);
}

describe("scanBytes", () => {
  it("counts units and line breaks of any text, wherever it lies in memory", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 3 }), (text, by) => {
        expect(scanBytes(shifted(encodeWtf8(text), by))).toEqual({
          chars: text.length,
          breaks: text.split("\n").length - 1,
        });
      }),
    );
  });

  it("does not spill from one lane into the next", () => {
    for (const unit of ["\n", "a", "é", "漢", "😀", "x\n"]) {
      const text = unit.repeat(5_000);
      const breaks = text.split("\n").length - 1;
      expect(scanBytes(encodeWtf8(text))).toEqual({ chars: text.length, breaks });
    }
  });

  it("counts every byte value as the definition says", () => {
    for (let byte = 0; byte < 256; byte++) {
      const chars = byte >= 0xf0 ? 2 : byte >= 0x80 && byte < 0xc0 ? 0 : 1;
      const expected = { chars: chars * 8, breaks: byte === 0x0a ? 8 : 0 };
      expect(scanBytes(new Uint8Array(8).fill(byte))).toEqual(expected);
    }
  });
});
