import { factoryDroidFormat } from "../../src/formats/factory-droid.js";
import { googleAdkFormat } from "../../src/formats/google-adk.js";
import { opencodeEventsFormat, opencodeFormat } from "../../src/formats/opencode.js";
import { pydanticAiFormat } from "../../src/formats/pydantic-ai.js";
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
];
