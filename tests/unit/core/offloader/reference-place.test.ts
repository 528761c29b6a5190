import { describe, expect, it } from "vitest";
import { renderInputReference } from "../../../../src/core/offloader/input-reference.js";
import { markCall, PlaceCounter } from "../../../../src/core/offloader/reference-place.js";

describe("the mark of a call", () => {
  const input = { path: "a", content: "x".repeat(900), list: [1, { b: null }] };
  const mark = markCall("write", input);

  it("does not depend on how a host saves the input", () => {
    expect(markCall("write", JSON.stringify(input))).toBe(mark);
    const { path, content, list } = input;
    expect(markCall("write", { list, content, path, none: undefined })).toBe(mark);
    const reference = { artifactId: "t1-input", hash: "0123456789", equalBefore: 1 };
    const replaced = renderInputReference(reference, { pointer: "/content", text: content });
    expect(markCall("write", { ...input, content: replaced })).toBe(mark);
    for (const nothing of [{}, "{}", "", null, undefined]) {
      expect(markCall("write", nothing)).toBe(markCall("write", {}));
    }
  });

  it("is another one for another tool or input, and there is one for any value", () => {
    const others = [{ ...input, path: "b" }, { ...input, list: [1] }, {}, [], "text", 0];
    const marks = others.map((other) => markCall("write", other));
    expect(new Set([...marks, mark, markCall("read", input)]).size).toBe(others.length + 2);
    const endless: Record<string, unknown> = {};
    endless["self"] = endless;
    expect(markCall("write", endless)).toMatch(/^[0-9a-f]{8}$/);
  });
});

describe("places", () => {
  it("count answers to equal calls; a reference may say more than are left, never less", () => {
    const places = new PlaceCounter();
    const take = (claimed?: number, id?: string) => places.takeAnswer(id, "mark", claimed);
    expect(take(3)).toMatchObject({ equalBefore: 3, isQuotation: false });
    expect(take(3)).toMatchObject({ equalBefore: 4, isQuotation: true });
    expect(take()).toMatchObject({ equalBefore: 5, isQuotation: false });
    expect(take(0, "id")).toMatchObject({ equalBefore: 0, isQuotation: false });
  });

  it("count equal content, of which a quotation is none", () => {
    const places = new PlaceCounter();
    const take = (claimed?: number) => places.takeContent("0123456789", claimed);
    expect(take()).toMatchObject({ equalBefore: 0, isQuotation: false });
    expect(take(0)).toMatchObject({ isQuotation: true });
    expect(take()).toMatchObject({ equalBefore: 1 });
    expect(take(2)).toMatchObject({ equalBefore: 2, isQuotation: false });
  });
});
