import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOffloader, minChars } from "../../../src/index.js";
import { createMemoryWorkspace } from "../../../src/testing/index.js";
import { claudeCodeFormat as dialect } from "../../../src/formats/claude-code.js";

import { expectToKnowItsOwn, leaveAndReturn } from "./offload-and-restore.js";
import { fill, Hole, oddWriters } from "./odd-json.js";

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

describe("the dialect of Claude Code sessions", () => {
  it("reads results of user lines; what repeats them for the program does not count [DESIGN-O-claude-code]", () => {
    const line = userLine([result("t1", "printed"), result("t2", "bad", { is_error: true })], {
      toolUseResult: { stdout: "printed, and much more that nobody sends" },
    });
    const reading = dialect.read(line, KEEP);
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
    expect(reading.otherChars()).toBe(0);
    const { left } = leaveAndReturn(dialect, line);
    expect(left).toBe(line.replace('"printed"', '"reference 0"').replace('"bad"', '"reference 1"'));
  });

  it("reads the calls of an answer that spreads over lines [DESIGN-O-claude-code]", () => {
    const lines = [
      assistantLine({ type: "text", text: "I look." }),
      assistantLine({ type: "tool_use", id: "t1", name: "Read", input: {} }),
      assistantLine({ type: "tool_use", id: "t2", name: "Grep", input: { a: 1 } }),
    ].map((line) => dialect.read(line, KEEP));
    expect(lines.map(({ calls }) => calls)).toEqual([
      [],
      [{ id: "t1", name: "Read" }],
      [{ id: "t2", name: "Grep" }],
    ]);
    expect(lines.map(({ fromModel }) => fromModel)).toEqual([true, true, true]);
    expect(lines.map(({ otherChars }) => otherChars())).toEqual([7, 2, 7]);
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
    for (const line of lines) expect(dialect.read(line, KEEP).results).toEqual([]);
  });

  it("keeps media beside the reference, or takes it along", () => {
    const line = userLine([result("t1", [{ type: "text", text: "words" }, picture])]);
    const kept = leaveAndReturn(dialect, line);
    expect(JSON.parse(kept.left)).toMatchObject({
      message: { content: [{ content: [{ type: "text", text: "reference 0" }, picture] }] },
    });
    expect(kept.back).toBe(line);
    const taken = leaveAndReturn(dialect, line, "offload");
    expect(taken.left).not.toContain("base64");
    expect(taken.back).toBe(line);
  });

  it("changes the content of a result and no other character of its line [DESIGN-O-lines]", () => {
    const content = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(
        fc.oneof(
          fc.record({ type: fc.constant("text"), text: fc.string({ unit: "binary" }) }),
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

          const { left, back } = leaveAndReturn(dialect, line, "offload");
          expect(left).toBe(filled((at) => `"reference ${at}"`));
          expect(back).toBe(line);
        },
      ),
    );
  });

  it("keeps the text of a value only where writing the value would give another", () => {
    const usual = userLine([result("t1", "é\u2028")]);
    const escaped = usual.replace("é", "\\u00e9");
    expect(dialect.read(usual, KEEP).results[0]?.wrapping).toBeUndefined();
    expect(dialect.read(escaped, KEEP).results[0]?.wrapping).toBe('"\\u00e9\u2028"');
  });

  it("brings a session back byte for byte, ids used again included [DESIGN-O-lines] [DESIGN-O-reused-ids]", async () => {
    const long = (seed: string) => `${seed} ${"and so on, line after line\n".repeat(80)}`;
    const lines = [
      '{"type":"summary","summary":"x","leafUuid":"l"}\n',
      assistantLine({ type: "tool_use", id: "t1", name: "Read", input: {} }) + "\n",
      userLine([result("t1", long("first"))], { toolUseResult: long("first") }) + "\r\n",
      userLine([result("t1", long("second")), result("t2", [{ type: "text", text: long("é") }])]),
      userLine([result("t1", long("first"))]) + "\n",
      userLine([result("t3", long("écrit"))]).replaceAll("é", "\\u00E9"),
      "broken\n",
      "",
    ];
    const workspace = createMemoryWorkspace();
    const settings = { workspace, sessionId: "s", format: dialect, policy: minChars(100) };
    const { messages, report } = await createOffloader(settings).offload(lines);
    expect(report.totals).toMatchObject({ results: 5, offloaded: 5 });
    expect(report.results[0]?.toolName).toBe("Read");
    expect([0, 1, 6, 7].map((index) => messages[index])).toEqual(
      [0, 1, 6, 7].map((index) => lines[index]),
    );
    expect(await createOffloader(settings).restore(messages)).toEqual(lines);
    expect((await createOffloader(settings).offload(messages)).messages).toEqual(messages);
    await workspace.close();
  });

  it("knows its own lines, and refuses others' with a reason", () => {
    expectToKnowItsOwn(dialect);
    const own = userLine([]);
    expect(dialect.mismatch([own, "broken", "", own])).toBeUndefined();
    expect(dialect.mismatch(["", "\n"])).toBeUndefined();
    expect(dialect.mismatch([own, "broken"])).toBe(
      "1 of the first 2 lines are lines of a Claude Code session",
    );
    expect(dialect.mismatch([own, {}])).toBe("message 1 is no line of text");
  });

  it("has the tools of Anthropic", () => {
    const tool = { name: "grep", description: "d", inputSchema: {} };
    expect(dialect.describeTools([tool])).toEqual([
      { name: "grep", description: "d", input_schema: {} },
    ]);
    const call = { type: "tool_use", id: "t", name: "grep", input: { a: 1 } };
    expect(dialect.readCall(call)).toEqual({ name: "grep", input: { a: 1 } });
    expect(dialect.answerCall(call, { text: "x", isError: false })).toEqual({
      type: "tool_result",
      tool_use_id: "t",
      content: "x",
    });
  });
});
