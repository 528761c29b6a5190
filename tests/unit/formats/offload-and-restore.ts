import { expect } from "vitest";
import type { Content } from "../../../src/core/engine/content.js";
import type { Format, MediaRule } from "../../../src/core/engine/format.js";

/** Freezes a value all the way down, so that whoever changes it fails. */
export function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

/** Replaces all results of a message by references and puts them back, as a store would hold them. */
export function leaveAndReturn<T>(
  dialect: Format,
  message: T,
  media: MediaRule = "keep",
): { left: T; back: T } {
  const { results } = dialect.read(freeze(message), { media });
  const texts = results.map(({ slot }) => ({ slot, text: `reference ${slot}` }));
  const left = freeze(dialect.replace(message, texts, { media }));
  const onlyTexts = dialect.read(left, { media }).results.map(({ soleText }) => soleText);
  expect(onlyTexts).toEqual(texts.map(({ text }) => text));
  const back = dialect.restore(
    left,
    results.map(({ slot, content, wrapping }) => ({ slot, content: stored(content), wrapping })),
  );
  return { left: left as T, back: back as T };
}

function stored(content: Content): Content {
  return typeof content === "string" ? content : (JSON.parse(JSON.stringify(content)) as Content);
}

/** One message of each dialect that is not asked for. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  anthropic: { role: "assistant", content: [{ type: "tool_use", id: "a", name: "x", input: {} }] },
  "openai-chat": { role: "tool", tool_call_id: "a", content: "result" },
  "openai-responses": { type: "function_call_output", call_id: "a", output: "result" },
  "ai-sdk": {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "a",
        toolName: "x",
        output: { type: "text", value: "result" },
      },
    ],
  },
  "ai-sdk-ui": { role: "user", parts: [{ type: "text", text: "hello" }] },
  gemini: { role: "user", parts: [{ functionResponse: { name: "x", response: { output: "r" } } }] },
  mcp: { content: [{ type: "text", text: "result" }] },
  "claude-code-jsonl": '{"type":"user","uuid":"u","message":{"role":"user","content":"hello"}}',
  "codex-jsonl": '{"type":"event_msg","payload":{"type":"token_count"}}',
  "pi-jsonl": '{"type":"message","timestamp":"t","message":{"role":"user","content":"hello"}}',
  text: "hello",
  nothing: null,
};

/** Takes its own sample and an empty conversation, and refuses the others' with a reason. */
export function expectToKnowItsOwn(dialect: Format): void {
  expect(dialect.mismatch([])).toBeUndefined();
  for (const [name, sample] of Object.entries(SAMPLES)) {
    const why = dialect.mismatch([sample]);
    if (name === dialect.name) expect(why).toBeUndefined();
    else expect(why, name).toMatch(/^(?:message 0 |0 of the first 1 lines )/);
  }
}
