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
