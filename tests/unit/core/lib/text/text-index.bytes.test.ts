import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeTextIndex, encodeTextIndex } from "../../../../../src/core/lib/text/text-index.js";
import { anyText, indexed, tinyDistance } from "./texts.js";

describe("an encoded index", () => {
  it("comes back as it was, from any place in memory", () => {
    fc.assert(
      fc.property(anyText, tinyDistance, fc.integer({ min: 0, max: 7 }), (text, distance, by) => {
        const { index } = indexed(text, distance);
        const encoded = encodeTextIndex(index);
        const moved = new Uint8Array(encoded.length + by);
        moved.set(encoded, by);
        expect(decodeTextIndex(moved.subarray(by))).toEqual(index);
      }),
    );
  });

  it("is small beside the text", () => {
    expect(encodeTextIndex(indexed("x".repeat(6_553_600)).index).length).toBeLessThan(2_500);
  });

  it("is refused when it is cut short, has something behind it, or is something else", () => {
    const encoded = encodeTextIndex(indexed("a\nb\n", 1).index);
    for (let length = 0; length < encoded.length; length++) {
      expect(decodeTextIndex(encoded.subarray(0, length))).toBeUndefined();
    }
    expect(decodeTextIndex(Uint8Array.of(...encoded, 0))).toBeUndefined();
    expect(decodeTextIndex(new Uint8Array(encoded.length))).toBeUndefined();
  });

  it("is refused when it is of another version", () => {
    const encoded = encodeTextIndex(indexed("a\nb\n").index);
    new DataView(encoded.buffer).setUint32(4, 2, true);
    expect(decodeTextIndex(encoded)).toBeUndefined();
  });
});
