import { expect, it } from "vitest";
import { decodeUtf8 } from "../../../../../src/core/lib/text/wtf8.js";

it("bytes decoded in parts are the same text, wherever a part ends", () => {
  const text = "\ufeffa é 漢 😀\n".repeat(3);
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let partBytes = 1; partBytes <= bytes.length; partBytes++) {
    expect(decodeUtf8(decoder, bytes, partBytes)).toBe(text);
  }
});
