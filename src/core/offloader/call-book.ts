import type { FormatResult } from "../engine/format.js";
import type { ReadingCall } from "./reading-answer.js";

/** A call of the history. */
export interface Call {
  readonly id: string | undefined;
  readonly name: string;
  /** What it reads, if it is a call of a reading tool. */
  readonly reading: ReadingCall | undefined;
  /** What its input says, as far as a digest of the result looks at it. */
  readonly about?: string | undefined;
}

/** The calls of a history, to find the one that a result answers. */
export class CallBook<C extends Call = Call> {
  readonly #byId = new Map<string, C>();
  /** Some vendors give calls no id; they are answered by name, in their order. */
  readonly #openByName = new Map<string, C[]>();

  /** The last call of an id counts: ids are used again. */
  add(calls: readonly C[]): void {
    for (const call of calls) {
      if (call.id !== undefined) this.#byId.set(call.id, call);
      else {
        const open = this.#openByName.get(call.name) ?? [];
        open.push(call);
        this.#openByName.set(call.name, open);
      }
    }
  }

  /** The call that a result answers. One without an id is answered once. */
  answeredBy({ id, toolName }: Pick<FormatResult, "id" | "toolName">): C | undefined {
    if (id !== undefined) return this.#byId.get(id);
    return toolName === undefined ? undefined : this.#openByName.get(toolName)?.shift();
  }
}

const MAX_DEPTH = 64;
/** So much of the input of a call is looked at. */
const MOST_CALL_CHARS = 2_048;
/** So much of one text is looked at; what follows is rarely repeated. */
const MOST_TEXT_CHARS = 20_480;

/**
 * The texts in a value of any form, in their order, up to a number of characters in all. What cannot
 * be read has no texts.
 */
export function textsOf(value: unknown, maxChars: number): string[] {
  const texts: string[] = [];
  let left = maxChars;
  const collect = (item: unknown, depth: number): void => {
    if (left <= 0) return;
    if (typeof item === "string") {
      const text = item.slice(0, Math.min(left, MOST_TEXT_CHARS));
      left -= text.length;
      texts.push(text);
    } else if (typeof item === "object" && item !== null && depth < MAX_DEPTH) {
      for (const inner of Object.values(item)) collect(inner, depth + 1);
    }
  };
  try {
    collect(value, 0);
  } catch {
    // A getter may throw; what was found before it counts.
  }
  return texts;
}

/** What the input of a call says, in one text; it is passed as the message holds it, as JSON or a value. */
export function aboutCall(input: unknown): string | undefined {
  const texts = textsOf(input, MOST_CALL_CHARS);
  return texts.length === 0 ? undefined : texts.join("\n");
}
