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
import type { ArtifactStore } from "./artifact-store.js";
import { queryArtifacts } from "./list-artifacts.js";

/** How much is kept. The oldest artifacts go first. */
export interface RetentionLimits {
  /** Artifacts that are older are removed. */
  readonly maxAgeMs?: number | undefined;
  /** Maximum size of all content together, in bytes. */
  readonly maxBytes?: number | undefined;
  /** Maximum number of artifacts. */
  readonly maxArtifacts?: number | undefined;
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
  clock: Clock,
): Promise<ArtifactRecord[]> {
  const { sessionId, perSession = {}, minAgeMs = DEFAULTS.retentionMinAgeMs } = retention;
  const all: ArtifactRecord[] = [];
  let after: string | undefined;
  do {
    retention.signal?.throwIfAborted();
    const { artifacts } = await queryArtifacts(store, { sessionId, after, limit: PAGE });
    for (const { record } of artifacts) all.push(record);
    after = artifacts.length < PAGE ? undefined : artifacts.at(-1)?.cursor;
  } while (after !== undefined);
  all.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  const time = clock.now();
  const expired = new Set(chooseExpired(all, retention, time));
  for (const session of bySession(all.filter((record) => !expired.has(record))).values()) {
    for (const record of chooseExpired(session, perSession, time)) expired.add(record);
  }
  // An artifact is renewed only now and then, and is kept for the whole time after it was handed out.
  const keptMs = minAgeMs === 0 ? 0 : minAgeMs + DEFAULTS.renewAfterMs;
  return all.filter((record) => expired.has(record) && ageOf(record, time) >= keptMs);
}

/** Of records from the oldest to the newest, those beyond the limits. */
function chooseExpired(
  records: readonly ArtifactRecord[],
  { maxAgeMs = Infinity, maxBytes = Infinity, maxArtifacts = Infinity }: RetentionLimits,
  time: number,
): ArtifactRecord[] {
  let bytes = records.reduce((sum, { size }) => sum + size.bytes, 0);
  let count = records.length;
  const expired: ArtifactRecord[] = [];
  for (const record of records) {
    const isTooMuch = bytes > maxBytes || count > maxArtifacts;
    if (!isTooMuch && ageOf(record, time) <= maxAgeMs) break;
    expired.push(record);
    bytes -= record.size.bytes;
    count--;
  }
  return expired;
}

function ageOf({ createdAt }: ArtifactRecord, time: number): number {
  return time - Date.parse(createdAt);
}

function bySession(records: readonly ArtifactRecord[]): Map<string, ArtifactRecord[]> {
  const sessions = new Map<string, ArtifactRecord[]>();
  for (const record of records) {
    const session = sessions.get(record.sessionId);
    if (session) session.push(record);
    else sessions.set(record.sessionId, [record]);
  }
  return sessions;
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
const SLICE = 50;

/**
 * Applies the retention of a workspace, at open and after puts, never on a put's own path and in
 * slices, between which others get their turn.
 */
export class RetentionRuns {
  readonly #run: (record: ArtifactRecord) => Promise<void>;
  readonly #find: () => Promise<readonly ArtifactRecord[]>;
  readonly #defer: Defer;
  readonly #clock: Clock;
  #isWaiting = false;
  #restUntil = 0;

  constructor(
    find: () => Promise<readonly ArtifactRecord[]>,
    remove: (record: ArtifactRecord) => Promise<void>,
    defer: Defer,
    clock: Clock,
  ) {
    this.#find = find;
    this.#run = remove;
    this.#defer = defer;
    this.#clock = clock;
  }

  /** Something was stored, or may have become too old. */
  touch(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#defer(
      () => {
        void this.#work();
      },
      Math.max(SOON_MS, this.#restUntil - this.#clock.now()),
    );
  }

  async #work(): Promise<void> {
    const start = this.#clock.now();
    this.#isWaiting = false;
    try {
      const expired = await this.#find();
      for (const [at, record] of expired.entries()) {
        if (at % SLICE === SLICE - 1) await this.#turn();
        await this.#run(record);
      }
    } catch {
      // Logged where it failed; the next put tries again.
    }
    const end = this.#clock.now();
    this.#restUntil = end + (end - start) * REST_FACTOR;
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#defer(resolve, 0);
    });
  }
}
