import type { Content } from "context-offload";
import * as library from "context-offload/formats";
import type { Format, FormatResult } from "context-offload/formats";
import type { AssistantItem, ReplayCall, Item } from "./conversation.js";
import { asRecord, isRecord, parseJson, type JsonRecord } from "./json.js";

/** Formats in which one reply is several messages, one for each call and text. */
const REPLY_IN_ITEMS = /^(?:codex|openai-responses|openai-agents|opencode-events)\b/;

/** Blocks, parts and whole messages that are not text: calls, results, and reasoning, which is not sent again. */
const NOT_TEXT = /tool|function|thinking|reasoning/i;

/** What holds a message, or its text, in a record; the outer ones first. */
const HOLDERS = ["message", "payload", "data", "kwargs", "content", "parts"] as const;

/** The format with this name, as `parseConversation` found it. */
export function formatNamed(name: string): Format {
  const values: unknown[] = Object.values(library);
  const formats = values.filter(isFormat);
  const own = formats.find((format) => format.name === name);
  const inner = own ?? formats.find((format) => `${format.name}-jsonl` === name);
  if (!inner) throw new Error(`There is no format ${name}`);
  return own ?? library.messageLines(inner);
}

function isFormat(value: unknown): value is Format {
  return isRecord(value) && "read" in value && "mismatch" in value && "name" in value;
}

/** The items of messages that are in a format: the format says where calls and results are. */
export function readMessages(format: Format, messages: readonly unknown[]): Item[] {
  const items: Item[] = [];
  const replies = new Map<string, Reply>();
  const ids = new CallIds();
  for (const message of messages) {
    const record = asRecord(typeof message === "string" ? parseJson(message) : message);
    const at = timeOf(record);
    const held = read(format, message, ids);
    const text = held.hasMore ? textsIn(record).join("\n") : "";
    if (held.isReply) {
      const last = items.at(-1);
      const isContinued = REPLY_IN_ITEMS.test(format.name) && last?.role === "assistant";
      const known = isContinued ? (last as Reply) : replies.get(held.replyId ?? "");
      const reply: Reply = known ?? { role: "assistant", text: "", calls: [], at };
      if (text !== "") reply.text += (reply.text && "\n") + text;
      reply.calls.push(...held.calls);
      if (held.replyId !== undefined) replies.set(held.replyId, reply);
      // Reasoning alone is no reply yet, unless the next message goes on with it.
      const isEmpty = reply.text === "" && reply.calls.length === 0;
      if (!known && !(isEmpty && held.replyId === undefined)) items.push(reply);
    }
    items.push(...held.results.map((result) => ({ ...result, at })));
    if (!held.isReply && text !== "") items.push({ role: "user", text, at });
  }
  return items;
}

type Reply = { -readonly [Key in keyof AssistantItem]: AssistantItem[Key] } & {
  calls: ReplayCall[];
};

function read(format: Format, message: unknown, ids: CallIds) {
  const held = {
    isReply: false,
    replyId: undefined as string | undefined,
    hasMore: false,
    calls: [] as ReplayCall[],
    results: [] as Extract<Item, { role: "result" }>[],
  };
  const addResult = (id: string | undefined, text: string, isError: boolean) => {
    held.results.push({ role: "result", callId: ids.answered(id), toolName: "", text, isError });
  };
  format.read(
    message,
    {
      modelMessage(replyId) {
        held.isReply = true;
        held.replyId = replyId;
      },
      call(id, name, input) {
        held.calls.push({ id: ids.called(id), name, input: parseInput(input) });
      },
      result(result) {
        addResult(result.id, textOfResult(result), result.isError);
      },
      answer(id) {
        addResult(id, "", false);
      },
      other(chars) {
        held.hasMore ||= chars > 0;
      },
    },
    { media: "keep", countOther: true },
  );
  return held;
}

/** Some vendors pair calls and results by their order alone. */
class CallIds {
  #made = 0;
  readonly #open: string[] = [];

  called(id: string | undefined): string {
    if (id !== undefined) return id;
    const made = `call_${this.#made++}`;
    this.#open.push(made);
    return made;
  }

  answered(id: string | undefined): string {
    return id ?? this.#open.shift() ?? "";
  }
}

/** The text of a result, as a model reads it; media have none. */
function textOfResult({ soleText, content }: FormatResult): string {
  return soleText ?? textOfContent(content);
}

function textOfContent(content: Content): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  const isBlock = (block: unknown) => typeof block === "string" || "type" in asRecord(block);
  const texts = content.map((block) =>
    typeof block === "string" ? block : asRecord(block)["text"],
  );
  const shown = texts.filter((text) => typeof text === "string");
  return shown.length > 0 || content.every(isBlock) ? shown.join("\n") : JSON.stringify(content);
}

/** The texts of a message besides its calls and results. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  const { type, role, part_kind, thought, text, ...held } = asRecord(value);
  const isText = ![type, role, part_kind].some((kind) => NOT_TEXT.test(String(kind)));
  if (!isText || thought === true) return [];
  if (typeof text === "string") return [text];
  const holder = HOLDERS.find((key) => held[key] !== undefined && held[key] !== null);
  return holder === undefined ? [] : textsIn(held[holder]);
}

/** Arguments of a call, which some vendors write as JSON text. */
export function parseInput(input: unknown): unknown {
  if (typeof input !== "string") return input ?? {};
  return parseJson(input) ?? { input };
}

/** When a message was recorded, in milliseconds. */
function timeOf({ timestamp, info }: JsonRecord): number | undefined {
  const time = timestamp ?? asRecord(asRecord(info)["time"])["created"];
  const at = typeof time === "number" ? time : Date.parse(String(time));
  return Number.isFinite(at) ? at : undefined;
}
