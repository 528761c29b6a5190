import { DEFAULTS } from "../defaults.js";
import type { FormatResult } from "../engine/format.js";
import { fromJson } from "../lib/json/plain-json.js";
import type { ReferenceTarget } from "../workspace/reference/knowledge-list.js";
import { parseInputReference } from "./input-reference.js";
import type { Call } from "./reads.js";

/**
 * The place of a result, or of a part: the call that it answers, and how many equal calls were answered
 * before. A reference counts only in the place that it was made for. Its artifact says for which call; the
 * reference itself says how many came before, since hosts drop old messages.
 */
export interface Place {
  /** What equal ones have in common. */
  readonly key: string;
  /** The mark of the call; `undefined` where there is none, so that equal content is counted. */
  readonly call: string | undefined;
  /** How many equal ones came before; what a reference says of itself, where that can be true. */
  readonly equalBefore: number;
  /** Whether a reference in this place was made for another one, by what it says of itself. */
  readonly isQuotation: boolean;
}

/** Few enough digits to tell nothing of an input, which may hold secrets. */
const STORED_DIGITS = 4;

/** The mark of a place's call, as the record of its result has it. */
export function storedMark(place: Place | undefined): string | undefined {
  return place?.call?.slice(0, STORED_DIGITS);
}

/**
 * Counts what is equal in a conversation. `claimed` is how many came before, as the reference in a place
 * says; `undefined` if there is none. Hosts drop old messages, so it may say more than are left. If it says
 * less, or the same as one before it, it was copied from there: it is a quotation.
 */
export class PlaceCounter {
  readonly #next = new Map<string, number>();

  /** The next place among the answers to calls of this mark with the same id, or without one. */
  takeAnswer(id: string | undefined, call: string, claimed: number | undefined): Place {
    return this.#take(id === undefined ? call : `${call} ${id}`, call, claimed);
  }

  /** The next place of this content with the same id, or without one, where no call tells what is equal. */
  takeContent(hash: string, claimed: number | undefined, id?: string): Place {
    const key = `content ${hash.slice(0, HASH_DIGITS)}`;
    return this.#take(id === undefined ? key : `${key} ${id}`, undefined, claimed);
  }

  /** Counts a place that was taken before. */
  add({ key, call, equalBefore, isQuotation }: Place): void {
    // A quotation answers a call, but is other content.
    if (!isQuotation || call !== undefined) this.#next.set(key, equalBefore + 1);
  }

  #take(key: string, call: string | undefined, claimed: number | undefined): Place {
    const next = this.#next.get(key) ?? 0;
    const isQuotation = claimed !== undefined && claimed < next;
    const equalBefore = isQuotation ? next : (claimed ?? next);
    const place = { key, call, equalBefore, isQuotation };
    this.add(place);
    return place;
  }
}

/** The place of a result: by its call, or by its content if its call is not known. */
export function takePlace(
  places: PlaceCounter,
  { id }: Pick<FormatResult, "id">,
  call: Pick<Call, "mark"> | undefined,
  target: ReferenceTarget | undefined,
  hash: () => string,
): Place | undefined {
  if (call) return places.takeAnswer(id, call.mark, target?.equalBefore);
  if (target) return places.takeContent(target.hash, target.equalBefore, id);
  try {
    return places.takeContent(hash(), undefined, id);
  } catch {
    // What JSON cannot hold has no hash, and is never offloaded.
    return undefined;
  }
}

/** As many as a reference shows. */
const HASH_DIGITS = 8;

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
