import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claudeCodeFormat as format } from "../../../src/formats/index.js";

import { GREP, expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";
import { fill, Hole, oddWriters } from "./odd-json.js";
import { anyString } from "../../support/any-string.js";

const KEEP = { media: "keep" } as const;
const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };

const userLine = (blocks: readonly unknown[], more: object = {}) =>
  JSON.stringify({
    parentUuid: "p",
    type: "user",
    message: { role: "user", content: blocks },
    uuid: "u",
    sessionId: "s",
    ...more,
  });
const result = (id: string, content: unknown, more: object = {}) => ({
  tool_use_id: id,
  type: "tool_result",
  content,
  ...more,
});
const assistantLine = (block: unknown) =>
  JSON.stringify({
    type: "assistant",
    message: { id: "msg_1", role: "assistant", content: [block] },
    uuid: "v",
    sessionId: "s",
  });

describe("the format of Claude Code sessions", () => {
  it("reads results of user lines; what repeats them for the program does not count", () => {
    const line = userLine([result("t1", "printed"), result("t2", "bad", { is_error: true })], {
      toolUseResult: { stdout: "printed, and much more that nobody sends" },
    });
    const reading = readMessage(format, line, KEEP);
    expect(reading.results).toEqual([
      {
        slot: 0,
        id: "t1",
        content: "printed",
        soleText: "printed",
        chars: 7,
        isError: false,
        toolName: undefined,
        wrapping: undefined,
      },
      {
        slot: 1,
        id: "t2",
        content: "bad",
        soleText: "bad",
        chars: 3,
        isError: true,
        toolName: undefined,
        wrapping: undefined,
      },
    ]);
    expect(reading.otherChars).toBe(0);
    const { offloaded } = offloadAndRestore(format, line);
    expect(offloaded).toBe(
      line.replace('"printed"', '"reference 0"').replace('"bad"', '"reference 1"'),
    );
  });

  it("reads the calls of an answer that spreads over lines", () => {
    const lines = [
      assistantLine({ type: "text", text: "I look." }),
      assistantLine({ type: "tool_use", id: "t1", name: "Read", input: {} }),
      assistantLine({ type: "tool_use", id: "t2", name: "Grep", input: { a: 1 } }),
    ].map((line) => readMessage(format, line, KEEP));
    expect(lines.map(({ calls }) => calls)).toEqual([
      [],
      [{ id: "t1", name: "Read" }],
      [{ id: "t2", name: "Grep" }],
    ]);
    expect(lines.map(({ fromModel }) => fromModel)).toEqual([true, true, true]);
    expect(lines.map(({ otherChars }) => otherChars)).toEqual([7, 2, 7]);
  });

  it.each([
    ["", "\n", "  \r\n"],
    ['{"type":"user","message":{"role":"user","content":[{"type":"tool_resu'],
    ['["tool_result"]', "null", "7"],
    [
      JSON.stringify({
        type: "progress",
        sessionId: "s",
        data: { message: { content: [result("t1", "of a subagent")] } },
        message: { role: "user", content: [result("t1", "x")] },
      }),
      '{"type":"summary","summary":"x","leafUuid":"l"}',
      '{"type":"user","uuid":"u","message":{"role":"user","content":"words"}}',
    ],
  ])("finds no result in %j", (...lines) => {
    for (const line of lines) expect(readMessage(format, line, KEEP).results).toEqual([]);
  });

  it("keeps media beside the reference, or takes it along", () => {
    const line = userLine([result("t1", [{ type: "text", text: "words" }, picture])]);
    const kept = offloadAndRestore(format, line);
    expect(JSON.parse(kept.offloaded)).toMatchObject({
      message: { content: [{ content: [{ type: "text", text: "reference 0" }, picture] }] },
    });
    expect(kept.restored).toBe(line);
    const taken = offloadAndRestore(format, line, "offload");
    expect(taken.offloaded).not.toContain("base64");
    expect(taken.restored).toBe(line);
  });

  it("changes the content of a result and no other character of its line", () => {
    const content = fc.oneof(
      anyString(),
      fc.array(
        fc.oneof(
          fc.record({ type: fc.constant("text"), text: anyString() }),
          fc.constant(picture),
          fc.record({ type: fc.constant("other"), value: fc.jsonValue() }),
        ),
      ),
    );
    fc.assert(
      fc.property(
        fc.array(content, { minLength: 1, maxLength: 3 }),
        fc.jsonValue(),
        oddWriters,
        fc.constantFrom("", "\r", "\n", "\r\n"),
        (contents, unknown, write, lineEnd) => {
          const blocks = contents.map((_, index) => ({
            ...result(`t${index}`, new Hole(`@@hole${index}@@`)),
            unknown,
          }));
          const frame =
            write({ unknown, type: "user", message: { role: "user", content: blocks } }) + lineEnd;
          const filled = (of: (index: number) => string) =>
            fill(frame, Object.fromEntries(contents.map((_, at) => [`@@hole${at}@@`, of(at)])));
          const raws = contents.map((each) => write(each).trim());
          const line = filled((at) => raws[at] ?? "");

          const { offloaded, restored } = offloadAndRestore(format, line, "offload");
          expect(offloaded).toBe(filled((at) => `"reference ${at}"`));
          expect(restored).toBe(line);
        },
      ),
    );
  });

  it("keeps the text of a value only where writing the value would give another", () => {
    const usual = userLine([result("t1", "é\u2028")]);
    const escaped = usual.replace("é", "\\u00e9");
    expect(readMessage(format, usual, KEEP).results[0]?.wrapping).toBeUndefined();
    expect(readMessage(format, escaped, KEEP).results[0]?.wrapping).toBe('"\\u00e9\u2028"');
  });

  it("knows its own lines, and refuses others' with a reason", () => {
    expectToKnowItsOwn(format);
    const own = userLine([]);
    expect(format.mismatch([own, "broken", "", own])).toBeUndefined();
    expect(format.mismatch(["", "\n"])).toBeUndefined();
    expect(format.mismatch([own, "broken", '{"cut":"sh'])).toBeUndefined();
    expect(format.mismatch([own, '{"another":"file"}'])).toBe(
      "1 of the first 2 lines are lines of a Claude Code session",
    );
    expect(format.mismatch([own, {}])).toBe("message 1 is not a line of text");
  });

  it("has the tools of Anthropic", () => {
    expect(format.describeTools([GREP])).toEqual([
      { name: "grep", description: "Searches.", input_schema: GREP.inputSchema },
    ]);
    const call = { type: "tool_use", id: "t", name: "grep", input: { a: 1 } };
    expect(format.readCall(call)).toEqual({ name: "grep", input: { a: 1 } });
    expect(format.answerCall(call, { text: "x", isError: false })).toEqual({
      type: "tool_result",
      tool_use_id: "t",
      content: "x",
    });
  });
});
