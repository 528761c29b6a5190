import { countContentChars } from "../core/engine/content.js";
import { describeValue } from "../core/errors/describe-value.js";
import type { Format, FormatResult, MediaRule } from "../core/engine/format.js";
import { asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { isPlainJson } from "./shared/plain-json.js";

const ROLES: readonly unknown[] = ["user", "model", "function", undefined];

/** Gemini contents: results are `functionResponse` parts, their media beside the `response`. */
export const geminiFormat: Format = {
  name: "gemini",

  mismatch(messages) {
    for (const [index, message] of messages.entries()) {
      const { role, parts } = asRecord(message);
      if (!ROLES.includes(role)) {
        return `message ${index} has the role ${JSON.stringify(role)} instead of user or model`;
      }
      if (!Array.isArray(parts)) return `message ${index} has no parts`;
      const stranger: unknown = parts.find((part) => !isGeminiPart(part));
      if (stranger !== undefined) {
        return `message ${index} has a part that is not of Gemini, ${describeValue(stranger)}`;
      }
    }
    return undefined;
  },

  read(message, { media }) {
    const { role } = asRecord(message);
    const parts = partsOf(message).map(asRecord);
    return {
      fromModel: role === "model",
      calls: parts
        .map(({ functionCall }) => functionCall)
        .filter(isRecord)
        .map(({ id, name }) => ({ id: idOf(id), name: String(name) })),
      results: parts.flatMap((part, slot) => readResult(part, slot, media)),
      otherChars: () => parts.reduce((sum, part) => sum + countOtherChars(part), 0),
    };
  },

  replace(message, texts, { media }) {
    const parts = partsOf(message).slice();
    for (const { slot, text } of texts) {
      const { response, parts: beside } = responseAt(parts, slot);
      const key = isFailure(asRecord(response)) ? "error" : "output";
      // An empty list, so that the key keeps its place for the way back.
      const takesMedia = media === "offload" && hasMedia(beside);
      const left = takesMedia ? { parts: [] } : {};
      parts[slot] = changeResponse(parts[slot], { response: { [key]: text }, ...left });
    }
    return { ...asRecord(message), parts };
  },

  restore(message, contents) {
    const parts = partsOf(message).slice();
    for (const { slot, content } of contents) {
      // A response is an object; in an array stands what left together with its media.
      const changes = Array.isArray(content)
        ? { response: content[0] as unknown, parts: content.slice(1) as unknown[] }
        : { response: content };
      parts[slot] = changeResponse(parts[slot], changes);
    }
    return { ...asRecord(message), parts };
  },

  describeTools: (tools) => [
    {
      functionDeclarations: tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        parametersJsonSchema: inputSchema,
      })),
    },
  ],

  readCall(call) {
    const { name, args, type, ...others } = callOf(call);
    if (typeof name !== "string" || type !== undefined || "arguments" in others) return undefined;
    return args === undefined || isRecord(args) ? { name, input: args ?? {} } : undefined;
  },

  answerCall(call, { text, isError }) {
    const { id, name } = callOf(call);
    const response = isError ? { error: text } : { output: text };
    return { functionResponse: { ...(id === undefined ? {} : { id }), name, response } };
  },
};

function readResult(part: JsonRecord, slot: number, media: MediaRule): FormatResult[] {
  const { id, name, response, parts } = asRecord(part["functionResponse"]);
  // What would come back from the store as something else stays.
  if (!isRecord(response) || !isPlainJson(response)) return [];
  const beside = media === "offload" && hasMedia(parts) ? parts : [];
  const soleText = soleTextOf(response);
  return [
    {
      slot,
      id: idOf(id),
      content: beside.length === 0 ? response : [response, ...beside],
      soleText,
      chars:
        (soleText?.length ?? countContentChars(response)) +
        (beside.length === 0 ? 0 : countContentChars(beside)),
      toolName: idOf(name),
      isError: isFailure(response),
    },
  ];
}

/** The one text that a response has, under the key where a reference would stand. */
function soleTextOf(response: JsonRecord): string | undefined {
  const [key, ...others] = Object.keys(response);
  if (others.length > 0 || (key !== "output" && key !== "error")) return undefined;
  const text = response[key];
  return typeof text === "string" ? text : undefined;
}

function isFailure(response: JsonRecord): boolean {
  return "error" in response && !("output" in response);
}

function hasMedia(parts: unknown): parts is readonly unknown[] {
  return Array.isArray(parts) && parts.length > 0;
}

function changeResponse(part: unknown, changes: JsonRecord): JsonRecord {
  const { functionResponse } = asRecord(part);
  return { ...asRecord(part), functionResponse: { ...asRecord(functionResponse), ...changes } };
}

function responseAt(parts: readonly unknown[], slot: number): JsonRecord {
  return asRecord(asRecord(parts[slot])["functionResponse"]);
}

function countOtherChars(part: JsonRecord): number {
  const { text, functionCall, functionResponse } = part;
  if (functionResponse !== undefined) return 0;
  if (functionCall !== undefined)
    return countContentChars(asRecord(asRecord(functionCall)["args"]));
  return typeof text === "string" ? text.length : countContentChars(part);
}

/** Parts of others have a `type`; those of Python's client, written as it names them, another case. */
function isGeminiPart(part: unknown): boolean {
  if (!isRecord(part) || part["type"] !== undefined) return false;
  return part["function_response"] === undefined && part["function_call"] === undefined;
}

function callOf(call: unknown): JsonRecord {
  const { functionCall } = asRecord(call);
  return asRecord(functionCall ?? call);
}

function partsOf(message: unknown): readonly unknown[] {
  const { parts } = asRecord(message);
  return Array.isArray(parts) ? parts : [];
}

function idOf(id: unknown): string | undefined {
  return typeof id === "string" && id !== "" ? id : undefined;
}
