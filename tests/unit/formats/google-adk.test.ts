import { describe, expect, it } from "vitest";
import { googleAdkFormat as format, parseConversation } from "../../../src/formats/index.js";
import { expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const event = (...parts: object[]) => ({
  invocationId: "e-1",
  author: "agent",
  content: { parts, role: "user" },
  actions: { stateDelta: {} },
});
const answered = { id: "adk-1", name: "search", response: { result: "many words" } };

describe("the format of Google ADK events", () => {
  it.each([
    ["camel case", { functionResponse: answered }, "functionResponse"],
    [
      "snake case",
      { text: null, function_response: answered, file_data: null },
      "function_response",
    ],
  ])("replaces a response under its own name: %s", (_case, part, key) => {
    const message = event({ text: "before" }, part);
    expect(readMessage(format, message).results).toMatchObject([
      { slot: 1, id: "adk-1", toolName: "search", content: { result: "many words" } },
    ]);
    const { offloaded, restored } = offloadAndRestore(format, message);
    const response = { output: "reference 1" };
    expect(offloaded).toEqual(
      event({ text: "before" }, { ...part, [key]: { ...answered, response } }),
    );
    expect(JSON.stringify(restored)).toBe(JSON.stringify(message));
    expect(offloaded.content.parts[0]).toBe(message.content.parts[0]);
  });

  it("takes fields that are null as not set", () => {
    const part = { text: null, function_call: null, function_response: null, thought: true };
    expect(readMessage(format, event(part))).toMatchObject({ answers: [], unknownTypes: [] });
  });

  it("reads events without content, and parts that are not known", () => {
    expect(readMessage(format, { author: "user", content: null })).toMatchObject({ otherChars: 0 });
    expect(readMessage(format, { author: "user", content: { parts: null } }).results).toEqual([]);
    expect(readMessage(format, event({ novelty: "x" })).unknownTypes).toEqual(["novelty"]);
  });

  it("is found in a session", () => {
    const session = { id: "s", app_name: "app", state: {}, events: [event({ text: "hello" })] };
    expect(parseConversation(JSON.stringify(session))).toMatchObject({
      format: "google-adk",
      messages: session.events,
    });
  });

  it("knows its own messages", () => {
    expectToKnowItsOwn(format);
    expect(format.mismatch([event({ type: "text" })])).toMatch(/^message 0 has a part that is not/);
  });
});
