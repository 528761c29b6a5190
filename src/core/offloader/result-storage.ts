import type { Hash, ToolResult } from "../engine/format.js";
import type { Put } from "../engine/offload.js";
import { WriteFailedError } from "../errors/storage-errors.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import {
  type ArtifactRecord,
  CALL_KEY,
  candidateIds,
  HIDDEN_CONTEXT,
  idOfContent,
  MOMENT_KEY,
  NAMED_KEY,
  OFFLOADED_KEY,
  WRAPPING_KEY,
} from "../workspace/artifacts/artifact.js";
import { createDraft, type Draft } from "../workspace/artifacts/draft.js";
import { DEFAULTS } from "../defaults.js";
import type { WorkspaceCore } from "../workspace/workspace-core.js";
import type { OffloaderSettings } from "./offloader-types.js";
import type { KeptReason, OffloadedResult } from "./report.js";
import { storedMark } from "./reference-place.js";
import { findStored, isHeld, isOfCall, type SessionIndex } from "./session-index.js";
import type { LocatedResult } from "./turn-memory.js";

export interface StorageWiring extends OffloaderSettings {
  readonly core: WorkspaceCore;
  readonly countTokens: CountTokens;
}

/** Whether a reference is worth it: it must save a good part of the result that it replaces. */
export function savesEnough(referenceTokens: number, contentTokens: number): boolean {
  return referenceTokens <= contentTokens * (1 - DEFAULTS.minSavedShare);
}

const VARIANT_DIGITS = [12, 64];

/** The id of a result that so many equal ones come before, where each needs a record that tells when it went. */
function twinId(
  hash: Hash,
  { id, hash: contentHash }: LocatedResult,
  equal: number,
): string | undefined {
  if (equal < 2) return equal === 0 ? undefined : candidateIds(id, contentHash).at(-1);
  return `${id ?? idOfContent(contentHash)}-${hash(`${contentHash} ${equal}`)}`;
}

/**
 * The ids of content that another call, or the same one with another wrapping, had before: with a part of
 * a hash after its id, or all of it.
 */
function variantIds(hash: Hash, result: LocatedResult, equal: number): string[] {
  const { id = idOfContent(result.hash), place, wrapping } = result;
  const twin = equal === 0 ? [] : [equal];
  const variant = [result.hash, jsonOf(wrapping), storedMark(place) ?? "", ...twin];
  const suffix = hash(JSON.stringify(variant));
  return VARIANT_DIGITS.map((digits) => `${id}-${suffix.slice(0, digits)}`);
}

/**
 * What an earlier call, in this process or another, stored when it offloaded this result. Hosts drop old
 * messages: then fewer equal ones come before it than at that time, and its record is one of the later
 * ones, by its moment.
 *
 * @param isItsMoment - Whether a record tells of a result that went exactly where this one is.
 */
export function findOffloaded(
  session: SessionIndex,
  result: LocatedResult,
  hash: Hash,
  isItsMoment: (record: ArtifactRecord) => boolean,
): ArtifactRecord | undefined {
  const { equal } = result.twins;
  const find = (count: number) =>
    findStored(session, result, twinId(hash, result, count), () => variantIds(hash, result, count));
  const own = find(equal);
  if (own && isItsMoment(own)) return own;
  for (let count = equal + 1; ; count++) {
    const other = find(count);
    if (!other) return own;
    if (isItsMoment(other)) return other;
  }
}

/** Stores offloaded results in the workspace, and remembers why others were kept. */
export class ResultStorage {
  readonly kept = new Map<ToolResult, KeptReason>();
  readonly #wiring: StorageWiring;
  readonly #session: SessionIndex;
  readonly #signal: AbortSignal | undefined;
  readonly #byId = new Map<string, Promise<unknown>>();
  readonly #puts = new Map<ToolResult, ReturnType<Put<OffloadedResult>>>();

  constructor(wiring: StorageWiring, session: SessionIndex, signal: AbortSignal | undefined) {
    this.#wiring = wiring;
    this.#session = session;
    this.#signal = signal;
  }

  /** Stores a result, unless this call or this process has done so; `undefined` when it is kept. */
  readonly put: Put<OffloadedResult> = (given) => {
    if (!this.#puts.has(given)) this.#puts.set(given, this.#put(given as LocatedResult));
    return this.#puts.get(given);
  };

  #put(result: LocatedResult): ReturnType<Put<OffloadedResult>> {
    try {
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
      return this.fail(result, error);
    }
  }

  /** What `put` would return, without storing anything. */
  preview(result: ToolResult): OffloadedResult | undefined {
    const draft = this.#draft(result as LocatedResult);
    return draft && "toArtifact" in draft ? outcomeOf(result as LocatedResult, draft) : draft;
  }

  /** The result as it would be stored, or as this process stored it; `undefined` when it is kept. */
  #draft(result: LocatedResult): Draft | OffloadedResult | undefined {
    const recalled = this.#recall(result);
    if (recalled) return recalled;
    const draft = this.#open(result);
    const { reference, referenceTokens } = draft;
    const { tokens, chars } = result;
    // `chars` does not count images that are kept; their tokens are not saved. Few tokens can be many
    // characters, as in an id of one letter.
    const isShorter = reference.length < chars;
    if (isShorter && savesEnough(referenceTokens, Math.min(tokens, chars))) return draft;
    this.kept.set(result, { outcome: "kept", reason: "its reference would save too little" });
    return undefined;
  }

  /** What this process stored earlier, unless it was removed since. */
  #recall(result: LocatedResult): OffloadedResult | undefined {
    const stored = result.known.offloaded.get(keyOf(this.#wiring.core.hash, result));
    if (stored?.artifactId === undefined) return undefined;
    return isHeld(this.#session, stored.artifactId, result.known.hash) ? stored : undefined;
  }

  async #store(result: LocatedResult, draft: Draft): Promise<OffloadedResult | undefined> {
    const { core, sessionId } = this.#wiring;
    const { known, place } = result;
    // One result of this id may have been stored while another one waited.
    const recalled = this.#recall(result);
    if (recalled) return recalled;
    const variants = () => variantIds(core.hash, result, result.moment ? result.twins.equal : 0);
    try {
      // The same content of another call, or with another wrapping, is another artifact, since it must be
      // restored in its own place, with its own wrapping.
      for (const variant of [undefined, ...VARIANT_DIGITS.keys()]) {
        const next = variant === undefined ? draft : this.#open(result, variants()[variant]);
        const stored = await core.store(next);
        if (!isOfCall(stored.record, storedMark(place))) continue;
        const [held, wanted] = [stored.record, next].map(({ metadata }) => metadata[WRAPPING_KEY]);
        if (jsonOf(held) !== jsonOf(wanted)) continue;
        const offloaded = outcomeOf(result, this.#asStored(result, stored, next));
        known.offloaded.set(keyOf(this.#wiring.core.hash, result), offloaded);
        return offloaded;
      }
      const cause = new Error("every id for this content holds that of another call");
      throw new WriteFailedError(`session ${sessionId}`, cause);
    } catch (error) {
      return this.fail(result, error);
    }
  }

  /**
   * A window may have dropped the message that its reference depends on, since it was stored: then its
   * record says what that was.
   */
  #asStored(result: LocatedResult, stored: Draft, wanted: Draft): Draft {
    const [held, given] = [stored.record, wanted].map((one) => one?.metadata[NAMED_KEY]);
    if (jsonOf(held) === jsonOf(given)) return stored;
    const again = this.#open(result, stored.record?.artifactId, namesOf(held));
    again.record = stored.record;
    again.path = stored.path;
    return again;
  }

  #open(
    result: LocatedResult,
    artifactId = ownId(this.#wiring.core.hash, result),
    named: readonly string[] = result.stored
      ? namesOf(result.stored.metadata[NAMED_KEY])
      : result.named,
  ): Draft {
    const { core, agentId, taskId, sessionId, parentSessionId, countTokens } = this.#wiring;
    const { content, toolName, isError, wrapping, id, known, about, moment, place } = result;
    const mark = storedMark(place);
    return createDraft(
      core.drafting,
      {
        content,
        artifactId,
        metadata: {
          context_type: result.isReadingAnswer ? HIDDEN_CONTEXT : "tool_result",
          [OFFLOADED_KEY]: "reference",
          ...(moment ? { [MOMENT_KEY]: moment } : {}),
          ...(mark === undefined ? {} : { [CALL_KEY]: mark }),
          ...(named.length === 0 || isShort(result) ? {} : { [NAMED_KEY]: named }),
          agent_id: agentId ?? null,
          task_id: taskId ?? null,
          tool_name: toolName ?? null,
          ...(isError ? { is_error: true } : {}),
          ...(wrapping === undefined ? {} : { [WRAPPING_KEY]: wrapping }),
        },
      },
      {
        ...{ toolCallId: id, sessionId, parentSessionId, signal: this.#signal },
        ...{
          hash: known.hash,
          tokens: result.tokens,
          hints: { about: [about, ...named].join("\n") },
          countTokens,
        },
        ...{ isShort: isShort(result), equalBefore: place?.equalBefore },
      },
    );
  }

  /** With `onError: "keep"`, what cannot be stored is kept. */
  async fail(result: ToolResult, error: unknown): Promise<undefined> {
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

/** The id that does not depend on which result of the same call id is stored first. */
function ownId(hash: Hash, result: LocatedResult): string | undefined {
  const { stored, id, known, twins, moment } = result;
  if (stored) return stored.artifactId;
  // An equal one needs a record of its own only to tell when it went; else it has that of the first.
  if (twins.equal > 0 && moment) return twinId(hash, result, twins.equal);
  return id !== undefined && twins.hasOther ? candidateIds(id, known.hash)[1] : undefined;
}

/** What the model has seen whole needs no digest. */
function isShort({ offloadedAs, moment }: LocatedResult): boolean {
  return (moment ? moment.as : offloadedAs) === "stale";
}

/** Under which it is remembered that it was stored: all that decides about its reference, besides its content. */
function keyOf(hash: Hash, result: LocatedResult): string {
  const { wrapping, about = "", named, moment, stored, place } = result;
  const isLate = moment !== undefined || (stored && MOMENT_KEY in stored.metadata);
  const how = isShort(result) ? "short" : [about, ...named];
  // Once messages were dropped, another of the equal ones is the first.
  const which = isLate ? (ownId(hash, result) ?? candidateIds(result.id, result.hash)[0]) : 0;
  return JSON.stringify([jsonOf(wrapping), how, which, place?.key, place?.equalBefore]);
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function jsonOf(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value);
}
