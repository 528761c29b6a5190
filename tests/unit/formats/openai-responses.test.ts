import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type Anthropic from "@anthropic-ai/sdk";
import type { ModelMessage } from "ai";
import fc from "fast-check";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { type MediaRule, openaiResponsesFormat as format } from "../../../src/formats/index.js";
import {
  expectToRestoreAny,
  expectToTakeReferences,
  GREP,
  offloadAndRestore,
  readMessage,
} from "./offload-and-restore.js";
import { deepFreeze } from "../../support/shared-objects.js";

type Item = OpenAI.Responses.ResponseInputItem;
type FunctionOutput = OpenAI.Responses.ResponseInputItem.FunctionCallOutput;

const KEEP = { media: "keep" } as const;
const OFFLOAD = { media: "offload" } as const;

const read = (item: unknown, options: { media: MediaRule } = KEEP) =>
  readMessage(format, item, options);

const image = {
  type: "input_image",
  detail: "auto",
  image_url: "data:image/png;base64,AA",
} as const;
const file = { type: "input_file", filename: "a.pdf", file_data: "AAAA" } as const;

const question = { role: "user", content: "Where?" } satisfies Item;
const reasoning = { type: "reasoning", id: "rs_1", summary: [] } satisfies Item;
const call = {
  type: "function_call",
  call_id: "a",
  name: "locate",
  arguments: '{"deep":true}',
} satisfies Item;
const customCall = {
  type: "custom_tool_call",
  call_id: "b",
  name: "wrapping",
  input: "pwd",
} satisfies Item;
const output = {
  id: "fc_1",
  type: "function_call_output",
  output: "At home.",
  call_id: "a",
  status: "completed",
} satisfies Item;
const customOutput = {
  type: "custom_tool_call_output",
  call_id: "b",
  output: [{ type: "input_text", text: "/home" }],
} satisfies Item;
const answer = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "At home.", annotations: [] }],
} satisfies Item;
const conversation: Item[] = [question, reasoning, call, customCall, output, customOutput, answer];

const hosted: Item[] = [
  { type: "local_shell_call_output", id: "a", output: "x".repeat(99) },
  {
    type: "shell_call_output",
    call_id: "a",
    output: [{ stdout: "x".repeat(99), stderr: "", outcome: { type: "exit", exit_code: 0 } }],
  },
  { type: "mcp_call", id: "a", name: "f", arguments: "{}", server_label: "s", output: "x" },
  {
    type: "computer_call_output",
    call_id: "a",
    output: { type: "computer_screenshot", image_url: "data:" },
  },
];

describe("reading Responses items", () => {
  it("finds calls of functions and of custom tools", () => {
    expect(conversation.flatMap((item) => read(item).calls)).toEqual([
      { id: "a", name: "locate" },
      { id: "b", name: "wrapping" },
    ]);
  });

  it("knows which items the model wrote", () => {
    const fromModel = conversation.map((item) => read(item).fromModel);
    expect(fromModel).toEqual([false, true, true, true, false, false, true]);
    expect(read({ role: "assistant", content: "x" }).fromModel).toBe(true);
  });

  it("finds outputs as texts and as parts", () => {
    expect(conversation.flatMap((item) => read(item).results)).toEqual([
      {
        slot: 0,
        id: "a",
        content: "At home.",
        soleText: "At home.",
        chars: 8,
        isError: false,
      },
      {
        slot: 0,
        id: "b",
        content: customOutput.output,
        soleText: "/home",
        chars: JSON.stringify(customOutput.output).length,
        isError: false,
      },
    ]);
  });

  it("counts an empty id as missing and an odd output as none", () => {
    expect(read({ ...output, call_id: "" }).results[0]?.id).toBeUndefined();
    expect(read({ ...output, output: { a: 1 } }).results).toEqual([]);
    expect(read("no item").results).toEqual([]);
  });

  it("keeps the outputs of hosted tools", () => {
    expect(format.mismatch(hosted)).toBeUndefined();
    for (const item of hosted) {
      expect(read(item).results).toEqual([]);
      expect(read(item).otherChars).toBe(JSON.stringify(item).length);
    }
  });

  it("keeps what a program reads instead of the model", () => {
    const programs: FunctionOutput = { ...output, caller: { type: "program", caller_id: "p" } };
    expect(read(programs).results).toEqual([]);
    const direct: FunctionOutput = { ...output, caller: { type: "direct" } };
    expect(read(direct).results).toHaveLength(1);
  });

  it("counts other text by its length, calls by their arguments, other items as JSON", () => {
    expect(conversation.map((item) => read(item).otherChars)).toEqual([
      6,
      JSON.stringify(reasoning).length,
      13,
      3,
      0,
      0,
      8,
    ]);
    const mixed: Item = { role: "user", content: [image, { type: "input_text", text: "12" }] };
    expect(read(mixed).otherChars).toBe(JSON.stringify(image).length + 2);
  });
});

describe("replacing in Responses items", () => {
  const replace = (item: unknown, options: { media: MediaRule } = KEEP) =>
    format.replace(deepFreeze(item), [{ slot: 0, text: "ref" }], options);

  it("changes the output alone: a text for a text, parts for parts", () => {
    expect(JSON.stringify(replace(output))).toBe(JSON.stringify({ ...output, output: "ref" }));
    const reference = { type: "input_text", text: "ref" } as const;
    const replaced: Item = { ...customOutput, output: [reference] };
    expect(replace(customOutput)).toEqual(replaced);
  });

  it("keeps media beside the reference, or offloads it", () => {
    const text = { type: "input_text", text: "12345" } as const;
    const item = { ...output, output: [image, text, file] } satisfies Item;
    expect(read(item).results).toMatchObject([
      { chars: JSON.stringify([text]).length, soleText: "12345" },
    ]);
    const reference = { type: "input_text", text: "ref" } as const;
    const kept = { ...item, output: [reference, image, file] } satisfies Item;
    expect(replace(item)).toEqual(kept);
    expect(read(kept).results).toMatchObject([{ soleText: "ref" }]);

    const chars = JSON.stringify(item.output).length;
    expect(read(item, OFFLOAD).results).toMatchObject([{ chars }]);
    expect(replace(item, OFFLOAD)).toEqual({ ...item, output: [reference] });
  });

  it("keeps the last mark of the prompt cache", () => {
    const prompt_cache_breakpoint = { mode: "explicit" } as const;
    const marked = { type: "input_text", text: "long", prompt_cache_breakpoint } as const;
    const item = { ...output, output: [marked] } satisfies Item;
    expect(replace(item)).toEqual({ ...item, output: [{ ...marked, text: "ref" }] });
  });

  it("restores outputs of one id each to its own content", () => {
    const items: Item[] = ["first", "second"].map((text) => ({ ...output, output: text }));
    expect(items.map((one) => offloadAndRestore(format, one).restored)).toEqual(items);
  });

  const name = fc.constantFrom("read", "search", "run");
  const call_id = fc.constantFrom("call_1", "call_2", "call_3");
  const part = fc.oneof(
    fc.record({ type: fc.constant("input_text" as const), text: fc.string() }),
    fc.constantFrom(image, file),
  );
  const anyOutput = fc.oneof(fc.string(), fc.array(part));
  const item: fc.Arbitrary<Item> = fc.oneof(
    fc.record({
      role: fc.constantFrom("user" as const, "developer" as const, "assistant" as const),
      content: fc.oneof(fc.string(), fc.array(part)),
    }),
    fc.record({
      type: fc.constant("function_call" as const),
      call_id,
      name,
      arguments: fc.json(),
    }),
    fc.record({
      type: fc.constant("custom_tool_call" as const),
      call_id,
      name,
      input: fc.string(),
    }),
    fc.record({
      output: anyOutput,
      type: fc.constant("function_call_output" as const),
      call_id,
      status: fc.constant("completed" as const),
    }),
    fc.record({
      type: fc.constant("custom_tool_call_output" as const),
      call_id,
      output: anyOutput,
    }),
    fc.constantFrom(reasoning, answer, ...hosted),
  );
  const ownFields = fc.record({
    output: fc.array(fc.oneof(part, fc.jsonValue())),
    call_id,
    own: fc.jsonValue(),
    type: fc.constant("function_call_output"),
  });

  it("restores every conversation exactly and changes none", () => {
    expectToRestoreAny(format, fc.array(fc.oneof({ weight: 5, arbitrary: item }, ownFields)));
  });

  it("puts a reference where an output was, in every conversation that the vendor takes", () => {
    expectToTakeReferences(format, fc.array(item));
  });
});

describe("telling Responses items from others", () => {
  it("takes its own", () => {
    expect(format.mismatch(conversation)).toBeUndefined();
    expect(format.mismatch([])).toBeUndefined();
    const others: Item[] = [
      { type: "item_reference", id: "a" },
      { type: "compaction", encrypted_content: "x" },
      { type: "mcp_approval_response", approval_request_id: "a", approve: true },
      {
        type: "web_search_call",
        id: "a",
        status: "completed",
        action: { type: "search", query: "" },
      },
      { type: "message", role: "user", content: [{ type: "input_text", text: "x" }] },
    ];
    expect(format.mismatch(others)).toBeUndefined();
  });

  const anthropic: Anthropic.MessageParam[] = [
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] },
  ];
  const aiSdk: ModelMessage[] = [
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "a", toolName: "f", input: {} }],
    },
  ];
  const chatResult: OpenAI.Chat.ChatCompletionMessageParam = {
    role: "tool",
    tool_call_id: "a",
    content: "x",
  };
  const chatCall: OpenAI.Chat.ChatCompletionMessageParam = {
    role: "assistant",
    content: "Let me see.",
    tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
  };
  const chatFunction: OpenAI.Chat.ChatCompletionMessageParam = {
    role: "assistant",
    content: "Let me see.",
    function_call: { name: "f", arguments: "{}" },
  };

  it.each<[string, readonly unknown[], string]>([
    ["Anthropic's", anthropic, 'message 0 has a part of type "tool_result"'],
    ["the AI SDK's", aiSdk, 'has a part of type "tool-call"'],
    ["chat results", [question, chatResult], 'message 1 has the role "tool"'],
    ["chat calls", [chatCall], "has its tool calls inside, as Chat Completions do"],
    ["the older chat calls", [chatFunction], "has its tool calls inside"],
    ["chat parts", [{ role: "user", content: [{ type: "text" }] }], 'a part of type "text"'],
    ["chat without a text", [{ role: "assistant", content: null }], "has no content"],
    ["LangChain's", [new AIMessage("hi")], "is a LangChain message"],
    [
      "LangChain's results",
      [new ToolMessage({ content: "x", tool_call_id: "a" })],
      "is a LangChain message",
    ],
    ["LangChain's written ones", [new AIMessage("hi").toJSON()], "is a LangChain message"],
    ["LangChain's stored ones", [new AIMessage("hi").toDict()], 'has the type "ai"'],
    ["Gemini's", [{ role: "user", parts: [{ text: "x" }] }], "has no content"],
    ["MCP's", [{ content: [{ type: "text", text: "x" }] }], "neither a role nor the type"],
    ["Codex's lines", [{ type: "response_item", payload: call }], 'the type "response_item"'],
    ["no objects", ["hi"], "message 0 is a line of text, not an object"],
  ])("refuses %s", (_whose, items, why) => {
    expect(format.mismatch(items)).toContain(why);
  });
});

describe("tools in Responses", () => {
  it("describes tools as the vendor takes them", () => {
    expect(format.describeTools([GREP]) satisfies OpenAI.Responses.FunctionTool[]).toEqual([
      {
        type: "function",
        name: "grep",
        description: "Searches.",
        parameters: GREP.inputSchema,
        strict: false,
      },
    ]);
  });

  it("reads a call and answers it", () => {
    const made: OpenAI.Responses.ResponseFunctionToolCall = {
      type: "function_call",
      id: "fc_1",
      call_id: "a",
      name: "read",
      arguments: '{"line":7}',
    };
    expect(format.readCall(made)).toEqual({ name: "read", input: { line: 7 } });
    const given = format.answerCall(made, { text: "seven", isError: true });
    expect(given satisfies Item).toEqual({
      type: "function_call_output",
      call_id: "a",
      output: "seven",
    });
    expect(read(given).results).toMatchObject([{ id: "a", content: "seven" }]);
  });

  it("hands broken arguments on as they stand", () => {
    const made = { ...call, arguments: "{broken" };
    expect(format.readCall(made)).toEqual({ name: "locate", input: "{broken" });
  });

  it.each([
    [customCall],
    [{ type: "tool_use", id: "a", name: "read", input: {} }],
    [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }],
    [undefined],
  ])("does not take %j for a call", (made) => {
    expect(format.readCall(made)).toBeUndefined();
  });
});
