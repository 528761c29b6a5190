import { describe, expect, it } from "vitest";
import { continueFormat as format, parseConversation } from "../../../src/formats/index.js";
import { expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const toolCall = { id: "c1", type: "function", function: { name: "ls", arguments: "{}" } };
const item = (message: object, more: object = {}) => ({ message, contextItems: [], ...more });
const state = (...output: string[]) => ({
  toolCallId: "c1",
  toolCall,
  status: "done",
  output: output.map((content) => ({ name: "File", description: "", content })),
});

describe("the format of Continue sessions", () => {
  it("replaces an item of role tool", () => {
    const answer = item({ role: "tool", content: "words", toolCallId: "c1" });
    expect(readMessage(format, answer).results).toMatchObject([{ slot: 0, id: "c1" }]);
    const { offloaded, restored } = offloadAndRestore(format, answer);
    expect(offloaded).toEqual(item({ ...answer.message, content: "reference 0" }));
    expect(restored).toEqual(answer);
  });

  it("replaces each item of an output in the state of its call", () => {
    const reply = (...output: string[]) =>
      item({ role: "assistant", content: "Look." }, { toolCallStates: [state(...output)] });
    expect(readMessage(format, reply("one", "two"))).toMatchObject({
      fromModel: true,
      calls: [{ id: "c1", name: "ls" }],
      results: [
        { slot: 0, id: "c1", content: "one" },
        { slot: 1, id: "c1", content: "two" },
      ],
    });
    const { offloaded, restored } = offloadAndRestore(format, reply("one", "two"));
    expect(offloaded).toEqual(reply("reference 0", "reference 1"));
    expect(restored).toEqual(reply("one", "two"));
  });

  it("reads calls once, errors, and parts", () => {
    const message = {
      role: "assistant",
      content: [{ type: "text", text: "ab" }],
      toolCalls: [toolCall],
    };
    const reading = readMessage(
      format,
      item(message, { toolCallStates: [{ ...state("no"), status: "errored" }] }),
    );
    expect(reading).toMatchObject({ calls: [{ id: "c1" }], results: [{ isError: true }] });
    expect(reading.otherChars).toBe("ab{}".length);
  });

  it("is found in a session", () => {
    const history = [item({ role: "user", content: "Go." })];
    expect(parseConversation({ sessionId: "s", title: "t", history }).format).toBe("continue");
  });

  it("knows its own items", () => {
    expectToKnowItsOwn(format);
    expect(format.mismatch([item({ role: "narrator" })])).toBe('message 0 has the role "narrator"');
  });
});
