import type { Sink } from "../engine/offload.js";
import type { ToolResult } from "../engine/format.js";
import { WriteFailedError } from "../errors/storage-errors.js";
import type { DigestHints } from "../lib/digest/digest.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { idOfContent } from "../workspace/artifacts/artifact.js";
import {
  REDACTIONS_KEY,
  type PreparedArtifact,
  WRAPPING_KEY,
} from "../workspace/artifacts/prepare-artifact.js";
import { savesEnough } from "../workspace/reference/knowledge-list.js";
import type { WorkspaceCore } from "../workspace/workspace-core.js";
import type { PutOutcome } from "../workspace/workspace-types.js";
import type { LocatedResult, StoredResult } from "./located-result.js";
import type { OffloaderSettings } from "./offloader-types.js";
import type { KeptReason } from "./report.js";
import { isHeld, OFFLOADED_KEY, type HeldSession } from "./held-session.js";

export interface StorageWiring extends OffloaderSettings {
  readonly core: WorkspaceCore;
  readonly countTokens: CountTokens;
}

interface NewPlan {
  /** Under which it is remembered that it was stored. */
  readonly key: string;
  readonly hints: DigestHints | undefined;
  readonly prepared: PreparedArtifact;
  readonly price: StoredResult;
}

/** What is to be done with a result: to store it, unless this process has done so. */
type Plan =
  | NewPlan
  | { readonly key: string; readonly recalled: StoredResult; readonly prepared?: undefined };

/** What the digest of a result may take from its conversation; `undefined` for its content alone. */
export type HintsFor = (result: LocatedResult) => DigestHints | undefined;

/** Stores offloaded results in the workspace, and remembers why others were kept. */
export class ResultStorage implements Sink<StoredResult> {
  readonly kept = new Map<ToolResult, KeptReason>();
  readonly #wiring: StorageWiring;
  readonly #session: HeldSession;
  readonly #signal: AbortSignal | undefined;
  readonly #hintsFor: HintsFor;
  readonly #byId = new Map<string, Promise<unknown>>();

  constructor(
    wiring: StorageWiring,
    session: HeldSession,
    signal: AbortSignal | undefined,
    hintsFor: HintsFor = () => undefined,
  ) {
    this.#hintsFor = hintsFor;
    this.#wiring = wiring;
    this.#session = session;
    this.#signal = signal;
  }

  put(result: ToolResult): Promise<StoredResult | undefined> {
    const located = result as LocatedResult;
    try {
      // At once, and so in the order of the results: a digest goes by what those before it show.
      const plan = this.#plan(located);
      if (!plan?.prepared) return Promise.resolve(plan?.recalled);
      if (result.id === undefined) return this.#store(located, plan);
      // Results with the same id are stored one after the other, so that the first gets the plain id.
      const before = this.#byId.get(result.id) ?? Promise.resolve();
      const stored = before.then(() => this.#store(located, plan));
      this.#byId.set(
        result.id,
        stored.catch(() => undefined),
      );
      return stored;
    } catch (error) {
      return this.#fail(located, error);
    }
  }

  /** What this process stored earlier, where the content alone decides about its reference. */
  recall(result: ToolResult): StoredResult | undefined {
    const located = result as LocatedResult;
    return this.#hintsFor(located) ? undefined : this.#recall(located, wrappingKey(located));
  }

  /** What `put` would answer, without storing anything. */
  preview(result: ToolResult): StoredResult | undefined {
    const plan = this.#plan(result as LocatedResult);
    return plan?.prepared ? plan.price : plan?.recalled;
  }

  /** What is to be done with a result; `undefined` when it is kept. */
  #plan(result: LocatedResult): Plan | undefined {
    const hints = this.#hintsFor(result);
    const key = wrappingKey(result);
    const recalled = hints ? undefined : this.#recall(result, key);
    if (recalled) return { key, recalled };
    const prepared = this.#prepare(result, hints);
    const price = this.#price(result, prepared);
    if (!price) return undefined;
    result.sent = price.reference;
    const ownKey = hints ? `${key} ${this.#wiring.core.hash(price.reference)}` : key;
    const same = this.#recall(result, ownKey);
    return same ? { key: ownKey, recalled: same } : { key: ownKey, hints, prepared, price };
  }

  /** What this process stored earlier, unless it was removed since. */
  #recall({ known }: LocatedResult, key: string): StoredResult | undefined {
    const stored = known.stored.get(key);
    if (stored?.artifactId === undefined) return undefined;
    return isHeld(this.#session, stored.artifactId, known.hash) ? stored : undefined;
  }

  async #store(
    result: LocatedResult,
    { key, hints, prepared, price }: NewPlan,
  ): Promise<StoredResult | undefined> {
    // One result of this id may have been stored while another one waited.
    const recalled = this.#recall(result, key);
    if (recalled) return recalled;
    try {
      const { record, reference } = await this.#putAsIs(result, prepared, hints);
      const isPlain = reference === price.reference;
      const referenceTokens = isPlain ? price.referenceTokens : this.#wiring.countTokens(reference);
      const { tokens } = result;
      const stored = { reference, referenceTokens, tokens, artifactId: record.artifactId };
      result.known.stored.set(key, stored);
      return stored;
    } catch (error) {
      return this.#fail(result, error);
    }
  }

  async #fail(result: LocatedResult, error: unknown): Promise<undefined> {
    // The workspace has already logged it. An aborted call is not a failure of the store.
    if (this.#wiring.onError !== "keep" || this.#signal?.aborted) throw error;
    this.kept.set(result, { outcome: "failed", reason: "it could not be stored", error });
    return Promise.resolve(undefined);
  }

  /** What it would cost and save; `undefined` when the reference would not save a good part of it. */
  #price(result: LocatedResult, prepared: PreparedArtifact): StoredResult | undefined {
    const reference = prepared.reference();
    const referenceTokens = this.#wiring.countTokens(reference);
    const { tokens, chars } = result;
    // `chars` does not count images that are kept; their tokens are not saved. Few tokens can be many
    // characters, as in an id of one letter.
    const isShorter = reference.length < chars;
    if (isShorter && savesEnough(referenceTokens, Math.min(tokens, chars))) {
      return { reference, referenceTokens, tokens, artifactId: undefined };
    }
    this.kept.set(result, { outcome: "kept", reason: "its reference would save too little" });
    return undefined;
  }

  /** The same content with another wrapping is another artifact, since it must be restored with its own. */
  async #putAsIs(
    result: LocatedResult,
    prepared: PreparedArtifact,
    hints: DigestHints | undefined,
  ): Promise<PutOutcome> {
    const { core } = this.#wiring;
    const own = wrappingKey(result);
    // What was redacted cannot come back as it was in any wrapping.
    const isOwn = ({ record: { metadata } }: PutOutcome) =>
      REDACTIONS_KEY in metadata || jsonOf(metadata[WRAPPING_KEY]) === own;
    const first = await core.store(prepared);
    if (isOwn(first)) return first;
    const base = result.id ?? idOfContent(result.known.hash);
    const formHash = core.hash(JSON.stringify([result.known.hash, own]));
    for (const suffix of [formHash.slice(0, 12), formHash]) {
      const other = await core.store(this.#prepare(result, hints, `${base}-${suffix}`));
      if (isOwn(other)) return other;
    }
    const cause = new Error("every id for this content holds it with another wrapping");
    throw new WriteFailedError(`session ${this.#wiring.sessionId}`, cause);
  }

  #prepare(
    result: LocatedResult,
    hints: DigestHints | undefined,
    artifactId?: string,
  ): PreparedArtifact {
    const { core, agentId, taskId, sessionId, parentSessionId } = this.#wiring;
    const { content, toolName, isError, wrapping, id, known } = result;
    return core.prepare(
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
      { toolCallId: id, sessionId, parentSessionId, signal: this.#signal },
      { hash: known.hash, tokens: known.tokens, hints },
    );
  }
}

function wrappingKey({ wrapping }: LocatedResult): string {
  return jsonOf(wrapping);
}

function jsonOf(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value);
}
