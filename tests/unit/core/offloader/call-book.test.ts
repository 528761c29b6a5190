import { describe, expect, it } from "vitest";
import { CallIndex } from "../../../../src/core/offloader/reads.js";
import { aboutCall, textsOf } from "../../../../src/core/offloader/turn-memory.js";

const callOf = (id: string | undefined, name: string) => ({
  id,
  name,
  reading: undefined,
  mark: "",
});

describe("the calls of a history", () => {
  it("are found by their id, of which the last counts", () => {
    const calls = new CallIndex();
    const [first, second] = [callOf("a", "bash"), callOf("a", "grep")];
    calls.add([first]);
    expect(calls.answeredBy({ id: "a", toolName: "other" })).toBe(first);
    calls.add([second]);
    expect(calls.answeredBy({ id: "a", toolName: undefined })).toBe(second);
    expect(calls.answeredBy({ id: "b", toolName: "bash" })).toBeUndefined();
  });

  it("without an id are answered by name, each once, in their order", () => {
    const calls = new CallIndex();
    const [first, second] = [callOf(undefined, "bash"), callOf(undefined, "bash")];
    calls.add([first, callOf(undefined, "grep"), second]);
    const answer = () => calls.answeredBy({ id: undefined, toolName: "bash" });
    expect([answer(), answer(), answer()]).toEqual([first, second, undefined]);
    expect(calls.answeredBy({ id: undefined, toolName: undefined })).toBeUndefined();
  });
});

describe("the texts of an input", () => {
  it("come in their order, up to a number of characters", () => {
    const input = { path: "a.ts", lines: [1, "two", { deep: "three" }], none: null };
    expect(textsOf(input, 100)).toEqual(["a.ts", "two", "three"]);
    expect(textsOf(input, 6)).toEqual(["a.ts", "tw"]);
    expect(aboutCall(input)).toBe("a.ts\ntwo\nthree");
    expect(aboutCall({ count: 1 })).toBeUndefined();
    expect(aboutCall("x".repeat(10_000))).toHaveLength(2_048);
  });

  it("end where a value cannot be read, or contains itself", () => {
    const broken = Object.defineProperty({}, "broken", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    expect(textsOf(["one", broken, "three"], 100)).toEqual(["one"]);
    const circle: Record<string, unknown> = { text: "x" };
    circle["self"] = circle;
    expect(textsOf(circle, 10)).toHaveLength(10);
  });
});
