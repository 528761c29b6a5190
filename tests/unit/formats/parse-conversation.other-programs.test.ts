import { describe, expect, it } from "vitest";
import { parseConversation } from "../../../src/formats/parse-conversation.js";
import { openaiChatFormat } from "../../../src/formats/openai-chat.js";
import { piFormat } from "../../../src/formats/pi.js";
import { offloadAndRestore, readMessage } from "./offload-and-restore.js";

describe("programs that record in the format of another", () => {
  it("Hermes: chat messages, with notes among them", () => {
    const call = { id: "c1", type: "function", function: { name: "shell", arguments: "{}" } };
    const session = {
      session_id: "s",
      system_prompt: "You are Hermes.",
      messages: [
        { role: "user", content: "Where am I?" },
        { role: "assistant", content: "", reasoning: "Look.", tool_calls: [call] },
        { role: "tool", content: "/tmp", tool_call_id: "c1", tool_name: "shell" },
        { role: "session_meta" },
      ],
    };
    const text = JSON.stringify(session, null, 1);
    const { format, messages, stringify } = parseConversation(text);
    expect(format).toBe("openai-chat");
    const restored = messages.map((one) => offloadAndRestore(openaiChatFormat, one).restored);
    expect(stringify(restored)).toBe(text);
    const note = { role: "session_meta", content: { model: "x" } };
    expect(readMessage(openaiChatFormat, note)).toMatchObject({ results: [], otherChars: 0 });
  });

  it("OpenClaw: lines of pi, whose results may be texts", () => {
    const line = (record: object) => `${JSON.stringify({ id: "i", timestamp: "t", ...record })}\n`;
    const message = (inner: object) => line({ type: "message", message: inner });
    const call = { type: "toolCall", id: "c1", name: "run", arguments: {} };
    const lines = [
      line({ type: "session", version: 3 }),
      line({ type: "custom_message", customType: "openclaw.runtime-context", content: "context" }),
      message({ role: "assistant", content: [call] }),
      message({
        role: "toolResult",
        toolCallId: "c1",
        toolName: "run",
        content: "M a",
        isError: false,
      }),
    ];
    const { format, messages, stringify } = parseConversation(lines.join(""));
    expect(format).toBe("pi-jsonl");
    expect(readMessage(piFormat, lines[3]).results).toMatchObject([{ id: "c1", content: "M a" }]);
    const restored = messages.map((one) => offloadAndRestore(piFormat, one).restored);
    expect(stringify(restored)).toBe(lines.join(""));
  });
});
