import { countContentChars } from "../core/engine/content.js";
import type { Format, FormatCall, FormatResult, MediaRule } from "../core/engine/format.js";
import { asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";

const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** Part types that only other vendors have; what is unknown beside them is let through. */
const FOREIGN_PART =
  /tool|^(?:input_(?:text|image|file)|output_text|image|document|reasoning|function(?:Call|Response))$/;

/** Parts that are nothing to read as text, in either of OpenAI's APIs and in those made after them. */
const MEDIA_PARTS =
  /^(?:(?:image|audio|video|document)(?:_url)?|file|input_(?:image|audio|video|file))$/;

const TEXT_PARTS = new Set(["text", "input_text", "output_text"]);

/** Where a prompt cache is told to end a prefix: OpenAI's own field, and the one of its proxies. */
const CACHE_MARKS = ["prompt_cache_breakpoint", "cache_control"] as const;

/** OpenAI Chat Completions: a result is a message of role `tool`, or of the older role `function`. */
export const openaiChatFormat = {
  name: "openai-chat",

  mismatch(messages) {
    for (const [index, message] of messages.entries()) {
      const why = mismatchOf(message);
      if (why !== undefined) return `message ${index} ${why}`;
    }
    return undefined;
  },

  read(message, { media }) {
    const record = asRecord(message);
    const { role, name, content } = record;
    const isResult = role === "tool" || role === "function";
    return {
      fromModel: role === "assistant",
      calls: readCalls(record),
      results:
        isResult && isPartContent(content)
          ? [{ ...readPartContent(content, media), id: resultId(record), toolName: textOf(name) }]
          : [],
      otherChars: () => (isResult ? 0 : countOtherChars(record)),
    };
  },

  replace(message, texts, { media }) {
    const record = asRecord(message);
    return texts.reduce(
      (copy, { text }) => ({
        ...copy,
        content: referenceContent(record["content"], { type: "text", text }, media),
      }),
      record,
    );
  },

  restore(message, contents) {
    return contents.reduce((copy, { content }) => ({ ...copy, content }), asRecord(message));
  },

  describeTools: (tools) =>
    tools.map(({ name, description, inputSchema }) => ({
      type: "function" as const,
      function: { name, description, parameters: inputSchema as JsonRecord },
    })),

  readCall(call) {
    const { type, function: called } = asRecord(call);
    const { name, arguments: input } = asRecord(called);
    // Servers that speak OpenAI's dialect may leave the type out.
    if (typeof name !== "string" || (type !== "function" && type !== undefined)) return undefined;
    return { name, input: parseArguments(input) };
  },

  answerCall: (call, { text }) => ({
    role: "tool" as const,
    tool_call_id: textOf(asRecord(call)["id"]) ?? "",
    content: text,
  }),
} satisfies Format;

function mismatchOf(message: unknown): string | undefined {
  if (!isRecord(message)) return "is no object";
  if (isLangChainMessage(message)) return "is a LangChain message";
  const { role, type, content } = message;
  if (role === "toolResult") {
    return 'has pi\'s role "toolResult"; here a result has the role tool and a tool_call_id';
  }
  if (typeof role !== "string") {
    return typeof type === "string"
      ? `has no role but the type ${JSON.stringify(type)}`
      : "has no role";
  }
  if (!ROLES.has(role)) return `has the role ${JSON.stringify(role)}`;
  if (type === "message") return 'has the type "message", as items of the Responses API do';
  if (typeof content === "string") return undefined;
  if (content === undefined || content === null) {
    const mayLackContent = role === "assistant" || (role === "function" && content === null);
    return mayLackContent && message["parts"] === undefined ? undefined : "has no content";
  }
  if (!Array.isArray(content)) return "has a content that is neither a text nor an array of parts";
  const stranger = content.findIndex((part) => !isChatPart(part));
  if (stranger === -1) return undefined;
  return `has a part of type ${JSON.stringify(asRecord(content[stranger])["type"])}`;
}

function isChatPart(part: unknown): boolean {
  const { type, file } = asRecord(part);
  if (typeof type !== "string" || FOREIGN_PART.test(type)) return false;
  // The AI SDK's parts of this name hold the file's fields themselves.
  return type !== "file" || isRecord(file);
}

function readCalls({ tool_calls, function_call }: JsonRecord): FormatCall[] {
  const calls = Array.isArray(tool_calls) ? tool_calls.map(asRecord) : [];
  const found = calls.map((call) => ({ id: textOf(call["id"]), name: calledOf(call)["name"] }));
  if (isRecord(function_call)) found.push({ id: undefined, name: function_call["name"] });
  return found.flatMap(({ id, name }) => (typeof name === "string" ? [{ id, name }] : []));
}

/** What a call calls: a function, or a custom tool whose input is free text. */
function calledOf(call: JsonRecord): JsonRecord {
  return asRecord(call["function"] ?? call["custom"]);
}

/** A function's result has no id; SWE-agent puts the one id of its result into a list. */
function resultId({ role, tool_call_id, tool_call_ids }: JsonRecord): string | undefined {
  if (role === "function") return undefined;
  const [first] = Array.isArray(tool_call_ids) ? (tool_call_ids as readonly unknown[]) : [];
  return textOf(tool_call_id ?? first);
}

function countOtherChars({ content, refusal, tool_calls, function_call }: JsonRecord): number {
  const calls = Array.isArray(tool_calls) ? tool_calls.map(asRecord).map(calledOf) : [];
  return [...calls, asRecord(function_call)].reduce(
    (sum, called) => sum + countInputChars(called["arguments"] ?? called["input"]),
    countPartChars(content) + (textOf(refusal)?.length ?? 0),
  );
}

/** Messages of LangChain have roles and contents as well, and its serialised ones a type. */
export function isLangChainMessage(message: JsonRecord): boolean {
  const { getType, _getType } = message;
  return typeof getType === "function" || typeof _getType === "function" || "lc" in message;
}

/** A text that says something; ids and names that are empty count as missing. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The arguments of a call; those that are no JSON stay a text, for the tool to say what is wrong. */
export function parseArguments(input: unknown): unknown {
  if (typeof input !== "string") return input;
  if (input.trim() === "") return {};
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}

/** Both APIs hold a result as a text or as an array of parts. */
export function isPartContent(content: unknown): content is string | readonly unknown[] {
  return typeof content === "string" || Array.isArray(content);
}

/** A result without its id: there is one in a message, and no flag for errors. */
export function readPartContent(
  content: string | readonly unknown[],
  media: MediaRule,
): Omit<FormatResult, "id"> {
  const chars = countPartChars(
    typeof content === "string" || media === "offload"
      ? content
      : content.filter((part) => !isMedia(part)),
  );
  const soleText = soleTextOf(content);
  return { slot: 0, content, soleText, chars, isError: false };
}

/** A text for a text, parts for parts: the reference first, then the media that stays. */
export function referenceContent(
  content: unknown,
  reference: { readonly type: string; readonly text: string },
  media: MediaRule,
): unknown {
  if (!Array.isArray(content)) return reference.text;
  const parts: readonly unknown[] = content;
  const stays = (part: unknown) => media === "keep" && isMedia(part);
  const leaving = parts.filter((part) => !stays(part)).map(asRecord);
  const marks = CACHE_MARKS.flatMap((name) => {
    const marked = leaving.findLast((part) => part[name] !== undefined);
    return marked ? [[name, marked[name]] as const] : [];
  });
  return [{ ...reference, ...Object.fromEntries(marks) }, ...parts.filter(stays)];
}

/** Text by its length, other parts as their JSON. */
export function countPartChars(content: unknown): number {
  if (typeof content === "string") return content.length;
  if (!Array.isArray(content)) return 0;
  return content.reduce<number>(
    (sum, part) => sum + (partText(part)?.length ?? countContentChars([part]) - 2),
    0,
  );
}

/** The arguments of a call are JSON in a text; some servers give the object itself. */
export function countInputChars(input: unknown): number {
  return typeof input === "string" ? input.length : isRecord(input) ? countContentChars(input) : 0;
}

/** The one text beside nothing but media: where a reference would stand. */
function soleTextOf(content: string | readonly unknown[]): string | undefined {
  if (typeof content === "string") return content;
  const [first, ...others] = content.filter((part) => !isMedia(part));
  return others.length === 0 ? partText(first) : undefined;
}

function partText(part: unknown): string | undefined {
  const { type, text } = asRecord(part);
  return TEXT_PARTS.has(String(type)) && typeof text === "string" ? text : undefined;
}

function isMedia(part: unknown): boolean {
  return MEDIA_PARTS.test(String(asRecord(part)["type"]));
}
