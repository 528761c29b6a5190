import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeWtf8,
  encodeWtf8,
  isWellFormed,
  decodeUtf8,
} from "../../../../../src/core/lib/text/wtf8.js";

describe("WTF-8", () => {
  it("is plain UTF-8 for a well-formed text", () => {
    const text = "naïve 漢字 😀 \u0000\r\n\ufeff";
    expect(Buffer.from(encodeWtf8(text))).toEqual(Buffer.from(text, "utf8"));
  });

  it("writes a lone surrogate as the three bytes of its code point", () => {
    expect([...encodeWtf8("a\ud800b\udfff")]).toEqual([
      0x61, 0xed, 0xa0, 0x80, 0x62, 0xed, 0xbf, 0xbf,
    ]);
  });

  it("keeps a byte order mark and characters beside the surrogates", () => {
    for (const text of ["\ufeffx", "\ud7ff\ue000", "\ud7ff\udc00\ud83d\ude00\ud83d"]) {
      expect(decodeWtf8(encodeWtf8(text))).toBe(text);
    }
  });

  it("comes back exactly, whatever the units", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
        const text = String.fromCharCode(...units);
        expect(decodeWtf8(encodeWtf8(text))).toBe(text);
      }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0xd800, 0xdbff, 0xdc00, 0xdfff, 0x41, 0xd7ff)),
        (units) => {
          const text = String.fromCharCode(...units);
          expect(decodeWtf8(encodeWtf8(text))).toBe(text);
          const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
          expect(isWellFormed(text)).toBe(!lone.test(text));
        },
      ),
    );
  });
});

it("bytes decoded in parts are the same text, wherever a part ends", () => {
  const text = "\ufeffa é 漢 😀\n".repeat(3);
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let partBytes = 1; partBytes <= bytes.length; partBytes++) {
    expect(decodeUtf8(decoder, bytes, partBytes)).toBe(text);
  }
});
