import type { Sink } from "../engine/offload.js";
import type { ToolResult } from "../engine/tool-result.js";
import { WriteFailedError } from "../errors/storage-errors.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { idOfContent } from "../workspace/artifacts/artifact.js";
import { REDACTIONS_KEY, type PreparedArtifact } from "../workspace/artifacts/prepare-artifact.js";
import { savesEnough } from "../workspace/reference/knowledge-list.js";
import type { WorkspaceCore } from "../workspace/workspace-core.js";
import type { PutOutcome } from "../workspace/workspace-types.js";
import type { StoredResult } from "./content-memory.js";
import type { LocatedResult } from "./located-result.js";
import type { OffloaderSettings } from "./offloader-types.js";
import type { KeptReason } from "./report.js";
import { isHeld, OFFLOADED_KEY, WRAPPING_KEY, type HeldSession } from "./held-session.js";

export interface StorageWiring extends OffloaderSettings {
  readonly core: WorkspaceCore;
  readonly countTokens: CountTokens;
}

/** Stores offloaded results in the workspace, and remembers why others were kept. */
export class ResultStorage implements Sink<StoredResult> {
  readonly kept = new Map<ToolResult, KeptReason>();
  readonly #wiring: StorageWiring;
  readonly #session: HeldSession;
  readonly #signal: AbortSignal | undefined;
  readonly #byId = new Map<string, Promise<unknown>>();

  constructor(wiring: StorageWiring, session: HeldSession, signal: AbortSignal | undefined) {
    this.#wiring = wiring;
    this.#session = session;
    this.#signal = signal;
  }

  put(result: ToolResult): Promise<StoredResult | undefined> {
    const located = result as LocatedResult;
    if (result.id === undefined) return this.#store(located);
    // Results with the same id are stored one after the other, so that the first gets the plain id.
    const before = this.#byId.get(result.id) ?? Promise.resolve();
    const stored = before.then(() => this.#store(located));
    this.#byId.set(
      result.id,
      stored.catch(() => undefined),
    );
    return stored;
  }

  /** What this process stored earlier, unless it was removed since. */
  recall(result: ToolResult): StoredResult | undefined {
    const located = result as LocatedResult;
    const stored = located.known.stored.get(wrappingKey(located));
    if (stored?.artifactId === undefined) return undefined;
    return isHeld(this.#session, stored.artifactId, located.known.hash) ? stored : undefined;
  }

  /** What `put` would answer, without storing anything. */
  preview(result: ToolResult): StoredResult | undefined {
    const located = result as LocatedResult;
    return this.recall(located) ?? this.#price(located, this.#prepare(located));
  }

  async #store(result: LocatedResult): Promise<StoredResult | undefined> {
    // One result of this id may have been stored while another one waited.
    const recalled = this.recall(result);
    if (recalled) return recalled;
    try {
      const prepared = this.#prepare(result);
      const price = this.#price(result, prepared);
      if (!price) return undefined;
      const { record, reference } = await this.#putAsIs(result, prepared);
      const isPlain = reference === price.reference;
      const referenceTokens = isPlain ? price.referenceTokens : this.#wiring.countTokens(reference);
      const { tokens } = result;
      const stored = { reference, referenceTokens, tokens, artifactId: record.artifactId };
      result.known.stored.set(wrappingKey(result), stored);
      return stored;
    } catch (error) {
      // The workspace has already logged it. An aborted call is not a failure of the store.
      if (this.#wiring.onError !== "keep" || this.#signal?.aborted) throw error;
      this.kept.set(result, { outcome: "failed", reason: "it could not be stored", error });
      return undefined;
    }
  }

  /** What it would cost and save; `undefined` when the reference would not save a good part of it. */
  #price(result: LocatedResult, prepared: PreparedArtifact): StoredResult | undefined {
    const reference = prepared.reference();
    const referenceTokens = this.#wiring.countTokens(reference);
    const { tokens, chars } = result;
    // `chars` does not count images that are kept; their tokens are not saved.
    if (savesEnough(referenceTokens, Math.min(tokens, chars))) {
      return { reference, referenceTokens, tokens, artifactId: undefined };
    }
    this.kept.set(result, { outcome: "kept", reason: "its reference would save too little" });
    return undefined;
  }

  /** The same content with another wrapping is another artifact, since it must be restored with its own. */
  async #putAsIs(result: LocatedResult, prepared: PreparedArtifact): Promise<PutOutcome> {
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
      const other = await core.store(this.#prepare(result, `${base}-${suffix}`));
      if (isOwn(other)) return other;
    }
    const cause = new Error("every id for this content holds it with another wrapping");
    throw new WriteFailedError(`session ${this.#wiring.sessionId}`, cause);
  }

  #prepare(result: LocatedResult, artifactId?: string): PreparedArtifact {
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
      known,
    );
  }
}

function wrappingKey({ wrapping }: LocatedResult): string {
  return jsonOf(wrapping);
}

function jsonOf(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value);
}
