import {
  ampFormat,
  continueFormat,
  factoryDroidFormat,
  googleAdkFormat,
  gooseFormat,
  kimiFormat,
  openhandsFormat,
  openaiChatFormat,
  opencodeEventsFormat,
  opencodeFormat,
  piFormat,
  pydanticAiFormat,
} from "../../src/formats/index.js";
import type {
  FormatFixture,
  SampleCall,
  SampleResult,
  SampleTurn,
} from "../../src/testing/index.js";

/** Fields that nobody knows, which must be kept. */
const unknown = { unknown_field: [1, { deep: true }] };

/** A line of JSON as other programs write it: with blanks, and with escapes that are not needed. */
function oddLine(value: unknown): string {
  return `${JSON.stringify(value).replaceAll('":', '" : ').replaceAll("/", "\\/")}\n`;
}

const opencodeCall = ({ id, name, input }: SampleCall) => ({
  type: "tool",
  callID: id,
  tool: name,
  state: { status: "running", input },
});

const opencodePart = ({ id, toolName, input, text, isError }: SampleResult) => ({
  id: `part-of-${id}`,
  type: "tool",
  callID: id,
  tool: toolName,
  state: {
    status: isError ? "error" : "completed",
    input,
    [isError ? "error" : "output"]: text,
    title: "a title",
    metadata: { exit: 0 },
  },
  ...unknown,
});

function buildOpencode(turns: readonly SampleTurn[]): object[] {
  return [
    { info: { id: "msg_u", role: "user" }, parts: [{ type: "text", text: "go on" }] },
    ...turns.map(({ say, results }, turn) => ({
      info: { id: `msg_${turn}`, role: "assistant" },
      parts: [
        { type: "step-start", snapshot: "" },
        { type: "text", text: say },
        ...results.map(opencodePart),
        { type: "step-finish", reason: "tool-calls" },
      ],
    })),
  ];
}

function buildOpencodeEvents(turns: readonly SampleTurn[]): string[] {
  const line = (type: string, properties: object) =>
    oddLine({ timestamp: 1, event: { type, properties } });
  return turns.flatMap(({ say, results }, turn) => {
    const messageID = `msg_${turn}`;
    const updated = (part: object) =>
      line("message.part.updated", { part: { messageID, ...part } });
    return [
      line("session.status", { status: { type: "busy" } }),
      updated({ type: "text", text: say, time: { start: 1 } }),
      ...results.map((result) => updated(opencodePart(result))),
    ];
  });
}

function buildPydanticAi(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ say, results }) => [
    {
      parts: [
        { content: say, id: null, part_kind: "text" },
        ...results.map(({ id, toolName, input }) => ({
          tool_name: toolName,
          args: JSON.stringify(input),
          tool_call_id: id,
          part_kind: "tool-call",
        })),
      ],
      kind: "response",
    },
    {
      parts: results.map(({ id, toolName, text, isError }) => ({
        tool_name: toolName,
        content: text,
        tool_call_id: id,
        metadata: null,
        timestamp: "2026-03-01T10:00:00Z",
        outcome: isError ? "failed" : "success",
        part_kind: "tool-return",
        ...unknown,
      })),
      instructions: null,
      kind: "request",
    },
  ]);
}

/** Python writes the fields of a part in snake case, with null for those that are not set. */
function buildAdk(turns: readonly SampleTurn[], isPython: boolean): object[] {
  const [callKey, responseKey] = isPython
    ? ["function_call", "function_response"]
    : ["functionCall", "functionResponse"];
  const unset = isPython ? { text: null, inline_data: null, thought: null } : {};
  return turns.flatMap(({ say, results }, turn) => [
    {
      content: {
        parts: [
          { text: say },
          ...results.map(({ id, toolName, input }) => ({
            ...unset,
            [callKey]: { id, name: toolName, args: input },
          })),
        ],
        role: "model",
      },
      author: "agent",
      id: `event-${turn}`,
    },
    { content: null, author: "agent", actions: { stateDelta: {} } },
    {
      content: {
        parts: results.map(({ id, toolName, text, isError }) => ({
          ...unset,
          [responseKey]: {
            id,
            name: toolName,
            response: isError ? { error: text } : { output: text },
            ...unknown,
          },
        })),
        role: "user",
      },
      author: "agent",
    },
  ]);
}

const adkCalls = {
  buildCall: ({ id, name, input }: SampleCall) => ({ functionCall: { id, name, args: input } }),
  carryAnswer: (part: unknown) => ({ author: "agent", content: { role: "user", parts: [part] } }),
};

const anthropicUser = (...content: unknown[]) => ({ role: "user", content });

const droidLine = (message: object) =>
  oddLine({ type: "message", id: "m", timestamp: "t", message, parentId: "p" });

function buildDroid(turns: readonly SampleTurn[]): string[] {
  return [
    oddLine({ type: "session_start", id: "s", title: "A title", cwd: "/tmp" }),
    ...turns.flatMap(({ say, results }) => [
      droidLine({
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
      }),
      droidLine(
        anthropicUser(
          ...results.map(({ id, text, isError }) => ({
            type: "tool_result",
            tool_use_id: id,
            content: text,
            is_error: isError,
            ...unknown,
          })),
        ),
      ),
    ]),
  ];
}

function buildOpenHands(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ say, results }, turn) => [
    { kind: "ConversationStateUpdateEvent", source: "environment", key: "status", value: "idle" },
    ...results.map(({ id, toolName, input }, index) => ({
      ...openhandsCall({ id, name: toolName, input }),
      thought: index === 0 ? [{ cache_prompt: false, type: "text", text: say }] : [],
      llm_response_id: `response-${turn}`,
    })),
    ...results.map(({ id, toolName, text, isError }) => ({
      kind: "ObservationEvent",
      source: "environment",
      tool_name: toolName,
      tool_call_id: id,
      observation: { kind: "Terminal", content: [{ type: "text", text }], is_error: isError },
      ...unknown,
    })),
  ]);
}

const openhandsCall = ({ id, name, input }: SampleCall) => ({
  kind: "ActionEvent",
  source: "agent",
  tool_name: name,
  tool_call_id: id,
  tool_call: { id, name, arguments: JSON.stringify(input), origin: "completion" },
});

/** The program that was there before the SDK. */
function buildOlderOpenHands(turns: readonly SampleTurn[]): object[] {
  let eventId = 0;
  return turns.flatMap(({ say, results }, turn) =>
    results.flatMap(({ id, toolName, input, text, isError }, index) => {
      const about = {
        tool_call_metadata: {
          function_name: toolName,
          tool_call_id: id,
          model_response: { id: `response-${turn}` },
        },
      };
      const thought = index === 0 ? { thought: say } : {};
      return [
        { id: ++eventId, source: "agent", action: "run", args: { ...input, ...thought }, ...about },
        {
          id: ++eventId,
          source: "agent",
          cause: eventId - 1,
          observation: isError ? "error" : "run",
          content: text,
          extras: unknown,
          ...about,
        },
      ];
    }),
  );
}

const gooseCall = ({ id, name, input }: SampleCall) => ({
  type: "toolRequest",
  id,
  toolCall: { status: "success", value: { name, arguments: input } },
});

const gooseMessage = (role: string, ...content: unknown[]) => ({ role, created: 1, content });

function buildGoose(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ say, results }) => [
    gooseMessage(
      "assistant",
      { type: "text", text: say },
      ...results.map(({ id, toolName, input }) => gooseCall({ id, name: toolName, input })),
    ),
    gooseMessage(
      "user",
      ...results.map(({ id, text, isError }) => ({
        type: "toolResponse",
        id,
        toolResult: isError
          ? { status: "error", error: text }
          : { status: "success", value: { content: [{ type: "text", text }], isError: false } },
        ...unknown,
      })),
    ),
  ]);
}

const continueCall = ({ id, name, input }: SampleCall) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});

/** With the results in items of their own, or in the states of the calls. */
function buildContinue(turns: readonly SampleTurn[], hasStates: boolean): object[] {
  return turns.flatMap(({ say, results }) => {
    const toolCalls = results.map(({ id, toolName, input }) =>
      continueCall({ id, name: toolName, input }),
    );
    const states = results.map(({ id, text, isError }, index) => ({
      toolCallId: id,
      toolCall: toolCalls[index],
      status: isError ? "errored" : "done",
      output: [{ name: "Output", description: "", content: text }],
      ...unknown,
    }));
    const answers = results.map(({ id, text }) => ({
      message: { role: "tool", toolCallId: id, content: text, ...unknown },
      contextItems: [],
    }));
    return [
      {
        message: { role: "assistant", content: say, toolCalls },
        contextItems: [],
        ...(hasStates ? { toolCallStates: states } : {}),
      },
      ...(hasStates ? [] : answers),
    ];
  });
}

function buildAmp(turns: readonly SampleTurn[]): object[] {
  return turns.flatMap(({ say, results }, turn) => [
    {
      role: "assistant",
      messageId: turn,
      content: [
        { type: "text", text: say },
        ...results.map(({ id, toolName, input }) => ({
          type: "tool_use",
          complete: true,
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
        toolUseID: id,
        run: isError ? { status: "error", error: text } : { status: "done", result: text },
        ...unknown,
      })),
    },
  ]);
}

const kimiEvent = (event: object) =>
  oddLine({ type: "context.append_loop_event", event, time: 1, agentId: "main" });

const kimiCall = ({ id, name, input }: SampleCall) => ({
  type: "tool.call",
  toolCallId: id,
  name,
  args: input,
});

function buildKimi(turns: readonly SampleTurn[]): string[] {
  return [
    oddLine({ type: "metadata", protocol_version: "1.4", created_at: 1 }),
    ...turns.flatMap(({ say, results }, turn) => {
      const stepUuid = `step-${turn}`;
      return [
        kimiEvent({ type: "step.begin", uuid: stepUuid }),
        kimiEvent({ type: "content.part", stepUuid, part: { type: "text", text: say } }),
        ...results.map(({ id, toolName, input }) =>
          kimiEvent({ ...kimiCall({ id, name: toolName, input }), stepUuid }),
        ),
        ...results.map(({ id, text, isError }) =>
          kimiEvent({
            type: "tool.result",
            toolCallId: id,
            result: { output: text, isError, ...unknown },
          }),
        ),
      ];
    }),
  ];
}

/** The program that was there before Kimi Code. */
function buildOlderKimi(turns: readonly SampleTurn[]): string[] {
  const line = (type: string, payload: object) =>
    oddLine({ timestamp: 1.5, message: { type, payload } });
  return turns.flatMap(({ say, results }) => [
    line("StepBegin", { n: 1 }),
    line("ContentPart", { type: "text", text: say }),
    ...results.map(({ id, toolName, input }) =>
      line("ToolCall", continueCall({ id, name: toolName, input })),
    ),
    ...results.map(({ id, text, isError }) =>
      line("ToolResult", {
        tool_call_id: id,
        return_value: { is_error: isError, output: text, message: "", ...unknown },
      }),
    ),
  ]);
}

/** Chat messages with the reasoning and the ids of several services, and a note at the end. */
function buildHermes(turns: readonly SampleTurn[]): object[] {
  const messages = turns.flatMap(({ say, results }) => [
    {
      role: "assistant",
      content: say,
      reasoning: "Look there.",
      codex_reasoning_items: [{ type: "summary", text: "There" }],
      tool_calls: results.map(({ id, toolName, input }) => ({
        ...continueCall({ id, name: toolName, input }),
        call_id: id,
        response_item_id: `rs-${id}`,
      })),
    },
    ...results.map(({ id, toolName, text }) => ({
      role: "tool",
      content: text,
      tool_call_id: id,
      tool_name: toolName,
      finish_reason: "stop",
      ...unknown,
    })),
  ]);
  return [...messages, { role: "session_meta", model: "m" }];
}

/** Lines of pi with OpenClaw's own among them; results are texts, not blocks. */
function buildOpenClaw(turns: readonly SampleTurn[]): string[] {
  const line = (record: object) => oddLine({ id: "i", parentId: null, timestamp: "t", ...record });
  const message = (inner: object) => line({ type: "message", message: inner });
  return [
    line({ type: "session", version: 3, cwd: "/tmp/large" }),
    line({ type: "custom", customType: "ui_state", data: { phase: "analysis" } }),
    line({ type: "custom_message", customType: "openclaw.runtime-context", content: "context" }),
    ...turns.flatMap(({ say, results }) => [
      message({
        role: "assistant",
        content: [
          { type: "text", text: say },
          ...results.map(({ id, toolName, input }) => piCall({ id, name: toolName, input })),
        ],
      }),
      ...results.map(({ id, toolName, text, isError }) =>
        message({
          role: "toolResult",
          toolCallId: id,
          toolName,
          content: text,
          isError,
          ...unknown,
        }),
      ),
    ]),
  ];
}

const piCall = ({ id, name, input }: SampleCall) => ({
  type: "toolCall",
  id,
  name,
  arguments: input,
});

/** The fixtures of formats in which programs record their conversations. */
export const RECORDED_FIXTURES: readonly (FormatFixture & { readonly name: string })[] = [
  {
    name: "OpenCode",
    format: opencodeFormat,
    build: buildOpencode,
    buildCall: opencodeCall,
    carryAnswer: (part) => ({ info: { role: "assistant" }, parts: [part] }),
  },
  {
    name: "OpenCode events",
    format: opencodeEventsFormat,
    build: buildOpencodeEvents,
    buildCall: opencodeCall,
    carryAnswer: (part) => oddLine({ type: "tool_use", sessionID: "s", part }),
  },
  {
    name: "Pydantic AI",
    format: pydanticAiFormat,
    build: buildPydanticAi,
    buildCall: ({ id, name, input }) => ({
      tool_name: name,
      args: input,
      tool_call_id: id,
      part_kind: "tool-call",
    }),
    carryAnswer: (part) => ({ kind: "request", parts: [part] }),
  },
  {
    name: "Google ADK",
    format: googleAdkFormat,
    build: (turns) => buildAdk(turns, false),
    ...adkCalls,
  },
  {
    name: "Google ADK in Python",
    format: googleAdkFormat,
    build: (turns) => buildAdk(turns, true),
    ...adkCalls,
  },
  {
    name: "Factory Droid",
    format: factoryDroidFormat,
    build: buildDroid,
    buildCall: ({ id, name, input }) => ({ type: "tool_use", id, name, input }),
    carryAnswer: (block) => droidLine(anthropicUser(block)),
  },
  {
    name: "OpenHands",
    format: openhandsFormat,
    build: buildOpenHands,
    buildCall: openhandsCall,
    buildMarked: (text, mark) => ({
      kind: "ObservationEvent",
      source: "environment",
      tool_call_id: "call_m",
      observation: { content: [{ type: "text", text, cache_prompt: mark }] },
    }),
  },
  {
    name: "OpenHands before its SDK",
    format: openhandsFormat,
    build: buildOlderOpenHands,
    buildCall: openhandsCall,
  },
  {
    name: "Goose",
    format: gooseFormat,
    build: buildGoose,
    buildCall: gooseCall,
    carryAnswer: (block) => gooseMessage("user", block),
  },
  {
    name: "Continue",
    format: continueFormat,
    build: (turns) => buildContinue(turns, false),
    buildCall: continueCall,
    hasErrorFlag: false,
  },
  {
    name: "Continue with states",
    format: continueFormat,
    build: (turns) => buildContinue(turns, true),
    buildCall: continueCall,
    // Its answers, which are items of their own, have none.
    hasErrorFlag: false,
  },
  {
    name: "Amp",
    format: ampFormat,
    build: buildAmp,
    buildCall: ({ id, name, input }) => ({ type: "tool_use", id, name, input }),
    carryAnswer: (block) => ({ role: "user", content: [block] }),
  },
  {
    name: "Kimi Code",
    format: kimiFormat,
    build: buildKimi,
    buildCall: kimiCall,
    carryAnswer: (event) => kimiEvent(event as object),
  },
  {
    name: "Kimi CLI",
    format: kimiFormat,
    build: buildOlderKimi,
    buildCall: kimiCall,
    carryAnswer: (event) => kimiEvent(event as object),
  },
  {
    name: "Hermes",
    format: openaiChatFormat,
    build: buildHermes,
    buildCall: continueCall,
    hasErrorFlag: false,
  },
  {
    name: "OpenClaw",
    format: piFormat,
    build: buildOpenClaw,
    buildCall: piCall,
    carryAnswer: (message) => oddLine({ type: "message", timestamp: "t", message }),
  },
];
