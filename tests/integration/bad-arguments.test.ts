import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { offloadToolResult, offloadToolResults } from "../../src/index.js";
import { offloadToolResultsWithWriter, offloadToolResultWithWriter } from "../../src/files.js";
import { InvalidArgumentError } from "../../src/errors.js";
import { listTree } from "../support/list-tree.js";
import { MemoryWriter } from "../support/memory-writer.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { carrying, textOf, toolResult } from "../support/tool-messages.js";

/** What plain JavaScript can pass in, whatever the types say. */
const untyped = {
  one: offloadToolResult as (...args: unknown[]) => Promise<unknown>,
  oneWithWriter: offloadToolResultWithWriter as (...args: unknown[]) => Promise<unknown>,
  all: offloadToolResults as (...args: unknown[]) => Promise<unknown>,
  allWithWriter: offloadToolResultsWithWriter as (...args: unknown[]) => Promise<unknown>,
};

/** Checks that the call fails with an error that names argument, value and what would be right. */
async function expectRefusal(
  call: (outputDir: string) => Promise<unknown>,
  argument: string,
  received: string,
  expected: string,
): Promise<void> {
  const folder = await makeTempFolder();
  const error = await rejectionOf(call(join(folder, "never-made")));
  expect(error).toBeInstanceOf(InvalidArgumentError);
  expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument });
  expect(error.message.startsWith(argument)).toBe(true);
  expect(error.message).toContain(expected);
  expect(error.message).toContain(received === "undefined" ? "is required" : received);
  expect(await listTree(folder)).toEqual([]);
}

const GOOD = carrying(toolResult("toolu_1", textOf(500)));
const CONTENT = "a string or an array of content blocks";
const BLOCK = "a content block, an object with a type";

describe("messages", () => {
  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [GOOD, 'an object with keys ["role", "content"]'],
    ["text", 'the string "text"'],
    [3, "the number 3"],
  ])("that are not an array: %o", async (messages, received) => {
    const call = (outputDir: string) => untyped.all(messages, { outputDir });
    await expectRefusal(call, "messages", received, "an array of messages");
    const withWriter = (outputDir: string) =>
      untyped.allWithWriter(messages, outputDir, new MemoryWriter());
    await expectRefusal(withWriter, "messages", received, "an array of messages");
  });

  // The part of the path behind the message, which is `messages[3]` or `message`.
  it.each([
    ["null", null, "", "null", "a message object"],
    ["undefined", undefined, "", "undefined", "a message object"],
    ["a string", "text", "", 'the string "text"', "a message object"],
    ["an array", [GOOD], "", "an array of 1", "a message object"],
    ["without content", { role: "user" }, ".content", "undefined", CONTENT],
    ["with null content", { role: "user", content: null }, ".content", "null", CONTENT],
    ["with a number as content", { role: "user", content: 7 }, ".content", "the number 7", CONTENT],
    ["with an object as content", { role: "user", content: {} }, ".content", "an object", CONTENT],
    ["a tool's, without content", { role: "tool" }, ".content", "undefined", CONTENT],
    ["with a null block", carryingAny(GOOD.content[0], null), ".content[1]", "null", BLOCK],
    ["with a text as block", carryingAny("text"), ".content[0]", 'the string "text"', BLOCK],
    ["with a hole", carryingAny(undefined), ".content[0]", "undefined", BLOCK],
    [
      "with a number as id",
      carryingAny({ type: "tool_result", tool_use_id: 7, content: textOf(500) }),
      ".content[0].tool_use_id",
      "the number 7",
      "a string",
    ],
    [
      "with a number as a tool_call_id",
      { role: "tool", tool_call_id: 7, content: textOf(500) },
      ".tool_call_id",
      "the number 7",
      "a string",
    ],
    [
      "with a number as a result's content",
      carryingAny({ type: "tool_result", tool_use_id: "a", content: 12 }),
      ".content[0].content",
      "the number 12",
      CONTENT,
    ],
    [
      "with an object as a result's content",
      carryingAny({ type: "tool_result", tool_use_id: "a", content: { stdout: "" } }),
      ".content[0].content",
      'an object with keys ["stdout"]',
      CONTENT,
    ],
  ])("one that is %s", async (_, message, at, received, expected) => {
    const all = (outputDir: string) => untyped.all([GOOD, GOOD, GOOD, message], { outputDir });
    await expectRefusal(all, `messages[3]${at}`, received, expected);
    const one = (outputDir: string) => untyped.one(message, { sessionId: "s1", outputDir });
    await expectRefusal(one, `message${at}`, received, expected);
  });

  it("a wrong value is quoted by a glimpse of it only", async () => {
    const error = await rejectionOf(untyped.all(textOf(1_000_000), { outputDir: "out" }));
    expect(error.message.length).toBeLessThan(300);
  });
});

describe("options", () => {
  it.each([
    [undefined, "undefined"],
    [null, "null"],
    ["out", 'the string "out"'],
  ])("that are not an object: %o", async (options, received) => {
    await expectRefusal(() => untyped.one(GOOD, options), "options", received, "sessionId");
    await expectRefusal(() => untyped.all([GOOD], options), "options", received, "outputDir");
  });

  it.each([
    [undefined, "undefined"],
    ["", "empty"],
    [null, "null"],
    [7, "the number 7"],
  ])("outputDir that is not a path: %o", async (outputDir, received) => {
    const writer = new MemoryWriter();
    for (const call of [
      () => untyped.one(GOOD, { sessionId: "s1", outputDir }),
      () => untyped.oneWithWriter(GOOD, "s1", outputDir, writer),
      () => untyped.all([GOOD], { outputDir }),
      () => untyped.allWithWriter([GOOD], outputDir, writer),
    ]) {
      await expectRefusal(call, "outputDir", received, "a non-empty string");
    }
    expect(writer.files.size).toBe(0);
  });

  it.each([
    [undefined, "undefined"],
    ["", "empty"],
    [7, "the number 7"],
  ])("sessionId that is not an id: %o", async (sessionId, received) => {
    const one = (outputDir: string) => untyped.one(GOOD, { sessionId, outputDir });
    await expectRefusal(one, "sessionId", received, "a non-empty string");
    const withWriter = (outputDir: string) =>
      untyped.oneWithWriter(GOOD, sessionId, outputDir, new MemoryWriter());
    await expectRefusal(withWriter, "sessionId", received, "a non-empty string");
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [{}, "an object with keys []"],
    [{ writeFile: "no function" }, 'an object with keys ["writeFile"]'],
    [() => undefined, "a function"],
  ])("writer that is not one: %o", async (writer, received) => {
    const expected = "an object with a writeFile method";
    const one = (outputDir: string) => untyped.oneWithWriter(GOOD, "s1", outputDir, writer);
    await expectRefusal(one, "writer", received, expected);
    const all = (outputDir: string) => untyped.allWithWriter([GOOD], outputDir, writer);
    await expectRefusal(all, "writer", received, expected);
  });

  it.each(["charThreshold", "ratioThreshold"])("%s that is not a number", async (name) => {
    for (const [value, received] of [
      [Number.NaN, "the number NaN"],
      ["0.2", 'the string "0.2"'],
      ["20%", 'the string "20%"'],
      [null, "null"],
      [[], "an array of 0"],
    ] as const) {
      const all = (outputDir: string) => untyped.all([GOOD], { outputDir, [name]: value });
      await expectRefusal(all, name, received, "a number");
    }
  });
});

function carryingAny(...content: unknown[]): { role: string; content: unknown[] } {
  return { role: "user", content };
}
