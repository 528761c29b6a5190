import { describe, expect, it } from "vitest";
import type { Format, FormatName } from "../../../../src/formats/index.js";
import { FORMATS } from "../../../../src/formats/formats.js";

const formats: readonly Format[] = FORMATS;
const isSigned = (name: FormatName, message: unknown) =>
  formats.find((format) => format.name === name)?.parts?.isSigned(message);
const line = (record: object) => `${JSON.stringify(record)}\n`;
const piLine = (...content: object[]) =>
  line({ type: "message", timestamp: "t", message: { role: "assistant", content } });
const kimiLine = (part: object) =>
  line({ type: "context.append_loop_event", event: { type: "content.part", part } });

const bedrock = (reasoningContent: object) => ({
  role: "assistant",
  content: [{ reasoningContent }, { toolUse: { toolUseId: "c", name: "n", input: {} } }],
});

describe("a reply with signed or encrypted reasoning", () => {
  it.each<[FormatName, unknown]>([
    ["amp", { role: "assistant", content: [{ type: "thinking", thinking: "", signature: "s" }] }],
    ["goose", { role: "assistant", content: [{ type: "redactedThinking", data: "s" }] }],
    ["pi-jsonl", piLine({ type: "thinking", thinking: "", thinkingSignature: "s" })],
    ["pi-jsonl", piLine({ type: "toolCall", id: "c", arguments: {}, thoughtSignature: "s" })],
    ["kimi-jsonl", kimiLine({ type: "think", think: "", encrypted: "s" })],
    ["copilot-cli", { type: "assistant.message", data: { reasoningOpaque: "s" } }],
    ["pydantic-ai", { kind: "response", parts: [{ part_kind: "thinking", signature: "s" }] }],
    ["continue", { message: { role: "thinking", content: "", signature: "s" }, contextItems: [] }],
    ["openhands", { kind: "ActionEvent", thinking_blocks: [{ type: "redacted_thinking" }] }],
    [
      "opencode",
      { parts: [{ type: "reasoning", metadata: { openai: { reasoningEncryptedContent: "s" } } }] },
    ],
    ["google-adk", { content: { parts: [{ function_call: {}, thought_signature: "s" }] } }],
    ["bedrock", bedrock({ reasoningText: { text: "", signature: "s" } })],
    ["bedrock", bedrock({ redactedContent: "s" })],
    ["openai-agents", { type: "reasoning", content: [], providerData: { encrypted_content: "s" } }],
    [
      "ai-sdk-ui",
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "", providerMetadata: { anthropic: { signature: "s" } } },
        ],
      },
    ],
    [
      "codex-jsonl",
      line({ type: "response_item", payload: { type: "reasoning", encrypted_content: "s" } }),
    ],
    ["gemini-cli", { type: "gemini", toolCalls: [{ id: "c", args: {}, thoughtSignature: "s" }] }],
    [
      "qwen-code-jsonl",
      line({
        type: "assistant",
        message: { role: "model", parts: [{ functionCall: {}, thoughtSignature: "s" }] },
      }),
    ],
    [
      "factory-droid-jsonl",
      line({
        type: "message",
        message: { role: "assistant", content: [{ type: "thinking", signature: "s" }] },
      }),
    ],
    ["langchain", { type: "ai", content: [{ type: "thinking", signature: "s" }] }],
  ])("is known in %s", (name, message) => {
    expect(isSigned(name, message)).toBe(true);
  });

  it.each<[FormatName, unknown]>([
    ["amp", { role: "assistant", content: [{ type: "thinking", thinking: "", signature: "" }] }],
    ["pi-jsonl", piLine({ type: "toolCall", id: "c", arguments: { signature: "mine" } })],
    ["pydantic-ai", { kind: "response", parts: [{ part_kind: "thinking", signature: null }] }],
  ])("is not what an input holds, nor an empty signature, in %s", (name, message) => {
    expect(isSigned(name, message)).toBe(false);
  });
});
