import type { FormatParts, MessagePart, PartPath } from "../../core/engine/format.js";
import { nonEmptyText } from "../../core/lib/json/plain-json.js";
import { asList, asRecord, isRecord, type JsonRecord } from "./json-record.js";

/** A part without its value, which stands at its path. */
export type PartPlace = Omit<MessagePart, "value">;

/** Fields in which vendors sign or encrypt the reasoning of a reply, or a call itself. */
const SIGNATURES: ReadonlySet<string> = new Set([
  ...["signature", "thoughtSignature", "thought_signature", "reasoning_opaque"],
  ...["encrypted_content", "encryptedContent", "reasoningEncryptedContent", "redactedData"],
  ...["thinkingSignature", "reasoningOpaque", "encrypted", "redactedContent"],
]);

/** Types of blocks that are encrypted as a whole. */
const ENCRYPTED = /^redacted(?:_t|T)hinking$/;

/** What surrounds a signature is shallow; inputs and texts of any depth are not looked into. */
const SIGNED_DEPTH = 6;
const NOT_REASONING = new Set(["input", "args", "arguments", "text", "response", "output"]);

/** The parts of a format's messages, by where they are. */
export function describeParts(places: (message: JsonRecord) => readonly PartPlace[]): FormatParts {
  return {
    find: (message) =>
      places(asRecord(message)).map((place) => ({ ...place, value: valueAt(message, place.path) })),
    isSigned: (message) => isSigned(message, SIGNED_DEPTH),
    put: putAt,
  };
}

/** The texts of content that is a string or a list of blocks. */
export function textsOf(content: unknown, path: PartPath, textType: RegExp): PartPlace[] {
  if (typeof content === "string") return [{ kind: "userMessage", path }];
  return asList(content).flatMap((block, slot) => {
    const { type, text } = asRecord(block);
    const isText = textType.test(String(type)) && typeof text === "string";
    return isText ? [{ kind: "userMessage" as const, path: [...path, slot, "text"] }] : [];
  });
}

/** The inputs of calls that are blocks of one type, with their id under this key. */
export function inputsOf(content: unknown, type: string, idKey: string): PartPlace[] {
  return asList(content).flatMap((item, slot) => {
    const block = asRecord(item);
    if (block["type"] !== type) return [];
    const path = ["content", slot, "input"];
    return [{ kind: "toolInput" as const, path, id: nonEmptyText(block[idKey]) }];
  });
}

/** The inputs of calls in a list, each at a path of its item, with their id under this key. */
export function inputsIn(
  calls: unknown,
  path: PartPath,
  idKey: string,
  ...inputPath: string[]
): PartPlace[] {
  return asList(calls).map((call, index) => ({
    kind: "toolInput",
    path: [...path, index, ...inputPath],
    id: nonEmptyText(asRecord(call)[idKey]),
  }));
}

export function valueAt(value: unknown, path: PartPath): unknown {
  return path.reduce(
    (held: unknown, key) => (held as JsonRecord | null | undefined)?.[key as string],
    value,
  );
}

/** A copy with another value at the path; what is beside the path is shared. */
export function putAt(value: unknown, path: PartPath, wanted: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return wanted;
  const inner = putAt((value as JsonRecord)[key as string], rest, wanted);
  if (!Array.isArray(value)) return { ...(value as JsonRecord), [key]: inner };
  const items = value.slice() as unknown[];
  items[Number(key)] = inner;
  return items;
}

function isSigned(value: unknown, depth: number): boolean {
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.some((item) => isSigned(item, depth - 1));
  if (!isRecord(value)) return false;
  if (ENCRYPTED.test(String(value["type"]))) return true;
  return Object.entries(value).some(([key, held]) => {
    if (SIGNATURES.has(key)) return held !== undefined && held !== null && held !== "";
    return !NOT_REASONING.has(key) && isSigned(held, depth - 1);
  });
}
