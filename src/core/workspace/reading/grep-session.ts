import type { ArtifactRecord } from "../artifacts/artifact.js";
import type { ArtifactStore } from "../artifacts/artifact-store.js";
import { visibleSessions } from "../artifacts/find-artifact.js";
import { byTime, queryArtifacts } from "../artifacts/list-artifacts.js";
import { DEFAULTS } from "../../defaults.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { ContextOffloadError } from "../../errors/context-offload-error.js";
import { InvalidPatternError, SearchTimeoutError } from "../../errors/reading-errors.js";
import { countOf } from "../../lib/digest/printable.js";
import type { SearchOutcome, SearchQuery } from "../../lib/search/search-terms.js";
import type { Clock } from "../events.js";
import {
  type GrepOptions,
  findNear,
  NO_MATCH,
  searchAsMeant,
  callInput,
  renderMatches,
} from "./grep-knowledge.js";
import type { ArtifactCount, NextCall, Reading } from "./reading.js";

/** Options of `grepSession`. */
export interface GrepSessionOptions extends Omit<GrepOptions, "startLine" | "startChar"> {
  /** Where an earlier answer stopped, taken from its `next`. */
  readonly cursor?: string | undefined;
}

/** The answer to a search of all artifacts. */
export interface SessionReading extends Pick<Reading, "text" | "leftOut" | "next" | "note"> {
  /** The artifacts with matches that `text` names, newest first. */
  readonly counts: readonly ArtifactCount[];
}

export interface SessionSearchRequest {
  readonly query: SearchQuery;
  /** Only the number of matches of each artifact. */
  readonly count: boolean;
  readonly maxChars: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface SessionSearchTools {
  readonly clock: Clock;
  /** Lists what is to be searched. */
  readonly list: () => Promise<SearchPage>;
  /** Searches one artifact. */
  readonly search: (
    record: ArtifactRecord,
    query: SearchQuery,
    deadlineMs: number,
  ) => Promise<SearchOutcome>;
}

/** What one search goes through, newest first. */
export interface SearchPage {
  readonly records: readonly ArtifactRecord[];
  /** How many older artifacts there are. */
  readonly older: number;
  /** Where the next search continues if so many of the records are done with. */
  readonly cursorAfter: (searched: number) => string | undefined;
}

/** The newest artifacts that a session may read, from the cursor on; those of all sessions come from the store's index. */
export async function listNewest(
  store: ArtifactStore,
  { sessionId, cursor }: Pick<GrepSessionOptions, "sessionId" | "cursor">,
  without?: ArtifactRecord,
): Promise<SearchPage> {
  const limit = DEFAULTS.searchArtifacts;
  if (sessionId === undefined) {
    const page = { newestFirst: true, after: cursor, limit, countRest: true };
    const { artifacts, leftOut = 0 } = await queryArtifacts(store, page);
    return {
      records: artifacts.map(({ record }) => record),
      older: leftOut,
      cursorAfter: (searched) => artifacts[searched - 1]?.cursor ?? cursor,
    };
  }
  const records: ArtifactRecord[] = [];
  for (const session of await visibleSessions(store, sessionId)) {
    records.push(...(await store.listSession(session)).artifacts.values());
  }
  const sorted = records.filter(({ location }) => location !== without?.location).sort(byTime);
  const start = readCursor(cursor, sorted.length);
  const newest = sorted.slice(Math.max(0, start - limit), start).reverse();
  return {
    records: newest,
    older: start - newest.length,
    cursorAfter: (searched) => String(start - searched),
  };
}

/** The matching lines of all artifacts, newest first, each artifact under a line of its own. */
export async function grepArtifacts(
  request: SessionSearchRequest,
  { clock, list, search }: SessionSearchTools,
): Promise<SessionReading> {
  const { query, deadlineMs, signal } = request;
  const endsAt = clock.now() + deadlineMs;
  const remainingMs = (): number => endsAt - clock.now();
  const { records, older, cursorAfter } = await list();
  const pass = (asked: SearchQuery): Promise<Pass> => {
    signal?.throwIfAborted();
    return searchEach(records, { ...request, query: asked }, remainingMs, search);
  };
  const { asked, outcome, note } = await searchAsMeant(query, remainingMs, pass);
  if (outcome.matchingLines === 0 && outcome.searched === 0 && outcome.timedOut) {
    throw new SearchTimeoutError(query.pattern, deadlineMs, 0);
  }
  const rest = records.length - outcome.searched + older;
  const cursor = cursorAfter(outcome.searched);
  const counting = request.count ? { count: true } : {};
  const goOn: NextCall | undefined =
    rest > 0 && cursor !== undefined
      ? {
          tool: "grep_knowledge",
          input: { ...callInput(asked), ...counting, cursor },
        }
      : undefined;
  const notes = note === undefined ? [] : [note];
  let next = outcome.next ?? goOn;
  if (outcome.matchingLines === 0) {
    const near = await findNear(
      query,
      remainingMs,
      async (wider) => (await pass(wider)).matchingLines,
    );
    notes.push(near?.note ?? NO_MATCH);
    if (near) next = { tool: "grep_knowledge", input: { ...callInput(near.query), ...counting } };
  }
  if (outcome.unreadable > 0)
    notes.push(`${countOf(outcome.unreadable, "result")} could not be read.`);
  if (rest > 0) {
    const unsearched = `${countOf(rest, "older result")} not searched`;
    // The call for the rest is only named here if another one comes first.
    notes.push(
      next === goOn ? `${unsearched}.` : `${unsearched}: cursor ${JSON.stringify(cursor)}.`,
    );
  }
  return {
    text: outcome.text,
    counts: outcome.counts,
    leftOut: outcome.left > 0 ? { unit: "matches", count: outcome.left } : undefined,
    next,
    note: notes.length > 0 ? notes.join(" ") : undefined,
  };
}

interface Pass {
  text: string;
  counts: ArtifactCount[];
  matchingLines: number;
  left: number;
  /** How many artifacts are done with. */
  searched: number;
  unreadable: number;
  timedOut: boolean;
  next: NextCall | undefined;
}

async function searchEach(
  records: readonly ArtifactRecord[],
  { query, count, maxChars }: SessionSearchRequest,
  remainingMs: () => number,
  search: SessionSearchTools["search"],
): Promise<Pass> {
  const pass: Pass = {
    ...{ text: "", counts: [], matchingLines: 0, left: 0, searched: 0, unreadable: 0 },
    ...{ timedOut: false, next: undefined },
  };
  const sessions = new Set(records.map(({ sessionId }) => sessionId));
  let room = count ? 0 : query.maxResults;
  for (const record of records) {
    const deadlineMs = remainingMs();
    if (deadlineMs <= 0) pass.timedOut = true;
    if (pass.timedOut) break;
    const { artifactId, sessionId } = record;
    const outcome = await searchOne(
      record,
      { ...query, maxResults: Math.max(1, room) },
      deadlineMs,
      search,
    );
    if (outcome === "timeout") {
      pass.timedOut = true;
      break;
    }
    if (outcome === "unreadable") {
      pass.unreadable += 1;
      pass.searched += 1;
      continue;
    }
    if (outcome.matchingLines > 0) {
      const rendered = renderMatches(
        outcome,
        query,
        room > 0 ? Math.max(1, maxChars - pass.text.length - HEADING_CHARS) : 1,
      );
      const matches = rendered.shown + rendered.left;
      const of = sessions.size > 1 ? ` of session ${sessionId}` : "";
      const heading = count
        ? `${artifactId}${of}: ${matches}`
        : `[${artifactId}${of}: ${countOf(matches, "match", "matches")}]`;
      const lines = pass.text === "" ? heading : `${pass.text}\n${heading}`;
      if (lines.length > maxChars && pass.text !== "") break;
      const fits = room > 0 && lines.length + 1 + rendered.text.length <= maxChars;
      pass.text = fits ? `${lines}\n${rendered.text}` : lines;
      pass.counts.push({ artifactId, sessionId, matches });
      pass.matchingLines += outcome.matchingLines;
      const left = fits ? rendered.left : count ? 0 : matches;
      pass.left += left;
      room = fits ? Math.max(0, room - rendered.shown) : 0;
      if (left > 0) {
        const { nextLine, nextChar } = rendered;
        const place = fits
          ? { start_line: nextLine, ...(nextChar ? { start_char: nextChar } : {}) }
          : {};
        pass.next ??= {
          tool: "grep_knowledge",
          input: { artifact_id: artifactId, ...callInput(query), ...place },
        };
      }
    }
    pass.searched += 1;
    if (outcome.stoppedBy === "deadline") pass.timedOut = true;
  }
  return pass;
}

/** Room for the line that names an artifact. */
const HEADING_CHARS = 120;

/** One artifact that cannot be read does not keep the others from being searched. */
async function searchOne(
  record: ArtifactRecord,
  query: SearchQuery,
  deadlineMs: number,
  search: SessionSearchTools["search"],
): Promise<SearchOutcome | "timeout" | "unreadable"> {
  try {
    return await search(record, query, deadlineMs);
  } catch (error) {
    if (error instanceof SearchTimeoutError) return "timeout";
    if (error instanceof InvalidPatternError || !ContextOffloadError.isInstance(error)) throw error;
    return "unreadable";
  }
}

/** The cursor is how many artifacts are left, counted from the oldest, so that new ones do not move it. */
function readCursor(cursor: string | undefined, count: number): number {
  if (cursor === undefined) return count;
  const left = /^\d{1,15}$/.test(cursor) ? Number(cursor) : NaN;
  if (left <= count) return left;
  throw new InvalidArgumentError("cursor", cursor, "the cursor of an earlier answer");
}
