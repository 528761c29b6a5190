import { nonEmptyText } from "../core/lib/json/plain-json.js";
import { createLineFormat } from "./shared/json-lines.js";
import { asList, asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import type { JsonPath } from "./shared/line-splicer.js";
import { valueAt, type PartPlace } from "./shared/message-parts.js";
import { createRecordFormat, type RecordReader } from "./shared/record-format.js";
import { firstMismatch } from "./shared/visitors.js";

/** The answer to a call: the part of the call with its output. */
export type OpencodeToolAnswer = {
  type: "tool";
  callID: string;
  tool: string;
  state: { status: "completed"; output: string } | { status: "error"; error: string };
};

/** Parts that are not sent to the model. */
const NOTES = /^(?:step-(?:start|finish)|snapshot|patch|agent|retry|compaction|subtask)$/;

/** Types of events, such as `message.part.updated`. */
const EVENT =
  /^(?:session|message|permission|question|server|installation|lsp|file|todo|storage|project|command|vcs|mcp|tui|ide|pty)\./;

/** Where a line holds a part: in the output of `run`, in a stream of the server, in a log of one. */
const PART_PATHS: readonly JsonPath[] = [
  ["part"],
  ["properties", "part"],
  ["event", "properties", "part"],
];

const calls = {
  readCall({ type, callID, tool, state }: JsonRecord) {
    if (type !== "tool") return undefined;
    return { id: callID, name: tool, input: asRecord(state)["input"] };
  },
  answerCall(
    { id, name }: { readonly id: string; readonly name: string },
    { text, isError }: { readonly text: string; readonly isError: boolean },
  ): OpencodeToolAnswer {
    const state = isError
      ? ({ status: "error", error: text } as const)
      : ({ status: "completed", output: text } as const);
    return { type: "tool", callID: id, tool: name, state };
  },
};

/**
 * OpenCode messages, as `opencode export` writes them: a `tool` part holds a call and its output. The
 * metadata of a part repeats some outputs for the screen; it is kept and not counted.
 */
export const opencodeFormat = createRecordFormat({
  name: "opencode",

  mismatch: (messages) =>
    firstMismatch(messages, ({ info, parts }) => {
      if (!isRecord(info) || !Array.isArray(parts)) return "has no info with parts";
      if (info["role"] === "user" || info["role"] === "assistant") return undefined;
      return `has the role ${JSON.stringify(info["role"])} instead of user or assistant`;
    }),

  read({ info, parts }, reader) {
    const { role, id } = asRecord(info);
    if (role === "assistant") reader.model(id);
    for (const [index, part] of asList(parts).entries()) {
      readPart(asRecord(part), ["parts", index], reader);
    }
  },

  parts: ({ info, parts }) =>
    asList(parts).flatMap((part, index) =>
      placesOf(asRecord(part), ["parts", index], asRecord(info)["role"] === "user"),
    ),

  ...calls,
});

const eventFormat = createRecordFormat({
  name: "opencode-event",
  mismatch: () => undefined,
  read(event, reader) {
    const path = findPart(event) ?? [];
    const part = asRecord(valueAt(event, path));
    // Only the model's own parts have the time at which they were written.
    if (part["type"] !== "text" || part["time"] !== undefined) reader.model(part["messageID"]);
    readPart(part, path, reader);
  },
  parts(event) {
    const path = findPart(event) ?? [];
    const part = asRecord(valueAt(event, path));
    return placesOf(part, path, part["time"] === undefined);
  },
  ...calls,
});

/** OpenCode events, one per line; those of a part hold it as it is after the event. */
export const opencodeEventsFormat = createLineFormat({
  name: "opencode-events-jsonl",
  origin: "an OpenCode event stream",

  isLine(line) {
    const { sessionID, part, event } = line;
    if (isRecord(part) && typeof sessionID === "string") return true;
    const { type, properties } = asRecord(event ?? line);
    if (typeof type !== "string" || !type.includes(".") || !isRecord(properties)) return false;
    return EVENT.test(type) || undefined;
  },

  messageKey: (line) => findPart(line)?.[0] as string | undefined,
  messages: eventFormat,
  contentPath: eventFormat.contentPath,
});

/** The path to the part in a line, or in what a line holds under its key. */
function findPart(holder: JsonRecord): JsonPath | undefined {
  return PART_PATHS.find((path) => isRecord(valueAt(holder, path)));
}

/** The input of a call, and text that the user wrote. */
function placesOf({ type, callID }: JsonRecord, path: JsonPath, isUsers: boolean): PartPlace[] {
  if (type === "tool") {
    return [{ kind: "toolInput", path: [...path, "state", "input"], id: nonEmptyText(callID) }];
  }
  return type === "text" && isUsers ? [{ kind: "userMessage", path: [...path, "text"] }] : [];
}

function readPart(part: JsonRecord, path: JsonPath, reader: RecordReader): void {
  const { type, text, callID, tool, state } = part;
  if (type === "tool") {
    const { status, input } = asRecord(state);
    reader.call({ id: callID, name: tool, input });
    const isError = status === "error";
    if (status !== "completed" && !isError) return;
    const key = isError ? "error" : "output";
    reader.result([...path, "state", key], { id: callID, toolName: tool, isError });
  } else if (type === "text" || type === "reasoning") {
    reader.other(text);
  } else if (typeof type !== "string" || !NOTES.test(type)) {
    reader.other(part, type === "file" ? undefined : String(type));
  }
}
