import type { ResultState } from "../engine/format.js";
import { countAfter } from "../engine/policy.js";
import { MOMENT_KEY, type ArtifactRecord } from "../workspace/artifacts/artifact.js";

/**
 * When a result was replaced by its reference, as its record says. Later calls see by it that it is to
 * be replaced, or not yet, though the host passes originals, has dropped old messages since, or has
 * gone back to an earlier point of the conversation.
 */
export interface OffloadMoment {
  readonly as?: ResultState | undefined;
  /** The tokens of what was replaced, by which the policy decided. */
  readonly weight: number;
  /** The newest results at that moment: if one of them is where it was, the moment is part of the history. */
  readonly seen: readonly SeenResult[];
}

interface SeenResult {
  /** How many results after the one that was replaced. */
  readonly results: number;
  readonly hash: string;
  /** How many replies there were after it. */
  readonly replies: number;
}

const HASH_DIGITS = 16;
/** One more than the newest, so that an edit of the newest changes nothing that comes before it. */
const SEEN_RESULTS = 2;
/** So far a result may have moved, where a host has dropped some in between. */
const MAX_SHIFT = 16;
const SHIFTS = [0, ...Array.from({ length: MAX_SHIFT }, (_, at) => [-(at + 1), at + 1]).flat()];

/** What the places of results are known by: the index of the message and the hash of each, in order. */
export interface ResultPlaces {
  readonly messages: readonly number[];
  /** Made on demand, since most are never asked for. */
  hashAt(index: number): string | undefined;
  /** The index of the first message of each reply. */
  readonly replies: readonly number[];
}

/** When a result is offloaded: what comes from the message `before` on was not there yet. */
export function momentAt(
  places: ResultPlaces,
  place: number,
  before: number,
  facts: Pick<OffloadMoment, "as" | "weight">,
): OffloadMoment {
  const newest = places.messages.length - countAfter(places.messages, before - 1) - 1;
  const seen: SeenResult[] = [];
  for (let at = newest; at >= 0 && seen.length < SEEN_RESULTS; at--) {
    const message = places.messages[at] ?? 0;
    const replies = countAfter(places.replies, message) - countAfter(places.replies, before - 1);
    const hash = places.hashAt(at)?.slice(0, HASH_DIGITS) ?? "";
    seen.push({ results: at - place, hash, replies });
  }
  return { ...facts, seen };
}

/**
 * After how many replies of this history the result of a record was replaced: 0 if it was when it
 * arrived; `undefined` if that moment is not part of the history.
 */
export function offloadedAfter(
  moment: OffloadMoment | undefined,
  places: ResultPlaces,
  place: number,
): number | undefined {
  if (!moment) return 0;
  const newest = moment.seen[0]?.results ?? 0;
  for (const shift of SHIFTS) {
    for (const { results, replies } of findSeen(moment, places, place, shift)) {
      const at = place + results + shift;
      // Without replies, only the results tell that a host has gone back.
      if (places.replies.length === 0 && at + newest - results >= places.messages.length) continue;
      const message = places.messages[at] ?? 0;
      const turn = places.replies.length - countAfter(places.replies, message) + replies;
      if (turn <= places.replies.length) return turn;
    }
  }
  return undefined;
}

/** Whether a result went exactly here: what was the newest then is as far behind it as it was. */
export function isMomentOf({ seen }: OffloadMoment, places: ResultPlaces, place: number): boolean {
  return seen.every(({ results, hash }) => places.hashAt(place + results)?.startsWith(hash));
}

/**
 * Which of the results that were seen are this much nearer or farther. Where they have moved, all of them
 * have: one alone may be equal to another.
 */
function findSeen(
  { seen }: OffloadMoment,
  places: ResultPlaces,
  place: number,
  shift: number,
): readonly SeenResult[] {
  const others = shift === 0 ? seen : seen.filter(({ results }) => results > 0);
  const found = others.filter(({ results, hash }) => {
    const distance = results + shift;
    const isBehind = results === 0 ? distance === 0 : distance > 0;
    return isBehind && places.hashAt(place + distance)?.startsWith(hash) === true;
  });
  return shift === 0 || found.length === others.length ? found : [];
}

/** The moment that a record tells of. Whatever else the metadata holds is ignored. */
export function momentIn({ metadata }: ArtifactRecord): OffloadMoment | undefined {
  const given = metadata[MOMENT_KEY] as Partial<OffloadMoment> | null | undefined;
  return typeof given === "object" && Array.isArray(given?.seen) && given.seen.every(isSeenResult)
    ? { as: given.as, weight: Number(given.weight) || 0, seen: given.seen }
    : undefined;
}

function isSeenResult(value: unknown): value is SeenResult {
  const { results, hash, replies } = (value ?? {}) as Partial<Record<keyof SeenResult, unknown>>;
  return Number.isInteger(results) && typeof hash === "string" && Number.isInteger(replies);
}
