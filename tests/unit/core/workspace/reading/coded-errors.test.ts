import { describe, expect, it } from "vitest";
import { ContextOffloadError } from "../../../../../src/index.js";
import { queryJson, type JsonQuery } from "../../../../../src/core/lib/json/json-query.js";
import { readChars, readLineChars, readLines } from "../../../../../src/core/lib/text/read-text.js";
import { toCodedError } from "../../../../../src/core/workspace/reading/reading-verbs.js";
import { sourceOf } from "../../lib/json/sources.js";
import { indexed } from "../../lib/text/texts.js";

/** What a caller of the workspace is told when a function of the library fails. */
async function errorOf(failing: Promise<unknown>): Promise<ContextOffloadError> {
  const error = await failing.then(
    () => new Error("it did not fail"),
    (thrown: unknown) => toCodedError(thrown),
  );
  if (!ContextOffloadError.isInstance(error)) throw error;
  return error;
}

const ask = (value: unknown, query: Partial<JsonQuery> = {}): Promise<unknown> => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return queryJson(sourceOf(text), { maxChars: 20_000, arrayLimit: 20, ...query });
};

describe("a range that does not exist", () => {
  const lines = (text: string, startLine: number, endLine: number) =>
    errorOf(readLines(indexed(text), { startLine, endLine, maxChars: 100 }));
  const chars = (startChar: number, endChar: number) =>
    errorOf(readChars(indexed("a😀b"), { startChar, endChar, maxChars: 100 }));

  it("says what there is and what to ask for", async () => {
    const text = "line\n".repeat(3_412);
    const past = await lines(text, 4_000, 4_100);
    expect(past).toMatchObject({ code: "OUT_OF_RANGE", range: { count: 3_412 } });
    expect(past.message).toContain("the text has 3,412 lines. Use a startLine from 1 to 3412");
    expect((await lines(text, 0, 5)).message).toContain(
      "lines are counted from 1; the text has 3,412",
    );
    expect((await lines(text, -7, 5)).message).toContain("startLine -7 to endLine 5");
    expect((await lines(text, 20, 10)).message).toContain("endLine 10 is before startLine 20");
    expect((await lines("", 1, 1)).message).toContain("the text is empty");
    expect((await chars(9, 12)).message).toContain("startChar 9 to endChar 12");
    expect((await chars(9, 12)).message).toContain("the text has 4 characters.");
    expect((await chars(0, 2)).message).toContain("characters are counted from 1");
    const request = { line: 4, startChar: 1, endChar: 2, maxChars: 10 };
    const line = await errorOf(readLineChars(indexed("abc\n\nd"), request));
    expect(line.message).toContain("the text has 3 lines. Use a line from 1 to 3.");
    const column = await errorOf(readLineChars(indexed("abc\n\nd"), { ...request, line: 2 }));
    expect(column.message).toContain("line 2 is empty");
  });
});

describe("a pointer that leads nowhere", () => {
  const value = { a: [{ b: 1 }], "k/1": "text", e: [], o: {} };
  it.each([
    [
      "/x",
      'There is no value at "/x". The whole content is an object with the keys "a", "k/1", "e", "o".',
    ],
    ["/a/3/b", '"/a" is an array of 1, whose items have the indices 0 to 0.'],
    ["/a/0/c", '"/a/0" is an object with the keys "b".'],
    ["/k~11/0", '"/k~11" is a string, which has no members.'],
    ["/e/0", '"/e" is an empty array.'],
    ["/o/x", '"/o" is an object without keys.'],
  ])("%s names the longest part that exists", async (pointer, message) => {
    const error = await errorOf(ask(value, { pointer }));
    expect(error).toMatchObject({ code: "POINTER_NOT_FOUND", pointer });
    expect(error.message).toContain(message);
  });

  it("names a few of many keys, and null as what it is", async () => {
    const whole = await errorOf(ask("null", { pointer: "/a" }));
    expect(whole.message).toContain("The whole content is null.");
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, n]));
    const error = await errorOf(ask(many, { pointer: "/x" }));
    expect(error.message).toMatch(/"k19" \(20 of 30\)\.$/);
  });
});

describe("every other failure of the library", () => {
  it("has a code, the wrong value and the next step", async () => {
    const field = await errorOf(ask([{ id: 1 }], { fields: ["titel"] }));
    expect(field).toMatchObject({ code: "INVALID_ARGUMENT", argument: "fields[0]" });
    expect(field.message).toBe(
      'fields[0] must be a key that exists at the top ("id"), but it is the string "titel".',
    );
    const prose = await errorOf(ask("It was a dark night"));
    expect(prose).toMatchObject({ code: "NOT_JSON", offset: 0 });
    expect(prose.message).toMatch(/not JSON: unexpected "I" at byte 0\..*read it by lines/);
    const text = indexed("abc");
    const empty = () => Promise.resolve(new Uint8Array(0));
    const short = { index: text.index, source: { size: text.source.size, read: empty } };
    const request = { startLine: 1, endLine: 1, maxChars: 9 };
    const cut = await errorOf(readLines(short, request));
    expect(cut).toMatchObject({ code: "READ_FAILED" });
    expect(cut.message).toContain("the stored bytes 0 to 3: they end at byte 0");
  });

  it("is passed on when it is not one of the library's", () => {
    const error = new Error("no disk");
    expect(toCodedError(error)).toBe(error);
  });
});
