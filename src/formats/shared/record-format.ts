import {
  countContentChars,
  type Content,
  type Format,
  type FormatReadOptions,
  type MediaRule,
  type MessageVisitor,
  type ToolAnswer,
  type ToolInputSchema,
} from "../../core/engine/format.js";
import { nonEmptyText } from "../../core/lib/json/plain-json.js";
import { readBlockContent, referenceBlocks, type BlockRules } from "./blocks.js";
import { asRecord, countJsonChars, type JsonRecord } from "./json-record.js";
import type { JsonPath } from "./line-splicer.js";
import { describeParts, putAt, valueAt, type PartPlace } from "./message-parts.js";
import { parseArguments } from "./openai-parts.js";

/** A tool with its name, description and the schema of its input. */
export type PlainTool = { name: string; description: string; parameters: ToolInputSchema };

/** A call as its format holds it, its input an object or its JSON; any of these may be missing. */
export interface RecordedCall {
  readonly id: unknown;
  readonly name: unknown;
  readonly input: unknown;
}

/** Receives what a message holds, in order. */
export interface RecordReader {
  /** The model wrote this message. */
  model(replyId?: unknown): void;
  /** A call; its input counts as text outside of results. */
  call(call: RecordedCall): void;
  /** The result whose content is at this path of the message. */
  result(
    path: JsonPath,
    about: { readonly id: unknown; readonly toolName?: unknown; readonly isError?: boolean },
  ): void;
  /** Text, or a value that counts as its JSON. */
  other(value: unknown, unknownType?: string): void;
}

/** How a program records its conversations. */
export interface RecordForm<Name extends string, Answer> {
  readonly name: Name;
  mismatch(messages: readonly unknown[]): string | undefined;
  read(message: JsonRecord, reader: RecordReader): void;
  /** How content that is an array is treated; without it, an array is a JSON value like any other. */
  readonly blocks?: BlockRules;
  /** What replaces content that is an array of blocks. Default: a text block and the kept media. */
  reference?(blocks: readonly unknown[], text: string, media: MediaRule): unknown;
  /** Where the texts of users and the inputs of calls are. */
  parts(message: JsonRecord): readonly PartPlace[];
  readCall(call: JsonRecord): RecordedCall | undefined;
  answerCall(call: { readonly id: string; readonly name: string }, answer: ToolAnswer): Answer;
}

/** A format that also tells where the content of a result is. */
export type RecordFormat<Name extends string, Answer> = Format<unknown, PlainTool[], Answer> & {
  readonly name: Name;
  readonly contentPath: (message: JsonRecord, slot: number) => JsonPath;
};

/**
 * A format whose results each have their content at one path of the message, where it is a text,
 * blocks or a JSON value. A slot is the position of the result among those of its message.
 */
export function createRecordFormat<const Name extends string, Answer>(
  form: RecordForm<Name, Answer>,
): RecordFormat<Name, Answer> {
  const { name, blocks } = form;
  const contentPath = (message: unknown, slot: number) => pathsOf(form, message)[slot] ?? [];
  const referenceTo = (content: unknown, text: string, media: MediaRule): unknown => {
    if (!Array.isArray(content) || !blocks) return text;
    return form.reference?.(content, text, media) ?? referenceBlocks(content, text, blocks, media);
  };
  return {
    name,
    contentPath,
    mismatch: (messages) => form.mismatch(messages),

    read(message, visitor, options) {
      const record = asRecord(message);
      form.read(record, tellVisitor(record, visitor, blocks, options));
    },

    replace: (message, texts, { media }) =>
      texts.reduce((copy, { slot, text }) => {
        const path = contentPath(message, slot);
        return putAt(copy, path, referenceTo(valueAt(copy, path), text, media));
      }, message),

    restore: (message, originals) =>
      originals.reduce(
        (copy, { slot, content }) => putAt(copy, contentPath(message, slot), content),
        message,
      ),

    parts: describeParts((message) => form.parts(message)),

    describeTools: (tools) =>
      tools.map(({ name: tool, description, inputSchema }) => ({
        name: tool,
        description,
        parameters: inputSchema,
      })),

    readCall(call) {
      const found = form.readCall(asRecord(call));
      if (typeof found?.name !== "string") return undefined;
      return { name: found.name, input: parseArguments(found.input) };
    },

    answerCall(call, answer) {
      const found = form.readCall(asRecord(call));
      const id = nonEmptyText(found?.id) ?? "";
      return form.answerCall({ id, name: nonEmptyText(found?.name) ?? "" }, answer);
    },
  };
}

function tellVisitor(
  message: JsonRecord,
  visitor: MessageVisitor,
  blocks: BlockRules | undefined,
  { media, countOther }: FormatReadOptions,
): RecordReader {
  let slot = 0;
  const other = (value: unknown, unknownType?: string) => {
    const isCounted = countOther && value !== undefined;
    const chars = typeof value === "string" ? value.length : isCounted ? countJsonChars(value) : 0;
    visitor.other(chars, unknownType);
  };
  return {
    other,
    model(replyId) {
      visitor.modelMessage(nonEmptyText(replyId));
    },
    call({ id, name, input }) {
      visitor.call(nonEmptyText(id), String(name), input);
      other(input);
    },
    result(path, { id, toolName, isError = false }) {
      const found = readContent(valueAt(message, path), blocks, media);
      const about = { id: nonEmptyText(id), toolName: nonEmptyText(toolName), isError };
      if (found) visitor.result({ slot, ...about, ...found });
      else visitor.answer?.(about.id);
      slot++;
    },
  };
}

/** What would be offloaded; nothing of a number, a flag or a single picture. */
function readContent(content: unknown, blocks: BlockRules | undefined, media: MediaRule) {
  if (typeof content === "string") return { content, soleText: content, chars: content.length };
  if (Array.isArray(content) && blocks) return readBlockContent(content, blocks, media);
  if (typeof content !== "object" || content === null) return undefined;
  if (media === "keep" && blocks?.isMedia(asRecord(content)) === true) return undefined;
  const value = content as Content;
  return { content: value, soleText: undefined, chars: countContentChars(value) };
}

function pathsOf(form: Pick<RecordForm<string, unknown>, "read">, message: unknown): JsonPath[] {
  const paths: JsonPath[] = [];
  const ignore = () => undefined;
  const reader = { model: ignore, call: ignore, other: ignore };
  form.read(asRecord(message), { ...reader, result: (path) => void paths.push(path) });
  return paths;
}
