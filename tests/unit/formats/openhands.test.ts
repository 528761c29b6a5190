import { describe, expect, it } from "vitest";
import { openhandsFormat as format, parseConversation } from "../../../src/formats/index.js";
import { expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const about = { tool_name: "terminal", tool_call_id: "c1" };
const observed = (observation: object) => ({
  kind: "ObservationEvent",
  source: "environment",
  ...about,
  observation,
  action_id: "a1",
});

describe("the format of OpenHands events", () => {
  it.each<[string, (content: unknown) => object, unknown, unknown]>([
    [
      "blocks",
      (content) => observed({ kind: "Terminal", content, is_error: false }),
      [{ type: "text", text: "words" }],
      [{ type: "text", text: "reference 0" }],
    ],
    ["a text", (content) => observed({ content }), "words", "reference 0"],
    ["the output of older terminals", (output) => observed({ output }), "words", "reference 0"],
    [
      "an error",
      (error) => ({ kind: "AgentErrorEvent", source: "agent", ...about, error }),
      "words",
      "reference 0",
    ],
  ])("replaces an observation and puts it back: %s", (_, build, is, becomes) => {
    const event = build(is);
    expect(readMessage(format, event).results).toMatchObject([
      { slot: 0, id: "c1", toolName: "terminal", content: is, soleText: "words" },
    ]);
    const { offloaded, restored } = offloadAndRestore(format, event);
    expect(offloaded).toEqual(build(becomes));
    expect(restored).toEqual(event);
  });

  it("knows errors and rejections", () => {
    const isError = (event: object) => readMessage(format, event).results[0]?.isError;
    expect(isError(observed({ content: "no", is_error: true }))).toBe(true);
    expect(isError({ kind: "AgentErrorEvent", source: "agent", ...about, error: "no" })).toBe(true);
    const rejected = { kind: "UserRejectObservation", source: "user", rejection_reason: "no" };
    expect(isError({ ...rejected, ...about })).toBe(false);
  });

  it("tells the model's messages from the user's", () => {
    const said = (role: string) => ({
      kind: "MessageEvent",
      source: role === "assistant" ? "agent" : "user",
      llm_message: { role, content: [{ type: "text", text: "words" }] },
      llm_response_id: "r1",
    });
    expect(readMessage(format, said("user"))).toMatchObject({ fromModel: false, otherChars: 5 });
    expect(readMessage(format, said("assistant"))).toMatchObject({
      fromModel: true,
      replyId: "r1",
    });
  });

  it("reads a call of the SDK, in both of its shapes", () => {
    const action = { kind: "ActionEvent", source: "agent", ...about };
    const own = { id: "c1", name: "terminal", arguments: '{"command":"ls"}' };
    const input = { command: "ls" };
    expect(format.readCall({ ...action, tool_call: own })).toEqual({ name: "terminal", input });
    const chat = { id: "c1", type: "function", function: own };
    expect(format.readCall({ ...action, tool_call: chat })?.input).toEqual(input);
    expect(format.readCall({ ...action, action: input })?.input).toEqual(input);
  });

  it("takes the id of the causing event where that of the call was not kept", () => {
    const run = {
      id: 4,
      source: "agent",
      action: "run",
      args: { command: "ls", thought: "Look." },
    };
    const seen = { id: 5, source: "agent", cause: 4, observation: "run", content: "a\nb" };
    expect(readMessage(format, run)).toMatchObject({
      calls: [{ id: "4", name: "run" }],
      otherChars: "Look.".length + '{"command":"ls"}'.length,
    });
    expect(readMessage(format, seen).results).toMatchObject([{ id: "4", content: "a\nb" }]);
    expect(parseConversation({ history: [run, seen] }).format).toBe("openhands");
  });

  it("keeps what does not concern a tool", () => {
    const recall = { id: 2, source: "agent", observation: "recall", content: "known" };
    expect(readMessage(format, recall)).toMatchObject({ results: [], otherChars: 5 });
    const message = { id: 1, source: "user", action: "message", args: { content: "Go." } };
    expect(readMessage(format, message)).toMatchObject({
      calls: [],
      fromModel: false,
      otherChars: 3,
    });
  });

  it("knows its own events", () => {
    expectToKnowItsOwn(format);
    expect(format.mismatch([{ source: "user" }])).toContain("neither a kind");
  });
});
