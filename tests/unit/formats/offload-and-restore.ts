import fc from "fast-check";
import { expect } from "vitest";
import type { Content, ToolDescription } from "../../../src/index.js";
import type {
  Format,
  FormatReadOptions,
  FormatResult,
  MediaRule,
} from "../../../src/formats/index.js";
import { deepFreeze } from "../../support/shared-objects.js";

/** What a format told of a message. */
export interface Reading {
  fromModel: boolean;
  replyId: string | undefined;
  calls: { id: string | undefined; name: string }[];
  results: FormatResult[];
  answers: (string | undefined)[];
  otherChars: number;
  unknownTypes: string[];
}

export function readMessage(
  format: Format,
  message: unknown,
  options: Partial<FormatReadOptions> = {},
): Reading {
  const reading: Reading = {
    fromModel: false,
    replyId: undefined,
    calls: [],
    results: [],
    answers: [],
    otherChars: 0,
    unknownTypes: [],
  };
  format.read(
    message,
    {
      modelMessage(replyId) {
        reading.fromModel = true;
        reading.replyId = replyId;
      },
      call: (id, name) => void reading.calls.push({ id, name }),
      result: (result) => void reading.results.push(result),
      answer: (id) => void reading.answers.push(id),
      other(chars, unknownType) {
        reading.otherChars += chars;
        if (unknownType !== undefined) reading.unknownTypes.push(unknownType);
      },
    },
    { media: "keep", countOther: true, ...options },
  );
  return reading;
}

/** Replaces all results of a message by references and puts them back, as a store would hold them. */
export function offloadAndRestore<T>(
  format: Format,
  message: T,
  media: MediaRule = "keep",
): { offloaded: T; restored: T } {
  const { results } = readMessage(format, deepFreeze(message), { media });
  const texts = results.map(({ slot }) => ({ slot, text: `reference ${slot}` }));
  const offloaded = deepFreeze(format.replace(message, texts, { media }));
  const soleTexts = readMessage(format, offloaded, { media }).results.map((one) => one.soleText);
  expect(soleTexts).toEqual(texts.map(({ text }) => text));
  const restored = format.restore(
    offloaded,
    results.map(({ slot, content, wrapping }) => ({ slot, content: stored(content), wrapping })),
  );
  return { offloaded: offloaded as T, restored: restored as T };
}

/** Any of these conversations comes back exactly, with media kept or offloaded, and is not changed. */
export function expectToRestoreAny(
  format: Format,
  conversations: fc.Arbitrary<readonly unknown[]>,
): void {
  const media = fc.constantFrom<MediaRule>("keep", "offload");
  fc.assert(
    fc.property(conversations, media, (messages, rule) => {
      const before = JSON.stringify(messages);
      const restored = messages.map((message) => offloadAndRestore(format, message, rule).restored);
      expect(restored).toEqual(messages);
      expect(JSON.stringify(restored)).toBe(before);
      expect(JSON.stringify(messages)).toBe(before);
    }),
  );
}

/** The format takes these conversations, and also each message of them with a reference in it. */
export function expectToTakeReferences(
  format: Format,
  conversations: fc.Arbitrary<readonly unknown[]>,
): void {
  let replaced = 0;
  fc.assert(
    fc.property(conversations, (messages) => {
      expect(format.mismatch(messages)).toBeUndefined();
      for (const before of messages) {
        for (const { slot, id } of readMessage(format, before).results) {
          replaced++;
          const after = format.replace(before, [{ slot, text: "ref" }], { media: "keep" });
          expect(format.mismatch([after])).toBeUndefined();
          expect(readMessage(format, after).results).toMatchObject([{ slot, id, soleText: "ref" }]);
        }
      }
    }),
  );
  expect(replaced).toBeGreaterThan(0);
}

function stored(content: Content): Content {
  return typeof content === "string" ? content : (JSON.parse(JSON.stringify(content)) as Content);
}

/** A tool as the workspace describes its own. */
export const GREP: ToolDescription = {
  name: "grep",
  description: "Searches.",
  inputSchema: {
    type: "object",
    properties: { pattern: { type: "string" } },
    required: ["pattern"],
    additionalProperties: false,
  },
  execute: () => Promise.resolve({ text: "line 7", isError: false }),
};

/** One message of each format that is not asked for. */
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
  bedrock: { role: "user", content: [{ toolResult: { toolUseId: "a", content: [] } }] },
  "copilot-cli": { type: "user.message", data: { content: "hello" }, id: "e", timestamp: "t" },
  "gemini-cli": { id: "m", type: "gemini", timestamp: "t", content: "hello" },
  "openai-agents": { type: "function_call_result", callId: "a", name: "x", output: "result" },
  "qwen-code-jsonl":
    '{"uuid":"u","sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"x"}]}}',
  gemini: { role: "user", parts: [{ functionResponse: { name: "x", response: { output: "r" } } }] },
  mcp: { content: [{ type: "text", text: "result" }] },
  "claude-code-jsonl": '{"type":"user","uuid":"u","message":{"role":"user","content":"hello"}}',
  "codex-jsonl": '{"type":"event_msg","payload":{"type":"token_count"}}',
  "pi-jsonl": '{"type":"message","timestamp":"t","message":{"role":"user","content":"hello"}}',
  text: "hello",
  nothing: null,
};

/** Takes its own sample and an empty conversation, and refuses the others' with a reason. */
export function expectToKnowItsOwn(format: Format): void {
  expect(format.mismatch([])).toBeUndefined();
  for (const [name, sample] of Object.entries(SAMPLES)) {
    const why = format.mismatch([sample]);
    if (name === format.name) expect(why).toBeUndefined();
    else expect(why, name).toMatch(/^(?:message 0 |0 of the first 1 lines )/);
  }
}
