import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type Anthropic from "@anthropic-ai/sdk";
import type { ModelMessage } from "ai";
import fc from "fast-check";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { type MediaRule, openaiChatFormat as format } from "../../../src/formats/index.js";
import {
  expectToRestoreAny,
  expectToTakeReferences,
  GREP,
  offloadAndRestore,
  readMessage,
} from "./offload-and-restore.js";
import { deepFreeze } from "../../support/shared-objects.js";

type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;

const KEEP = { media: "keep" } as const;
const OFFLOAD = { media: "offload" } as const;

const read = (message: unknown, options: { media: MediaRule } = KEEP) =>
  readMessage(format, message, options);

const conversation = [
  { role: "system", content: "Be brief." },
  { role: "user", content: [{ type: "text", text: "Where am I?" }] },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "a", type: "function", function: { name: "locate", arguments: '{"deep":true}' } },
      { id: "b", type: "custom", custom: { name: "wrapping", input: "pwd" } },
    ],
  },
  { role: "tool", tool_call_id: "a", content: "At home." },
  { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "/home" }] },
  { role: "assistant", content: "At home, in /home." },
] as const satisfies readonly ChatMessage[];

const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

describe("reading OpenAI chat messages", () => {
  it("finds calls of functions and of custom tools, in parallel", () => {
    const { fromModel, calls, results } = read(conversation[2]);
    expect({ fromModel, calls, results }).toEqual({
      fromModel: true,
      calls: [
        { id: "a", name: "locate" },
        { id: "b", name: "wrapping" },
      ],
      results: [],
    });
  });

  it("finds results as texts and as parts", () => {
    expect(read(conversation[3])).toMatchObject({
      fromModel: false,
      results: [{ slot: 0, id: "a", content: "At home.", soleText: "At home.", chars: 8 }],
    });
    expect(read(conversation[4]).results).toMatchObject([
      { id: "b", content: conversation[4].content, soleText: "/home", chars: 32, isError: false },
    ]);
  });

  it("reads the name that a result gives itself", () => {
    const message = { role: "tool", tool_call_id: "a", name: "locate", content: "x" };
    expect(read(message).results[0]?.toolName).toBe("locate");
  });

  it("reads the older functions, whose results have a name and no id", () => {
    const call = {
      role: "assistant",
      content: null,
      function_call: { name: "locate", arguments: "{}" },
    } satisfies ChatMessage;
    const answer = { role: "function", name: "locate", content: "here" } satisfies ChatMessage;
    expect(read(call).calls).toEqual([{ id: undefined, name: "locate" }]);
    expect(read(answer).results).toMatchObject([
      { id: undefined, toolName: "locate", content: "here" },
    ]);
  });

  it("reads SWE-agent's list of ids", () => {
    const content = [{ type: "text", text: "OBSERVATION" }];
    const message = { role: "tool", agent: "main", tool_call_ids: ["a"], content };
    expect(read(message).results).toMatchObject([{ id: "a", soleText: "OBSERVATION" }]);
    expect(read({ ...message, tool_call_ids: [] }).results).toMatchObject([{ id: undefined }]);
  });

  it("counts an empty id as missing and a missing content as no result", () => {
    expect(read({ role: "tool", tool_call_id: "", content: "x" }).results[0]?.id).toBeUndefined();
    expect(read({ role: "function", name: "f", content: null }).results).toEqual([]);
    expect(read("no message").results).toEqual([]);
  });

  it("counts other text by its length, calls by their arguments, other parts as JSON", () => {
    const count = (message: unknown) => read(message).otherChars;
    expect(conversation.map(count)).toEqual([9, 11, 13 + 3, 0, 0, 18]);
    expect(count({ role: "user", content: [image, { type: "text", text: "12" }] })).toBe(
      JSON.stringify(image).length + 2,
    );
    expect(count({ role: "assistant", content: null, refusal: "no" })).toBe(2);
    expect(count({ role: "assistant", function_call: { name: "f", arguments: '{"a":1}' } })).toBe(
      7,
    );
    const ownObject = { function: { name: "f", arguments: { a: 1 } } };
    expect(count({ role: "assistant", content: "", tool_calls: [ownObject] })).toBe(7);
  });
});

describe("replacing in OpenAI chat messages", () => {
  const replace = (message: unknown, options: { media: MediaRule } = KEEP) =>
    format.replace(deepFreeze(message), [{ slot: 0, text: "ref" }], options);

  it("changes the content alone: a text for a text, parts for parts", () => {
    const message = { role: "tool", extra: { a: 1 }, content: "long", tool_call_id: "a" };
    const replaced = replace(message);
    expect(JSON.stringify(replaced)).toBe(JSON.stringify({ ...message, content: "ref" }));
    expect(replaced).toHaveProperty("extra", message.extra);
    expect(replace(conversation[4])).toEqual({
      ...conversation[4],
      content: [{ type: "text", text: "ref" }],
    });
  });

  it("keeps media beside the reference, or offloads it", () => {
    const parts = [{ type: "text", text: "12345" }, image, { type: "text", text: "678" }];
    const message = { role: "tool", tool_call_id: "a", content: parts };
    expect(read(message).results).toMatchObject([
      { chars: JSON.stringify([parts[0], parts[2]]).length, soleText: undefined },
    ]);
    const kept = replace(message);
    expect(kept).toEqual({ ...message, content: [{ type: "text", text: "ref" }, image] });
    expect(read(kept).results).toMatchObject([{ soleText: "ref" }]);

    const chars = JSON.stringify(parts).length;
    expect(read(message, OFFLOAD).results).toMatchObject([{ chars }]);
    expect(replace(message, OFFLOAD)).toEqual({
      ...message,
      content: [{ type: "text", text: "ref" }],
    });
  });

  it.each(["image_url", "input_audio", "file"])("takes %s for media", (type) => {
    const message = { role: "tool", tool_call_id: "a", content: [{ type, [type]: {} }] };
    expect(read(message).results).toMatchObject([{ chars: 0, soleText: undefined }]);
  });

  it("keeps the last mark of the prompt cache", () => {
    const mark = { mode: "explicit" } as const;
    const content = [
      { type: "text", text: "one", prompt_cache_breakpoint: mark },
      { type: "text", text: "two" },
    ] satisfies OpenAI.Chat.ChatCompletionContentPartText[];
    const message = { role: "tool", tool_call_id: "a", content };
    const marked = { type: "text", text: "ref", prompt_cache_breakpoint: mark };
    expect(replace(message)).toEqual({ ...message, content: [marked] });

    const markedImage = { ...image, cache_control: { type: "ephemeral" } };
    expect(replace({ ...message, content: [content[1], markedImage] })).toHaveProperty("content", [
      { type: "text", text: "ref" },
      markedImage,
    ]);
  });

  it("restores results of one id each to its own content", () => {
    const messages: ChatMessage[] = ["first", "second"].map((content) => ({
      role: "tool",
      tool_call_id: "same",
      content,
    }));
    expect(messages.map((one) => offloadAndRestore(format, one).restored)).toEqual(messages);
  });

  const name = fc.constantFrom("read", "search", "run");
  const id = fc.constantFrom("call_1", "call_2", "call_3");
  const textParts = fc.array(fc.record({ type: fc.constant("text" as const), text: fc.string() }));
  const toolCall: fc.Arbitrary<OpenAI.Chat.ChatCompletionMessageToolCall> = fc.oneof(
    fc.record({
      id,
      type: fc.constant("function" as const),
      function: fc.record({ name, arguments: fc.json() }),
    }),
    fc.record({
      id,
      type: fc.constant("custom" as const),
      custom: fc.record({ name, input: fc.string() }),
    }),
  );
  const message: fc.Arbitrary<ChatMessage> = fc.oneof(
    fc.record({
      role: fc.constantFrom("system" as const, "user" as const),
      content: fc.oneof(fc.string(), textParts),
    }),
    fc.record({
      role: fc.constant("assistant" as const),
      content: fc.option(fc.string()),
      tool_calls: fc.array(toolCall, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      role: fc.constant("tool" as const),
      tool_call_id: id,
      content: fc.oneof(fc.string(), textParts),
    }),
    fc.record({
      role: fc.constant("function" as const),
      name,
      content: fc.option(fc.string()),
    }),
  );
  /** What the vendor's types do not have: media in results, and fields of a host's own. */
  const mixedResult = fc.record({
    content: fc.array(fc.oneof(fc.constant(image), fc.jsonValue(), textParts)),
    role: fc.constant("tool"),
    tool_call_ids: fc.array(id, { minLength: 1, maxLength: 2 }),
    own: fc.jsonValue(),
  });

  it("restores every conversation exactly and changes none", () => {
    expectToRestoreAny(format, fc.array(fc.oneof({ weight: 4, arbitrary: message }, mixedResult)));
  });

  it("puts a reference where a result was, in every conversation that the vendor takes", () => {
    expectToTakeReferences(format, fc.array(message));
  });
});

describe("telling OpenAI chat messages from others", () => {
  it("takes its own", () => {
    expect(format.mismatch(conversation)).toBeUndefined();
    expect(format.mismatch([])).toBeUndefined();
    const file = { type: "file", file: { file_id: "f" } };
    expect(format.mismatch([{ role: "user", content: [file, image] }])).toBeUndefined();
    expect(format.mismatch([{ role: "assistant", tool_calls: [] }])).toBeUndefined();
  });

  const anthropic: Anthropic.MessageParam[] = [
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] },
  ];
  const aiSdkTool: ModelMessage = {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "a",
        toolName: "f",
        output: { type: "text", value: "x" },
      },
    ],
  };
  const aiSdkFile: ModelMessage = {
    role: "user",
    content: [{ type: "file", data: "AAAA", mediaType: "application/pdf" }],
  };
  const responses: OpenAI.Responses.ResponseInputItem[] = [
    { type: "function_call_output", call_id: "a", output: "x" },
  ];

  it.each<[string, readonly unknown[], string]>([
    ["Anthropic's", anthropic, 'message 0 has a part of type "tool_result"'],
    ["the AI SDK's", [aiSdkTool], 'has a part of type "tool-result"'],
    ["the AI SDK's files", [aiSdkFile], 'has a part of type "file"'],
    ["the AI SDK's for pages", [{ id: "1", role: "assistant", parts: [] }], "has no content"],
    ["LangChain's", [new AIMessage("hi")], "is a LangChain message"],
    [
      "LangChain's results",
      [new ToolMessage({ content: "x", tool_call_id: "a" })],
      "is a LangChain message",
    ],
    ["LangChain's written ones", [new AIMessage("hi").toJSON()], "is a LangChain message"],
    ["LangChain's stored ones", [new AIMessage("hi").toDict()], 'no role but the type "ai"'],
    ["Responses items", responses, 'no role but the type "function_call_output"'],
    [
      "Responses messages",
      [{ type: "message", role: "user", content: "x" }],
      "as items of the Responses API do",
    ],
    [
      "Responses parts",
      [{ role: "user", content: [{ type: "input_text", text: "x" }] }],
      'has a part of type "input_text"',
    ],
    ["Gemini's", [{ role: "user", parts: [{ text: "x" }] }], "has no content"],
    ["Gemini's model", [{ role: "model", parts: [] }], 'has the role "model"'],
    ["MCP's", [{ content: [{ type: "text", text: "x" }] }], "has no role"],
    [
      "pi's",
      [{ role: "toolResult", toolCallId: "a", content: [] }],
      'message 0 has pi\'s role "toolResult"; here a result has the role tool',
    ],
    ["objects as contents", [{ role: "user", content: {} }], "neither a string nor an array"],
    ["no objects", [conversation[0], "hi"], "message 1 is a line of text, not an object"],
  ])("refuses %s", (_whose, messages, why) => {
    expect(format.mismatch(messages)).toContain(why);
  });
});

describe("tools in OpenAI chat", () => {
  it("describes tools as the vendor takes them", () => {
    expect(format.describeTools([GREP]) satisfies OpenAI.Chat.ChatCompletionTool[]).toEqual([
      {
        type: "function",
        function: { name: "grep", description: "Searches.", parameters: GREP.inputSchema },
      },
    ]);
  });

  it("reads a call and answers it", () => {
    const call: OpenAI.Chat.ChatCompletionMessageToolCall = {
      id: "a",
      type: "function",
      function: { name: "read", arguments: '{"line":7}' },
    };
    expect(format.readCall(call)).toEqual({ name: "read", input: { line: 7 } });
    const answer = format.answerCall(call, { text: "seven", isError: false });
    expect(answer satisfies ChatMessage).toEqual({
      role: "tool",
      tool_call_id: "a",
      content: "seven",
    });
    expect(read(answer).results).toMatchObject([{ id: "a", content: "seven" }]);
  });

  it.each([
    ["{broken", "{broken"],
    ["", {}],
    [{ line: 7 }, { line: 7 }],
  ])("takes the arguments %j for %j", (given, input) => {
    const call = { id: "a", function: { name: "read", arguments: given } };
    expect(format.readCall(call)).toEqual({ name: "read", input });
  });

  it.each([
    [{ type: "tool_use", id: "a", name: "read", input: {} }],
    [{ type: "function_call", call_id: "a", name: "read", arguments: "{}" }],
    [{ id: "a", type: "custom", custom: { name: "read", input: "" } }],
    [undefined],
  ])("does not take %j for a call", (call) => {
    expect(format.readCall(call)).toBeUndefined();
  });
});
