import type { ToolResult } from "../engine/format.js";
import { WriteFailedError } from "../errors/storage-errors.js";
import type { DigestHints } from "../lib/digest/digest.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { idOfContent, REDACTIONS_KEY, WRAPPING_KEY } from "../workspace/artifacts/artifact.js";
import { createDraft, type Draft } from "../workspace/artifacts/draft.js";
import { DEFAULTS } from "../defaults.js";
import type { WorkspaceCore } from "../workspace/workspace-core.js";
import type { OffloaderSettings } from "./offloader-types.js";
import type { KeptReason, OffloadedResult } from "./report.js";
import { isHeld, OFFLOADED_KEY, type SessionIndex } from "./session-index.js";
import type { LocatedResult } from "./turn-memory.js";

export interface StorageWiring extends OffloaderSettings {
  readonly core: WorkspaceCore;
  readonly countTokens: CountTokens;
}

/** Whether a reference is worth it: it must save a good part of the result that it replaces. */
export function savesEnough(referenceTokens: number, contentTokens: number): boolean {
  return referenceTokens <= contentTokens * (1 - DEFAULTS.minSavedShare);
}

const WRAPPING_HASH_DIGITS = 12;

/** What the digest of a result may take from its conversation; `undefined` for its content alone. */
export type HintsFor = (result: LocatedResult) => DigestHints | undefined;

/** Stores offloaded results in the workspace, and remembers why others were kept. */
export class ResultStorage {
  readonly kept = new Map<ToolResult, KeptReason>();
  readonly #wiring: StorageWiring;
  readonly #session: SessionIndex;
  readonly #signal: AbortSignal | undefined;
  readonly #hintsFor: HintsFor;
  readonly #byId = new Map<string, Promise<unknown>>();

  constructor(
    wiring: StorageWiring,
    session: SessionIndex,
    signal: AbortSignal | undefined,
    hintsFor: HintsFor = () => undefined,
  ) {
    this.#hintsFor = hintsFor;
    this.#wiring = wiring;
    this.#session = session;
    this.#signal = signal;
  }

  /** Stores a result, unless this process has done so; `undefined` when it is kept. */
  readonly put = (
    given: ToolResult,
  ): Promise<OffloadedResult | undefined> | OffloadedResult | undefined => {
    const result = given as LocatedResult;
    try {
      // At once, and so in the order of the results: a digest goes by what those before it show.
      const draft = this.#draft(result);
      if (!draft || !("toArtifact" in draft)) return draft;
      if (result.id === undefined) return this.#store(result, draft);
      // Results with the same id are stored one after the other, so that the first gets the plain id.
      const before = this.#byId.get(result.id) ?? Promise.resolve();
      const stored = before.then(() => this.#store(result, draft));
      this.#byId.set(
        result.id,
        stored.catch(() => undefined),
      );
      return stored;
    } catch (error) {
      return this.#fail(result, error);
    }
  };

  /** What `put` would return, without storing anything. */
  preview(result: ToolResult): OffloadedResult | undefined {
    const draft = this.#draft(result as LocatedResult);
    return draft && "toArtifact" in draft ? outcomeOf(result as LocatedResult, draft) : draft;
  }

  /** The result as it would be stored, or as this process stored it; `undefined` when it is kept. */
  #draft(result: LocatedResult): Draft | OffloadedResult | undefined {
    const hints = this.#hintsFor(result);
    // Without hints, the content alone decides about its reference.
    const recalled = hints ? undefined : this.#recall(result, this.#keyOf(result, hints));
    if (recalled) return recalled;
    const draft = this.#open(result, hints);
    const { reference, referenceTokens } = draft;
    const { tokens, chars } = result;
    // `chars` does not count images that are kept; their tokens are not saved. Few tokens can be many
    // characters, as in an id of one letter.
    const isShorter = reference.length < chars;
    if (!isShorter || !savesEnough(referenceTokens, Math.min(tokens, chars))) {
      this.kept.set(result, { outcome: "kept", reason: "its reference would save too little" });
      return undefined;
    }
    result.sent = reference;
    return this.#recall(result, this.#keyOf(result, hints)) ?? draft;
  }

  /** What this process stored earlier, unless it was removed since. */
  #recall({ known }: LocatedResult, key: string): OffloadedResult | undefined {
    const stored = known.offloaded.get(key);
    if (stored?.artifactId === undefined) return undefined;
    return isHeld(this.#session, stored.artifactId, known.hash) ? stored : undefined;
  }

  /** Under which it is remembered that it was stored: its wrapping, and its text if hints changed that. */
  #keyOf({ wrapping, sent = "" }: LocatedResult, hints: DigestHints | undefined): string {
    const key = jsonOf(wrapping);
    return hints ? `${key} ${this.#wiring.core.hash(sent)}` : key;
  }

  async #store(result: LocatedResult, draft: Draft): Promise<OffloadedResult | undefined> {
    const { core, sessionId } = this.#wiring;
    const { known, id = idOfContent(known.hash) } = result;
    const { hints } = draft.options;
    const key = this.#keyOf(result, hints);
    // One result of this id may have been stored while another one waited.
    const recalled = this.#recall(result, key);
    if (recalled) return recalled;
    try {
      const own = jsonOf(result.wrapping);
      // The same content with another wrapping is another artifact, since it must be restored with its
      // own: with a part of a hash after its id, or all of it.
      for (const digits of [0, WRAPPING_HASH_DIGITS, Infinity]) {
        let next = draft;
        if (digits > 0) {
          const suffix = core.hash(JSON.stringify([known.hash, own])).slice(0, digits);
          next = this.#open(result, hints, `${id}-${suffix}`);
        }
        const stored = await core.store(next);
        const { metadata } = stored.record;
        // What was redacted cannot come back as it was in any wrapping.
        if (!(REDACTIONS_KEY in metadata) && jsonOf(metadata[WRAPPING_KEY]) !== own) continue;
        const offloaded = outcomeOf(result, stored);
        known.offloaded.set(key, offloaded);
        return offloaded;
      }
      const cause = new Error("every id for this content holds it with another wrapping");
      throw new WriteFailedError(`session ${sessionId}`, cause);
    } catch (error) {
      return this.#fail(result, error);
    }
  }

  #open(result: LocatedResult, hints: DigestHints | undefined, artifactId?: string): Draft {
    const { core, agentId, taskId, sessionId, parentSessionId, countTokens } = this.#wiring;
    const { content, toolName, isError, wrapping, id, known } = result;
    return createDraft(
      core.drafting,
      {
        content,
        artifactId,
        metadata: {
          context_type: "tool_result",
          [OFFLOADED_KEY]: "reference",
          agent_id: agentId ?? null,
          task_id: taskId ?? null,
          tool_name: toolName ?? null,
          ...(isError ? { is_error: true } : {}),
          ...(wrapping === undefined ? {} : { [WRAPPING_KEY]: wrapping }),
        },
      },
      {
        ...{ toolCallId: id, sessionId, parentSessionId, signal: this.#signal },
        ...{ hash: known.hash, tokens: result.tokens, hints, countTokens },
      },
    );
  }

  async #fail(result: LocatedResult, error: unknown): Promise<undefined> {
    // The workspace has already logged it. An aborted call is not a failure of the store.
    if (this.#wiring.onError !== "keep" || this.#signal?.aborted) throw error;
    this.kept.set(result, { outcome: "failed", reason: "it could not be stored", error });
    return Promise.resolve(undefined);
  }
}

function outcomeOf({ tokens }: LocatedResult, draft: Draft): OffloadedResult {
  const { reference, referenceTokens, record } = draft;
  return { reference, referenceTokens, tokens, artifactId: record?.artifactId };
}

function jsonOf(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value);
}
