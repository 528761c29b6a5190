import { describe, expect, it } from "vitest";
import { geminiCliFormat as format, parseConversation } from "../../../src/formats/index.js";
import { expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const answer = (response: object, more: object = {}) => ({
  functionResponse: { name: "ls", response, ...more },
});
const call = (id: string, result: unknown, more: object = {}) => ({
  ...{ id, name: "ls", args: { a: 1 }, status: "success", result, resultDisplay: "two files" },
  ...more,
});
const said = (...toolCalls: object[]) => ({
  ...{ id: "m", timestamp: "t", type: "gemini", content: "Look.", thoughts: [{ subject: "x" }] },
  toolCalls,
});
const note = { id: "n", timestamp: "t", type: "info", content: "Request cancelled." };
const asked = { id: "u", timestamp: "t", type: "user", content: [{ text: "What is there?" }] };

describe("the format of Gemini CLI chats", () => {
  it("reads calls together with their results", () => {
    const message = said(
      call("a", [answer({ output: "two files" }), { inlineData: { data: "AA" } }]),
      call("b", [answer({ error: "no such file" }, { id: "b" })]),
      call("c", null, { status: "cancelled" }),
    );
    const reading = readMessage(format, message);
    expect(reading).toMatchObject({
      fromModel: true,
      calls: ["a", "b", "c"].map((id) => ({ id, name: "ls" })),
      answers: ["c"],
      results: [
        { slot: 0, id: "a", toolName: "ls", soleText: "two files", isError: false },
        { slot: 2, id: "b", toolName: "ls", soleText: "no such file", isError: true },
      ],
    });
    const { offloaded, restored } = offloadAndRestore(format, message);
    expect(offloaded.toolCalls[0]).toEqual(
      call("a", [answer({ output: "reference 0" }), { inlineData: { data: "AA" } }]),
    );
    expect(offloaded.toolCalls[1]).toEqual(
      call("b", [answer({ error: "reference 2" }, { id: "b" })]),
    );
    expect(offloaded.toolCalls[2]).toBe(message.toolCalls[2]);
    expect(restored).toEqual(message);
    expect(readMessage(format, asked)).toMatchObject({ fromModel: false, otherChars: 14 });
  });

  it("takes a chat as JSON, and as JSONL with its head and changes of it", () => {
    const head = { sessionId: "s", projectHash: "p", startTime: "t" };
    const messages = [asked, said(call("a", [answer({ output: "x" })])), note];
    expect(parseConversation({ ...head, messages }).format).toBe("gemini-cli");
    const lines = [head, ...messages, { $set: { summary: "x" } }, { $rewindTo: "u" }];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const parsed = parseConversation(text);
    expect(parsed.format).toBe("gemini-cli-jsonl");
    expect(parsed.stringify(parsed.messages)).toBe(text);
  });

  it("knows its own messages, and refuses others' with a reason", () => {
    expectToKnowItsOwn(format);
    expect(format.mismatch([{ type: "gemini", content: "" }])).toBe("message 0 has no timestamp");
    expect(format.mismatch([{ type: "user", timestamp: "t" }])).toContain("neither content nor");
  });
});
