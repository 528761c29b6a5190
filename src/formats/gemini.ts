import {
  countContentChars,
  type Format,
  type FormatReadOptions,
  type MessageVisitor,
  type ToolInputSchema,
} from "../core/engine/format.js";
import { describeValue } from "../core/errors/context-offload-error.js";
import { isPlainJson, nonEmptyText } from "../core/lib/json/plain-json.js";
import {
  asList,
  asRecord,
  countJsonChars,
  isRecord,
  type JsonRecord,
} from "./shared/json-record.js";
import { describeParts, type PartPlace } from "./shared/message-parts.js";
import { firstMismatch } from "./shared/visitors.js";

/** Tools as Gemini takes them. */
export type GeminiTool = {
  functionDeclarations: {
    name: string;
    description: string;
    parametersJsonSchema: ToolInputSchema;
  }[];
};

/** The answer to a call: a part for a user's content. */
export type GeminiToolAnswer = {
  functionResponse: {
    id?: string;
    name: string;
    response: { output: string } | { error: string };
  };
};

const ROLES: readonly unknown[] = ["user", "model", "function", undefined];

/** The known fields of a part, of which it has one. */
const PART_FIELDS = [
  ...["text", "thought", "thoughtSignature", "inlineData", "fileData", "videoMetadata"],
  ...["functionCall", "functionResponse", "executableCode", "codeExecutionResult"],
  ...["toolCall", "toolResponse"],
];

/** Gemini `Content` messages: results are `functionResponse` parts, with media next to the `response`. */
export const geminiFormat = {
  name: "gemini" as const,

  mismatch: (messages) => firstMismatch(messages, mismatchOf),

  read(message, visitor, options) {
    const { role, parts } = asRecord(message);
    if (role === "model") visitor.modelMessage();
    for (const [slot, item] of asList(parts).entries()) {
      const part = asRecord(item);
      const { text, functionCall, functionResponse } = part;
      if (typeof text === "string") visitor.other(text.length);
      else if (functionResponse !== undefined) readFunctionResponse(part, slot, visitor, options);
      else if (isRecord(functionCall)) readFunctionCall(functionCall, visitor, options);
      else visitor.other(options.countOther ? countJsonChars(part) : 0, unknownType(part));
    }
  },

  replace(message, texts, { media }) {
    const parts = partsOf(message).slice();
    for (const { slot, text } of texts) {
      const { response, parts: beside } = responseAt(parts, slot);
      const key = isFailure(asRecord(response)) ? "error" : "output";
      // An empty list, so that the key keeps its position when restored.
      const takesMedia = media === "offload" && asList(beside).length > 0;
      const kept = takesMedia ? { parts: [] } : {};
      parts[slot] = changeResponse(parts[slot], { response: { [key]: text }, ...kept });
    }
    return { ...asRecord(message), parts };
  },

  restore(message, originals) {
    const parts = partsOf(message).slice();
    for (const { slot, content } of originals) {
      // A response is an object; an array holds a response that was offloaded together with its media.
      const changes = Array.isArray(content)
        ? { response: content[0] as unknown, parts: content.slice(1) as unknown[] }
        : { response: content };
      parts[slot] = changeResponse(parts[slot], changes);
    }
    return { ...asRecord(message), parts };
  },

  describeTools: (tools): GeminiTool[] => [
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

  answerCall(call, { text, isError }): GeminiToolAnswer {
    const { id, name } = callOf(call);
    return {
      functionResponse: {
        ...(typeof id === "string" ? { id } : {}),
        name: nonEmptyText(name) ?? "",
        response: isError ? { error: text } : { output: text },
      },
    };
  },

  parts: describeParts(({ role, parts }) =>
    asList(parts).flatMap((part, slot): PartPlace[] => {
      const { text, functionCall } = asRecord(part);
      if (role === "user" && typeof text === "string") {
        return [{ kind: "userMessage", path: ["parts", slot, "text"] }];
      }
      if (!isRecord(functionCall)) return [];
      const id = nonEmptyText(functionCall["id"]);
      return [{ kind: "toolInput", path: ["parts", slot, "functionCall", "args"], id }];
    }),
  ),
} satisfies Format;

function mismatchOf({ role, parts, content }: JsonRecord): string | undefined {
  if (!ROLES.includes(role)) return `has the role ${JSON.stringify(role)} instead of user or model`;
  if (!Array.isArray(parts))
    return content === undefined ? "has no parts" : "has content, not parts";
  const foreign: unknown = parts.find((part) => !isGeminiPart(part));
  if (foreign === undefined) return undefined;
  return `has a part that is not Gemini's: ${describeValue(foreign)}`;
}

/** Parts of other vendors have a `type` or a kind; those of the Python client are in snake case. */
function isGeminiPart(part: unknown): boolean {
  if (!isRecord(part) || part["type"] !== undefined || part["part_kind"] !== undefined)
    return false;
  return part["function_response"] === undefined && part["function_call"] === undefined;
}

/** A part has no type, so it is named by its fields; Pydantic AI's parts have a kind. */
function unknownType(part: JsonRecord): string | undefined {
  if (PART_FIELDS.some((field) => part[field] !== undefined)) return undefined;
  return nonEmptyText(part["part_kind"]) ?? Object.keys(part).join("+");
}

function readFunctionCall(
  { id, name, args }: JsonRecord,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  visitor.call(nonEmptyText(id), String(name), args);
  if (countOther) visitor.other(countJsonChars(asRecord(args)));
}

function readFunctionResponse(
  part: JsonRecord,
  slot: number,
  visitor: MessageVisitor,
  { media }: FormatReadOptions,
): void {
  const { id, name, response, parts } = asRecord(part["functionResponse"]);
  // What JSON cannot represent is kept, since it could not be restored.
  if (!isRecord(response) || !isPlainJson(response)) {
    visitor.answer?.(nonEmptyText(id));
    return;
  }
  const beside = media === "offload" ? asList(parts) : [];
  const content = beside.length === 0 ? response : [response, ...beside];
  visitor.result({
    slot,
    id: nonEmptyText(id),
    content,
    soleText: soleTextOf(response),
    chars: countContentChars(content),
    toolName: nonEmptyText(name),
    isError: isFailure(response),
  });
}

/** The only text of a response, under the key where a reference would be. */
function soleTextOf(response: JsonRecord): string | undefined {
  const [key, ...others] = Object.keys(response);
  if (others.length > 0 || (key !== "output" && key !== "error")) return undefined;
  const text = response[key];
  return typeof text === "string" ? text : undefined;
}

function isFailure(response: JsonRecord): boolean {
  return "error" in response && !("output" in response);
}

function changeResponse(part: unknown, changes: JsonRecord): JsonRecord {
  const { functionResponse } = asRecord(part);
  return { ...asRecord(part), functionResponse: { ...asRecord(functionResponse), ...changes } };
}

function responseAt(parts: readonly unknown[], slot: number): JsonRecord {
  return asRecord(asRecord(parts[slot])["functionResponse"]);
}

function partsOf(message: unknown): readonly unknown[] {
  return asList(asRecord(message)["parts"]);
}

function callOf(call: unknown): JsonRecord {
  const { functionCall } = asRecord(call);
  return asRecord(functionCall ?? call);
}
