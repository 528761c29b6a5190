import type { ToolDescription, ToolInputSchema } from "../../core/engine/format.js";
import { asRecord, isRecord, type JsonRecord } from "./json-record.js";

/** The parts that each role may have. A system message is a plain string. */
export const PART_TYPES: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["system", []],
  ["user", ["text", "image", "file"]],
  [
    "assistant",
    [
      ...["text", "file", "custom", "reasoning", "reasoning-file"],
      ...["tool-call", "tool-result", "tool-approval-request"],
    ],
  ],
  ["tool", ["tool-result", "tool-approval-response"]],
]);

/** Other vendors have parts of the same types; these fields are specific to the AI SDK. */
const OWN_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ["image", "image"],
  ["file", "data"],
  ["reasoning-file", "data"],
  ["tool-call", "toolCallId"],
]);

/** Why a message is not one of the AI SDK; `undefined` if it is. */
export function aiSdkMismatch(message: JsonRecord): string | undefined {
  const { role, content, parts, tool_calls, tool_call_id, _getType } = message;
  if (typeof _getType === "function") return "is an instance of a LangChain message";
  const allowed = PART_TYPES.get(role);
  if (!allowed) {
    return `has the role ${JSON.stringify(role)} instead of system, user, assistant or tool`;
  }
  if (parts !== undefined && content === undefined) {
    return "has parts and no content (convert UI messages with convertToModelMessages first)";
  }
  if (tool_calls !== undefined || tool_call_id !== undefined) {
    return "has tool_calls or a tool_call_id, where the AI SDK has parts of its content";
  }
  if (typeof content === "string" && role !== "tool") return undefined;
  if (!Array.isArray(content)) return "has no array of parts as its content";
  for (const part of content) {
    const { type } = asRecord(part);
    if (typeof type !== "string" || !allowed.includes(type)) {
      return `of the role ${String(role)} has a part of type ${JSON.stringify(type)}`;
    }
    const missing = missingField(asRecord(part));
    if (missing !== undefined) return `has a part of type ${type} without ${missing}`;
  }
  return undefined;
}

function missingField(part: JsonRecord): string | undefined {
  const { type, output } = part;
  if (type === "tool-result") {
    return isRecord(output) ? undefined : "an output (AI SDK 5 and later)";
  }
  const field = OWN_FIELDS.get(type);
  return field !== undefined && part[field] === undefined ? field : undefined;
}

/** How `ai` recognizes its own schemas, whichever copy of the package made them. */
const SCHEMA_MARK = Symbol.for("vercel.ai.schema");

/** A Standard Schema (standardschema.dev), which `ai` accepts. */
export type AiSdkInputSchema = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: {
      readonly input: () => ToolInputSchema;
      readonly output: () => ToolInputSchema;
    };
  };
};

/** A tool that `generateText` runs by itself. */
export type AiSdkTool = {
  description: string;
  inputSchema: AiSdkInputSchema;
  execute: (input: unknown, options?: { readonly abortSignal?: AbortSignal }) => Promise<string>;
};

export function describeAiSdkTool(tool: ToolDescription): AiSdkTool {
  const { description, inputSchema } = tool;
  return {
    description,
    inputSchema: schemaOf(inputSchema),
    // The model gets text either way; an error begins with "Error:".
    async execute(input, { abortSignal } = {}) {
      const { text, isError } = await tool.execute(
        input,
        abortSignal ? { signal: abortSignal } : {},
      );
      return isError ? `Error: ${text}` : text;
    },
  };
}

/** No validation: the tools check their input themselves and tell the model how to correct it. */
function schemaOf(jsonSchema: ToolInputSchema): AiSdkInputSchema {
  const schema = () => jsonSchema;
  const ownForm = { [SCHEMA_MARK]: true, _type: undefined, jsonSchema, validate: undefined };
  return {
    ...ownForm,
    "~standard": {
      version: 1,
      vendor: "context-offload",
      validate: (value) => ({ value }),
      jsonSchema: { input: schema, output: schema },
    },
  };
}
