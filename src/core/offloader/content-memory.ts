import { type Hash, serializeContent } from "../engine/content.js";
import type { FormatResult } from "../engine/format.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { renderValue } from "../workspace/reading/render-value.js";

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

/** By the hash of the content, then by the id of the call. */
type KnownByHash = Map<string, Map<string | undefined, KnownContent>>;

/**
 * What earlier turns found out about content, by its hash: even when a host reloads its history
 * every turn, nothing is counted, digested or stored twice.
 */
export class ContentMemory {
  readonly #texts: KnownByHash = new Map();
  readonly #values: KnownByHash = new Map();

  constructor(
    readonly hash: Hash,
    readonly countTokens: CountTokens,
  ) {}

  of({ id, content }: Pick<FormatResult, "id" | "content">): KnownContent {
    const hash = this.hash(serializeContent(content));
    const byHash = typeof content === "string" ? this.#texts : this.#values;
    const byId = byHash.get(hash) ?? new Map<string | undefined, KnownContent>();
    byHash.set(hash, byId);
    let known = byId.get(id);
    if (!known) {
      known = new CountedContent(hash, () =>
        this.countTokens(typeof content === "string" ? content : renderValue(content)),
      );
      byId.set(id, known);
    }
    return known;
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
