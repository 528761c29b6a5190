import { DEFAULTS } from "../defaults.js";
import { fromJson } from "../lib/json/plain-json.js";
import { parseInputReference } from "./input-reference.js";

/**
 * The place of a result: the call that it answers, and how many equal calls were answered before. A
 * reference counts only in the place that it was made for. Its artifact says for which call; the
 * reference itself says how many came before, since hosts drop old messages.
 */
export interface Place {
  /** The mark of the call: what was called, and with what. */
  readonly call: string;
  /** How many equal calls were answered before; from what a reference says, where it can be true. */
  readonly equalBefore: number;
  /** Whether what stands here says of itself that it belongs here, if it is a reference. */
  readonly isOwn: boolean;
}

/** Metadata: the mark of the call whose result it is. */
export const CALL_KEY = "call_mark";

/** Few enough digits to tell nothing of an input, which may hold secrets. */
const STORED_DIGITS = 4;

/** The mark of a place's call, as the record of its result has it. */
export function storedMark({ call }: Place): string {
  return call.slice(0, STORED_DIGITS);
}

/** Counts equal calls. Only those with the same id, or without one, are equal. */
export class PlaceCounter {
  readonly #next = new Map<string, number>();

  /**
   * The next place of this call.
   *
   * @param claimed - How many came before, as the reference in that place says; `undefined` if there is
   *   none. Fewer than are known, or as many as the reference before it says, is a quotation.
   */
  take(id: string | undefined, call: string, claimed: number | undefined): Place {
    const key = keyOf(id, call);
    const next = this.#next.get(key) ?? 0;
    const isOwn = claimed !== undefined && claimed >= next;
    const place = { call, equalBefore: isOwn ? claimed : next, isOwn };
    this.add(id, place);
    return place;
  }

  /** Counts a place that was taken before. */
  add(id: string | undefined, { call, equalBefore }: Place): void {
    this.#next.set(keyOf(id, call), equalBefore + 1);
  }
}

function keyOf(id: string | undefined, call: string): string {
  return id === undefined ? call : `${call} ${id}`;
}

/**
 * A mark of what a call says, 32 bits in hexadecimal. It is the
 * same for an input in another order or as JSON, as hosts save them, and for one whose long strings were
 * replaced by references; of these, the lengths count.
 */
export function markCall(name: string, input: unknown): string {
  const given = fromJson(input) ?? input;
  let text = `${JSON.stringify(name)} `;
  try {
    text += given === null || given === "" ? "{}" : plainForm(given);
  } catch {
    // A value without an end, or a getter that throws: its name must do.
  }
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

function plainForm(value: unknown = {}): string {
  if (typeof value === "string") {
    const chars = parseInputReference(value)?.chars ?? value.length;
    // A shorter string is never replaced.
    return chars < DEFAULTS.staleTokens ? JSON.stringify(value) : `${chars} chars`;
  }
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => plainForm(item ?? null)).join()}]`;
  const fields = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${plainForm(item)}`);
  return `{${fields.join()}}`;
}
