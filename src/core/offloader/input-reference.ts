import { parseJson } from "../lib/json/plain-json.js";

/** A long string of a call's input, and the pointer to it. */
export interface LongString {
  readonly pointer: string;
  readonly text: string;
}

/** What stands for a part of a message. */
export interface PartReference {
  readonly artifactId: string;
  /** The hash, or its first digits. */
  readonly hash: string;
  /** How many equal parts came before. */
  readonly equalBefore: number;
}

/** What stands for a string of an input. */
export interface InputReference extends PartReference {
  /** The length of that string. */
  readonly chars: number;
}

const START = "[Stored: ";
const HASH_DIGITS = 8;
const REFERENCE =
  /^\[Stored: artifact_id=("(?:[^"\\]|\\.)*"), pointer="(?:[^"\\]|\\.)*", (\d{1,12}) chars, hash ([0-9a-f]{8})(?:\.(\d{1,6}))?\]$/;

/** The text in place of a string of an input: short, since the model wrote that string itself. */
export function renderInputReference(
  { artifactId, hash, equalBefore }: PartReference,
  { pointer, text }: LongString,
): string {
  const id = JSON.stringify(artifactId);
  const digits = hash.slice(0, HASH_DIGITS) + (equalBefore === 0 ? "" : `.${equalBefore}`);
  return `${START}artifact_id=${id}, pointer=${JSON.stringify(pointer)}, ${text.length} chars, hash ${digits}]`;
}

/** Whether an input that is written as JSON may hold a reference; a short one is cheap to look at. */
export function mayHoldInputReference(json: string): boolean {
  return json.includes(START);
}

export function parseInputReference(text: string): InputReference | undefined {
  if (!text.startsWith(START)) return undefined;
  const [, id = "", chars = "", hash = "", equalBefore = "0"] = REFERENCE.exec(text) ?? [];
  const artifactId = parseJson(id);
  if (typeof artifactId !== "string") return undefined;
  return { artifactId, hash, chars: Number(chars), equalBefore: Number(equalBefore) };
}
