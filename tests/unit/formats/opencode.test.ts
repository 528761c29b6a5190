import { describe, expect, it } from "vitest";
import { createOffloader } from "../../../src/index.js";
import { afterTurns } from "../../../src/policies.js";
import { createMemoryWorkspace } from "../../../src/testing/index.js";
import {
  opencodeEventsFormat,
  opencodeFormat,
  parseConversation,
} from "../../../src/formats/index.js";
import { expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const tool = (state: object) => ({
  id: "prt_1",
  messageID: "msg_1",
  type: "tool",
  callID: "call_1",
  tool: "bash",
  state: { input: { command: "ls" }, ...state },
});
const done = tool({ status: "completed", output: "a\nb", metadata: { output: "a\nb" } });
const failed = tool({ status: "error", error: "no such file" });
const reply = (...parts: object[]) => ({ info: { id: "msg_1", role: "assistant" }, parts });

describe("the format of OpenCode exports", () => {
  it("reads a call and its output from one part", () => {
    const reading = readMessage(opencodeFormat, reply({ type: "text", text: "Look." }, done));
    expect(reading).toMatchObject({
      fromModel: true,
      replyId: "msg_1",
      calls: [{ id: "call_1", name: "bash" }],
      results: [{ slot: 0, id: "call_1", toolName: "bash", content: "a\nb", isError: false }],
      otherChars: "Look.".length + '{"command":"ls"}'.length,
    });
  });

  it("reads an error, and calls that are still open", () => {
    const running = tool({ status: "running" });
    const { results, calls } = readMessage(opencodeFormat, reply(running, failed));
    expect(results).toMatchObject([{ slot: 0, content: "no such file", isError: true }]);
    expect(calls).toHaveLength(2);
  });

  it("replaces an output and nothing else, and puts it back", () => {
    const message = reply({ type: "step-start" }, done, failed);
    const { offloaded, restored } = offloadAndRestore(opencodeFormat, message);
    expect(JSON.stringify(offloaded)).toBe(
      JSON.stringify(message)
        .replace('"output":"a\\nb"', '"output":"reference 0"')
        .replace("no such file", "reference 1"),
    );
    expect(restored).toEqual(message);
  });

  it("counts every reply as a turn, though each follows the one before", async () => {
    const long = tool({ status: "completed", output: "one of many lines\n".repeat(500) });
    const workspace = createMemoryWorkspace();
    const offloader = createOffloader({ workspace, sessionId: "s", policy: afterTurns(1) });
    const { report } = await offloader.offload([
      reply(long),
      { ...reply(long), info: { id: "msg_2", role: "assistant" } },
    ]);
    expect(report.results.map(({ outcome }) => outcome)).toEqual(["offloaded", "kept"]);
  });

  it("tells parts that it does not know, but counts no notes", () => {
    const part = { type: "tool-preview", text: "x" };
    const { unknownTypes, otherChars } = readMessage(
      opencodeFormat,
      reply({ type: "snapshot", snapshot: "abc" }, part),
    );
    expect(unknownTypes).toEqual(["tool-preview"]);
    expect(otherChars).toBe(JSON.stringify(part).length);
  });

  it("is found in the text of an export", () => {
    const file = JSON.stringify({ info: { id: "ses_1" }, messages: [reply(done)] }, null, 2);
    const { format, messages, stringify } = parseConversation(file);
    expect(format).toBe("opencode");
    expect(stringify([...messages])).toBe(file);
  });

  it("knows its own messages", () => {
    expectToKnowItsOwn(opencodeFormat);
    expect(opencodeFormat.mismatch([{ info: { role: "tool" }, parts: [] }])).toContain('"tool"');
  });
});

describe("the format of OpenCode events", () => {
  it.each<[string, (part: object) => object]>([
    ["a log", (part) => ({ event: { type: "message.part.updated", properties: { part } } })],
    ["a stream", (part) => ({ type: "message.part.updated", properties: { part } })],
    ["the output of run", (part) => ({ type: "tool_use", sessionID: "s", part })],
  ])("replaces an output in the text of its line: %s", (_where, wrap) => {
    const line = `${JSON.stringify(wrap(done)).replaceAll(":", ": ")}\n`;
    const { offloaded, restored } = offloadAndRestore(opencodeEventsFormat, line);
    expect(offloaded).toBe(line.replace('"output": "a\\nb",', '"output": "reference 0",'));
    expect(restored).toBe(line);
    expect(opencodeEventsFormat.mismatch([line])).toBeUndefined();
  });

  it("tells the model's text from the user's by its time", () => {
    const line = (part: object) => JSON.stringify({ type: "text", sessionID: "s", part });
    const text = { type: "text", messageID: "msg_1", text: "words" };
    expect(readMessage(opencodeEventsFormat, line(text)).fromModel).toBe(false);
    expect(readMessage(opencodeEventsFormat, line({ ...text, time: { start: 1 } }))).toMatchObject({
      fromModel: true,
      replyId: "msg_1",
      otherChars: 5,
    });
  });

  it("keeps events without a part", () => {
    const properties = { id: "per_1", type: "edit", metadata: {} };
    const line = JSON.stringify({ event: { type: "permission.updated", properties } });
    expect(readMessage(opencodeEventsFormat, line)).toMatchObject({ results: [], otherChars: 0 });
    expect(opencodeEventsFormat.mismatch([line])).toBeUndefined();
    expectToKnowItsOwn(opencodeEventsFormat);
  });
});
