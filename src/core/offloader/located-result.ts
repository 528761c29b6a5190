import {
  type FormatResult,
  type ToolResult,
  type Hash,
  serializeContent,
} from "../engine/format.js";
import { isPlainJson } from "../lib/json/plain-json.js";
import { keepLast } from "../lib/keep-last.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { renderValue } from "../lib/wrapping/render-value.js";
import type { ReadingCall } from "./reading-answer.js";

/** A result that was stored, or would be. */
export interface StoredResult {
  readonly reference: string;
  readonly referenceTokens: number;
  /** Tokens of the content. */
  readonly tokens: number;
  /** `undefined` when nothing was stored yet. */
  readonly artifactId: string | undefined;
}

/** What is known of a result's content. */
export interface KnownContent {
  readonly hash: string;
  /** Counted on first use. */
  readonly tokens: number;
  /** How it was stored, by the JSON of its wrapping. */
  readonly stored: Map<string, StoredResult>;
}

/** How much content is remembered: more than the references that a context window has room for. */
const MAX_KNOWN = 4_096;

/**
 * What earlier turns found out about content, by its hash: even when a host reloads its history
 * every turn, nothing is counted, digested or stored twice. The least recently used is forgotten,
 * so that a session without end takes no more than a few kilobytes for each of the last results.
 */
export class ContentMemory {
  /** In order of use, the least recently used first. */
  readonly #known = new Map<string, KnownContent>();

  constructor(
    readonly hash: Hash,
    readonly countTokens: CountTokens,
  ) {}

  of({ id, content }: Pick<FormatResult, "id" | "content">): KnownContent {
    const hash = this.hash(serializeContent(content));
    const kind = typeof content === "string" ? "text" : "value";
    const key = `${kind} ${hash}${id === undefined ? "" : ` ${id}`}`;
    const known =
      this.#known.get(key) ??
      new CountedContent(hash, () =>
        this.countTokens(typeof content === "string" ? content : renderValue(content)),
      );
    return keepLast(this.#known, key, known, MAX_KNOWN);
  }
}

class CountedContent implements KnownContent {
  readonly stored = new Map<string, StoredResult>();
  #count: (() => number) | undefined;
  #tokens = 0;

  constructor(
    readonly hash: string,
    count: () => number,
  ) {
    this.#count = count;
  }

  get tokens(): number {
    if (this.#count) {
      this.#tokens = this.#count();
      // Releases the content.
      this.#count = undefined;
    }
    return this.#tokens;
  }
}

/** A tool result of a history, remembered for as long as its message is the same. */
export class LocatedResult implements ToolResult {
  readonly slot: number;
  readonly id: string | undefined;
  readonly content: FormatResult["content"];
  readonly soleText: string | undefined;
  readonly chars: number;
  readonly isError: boolean;
  offloadFlag: boolean | undefined;
  offloadedBefore = false;
  isReadingAnswer = false;
  /** The reference that is sent in its place, once that is decided. */
  sent: string | undefined;
  readonly #found: FormatResult;
  readonly #memory: ContentMemory;
  #known: KnownContent | undefined;
  #isPlain: boolean | undefined;

  constructor(
    found: FormatResult,
    readonly messageIndex: number,
    readonly toolName: string | undefined,
    memory: ContentMemory,
    /** What the call that it answers reads, if it is a call of a reading tool. */
    readonly reading?: ReadingCall,
    /** What the input of that call says. */
    readonly about?: string,
  ) {
    this.slot = found.slot;
    this.id = found.id;
    this.content = found.content;
    this.soleText = found.soleText;
    this.chars = found.chars;
    this.isError = found.isError;
    this.#found = found;
    this.#memory = memory;
  }

  /** A getter, since some formats compute it only on demand. */
  get wrapping(): unknown {
    return this.#found.wrapping;
  }

  get isPlain(): boolean {
    return (this.#isPlain ??= typeof this.content === "string" || isPlainJson(this.content));
  }

  get tokens(): number {
    return this.known.tokens;
  }

  get known(): KnownContent {
    return (this.#known ??= this.#memory.of(this));
  }
}
