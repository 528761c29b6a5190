import type { Format, FormatOptions } from "../engine/format.js";
import { KnownNames } from "../lib/digest/known-names.js";
import { looksLikeReference } from "../workspace/reference/knowledge-list.js";
import type { SeenMessage } from "./seen-message.js";
import { textsOf } from "./call-book.js";

/** So much of one message is looked at. */
const MOST_MESSAGE_CHARS = 65_536;

/**
 * The names that a conversation shows as it is sent: results that are offloaded count as their
 * references. So it makes no difference whether a host passes the originals again or what was
 * returned for them. Messages are read when a digest needs their names, and only once.
 */
export class SentNames {
  readonly #names = new KnownNames();

  constructor(
    readonly format: Format,
    readonly options: FormatOptions,
  ) {}

  /** Whether a message before this one shows a name. The results in those messages are decided. */
  hasBefore(index: number, name: string, messages: readonly SeenMessage[]): boolean {
    for (let at = this.#names.length; at < Math.min(index, messages.length); at++) {
      const seen = messages[at];
      const texts = seen ? textsOf(this.#asSent(seen), MOST_MESSAGE_CHARS) : [];
      this.#names.add(texts.map(withoutTags));
    }
    return this.#names.hasBefore(index, name);
  }

  /** Forgets the messages from this one on. */
  cut(length: number): void {
    this.#names.cut(length);
  }

  #asSent({ input, results }: SeenMessage): unknown {
    const texts = results.flatMap(({ slot, sent, reading }) => {
      // An answer of a reading tool may be replaced later, and must make no difference then.
      const text = reading ? "" : sent;
      return text === undefined ? [] : [{ slot, text }];
    });
    return texts.length === 0 ? input : this.format.replace(input, texts, this.options);
  }
}

/** Where a reference leads to is decided when it is stored; what it shows is not. */
function withoutTags(text: string): string {
  return looksLikeReference(text) ? text.replace(/^<\/?knowledge.*$/gm, "") : text;
}
