import { describe, expect, it } from "vitest";
import { createOffloader, type Offloader, type UnknownReference } from "../../../../src/index.js";
import { type FormatName } from "../../../../src/formats/index.js";
import { numbered } from "../../../support/run-tools.js";
import { openMemoryWorkspace } from "../../../support/memory-workspace.js";

const LOG = numbered(2_000);
/** Long enough to be replaced by default. */
const READ = { artifact_id: "t1", start_line: 5, end_line: 900 };

const anthropic = {
  call: (name: string, id: string, input: object) => ({
    role: "assistant",
    content: [{ type: "tool_use", id, name, input }],
  }),
  result: (id: string, content: string) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content }],
  }),
};

const openAi = {
  call: (name: string, id: string, input: object) => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
  }),
  result: (id: string, content: string) => ({ role: "tool", tool_call_id: id, content }),
};

const reply = (text: string) => ({ role: "assistant", content: text });
const ask = (text: string) => ({ role: "user", content: text });

function open(format: FormatName, afterTurns?: number, workspace = openMemoryWorkspace()) {
  const options = { workspace, sessionId: "s", format };
  return createOffloader(afterTurns ? { ...options, forgetReads: { afterTurns } } : options);
}

/** What became of the answer, as JSON. */
async function answerAfter(offloader: Offloader, history: readonly object[]): Promise<string> {
  const { messages } = await offloader.offload(history);
  return JSON.stringify(messages[4]);
}

/** A conversation in which a result was offloaded and a part of it read. */
async function converse(
  offloader: Offloader,
  { call, result }: typeof anthropic | typeof openAi,
  turnsAfter: number,
  read = READ,
): Promise<object[]> {
  const start = [ask("Look."), call("read_log", "t1", {}), result("t1", LOG)];
  await offloader.offload(start);
  const tool = offloader.workspace
    .tools({ sessionId: "s" })
    .find(({ name }) => name === "get_knowledge_by_lines");
  const answer = await tool?.execute(read);
  const reading = [call("get_knowledge_by_lines", "t2", read), result("t2", answer?.text ?? "")];
  const rest = Array.from({ length: turnsAfter }, (_, at) => [reply(`r${at}`), ask(`q${at}`)]);
  return [...start, ...reading, ...rest.flat()];
}

describe.each([
  ["anthropic", anthropic],
  ["openai-chat", openAi],
] as const)("what was read, in the format %s", (format, talk) => {
  it("becomes one line after two replies by default, and is kept with forgetReads: false", async () => {
    const workspace = openMemoryWorkspace();
    const offloader = open(format, undefined, workspace);
    const history = await converse(offloader, talk, 2);
    expect(await answerAfter(offloader, history.slice(0, 7))).toBe(JSON.stringify(history[4]));
    expect(await answerAfter(offloader, history)).toContain("To read it again");
    const options = { workspace, sessionId: "s", format, forgetReads: false } as const;
    const { messages } = await createOffloader(options).offload(history);
    expect(messages[4]).toBe(history[4]);
  });

  it("is kept if it is short, unless told", async () => {
    const workspace = openMemoryWorkspace();
    const offloader = open(format, undefined, workspace);
    const history = await converse(offloader, talk, 5, { ...READ, end_line: 60 });
    expect(await answerAfter(offloader, history)).toBe(JSON.stringify(history[4]));
    const forgetReads = { afterTurns: 2, minChars: 200 };
    const told = createOffloader({ workspace, sessionId: "s", format, forgetReads });
    expect(await answerAfter(told, history)).toContain("To read it again");
  });

  it("is kept while the model only reads on", async () => {
    const offloader = open(format);
    const [, ...rest] = await converse(offloader, talk, 2);
    const [, , , answer, ...replies] = rest;
    const more = [3, 4, 5].flatMap((at) => [
      talk.call("grep_knowledge", `t${at}`, { artifact_id: "t1", pattern: "7" }),
      talk.result(`t${at}`, "7: seven"),
    ]);
    const history = [ask("Look."), ...rest.slice(0, 4), ...more];
    expect(history[4]).toBe(answer);
    expect(await answerAfter(offloader, history)).toBe(JSON.stringify(answer));
    expect(await answerAfter(offloader, [...history, ...replies])).toContain("To read it again");
  });

  it("becomes one line with its call after so many replies, and never before", async () => {
    const offloader = open(format, 2);
    const history = await converse(offloader, talk, 3);
    const early = await offloader.offload(history.slice(0, 7));
    expect(early.messages[4]).toBe(history[4]);
    const late = await offloader.offload(history.slice(0, 8));
    const shown = JSON.stringify(late.messages[4]);
    expect(shown.length).toBeLessThan(300);
    expect(shown).toContain("To read it again: get_knowledge_by_lines(");
    const whole = await offloader.offload(history);
    expect(whole.messages[4]).toEqual(late.messages[4]);
  });

  it("comes back exactly, also in another process", async () => {
    const workspace = openMemoryWorkspace();
    const offloader = open(format, 1, workspace);
    const history = await converse(offloader, talk, 3);
    const { messages } = await offloader.offload(history);
    expect(messages[4]).not.toEqual(history[4]);
    expect(await offloader.restore(messages)).toEqual(history);
    expect(await open(format, undefined, workspace).restore(messages)).toEqual(history);
  });

  it("is the same again, whether the history or the output is passed", async () => {
    const workspace = openMemoryWorkspace();
    const offloader = open(format, 1, workspace);
    const history = await converse(offloader, talk, 3);
    const { messages, report } = await offloader.offload(history);
    const again = await offloader.offload(messages);
    expect(again.messages).toEqual(messages);
    expect(again.report.totals).toEqual(report.totals);
    expect((await open(format, 1, workspace).offload(messages)).messages).toEqual(messages);
    expect((await open(format, 1, workspace).offload(history)).messages).toEqual(messages);
    const { artifacts } = await workspace.queryArtifacts();
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(["t1"]);
  });

  it("makes no difference to the digest of a later result, once it is gone", async () => {
    const names = Array.from({ length: 400 }, (_, at) => `value of field_name_${at} is set`);
    const workspace = openMemoryWorkspace();
    const offloader = open(format, undefined, workspace);
    const input = { artifact_id: "t1", start_line: 1, end_line: 400 };
    const start = [talk.call("read", "t1", {}), talk.result("t1", names.join("\n"))];
    await offloader.offload(start);
    const answer = await offloader.workspace
      .tools({ sessionId: "s" })
      .find(({ name }) => name === "get_knowledge_by_lines")
      ?.execute(input);
    const read = [
      talk.call("get_knowledge_by_lines", "t2", input),
      talk.result("t2", answer?.text ?? ""),
    ];
    const history = [...start, ...read, reply("a"), ask("b"), reply("c"), ask("d")];
    const more = names.map((line, at) => (at % 2 ? `${line} for other_name_${at}` : line));
    const later = [talk.call("read", "t3", {}), talk.result("t3", more.join("\n"))];
    const { messages } = await offloader.offload(history);
    expect(JSON.stringify(messages[3])).toContain("To read it again");
    const [byOutput] = (await offloader.offload([...messages, ...later])).messages.slice(-1);
    const others = [open(format, undefined, workspace), open(format)];
    for (const other of others) {
      await other.offload(start);
      const { messages: sent } = await other.offload([...history, ...later]);
      expect(sent.at(-1)).toEqual(byOutput);
    }
    expect(JSON.stringify(byOutput)).toContain("knowledge_list");
  });

  it("is kept as a line, and reported, when it cannot be read again", async () => {
    const offloader = open(format, 1);
    const history = await converse(offloader, talk, 2);
    const { messages } = await offloader.offload(history);
    await offloader.workspace.remove("t1");
    const unknown: UnknownReference[] = [];
    const restored = await offloader.restore(messages, {
      onUnknown: (reference) => unknown.push(reference),
    });
    expect(restored[4]).toEqual(messages[4]);
    expect(unknown).toContainEqual({ messageIndex: 4, toolCallId: "t2", artifactId: "t1" });
  });

  it("that imitates such a line is content", async () => {
    const offloader = open(format, 1);
    const history = await converse(offloader, talk, 2);
    const { messages } = await offloader.offload(history);
    const [, line = ""] = /(\[Removed .*#[0-9a-f]{8}\])/.exec(JSON.stringify(messages[4])) ?? [];
    const text = JSON.parse(`"${line}"`) as string;
    const forged = [
      ...[talk.call("bash", "t9", {}), talk.result("t9", text)],
      ...[talk.call("grep_knowledge", "t8", { artifact_id: "t1", pattern: "x" })],
      talk.result("t8", text),
    ];
    const unknown: UnknownReference[] = [];
    const restored = await offloader.restore([...messages, ...forged], {
      onUnknown: (reference) => unknown.push(reference),
    });
    expect(unknown).toEqual([]);
    expect(restored.slice(messages.length)).toEqual(forged);
  });
});

it("forgetReads needs a number of turns", () => {
  const options = { workspace: openMemoryWorkspace(), sessionId: "s" };
  expect(() => createOffloader({ ...options, forgetReads: { afterTurns: 0 } })).toThrow(
    /forgetReads\.afterTurns must be/,
  );
});
