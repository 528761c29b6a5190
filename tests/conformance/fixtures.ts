import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import {
  type Format,
  aiSdkFormat,
  aiSdkUiFormat,
  anthropicFormat,
  bedrockFormat,
  copilotCliFormat,
  geminiCliFormat,
  openaiAgentsFormat,
  qwenCodeFormat,
  claudeCodeFormat,
  codexFormat,
  geminiFormat,
  langchainFormat,
  mcpFormat,
  openaiChatFormat,
  openaiResponsesFormat,
  piFormat,
} from "../../src/formats/index.js";
import { FORMATS } from "../../src/formats/formats.js";
import type {
  FormatFixture,
  SampleCall,
  SampleResult,
  SampleTurn,
} from "../../src/testing/index.js";
import { RECORDED_FIXTURES } from "./recorded-fixtures.js";

/** Fields that nobody knows, which must be kept. */
const unknown = { unknown_field: [1, { deep: true }] };

function buildAnthropic(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ say, results }) => [
    {
      role: "assistant",
      content: [
        { type: "text", text: say },
        ...results.map(({ id, toolName, input }) => ({
          type: "tool_use",
          id,
          name: toolName,
          input,
        })),
      ],
    },
    {
      role: "user",
      content: results.map(({ id, text, isError }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: text,
        ...(isError ? { is_error: true } : {}),
        cache_control: { type: "ephemeral" },
        ...unknown,
      })),
    },
  ]);
}

function buildOpenaiChat(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ say, results }) => [
    { role: "user", content: "go on" },
    {
      role: "assistant",
      content: say,
      tool_calls: results.map(({ id, toolName, input }) => ({
        id,
        type: "function",
        function: { name: toolName, arguments: JSON.stringify(input) },
      })),
    },
    ...results.map(({ id, text }) => ({
      role: "tool",
      tool_call_id: id,
      content: text,
      ...unknown,
    })),
  ]);
}

function buildResponses(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ say, results }) => [
    { type: "message", role: "assistant", content: [{ type: "output_text", text: say }] },
    ...results.map(({ id, toolName, input }) => ({
      type: "function_call",
      call_id: id,
      name: toolName,
      arguments: JSON.stringify(input),
    })),
    ...results.map(({ id, text }) => ({
      type: "function_call_output",
      call_id: id,
      output: text,
      ...unknown,
    })),
  ]);
}

function buildAiSdk(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ say, results }) => [
    {
      role: "assistant",
      content: [
        { type: "text", text: say },
        ...results.map(({ id, toolName, input }) => ({
          type: "tool-call",
          toolCallId: id,
          toolName,
          input,
        })),
      ],
    },
    {
      role: "tool",
      content: results.map(({ id, toolName, text, isError }) => ({
        type: "tool-result",
        toolCallId: id,
        toolName,
        output: { type: isError ? "error-text" : "text", value: text },
        ...unknown,
      })),
    },
  ]);
}

function buildAiSdkUi(turns: readonly SampleTurn[]): object[] {
  return turns.map(({ say, results }, index) => ({
    id: `message-${index}`,
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "text", text: say, state: "done" },
      ...results.map(({ id, toolName, input, text, isError }) => ({
        type: `tool-${toolName}`,
        toolCallId: id,
        input,
        ...(isError
          ? { state: "output-error", errorText: text }
          : { state: "output-available", output: text }),
        ...unknown,
      })),
    ],
  }));
}

function buildBedrock(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ say, results }) => [
    {
      role: "assistant",
      content: [
        { text: say },
        ...results.map(({ id, toolName, input }) => ({
          toolUse: { toolUseId: id, name: toolName, input },
        })),
      ],
    },
    {
      role: "user",
      content: [
        ...results.map(({ id, text, isError }) => ({
          toolResult: {
            toolUseId: id,
            content: [{ text }],
            status: isError ? "error" : "success",
            ...unknown,
          },
        })),
        { cachePoint: { type: "default" } },
      ],
    },
  ]);
}

function buildGeminiCli(turns: readonly SampleTurn[]): object[] {
  return turns.map(({ say, results }, index) => ({
    id: `message-${index}`,
    timestamp: "t",
    type: "gemini",
    content: say,
    toolCalls: results.map(({ id, toolName, input, text, isError }) => ({
      id,
      name: toolName,
      args: input,
      status: isError ? "error" : "success",
      result: [
        {
          functionResponse: {
            id,
            name: toolName,
            response: isError ? { error: text } : { output: text },
          },
        },
      ],
      ...unknown,
    })),
  }));
}

function buildQwenCode(turns: readonly SampleTurn[]): string[] {
  const messages = buildGemini(turns) as { role: string }[];
  return messages.map((message, index) =>
    oddJson({
      uuid: `u${index}`,
      sessionId: "session",
      type: message.role === "model" ? "assistant" : "tool_result",
      message,
      toolCallResult: { callId: "repeated" },
    }),
  );
}

function buildCopilotCli(turns: readonly SampleTurn[]): object[] {
  const event = (type: string, data: object) => ({ type, data, id: "e", timestamp: "t" });
  return turns.flatMap(({ say, results }) => [
    event("assistant.message", {
      content: say,
      toolRequests: results.map(({ id, toolName, input }) => ({
        toolCallId: id,
        name: toolName,
        arguments: input,
        type: "function",
      })),
    }),
    ...results.flatMap(({ id, toolName, text, isError }) => [
      event("tool.execution_start", { toolCallId: id, toolName, arguments: {} }),
      event("tool.execution_complete", {
        toolCallId: id,
        success: !isError,
        ...(isError ? { error: { message: text } } : { result: { content: text, ...unknown } }),
      }),
    ]),
  ]);
}

function buildOpenaiAgents(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ say, results }) => [
    {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: say }],
    },
    ...results.map(({ id, toolName, input }) => ({
      type: "function_call",
      callId: id,
      name: toolName,
      status: "completed",
      arguments: JSON.stringify(input),
    })),
    ...results.map(({ id, toolName, text }) => ({
      type: "function_call_result",
      name: toolName,
      callId: id,
      status: "completed",
      output: { type: "text", text, ...unknown },
    })),
  ]);
}

function buildLangchain(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ say, results }) => [
    new HumanMessage("go on"),
    new AIMessage({
      content: say,
      tool_calls: results.map(({ id, toolName, input }) => ({ id, name: toolName, args: input })),
    }),
    ...results.map(
      ({ id, toolName, text, isError }) =>
        new ToolMessage({
          content: text,
          tool_call_id: id,
          name: toolName,
          status: isError ? "error" : "success",
          artifact: { kept: [1, 2] },
          id: `message-of-${id}`,
        }),
    ),
  ]);
}

function buildStoredLangchain(turns: readonly SampleTurn[]): object[] {
  return buildLangchain(turns).map((message) => (message as HumanMessage).toDict());
}

function buildGemini(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ say, results }) => [
    {
      role: "model",
      parts: [
        { text: say },
        ...results.map(({ id, toolName, input }) => ({
          functionCall: { id, name: toolName, args: input },
        })),
      ],
    },
    {
      role: "user",
      parts: results.map(({ id, toolName, text, isError }) => ({
        functionResponse: {
          id,
          name: toolName,
          response: isError ? { error: text } : { output: text },
        },
        ...unknown,
      })),
    },
  ]);
}

function buildMcp(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ results }) =>
    results.map(({ text, isError }) => ({
      content: [{ type: "text", text }],
      ...(isError ? { isError: true } : {}),
      _meta: unknown,
    })),
  );
}

/** JSON as other programs write it: with blanks, and with escapes that are not needed. */
function oddJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('":', '" : ').replaceAll("/", "\\/");
}

function buildClaudeCode(turns: readonly SampleTurn[]): string[] {
  const messages = buildAnthropic(turns) as { role: string }[];
  return [
    oddJson({ type: "summary", summary: "an outage", leafUuid: "u0" }),
    ...messages.map((message, index) =>
      oddJson({
        parentUuid: `u${index}`,
        sessionId: "session",
        type: message.role,
        message,
        uuid: `u${index + 1}`,
        ...(message.role === "user" ? { toolUseResult: { stdout: "repeated" } } : {}),
      }),
    ),
  ];
}

function buildCodex(turns: readonly SampleTurn[]): string[] {
  return [
    oddJson({ timestamp: "t", type: "session_meta", payload: { id: "session" } }),
    ...buildResponses(turns).map((payload) =>
      oddJson({ timestamp: "t", type: "response_item", payload }),
    ),
  ];
}

function buildPi(turns: readonly SampleTurn[]): string[] {
  const line = (message: object) => oddJson({ type: "message", timestamp: "t", message });
  const answer = ({ id, toolName, text, isError }: SampleResult) =>
    line({
      role: "toolResult",
      toolCallId: id,
      toolName,
      content: [{ type: "text", text }],
      isError,
      ...unknown,
    });
  return turns.flatMap(({ say, results }) => [
    line({
      role: "assistant",
      content: [
        { type: "text", text: say },
        ...results.map(({ id, toolName, input }) => ({
          type: "toolCall",
          id,
          name: toolName,
          arguments: input,
        })),
      ],
    }),
    ...results.map(answer),
  ]);
}

const user = (...content: unknown[]) => ({ role: "user", content });

const anthropicCalls = {
  buildCall: ({ id, name, input }: SampleCall) => ({ type: "tool_use", id, name, input }),
  carryAnswer: (answer: unknown) => user(answer),
};
const responsesCalls = {
  buildCall: ({ id, name, input }: SampleCall) => ({
    type: "function_call",
    call_id: id,
    name,
    arguments: JSON.stringify(input),
  }),
};
const langchainCalls = {
  buildCall: ({ id, name, input }: SampleCall) => ({ type: "tool_call", id, name, args: input }),
};

const markedAnthropic = (text: string, mark: string) =>
  user({
    type: "tool_result",
    tool_use_id: "call_m",
    content: [{ type: "text", text, cache_control: { type: mark } }],
  });
const markedChat = (text: string, mark: string) => ({
  role: "tool",
  tool_call_id: "call_m",
  content: [{ type: "text", text, prompt_cache_breakpoint: { mode: mark } }],
});
const markedResponses = (text: string, mark: string) => ({
  type: "function_call_output",
  call_id: "call_m",
  output: [{ type: "input_text", text, prompt_cache_breakpoint: { mode: mark } }],
});
const markedAiSdk = (text: string, mark: string) => ({
  role: "tool",
  content: [
    {
      type: "tool-result",
      toolCallId: "call_m",
      toolName: "read_log",
      output: {
        type: "content",
        value: [{ type: "text", text, providerOptions: { anthropic: { cacheControl: mark } } }],
      },
    },
  ],
});
const markedLangchain = (text: string, mark: string) =>
  new ToolMessage({
    content: [{ type: "text", text, cache_control: { type: mark } }],
    tool_call_id: "call_m",
  });

export const anthropicFixture = {
  name: "Anthropic",
  format: anthropicFormat,
  build: buildAnthropic,
  buildMarked: markedAnthropic,
  ...anthropicCalls,
} satisfies FormatFixture & { readonly name: string };

type NamedFixture = FormatFixture & { readonly name: string };

const NAMED_FIXTURES: readonly NamedFixture[] = [
  anthropicFixture,
  {
    name: "OpenAI chat",
    format: openaiChatFormat,
    build: buildOpenaiChat,
    buildCall: ({ id, name, input }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    }),
    buildMarked: markedChat,
    hasErrorFlag: false,
  },
  {
    name: "OpenAI Responses",
    format: openaiResponsesFormat,
    build: buildResponses,
    buildMarked: markedResponses,
    hasErrorFlag: false,
    ...responsesCalls,
  },
  {
    name: "AI SDK",
    format: aiSdkFormat,
    build: buildAiSdk,
    buildCall: ({ id, name, input }) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input,
    }),
    carryAnswer: (answer) => ({ role: "tool", content: [answer] }),
    buildMarked: markedAiSdk,
  },
  {
    name: "AI SDK UI",
    format: aiSdkUiFormat,
    build: buildAiSdkUi,
    buildCall: ({ id, name, input }) => ({
      type: `tool-${name}`,
      toolCallId: id,
      state: "input-available",
      input,
    }),
    carryAnswer: (part) => ({ id: "m", role: "assistant", parts: [part] }),
  },
  {
    name: "Bedrock",
    format: bedrockFormat,
    build: buildBedrock,
    buildCall: ({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } }),
    carryAnswer: (answer) => user(answer),
  },
  {
    name: "Gemini CLI",
    format: geminiCliFormat,
    build: buildGeminiCli,
    buildCall: ({ id, name, input }) => ({ id, name, args: input }),
    carryAnswer: (answer) => ({
      type: "gemini",
      timestamp: "t",
      content: "",
      toolCalls: [{ id: "call_1", name: "x", args: {}, result: [answer] }],
    }),
  },
  {
    name: "Qwen Code",
    format: qwenCodeFormat,
    build: buildQwenCode,
    buildCall: ({ id, name, input }) => ({ functionCall: { id, name, args: input } }),
    carryAnswer: (answer) =>
      oddJson({
        uuid: "u",
        sessionId: "s",
        type: "tool_result",
        message: { role: "user", parts: [answer] },
      }),
  },
  {
    name: "Copilot CLI",
    format: copilotCliFormat,
    build: buildCopilotCli,
    buildCall: ({ id, name, input }) => ({ toolCallId: id, name, arguments: input }),
  },
  {
    name: "OpenAI Agents",
    format: openaiAgentsFormat,
    build: buildOpenaiAgents,
    buildCall: ({ id, name, input }) => ({
      type: "function_call",
      callId: id,
      name,
      arguments: JSON.stringify(input),
    }),
    hasErrorFlag: false,
  },
  {
    name: "LangChain",
    format: langchainFormat,
    build: buildLangchain,
    buildMarked: markedLangchain,
    ...langchainCalls,
  },
  {
    name: "LangChain as stored",
    format: langchainFormat,
    build: buildStoredLangchain,
    buildMarked: (text, mark) => markedLangchain(text, mark).toDict(),
    ...langchainCalls,
  },
  {
    name: "Gemini",
    format: geminiFormat,
    build: buildGemini,
    buildCall: ({ id, name, input }) => ({ functionCall: { id, name, args: input } }),
    carryAnswer: (answer) => ({ role: "user", parts: [answer] }),
  },
  {
    name: "MCP",
    format: mcpFormat,
    build: buildMcp,
    buildCall: ({ name, input }) => ({ name, arguments: input }),
    hasIds: false,
    hasReplies: false,
  },
  {
    name: "Claude Code",
    format: claudeCodeFormat,
    build: buildClaudeCode,
    buildMarked: (text, mark) =>
      oddJson({ type: "user", uuid: "u", message: markedAnthropic(text, mark) }),
    buildCall: anthropicCalls.buildCall,
    carryAnswer: (answer) => oddJson({ type: "user", uuid: "u", message: user(answer) }),
  },
  {
    name: "Codex",
    format: codexFormat,
    build: buildCodex,
    buildMarked: (text, mark) =>
      oddJson({ type: "response_item", payload: markedResponses(text, mark) }),
    carryAnswer: (payload) => oddJson({ type: "response_item", payload }),
    hasErrorFlag: false,
    ...responsesCalls,
  },
  {
    name: "pi",
    format: piFormat,
    build: buildPi,
    buildCall: ({ id, name, input }) => ({ type: "toolCall", id, name, arguments: input }),
    carryAnswer: (message) => oddJson({ type: "message", timestamp: "t", message }),
  },
  ...RECORDED_FIXTURES,
];

/** The same conversations with a message per line. */
function inLines({
  name,
  format,
  build,
  buildMarked,
  carryAnswer,
  ...rest
}: NamedFixture): NamedFixture {
  return {
    ...rest,
    name: `${name}, one message per line`,
    format: FORMATS.find((one) => one.name === `${format.name}-jsonl`) as Format,
    build: (turns) => build(turns).map(oddJson),
    carryAnswer: (answer) => oddJson(carryAnswer?.(answer) ?? answer),
    ...(buildMarked ? { buildMarked: (text, mark) => oddJson(buildMarked(text, mark)) } : {}),
  };
}

export const FIXTURES: readonly NamedFixture[] = [
  ...NAMED_FIXTURES,
  ...NAMED_FIXTURES.filter(({ format }) => !format.name.endsWith("-jsonl")).map(inLines),
];
