import { asRecord, isRecord, type JsonRecord } from "./json-record.js";

/** A LangChain message in any of its forms, taken apart. */
export interface LangchainMessage {
  /** `human`, `ai`, `tool`, …, in LangChain's words. */
  readonly kind: string;
  /** Where content, `tool_call_id` and the rest are. */
  readonly fields: JsonRecord;
  /** The key of the content in the fields. */
  readonly contentKey: "content" | "content_blocks";
  /** The key of the message that holds the fields; `undefined` if the message itself does. */
  readonly wrapper: "kwargs" | "data" | undefined;
}

/** The names of a message's kind: LangChain's own, and the roles that it accepts for them. */
const OWN_KINDS = new Set(["human", "ai", "tool", "system", "function", "generic", "remove"]);
const ALIASES = new Map([
  ["user", "human"],
  ["assistant", "ai"],
  ["developer", "system"],
  ["chat", "generic"],
]);

/** A class name; in Python, chunks also have it as their type. */
const CLASS_NAME = /^([A-Z]\w*?)Message(?:Chunk)?$/;

/** Takes a message apart; `undefined` if it is not a LangChain message. */
export function parseLangchainMessage(message: unknown): LangchainMessage | undefined {
  if (!isRecord(message)) return undefined;
  const { lc, id, kwargs, data, type, role } = message;
  const called = callKind(message);
  if (called !== undefined) return describeMessage(called, message, undefined);
  if (lc === 1 && Array.isArray(id) && isRecord(kwargs)) {
    const kind = kindOf(id.at(-1));
    return kind === undefined ? undefined : describeMessage(kind, kwargs, "kwargs");
  }
  const kind = kindOf(type ?? role);
  if (kind === undefined) return undefined;
  if (type !== undefined && isRecord(data)) return describeMessage(kind, data, "data");
  return "content" in message ? describeMessage(kind, message, undefined) : undefined;
}

/** Whether the message is certainly LangChain's, and not merely one that it would accept. */
export function isOwnMessage(message: unknown): boolean {
  const parsed = parseLangchainMessage(message);
  if (!parsed) return false;
  const record = asRecord(message);
  if (parsed.wrapper !== undefined || callKind(record) !== undefined) return true;
  return isOwnWord(record["type"]);
}

/** The message with other content. */
export function withContent(message: unknown, content: unknown): unknown {
  const { contentKey } = parseLangchainMessage(message) as LangchainMessage;
  return withField(message, contentKey, content);
}

/**
 * The message with another value in a field: of the same class, with all of its other properties, and
 * with the constructor arguments that the class keeps for serialization updated.
 */
export function withField(message: unknown, key: string, value: unknown): unknown {
  const { wrapper, fields } = parseLangchainMessage(message) as LangchainMessage;
  if (wrapper !== undefined) {
    return copyWith(message as object, { [wrapper]: copyWith(fields, { [key]: value }) });
  }
  const { lc_kwargs, [key]: before } = fields;
  const names = key === "content" ? ["content", "contentBlocks"] : [key];
  const held = Object.entries(asRecord(lc_kwargs)).filter(
    ([name, kwarg]) => names.includes(name) && kwarg === before,
  );
  if (held.length === 0) return copyWith(fields, { [key]: value });
  const updated = Object.fromEntries(held.map(([name]) => [name, value]));
  return copyWith(fields, { [key]: value, lc_kwargs: copyWith(lc_kwargs as object, updated) });
}

function describeMessage(
  kind: string,
  fields: JsonRecord,
  wrapper: LangchainMessage["wrapper"],
): LangchainMessage {
  // A message that was made from `contentBlocks` is serialized with only those.
  const hasBlocks =
    wrapper !== undefined &&
    fields["content"] === undefined &&
    Array.isArray(fields["content_blocks"]);
  return { kind, fields, contentKey: hasBlocks ? "content_blocks" : "content", wrapper };
}

/** The kind that a type, a role or a class name means. */
function kindOf(word: unknown): string | undefined {
  if (typeof word !== "string") return undefined;
  const plain = CLASS_NAME.exec(word)?.[1]?.toLowerCase() ?? word;
  return OWN_KINDS.has(plain) ? plain : ALIASES.get(plain);
}

/** Whether the type is specific to LangChain, unlike a role, which could be any vendor's. */
function isOwnWord(type: unknown): boolean {
  return typeof type === "string" && (OWN_KINDS.has(type) || CLASS_NAME.test(type));
}

/** The kind that an instance reports; the method has had two names. */
function callKind(message: JsonRecord): string | undefined {
  const say = message["getType"] ?? message["_getType"];
  if (typeof say !== "function") return undefined;
  const kind: unknown = say.call(message);
  return typeof kind === "string" ? kind : undefined;
}

/** A copy with the same prototype and the same properties in the same order, except for some values. */
function copyWith(original: object, changes: JsonRecord): object {
  const properties: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(original);
  for (const [key, value] of Object.entries(changes)) {
    const { enumerable = true } = properties[key] ?? {};
    // Not the old descriptor with another value: that of an accessor cannot have one.
    properties[key] = { value, enumerable, writable: true, configurable: true };
  }
  return Object.create(Object.getPrototypeOf(original) as object | null, properties) as object;
}
