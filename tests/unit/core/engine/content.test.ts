import fc from "fast-check";
import { expect, it } from "vitest";
import { countContentChars, serializeContent } from "../../../../src/core/engine/format.js";

it("content is one text: a string as it stands, anything else as its JSON", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.array(fc.jsonValue())), (content) => {
      const text = serializeContent(content);
      expect(countContentChars(content)).toBe(text.length);
      if (typeof content === "string") expect(text).toBe(content);
      else expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(content));
    }),
  );
});

it("content that JSON cannot hold is refused with the reason", () => {
  expect(() => serializeContent([1n])).toThrow(
    expect.objectContaining({ code: "CONTENT_NOT_SERIALIZABLE" }),
  );
});
