import {
  type OptionNames,
  requireCount,
  requireObject,
  rejectMisspelled,
} from "../../arguments.js";
import { DEFAULTS } from "../../defaults.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { ContextOffloadError } from "../../errors/context-offload-error.js";
import type { Clock } from "../events.js";
import type { ArtifactRecord } from "./artifact.js";
import type { ArtifactStore, KeptLimits, RemovalLimits } from "./artifact-store.js";
import { chooseOldest } from "./choose-oldest.js";
import { queryArtifacts } from "./list-artifacts.js";

/** How much is kept. The oldest artifacts go first. */
export interface RetentionLimits extends KeptLimits {
  /** Artifacts that are older are removed. */
  readonly maxAgeMs?: number | undefined;
}

/** What a workspace keeps: in its namespace altogether, and in each of its sessions. */
export interface Retention extends RetentionLimits {
  /** What each session may hold, besides. */
  readonly perSession?: RetentionLimits | undefined;
  /**
   * Nothing that was stored or handed out within this time is removed, whatever the limits say; it may be
   * kept ten minutes longer. Default one hour.
   */
  readonly minAgeMs?: number | undefined;
}

/** Options of `prune`: the limits to apply now, and where. */
export interface PruneOptions extends Retention {
  /** Only this session. Default: the whole namespace. */
  readonly sessionId?: string | undefined;
  /** Only says what would be removed. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** What `prune` removed. */
export interface PruneReport {
  /** What was removed, or would be, oldest first. */
  readonly removed: readonly ArtifactRecord[];
  /** The size of its content. */
  readonly bytes: number;
}

const PAGE = 500;

const LIMITS = ["maxAgeMs", "maxBytes", "maxArtifacts", "minAgeMs"] as const;

const LIMIT_NAMES = { maxAgeMs: true, maxBytes: true, maxArtifacts: true } as const;

export const RETENTION_NAMES: OptionNames<Retention> = {
  ...LIMIT_NAMES,
  perSession: true,
  minAgeMs: true,
};

/** Checks limits as a caller gave them; at least one is needed. */
export function requireRetention<R extends Retention>(
  argument: string,
  retention: R,
  names: OptionNames<R>,
): R {
  requireObject(argument, retention, "an object with maxAgeMs, maxBytes or maxArtifacts");
  rejectMisspelled(retention, names);
  const { perSession = {} } = retention;
  requireObject(`${argument}.perSession`, perSession, "an object of limits");
  rejectMisspelled(perSession, LIMIT_NAMES);
  for (const [place, limits] of [
    [argument, retention],
    [`${argument}.perSession`, perSession],
  ] as const) {
    for (const name of LIMITS) {
      const value = (limits as Retention)[name];
      if (value !== undefined) requireCount(`${place}.${name}`, value, undefined, 0);
    }
  }
  const isLimited = [retention, perSession].some(
    ({ maxAgeMs, maxBytes, maxArtifacts }) => (maxAgeMs ?? maxBytes ?? maxArtifacts) !== undefined,
  );
  if (isLimited) return retention;
  const expected = "an object with at least one of maxAgeMs, maxBytes, maxArtifacts";
  throw new InvalidArgumentError(argument, retention, expected);
}

/** What is too old or too much, oldest first. */
export async function findExpired(
  store: ArtifactStore,
  retention: PruneOptions,
  clock: Pick<Clock, "now">,
): Promise<ArtifactRecord[]> {
  const { sessionId } = retention;
  const all: ArtifactRecord[] = [];
  let after: string | undefined;
  do {
    retention.signal?.throwIfAborted();
    const { artifacts } = await queryArtifacts(store, { sessionId, after, limit: PAGE });
    for (const { record } of artifacts) all.push(record);
    after = artifacts.length < PAGE ? undefined : artifacts.at(-1)?.cursor;
  } while (after !== undefined);
  return chooseOldest(all, { beyond: limitsAt(retention, clock.now()), limit: Infinity });
}

/** An artifact is renewed only now and then, and is kept for the whole time after it was handed out. */
function keptMsOf({ minAgeMs = DEFAULTS.retentionMinAgeMs }: Retention): number {
  return minAgeMs === 0 ? 0 : minAgeMs + DEFAULTS.renewAfterMs;
}

/** Removes what is too old or too much, a slice of it; what was removed, and whether there may be more. */
export type RemoveSlice = () => Promise<{
  readonly removed: readonly ArtifactRecord[];
  readonly isLast: boolean;
}>;

/** How much is removed in one go. */
const REMOVED_AT_ONCE = 500;

/**
 * Removes what is too old or too much in slices: by the store's index, or one by one from a list that is
 * made once.
 *
 * @param remove - Removes one artifact, for a store without an index.
 * @param alone - Whether one host of many is enough.
 */
export function expireSlices(
  store: ArtifactStore,
  retention: PruneOptions,
  clock: Pick<Clock, "now">,
  remove: (record: ArtifactRecord) => Promise<void>,
  alone = false,
): RemoveSlice {
  if (store.removeOldest) {
    const removeOldest = store.removeOldest.bind(store);
    const [limit, sessionId] = [REMOVED_AT_ONCE, retention.sessionId];
    return async () => {
      const beyond = limitsAt(retention, clock.now());
      const removed = await removeOldest({ sessionId, beyond, alone, limit });
      return { removed, isLast: removed.length < limit };
    };
  }
  let left: ArtifactRecord[] | undefined;
  return async () => {
    left ??= await findExpired(store, retention, clock);
    const removed = left.splice(0, SLICE);
    for (const record of removed) {
      retention.signal?.throwIfAborted();
      await remove(record);
    }
    return { removed, isLast: left.length === 0 };
  };
}

/** The limits as times of this moment. */
function limitsAt(retention: Retention, time: number): RemovalLimits {
  const { maxBytes, maxArtifacts, perSession = {} } = retention;
  const ages = [retention.maxAgeMs, perSession.maxAgeMs].filter((age) => age !== undefined);
  const isoAt = (ms: number) => new Date(Math.max(time - ms, 0)).toISOString();
  return {
    ...{ maxBytes, maxArtifacts, perSession },
    olderThan: ages.length === 0 ? undefined : isoAt(Math.min(...ages)),
    // Of what was stored in this millisecond, nothing is kept if nothing has to be.
    keepSince: keptMsOf(retention) === 0 ? isoAt(-1) : isoAt(keptMsOf(retention) - 1),
  };
}

/** Another host may remove the same artifacts at the same time. */
export async function removeIfThere(store: ArtifactStore, record: ArtifactRecord): Promise<void> {
  try {
    await store.remove(record);
  } catch (error) {
    if (!ContextOffloadError.isInstance(error) || error.code !== "ARTIFACT_GONE") throw error;
  }
}

/** Runs work later, when nobody waits for it; must not keep a process alive. */
export type Defer = (work: () => void, ms: number) => void;

/** The first run comes soon after a put; then a run may take a tenth of the time. */
const SOON_MS = 50;
const REST_FACTOR = 10;
/** How many artifacts are removed before others get their turn. */
const SLICE = 50;

/**
 * Applies the retention of a workspace, at open and after puts, never on a put's own path and in
 * slices, between which others get their turn.
 */
export class RetentionRuns {
  readonly #start: () => RemoveSlice;
  readonly #defer: Defer;
  readonly #clock: Clock;
  #isWaiting = false;
  #isEnded = false;
  #working: Promise<void> = Promise.resolve();
  #restUntil = 0;

  constructor(start: () => RemoveSlice, defer: Defer, clock: Clock) {
    this.#start = start;
    this.#defer = defer;
    this.#clock = clock;
  }

  /** Something was stored, or may have become too old. */
  touch(): void {
    if (this.#isWaiting || this.#isEnded) return;
    this.#isWaiting = true;
    this.#defer(
      () => {
        this.#working = this.#work();
      },
      Math.max(SOON_MS, this.#restUntil - this.#clock.elapsed()),
    );
  }

  /** Ends the run that is under way after its slice; none begins any more, since the store will be closed. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    const start = this.#clock.elapsed();
    this.#isWaiting = false;
    try {
      const removeSlice = this.#start();
      while (!this.#isEnded && !(await removeSlice()).isLast) await this.#turn();
    } catch {
      // Logged where it failed; the next put tries again.
    }
    const end = this.#clock.elapsed();
    this.#restUntil = end + (end - start) * REST_FACTOR;
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#defer(resolve, 0);
    });
  }
}
