import { generateText, modelMessageSchema, stepCountIs, type ModelMessage } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FormatOptions, aiSdkFormat, anthropicFormat } from "../../../src/formats/index.js";
import type { ToolDescription } from "../../../src/index.js";
import { GREP, readMessage } from "./offload-and-restore.js";
import { deepFreeze } from "../../support/shared-objects.js";
import { anyString } from "../../support/any-string.js";

type ToolPart = Extract<ModelMessage, { role: "tool" }>["content"][number];
type Output = Extract<ToolPart, { type: "tool-result" }>["output"];

const KEEP: FormatOptions = { media: "keep" };
const OFFLOAD: FormatOptions = { media: "offload" };
const REFERENCE = "<knowledge_list>…</knowledge_list>";

const textPart = (text: string, more: object = {}) => ({ type: "text", text, ...more }) as const;
const picture = { type: "image-data", data: "aWJhc2U2NA==", mediaType: "image/png" } as const;

function toolMessage(...outputs: readonly Output[]) {
  return {
    role: "tool",
    content: outputs.map((output, index) => ({
      type: "tool-result",
      toolCallId: `call_${index}`,
      toolName: "search",
      output,
    })),
  } satisfies ModelMessage;
}

/** Replaces all that is found, as a store that keeps JSON would see it. */
function replaceAll(message: unknown, options = KEEP) {
  const { results } = readMessage(aiSdkFormat, message, options);
  const texts = results.map(({ slot }) => ({ slot, text: REFERENCE }));
  const stored = results.map(({ slot, content, wrapping }) => ({
    slot,
    content: JSON.parse(JSON.stringify(content)) as typeof content,
    wrapping:
      wrapping === undefined ? undefined : (JSON.parse(JSON.stringify(wrapping)) as unknown),
  }));
  const replaced = aiSdkFormat.replace(message, texts, options) as ModelMessage;
  return { replaced, restored: aiSdkFormat.restore(replaced, stored), results };
}

function outputOf(message: ModelMessage, slot = 0): unknown {
  const part = message.content[slot];
  return typeof part === "object" && "output" in part ? part.output : undefined;
}

describe("the AI SDK format: reading", () => {
  it("finds calls, results with their tools, and parallel ones in one message", () => {
    const call = {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool-call", toolCallId: "a", toolName: "search", input: { q: "x" } },
        { type: "tool-call", toolCallId: "b", toolName: "list", input: {} },
      ],
    } satisfies ModelMessage;
    const reading = readMessage(aiSdkFormat, call, KEEP);
    expect(reading).toMatchObject({
      fromModel: true,
      results: [],
      calls: [
        { id: "a", name: "search" },
        { id: "b", name: "list" },
      ],
    });
    expect(reading.otherChars).toBe("I look.".length + '{"q":"x"}'.length + "{}".length);

    const message = toolMessage(
      { type: "text", value: "one" },
      { type: "json", value: { rows: [1, 2] } },
    );
    expect(readMessage(aiSdkFormat, message, KEEP)).toMatchObject({
      fromModel: false,
      calls: [],
      results: [
        { slot: 0, id: "call_0", toolName: "search", content: "one", soleText: "one", chars: 3 },
        { slot: 1, id: "call_1", content: { rows: [1, 2] }, soleText: undefined, chars: 14 },
      ],
    });
  });

  it("knows errors by the type of the output", () => {
    const message = toolMessage(
      { type: "error-text", value: "no such file" },
      { type: "error-json", value: { code: 404 } },
      { type: "text", value: "fine" },
    );
    const { results } = readMessage(aiSdkFormat, message, KEEP);
    expect(results.map(({ isError }) => isError)).toEqual([true, true, false]);
  });

  it("has nothing to offload in a denial, a short value, an approval, or what JSON cannot hold", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const values = [
      4,
      true,
      null,
      { when: new Date(0) },
      { big: 1n },
      { x: NaN },
      new Array(2),
      circular,
    ];
    const message = {
      role: "tool",
      content: [
        ...toolMessage({ type: "execution-denied", reason: "not today" }).content,
        { type: "tool-approval-response", approvalId: "ap", approved: true },
        ...values.map((value) => ({
          type: "tool-result",
          toolCallId: "x",
          toolName: "t",
          output: { type: "json", value },
        })),
      ],
    };
    const reading = readMessage(aiSdkFormat, message, KEEP);
    expect(reading.results).toEqual([]);
    expect(reading.otherChars).toBeGreaterThan(0);
  });

  it("keeps what a provider's own tool answered", () => {
    const output = { type: "json", value: [{ url: "https://example.org" }] } as const;
    const message = {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "w", toolName: "web", input: {}, providerExecuted: true },
        {
          type: "tool-result",
          toolCallId: "w",
          toolName: "web",
          output: deepFreeze(output) as never,
        },
      ],
    } satisfies ModelMessage;
    const reading = readMessage(aiSdkFormat, message, KEEP);
    expect(reading.results).toEqual([]);
    expect(reading.otherChars).toBe("{}".length + JSON.stringify(output).length);
  });

  it("counts bytes as the base64 that they are sent as", () => {
    const image = new Uint8Array(300);
    const message = { role: "user", content: [{ type: "image", image }] } satisfies ModelMessage;
    expect(readMessage(aiSdkFormat, message, KEEP).otherChars).toBe(400);
  });
});

describe("the AI SDK format: replacing and restoring", () => {
  it.each<[string, Output, Output]>([
    ["text", { type: "text", value: "long" }, { type: "text", value: REFERENCE }],
    ["json", { type: "json", value: [1, 2] }, { type: "text", value: REFERENCE }],
    ["a text in json", { type: "json", value: "long" }, { type: "text", value: REFERENCE }],
    ["error-text", { type: "error-text", value: "x" }, { type: "error-text", value: REFERENCE }],
    ["error-json", { type: "error-json", value: {} }, { type: "error-text", value: REFERENCE }],
    ["content", { type: "content", value: [textPart("x")] }, { type: "text", value: REFERENCE }],
    [
      "content with media",
      { type: "content", value: [textPart("x"), picture] },
      { type: "content", value: [textPart(REFERENCE), picture] },
    ],
    [
      "content with a cache mark",
      { type: "content", value: [textPart("x", { providerOptions: { a: { c: 1 } } })] },
      {
        type: "content",
        value: [textPart(REFERENCE, { providerOptions: { a: { c: 1 } } })],
      },
    ],
    [
      "content with two marks, of which the last counts",
      {
        type: "content",
        value: [
          textPart("x", { providerOptions: { a: { c: 1 } } }),
          textPart("y", { providerOptions: { a: { c: 2 } } }),
        ],
      },
      { type: "content", value: [textPart(REFERENCE, { providerOptions: { a: { c: 2 } } })] },
    ],
    [
      "options of the output",
      { type: "json", value: {}, providerOptions: { a: { b: 1 } } },
      { type: "text", value: REFERENCE, providerOptions: { a: { b: 1 } } },
    ],
  ])("%s", (_, output, expected) => {
    const message = toolMessage(output);
    const { replaced, restored } = replaceAll(message);
    expect(outputOf(replaced)).toStrictEqual(expected);
    expect(restored).toStrictEqual(message);
    expect(JSON.stringify(restored)).toBe(JSON.stringify(message));
    expect(readMessage(aiSdkFormat, replaced, KEEP).results[0]?.soleText).toBe(REFERENCE);
  });

  it("takes media too when asked, but never a part that speaks to the provider", () => {
    const custom = { type: "custom", providerOptions: { anthropic: { type: "x" } } } as const;
    const value = [{ type: "text", text: "seen" } as const, picture, custom];
    const message = toolMessage({ type: "content", value });
    expect(readMessage(aiSdkFormat, message, KEEP).results[0]?.chars).toBe(
      JSON.stringify([value[0]]).length,
    );
    expect(readMessage(aiSdkFormat, message, OFFLOAD).results[0]?.chars).toBe(
      JSON.stringify([value[0], picture]).length,
    );
    const { replaced, restored } = replaceAll(message, OFFLOAD);
    const expected = [{ type: "text", text: REFERENCE }, custom];
    expect(outputOf(replaced)).toStrictEqual({ type: "content", value: expected });
    expect(restored).toStrictEqual(message);
  });

  it("counts no characters where there is nothing but media", () => {
    const message = toolMessage({ type: "content", value: [picture] });
    expect(readMessage(aiSdkFormat, message, KEEP).results[0]?.chars).toBe(0);
  });

  it("shares what did not change and keeps unknown fields", () => {
    const base = toolMessage({ type: "text", value: "one" }, { type: "text", value: "two" });
    const message = deepFreeze({ ...base, providerOptions: { p: { q: 1 } }, note: "mine" });
    const texts = [{ slot: 1, text: REFERENCE }];
    const replaced = aiSdkFormat.replace(message, texts, KEEP) as typeof message;
    expect(replaced).toMatchObject({ note: "mine", providerOptions: { p: { q: 1 } } });
    expect(replaced.content[0]).toBe(message.content[0]);
    expect(replaced.content[1]).toStrictEqual({
      ...message.content[1],
      output: { type: "text", value: REFERENCE },
    });
  });

  it("gives back any conversation exactly, changes no input, and is still valid for `ai`", () => {
    const options = fc.option(fc.constant({ vendor: { mark: true } }), { nil: undefined });
    const withOptions = <T extends object>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> =>
      fc
        .tuple(arbitrary, options)
        .map(([value, providerOptions]) =>
          providerOptions ? { ...value, providerOptions } : value,
        );
    const text = anyString();
    const file = fc.record({ data: fc.base64String(), mediaType: fc.constant("image/png") });
    const url = fc.webUrl();
    const fileId = fc.oneof(fc.string(), fc.constant({ openai: "f1" }));
    const of = <T extends string>(type: T, fields: Record<string, fc.Arbitrary<unknown>>) =>
      fc.record({ type: fc.constant(type), ...fields });
    const parts = fc.oneof(
      file.map((fields) => ({ type: "media", ...fields })),
      withOptions(
        fc.oneof(
          of("text", { text }),
          of("file-url", { url }),
          of("file-id", { fileId }),
          of("image-url", { url }),
          of("image-file-id", { fileId }),
          of("custom", {}),
          file.map((fields) => ({ type: "file-data", ...fields, filename: "a.png" })),
          file.map((fields) => ({ type: "image-data", ...fields })),
        ),
      ),
    );
    const json = fc.jsonValue({ maxDepth: 3 });
    const output = withOptions(
      fc.oneof(
        of("text", { value: text }),
        of("error-text", { value: text }),
        of("json", { value: json }),
        of("error-json", { value: json }),
        of("content", { value: fc.array(parts, { maxLength: 5 }) }),
        of("execution-denied", { reason: text }),
      ),
    );
    const id = fc.constantFrom("call_1", "call_2", "call_3");
    const result = withOptions(
      fc.record({
        type: fc.constant("tool-result"),
        toolCallId: id,
        toolName: fc.constantFrom("search", "list"),
        output,
      }),
    );
    const approval = fc.record({
      type: fc.constant("tool-approval-response"),
      approvalId: id,
      approved: fc.boolean(),
    });
    const message = fc.record({
      role: fc.constant("tool"),
      content: fc.array(fc.oneof({ weight: 4, arbitrary: result }, approval), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(message, fc.constantFrom(KEEP, OFFLOAD), (generated, rule) => {
        // Generated records have no prototype, which messages have.
        const before = structuredClone(generated);
        const history = deepFreeze(structuredClone(generated));
        const { replaced, restored } = replaceAll(history, rule);
        expect(restored).toStrictEqual(before);
        expect(history).toStrictEqual(before);
        expect(aiSdkFormat.mismatch([replaced])).toBeUndefined();
        expect(modelMessageSchema.safeParse(replaced).success).toBe(true);
        const [found] = readMessage(aiSdkFormat, replaced, rule).results;
        if (found) expect(found.soleText).toBe(REFERENCE);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the AI SDK format: whose messages", () => {
  const own = [
    { role: "system", content: "be brief" },
    { role: "user", content: [{ type: "text", text: "q" }] },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "a", toolName: "search", input: {} }],
    },
    toolMessage({ type: "text", value: "x" }),
  ] satisfies ModelMessage[];

  it("takes its own, which Anthropic's refuses", () => {
    expect(aiSdkFormat.mismatch(own)).toBeUndefined();
    expect(anthropicFormat.mismatch(own)).toBeTypeOf("string");
  });

  it.each<[string, unknown, string]>([
    [
      "Anthropic",
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] },
      'message 0 of the role user has a part of type "tool_result"',
    ],
    [
      "Anthropic's image",
      { role: "user", content: [{ type: "image", source: {} }] },
      "message 0 has a part of type image without image",
    ],
    ["OpenAI chat call", { role: "assistant", content: null, tool_calls: [] }, "has tool_calls"],
    ["OpenAI chat", { role: "tool", tool_call_id: "a", content: "x" }, "has tool_calls or a"],
    [
      "a tool's text",
      { role: "tool", content: "x" },
      "message 0 has no array of parts as its content",
    ],
    ["Responses", { type: "function_call_output", call_id: "a", output: "x" }, "has the role"],
    [
      "Responses message",
      { role: "user", content: [{ type: "input_text", text: "x" }] },
      'of the role user has a part of type "input_text"',
    ],
    ["Gemini", { role: "model", parts: [] }, 'has the role "model" instead of'],
    ["Gemini user", { role: "user", parts: [] }, "has parts and no content"],
    ["MCP", { content: [{ type: "text", text: "x" }] }, "has the role undefined instead of"],
    ["LangChain", { _getType: () => "tool", content: "x" }, "is an instance of a LangChain"],
    ["LangChain stored", { type: "tool", data: { content: "x" } }, "has the role undefined"],
    ["an odd role", { role: "constructor", content: [{}] }, 'has the role "constructor"'],
    [
      "AI SDK 4",
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", result: 1 }] },
      "without an output",
    ],
    ["no part", { role: "tool", content: ["x"] }, "has a part of type undefined"],
    [
      "a call of another kind",
      { role: "assistant", content: [{ type: "tool-call", id: "a" }] },
      "without toolCallId",
    ],
    ["a file of another kind", { role: "user", content: [{ type: "file" }] }, "without data"],
  ])("refuses %s", (_, message, why) => {
    expect(aiSdkFormat.mismatch([message])).toContain(why);
  });

  it("reads nothing in what is not a message", () => {
    expect(readMessage(aiSdkFormat, "x", KEEP)).toMatchObject({ calls: [], results: [] });
  });
});

describe("the AI SDK format: tools", () => {
  const description: ToolDescription = { ...GREP, name: "grep_knowledge" };

  it("reads a call and answers it", () => {
    const call = {
      type: "tool-call",
      toolCallId: "c",
      toolName: "grep_knowledge",
      input: { a: 1 },
    };
    expect(aiSdkFormat.readCall(call)).toEqual({ name: "grep_knowledge", input: { a: 1 } });
    expect(aiSdkFormat.readCall({ type: "tool_use", name: "x", input: {} })).toBeUndefined();
    const answer = (isError: boolean) => aiSdkFormat.answerCall(call, { text: "t", isError });
    const named = { type: "tool-result", toolCallId: "c", toolName: "grep_knowledge" };
    expect(answer(false)).toEqual({ ...named, output: { type: "text", value: "t" } });
    expect(answer(true)).toEqual({ ...named, output: { type: "error-text", value: "t" } });
    const message = { role: "tool", content: [answer(true)] };
    expect(modelMessageSchema.safeParse(message).success).toBe(true);
  });

  it("gives tools with which generateText runs a loop", async () => {
    const seen: unknown[] = [];
    const runnable = {
      ...description,
      execute: (input: unknown, { signal }: { signal?: AbortSignal } = {}) => {
        seen.push(input, signal instanceof AbortSignal);
        return Promise.resolve({ text: "line 7", isError: seen.length > 2 });
      },
    };
    const prompts: unknown[] = [];
    const model = new MockLanguageModelV3({
      doGenerate: ({ prompt, tools }) => {
        prompts.push(prompt.at(-1), tools);
        const usage = {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        };
        const unified = prompts.length > 4 ? ("stop" as const) : ("tool-calls" as const);
        const call = {
          type: "tool-call" as const,
          toolCallId: `c${prompts.length}`,
          toolName: "grep_knowledge",
          input: '{"pattern":"x"}',
        };
        return Promise.resolve({
          content: unified === "stop" ? [{ type: "text" as const, text: "done" }] : [call],
          finishReason: { unified, raw: undefined },
          usage,
          warnings: [],
        });
      },
    });
    const { text } = await generateText({
      model,
      prompt: "find it",
      tools: aiSdkFormat.describeTools([runnable]),
      stopWhen: stepCountIs(5),
      abortSignal: new AbortController().signal,
    });
    expect(text).toBe("done");
    expect(seen).toEqual([{ pattern: "x" }, true, { pattern: "x" }, true]);
    expect(prompts[1]).toMatchObject([
      { type: "function", name: "grep_knowledge", inputSchema: description.inputSchema },
    ]);
    const outputs = [prompts[2], prompts[4]].map((message) => outputOf(message as ModelMessage));
    expect(outputs).toEqual([
      { type: "text", value: "line 7" },
      { type: "text", value: "Error: line 7" },
    ]);
  });
});
