import { nonEmptyText } from "../core/lib/json/plain-json.js";
import type { BlockRules } from "./shared/blocks.js";
import { asList, asRecord, type JsonRecord } from "./shared/json-record.js";
import { textsOf, type PartPlace } from "./shared/message-parts.js";
import {
  createRecordFormat,
  type RecordedCall,
  type RecordReader,
} from "./shared/record-format.js";
import { firstMismatch } from "./shared/visitors.js";

/** The answer to a call: a separate event. */
export type OpenHandsToolAnswer = {
  kind: "ObservationEvent";
  source: "environment";
  tool_name: string;
  tool_call_id: string;
  observation: { content: { type: "text"; text: string }[]; is_error: boolean };
};

const BLOCKS: BlockRules = {
  textType: "text",
  isMedia: ({ type }) => type === "image",
  cacheMarks: ["cache_prompt"],
};

/** Actions and observations of the older program that do not concern a tool. */
const NOT_A_TOOL =
  /^(?:null|message|system|finish|recall|(?:change_agent_state|agent_state_changed)|\w{0,40}condens\w{0,40}|loop_\w+)$/;

/** OpenHands events, of the SDK or of the older program: a result is the content of an observation. */
export const openhandsFormat = createRecordFormat({
  name: "openhands",
  blocks: BLOCKS,

  mismatch: (events) =>
    firstMismatch(events, ({ kind, source, action, observation }) => {
      if (typeof source !== "string") return "has no source";
      const isEvent = [kind, action, observation].some((name) => typeof name === "string");
      return isEvent ? undefined : "has neither a kind nor an action or observation";
    }),

  read(event, reader) {
    if (typeof event["kind"] === "string") readSdkEvent(event, reader);
    else readOlderEvent(event, reader);
  },

  parts: (event) =>
    typeof event["kind"] === "string" ? findSdkParts(event) : findOlderParts(event),

  readCall: (event) => (event["kind"] === "ActionEvent" ? readSdkCall(event) : undefined),

  answerCall: ({ id, name }, { text, isError }): OpenHandsToolAnswer => ({
    kind: "ObservationEvent",
    source: "environment",
    tool_name: name,
    tool_call_id: id,
    observation: { content: [{ type: "text", text }], is_error: isError },
  }),
});

function readSdkEvent(event: JsonRecord, reader: RecordReader): void {
  const { kind, tool_name: toolName, tool_call_id: id, llm_response_id, system_prompt } = event;
  const { content, output, is_error } = asRecord(event["observation"]);
  const { role, content: said } = asRecord(event["llm_message"]);
  if (kind === "ActionEvent" || role === "assistant") reader.model(llm_response_id);
  for (const block of [system_prompt, ...asList(event["thought"]), ...asList(said)]) {
    reader.other(asRecord(block)["text"]);
  }
  if (kind === "ActionEvent") reader.call(readSdkCall(event));
  if (kind === "ObservationEvent") {
    // Terminals of earlier versions have their text under another name.
    const key = content === undefined && output !== undefined ? "output" : "content";
    reader.result(["observation", key], { id, toolName, isError: is_error === true });
  }
  if (kind === "AgentErrorEvent") reader.result(["error"], { id, toolName, isError: true });
  if (kind === "UserRejectObservation") reader.result(["rejection_reason"], { id, toolName });
}

function readSdkCall({ tool_call_id, tool_name, tool_call, action }: JsonRecord): RecordedCall {
  const { arguments: own, function: called } = asRecord(tool_call);
  const input = own ?? asRecord(called)["arguments"] ?? action;
  return { id: tool_call_id, name: tool_name, input };
}

/** An event repeats the input of its call: as the model wrote it, and as it was understood. */
function findSdkParts({ kind, source, llm_message, tool_call_id }: JsonRecord): PartPlace[] {
  if (source === "user") {
    const path = ["llm_message", "content"];
    return textsOf(asRecord(llm_message)["content"], path, /^text$/);
  }
  if (kind !== "ActionEvent") return [];
  const id = nonEmptyText(tool_call_id);
  const paths = [["tool_call", "arguments"], ["tool_call", "function", "arguments"], ["action"]];
  return paths.map((path) => ({ kind: "toolInput", path, id }));
}

function findOlderParts(event: JsonRecord): PartPlace[] {
  const { id, source, action, tool_call_metadata } = event;
  if (typeof action !== "string") return [];
  if (source === "user") return [{ kind: "userMessage", path: ["args", "content"] }];
  const { tool_call_id = typeof id === "number" ? String(id) : id } = asRecord(tool_call_metadata);
  return [{ kind: "toolInput", path: ["args"], id: nonEmptyText(tool_call_id) }];
}

/** Where an event does not keep the id of its call, the id of the event of the call stands for it. */
function readOlderEvent(event: JsonRecord, reader: RecordReader): void {
  const { id: eventId, cause, source, action, observation, content } = event;
  const { tool_call_id, function_name, model_response } = asRecord(event["tool_call_metadata"]);
  const { thought, ...input } = asRecord(event["args"]);
  const idOf = (number: unknown) =>
    tool_call_id ?? (typeof number === "number" ? String(number) : number);
  if (typeof observation === "string") {
    const about = { id: idOf(cause), toolName: function_name, isError: observation === "error" };
    if (NOT_A_TOOL.test(observation)) reader.other(content);
    else reader.result(["content"], about);
    return;
  }
  if (source === "agent") reader.model(asRecord(model_response)["id"]);
  reader.other(thought);
  if (source !== "agent" || NOT_A_TOOL.test(String(action))) reader.other(input["content"]);
  else reader.call({ id: idOf(eventId), name: function_name ?? action, input });
}
