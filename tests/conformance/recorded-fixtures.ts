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
];
