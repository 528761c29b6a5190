import {
  requireCount,
  requireText,
  requireChoice,
  requireOptions,
  requireStrings,
} from "../../arguments.js";
import { DEFAULTS } from "../../defaults.js";
import { InvalidArgumentError, OutOfRangeError } from "../../errors/argument-errors.js";
import { NotJsonError, PointerNotFoundError } from "../../errors/reading-errors.js";
import { ReadFailedError } from "../../errors/storage-errors.js";
import { JsonPointerError } from "../../lib/json/json-pointer.js";
import { JsonSyntaxError } from "../../lib/json/json-walker.js";
import type { SearchQuery } from "../../lib/search/search-terms.js";
import { ShortSourceError } from "../../lib/text/byte-source.js";
import { ArgumentError, TextRangeError } from "../../lib/text/text-range.js";
import type { ArtifactRecord } from "../artifacts/artifact.js";
import { detailsOf, sizeOf } from "../artifacts/describe-record.js";
import { findArtifact } from "../artifacts/find-artifact.js";
import { storedId } from "../artifacts/redaction.js";
import { getOriginal } from "../artifacts/get-original.js";
import type { EventDetails, EventReporter } from "../events.js";
import type { Workspace } from "../workspace-types.js";
import type { WorkspaceWiring } from "../workspace-wiring.js";
import type { GrepOptions, SessionReading } from "./grep-knowledge.js";
import { openText, type OpenTarget, type ReadTarget } from "./open-text.js";
import { VIEWS, type Reading, type ReadOptions, type Scope } from "./reading.js";

/** Converts an error of the general library to this package's own; any other error is returned unchanged. */
export function toCodedError(error: unknown): unknown {
  if (error instanceof ArgumentError) {
    return new InvalidArgumentError(error.argument, error.received, error.expected);
  }
  if (error instanceof TextRangeError) return new OutOfRangeError(error.range);
  if (error instanceof JsonPointerError) {
    return new PointerNotFoundError(error.pointer, error.reach);
  }
  if (error instanceof JsonSyntaxError) {
    return new NotJsonError(error.offset, error.reason, { cause: error });
  }
  if (error instanceof ShortSourceError) {
    return new ReadFailedError(`the stored bytes ${error.start} to ${error.end}`, error);
  }
  return error;
}

/** What a search is asked for. */
function requireQuery(pattern: string, options: GrepOptions, maxChars: number): SearchQuery {
  return {
    pattern: requireText("pattern", pattern, "what to search for"),
    literal: options.literal ?? false,
    ignoreCase: options.ignoreCase ?? false,
    contextBefore: requireCount("contextBefore", options.contextBefore, 0, 0),
    contextAfter: requireCount("contextAfter", options.contextAfter, 0, 0),
    maxResults: requireCount("maxResults", options.maxResults, DEFAULTS.searchResults),
    windowChars: Math.min(DEFAULTS.searchWindowChars, maxChars),
  };
}

function requirePointer(pointer: unknown = ""): string {
  if (typeof pointer === "string") return pointer;
  throw new InvalidArgumentError("pointer", pointer, "a string, a JSON pointer");
}

function requireOffset(cursor: unknown): number {
  if (cursor === undefined) return 0;
  if (typeof cursor === "string" && /^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new InvalidArgumentError("cursor", cursor, "the cursor of an earlier answer");
}

// Each is loaded with its first call: a program that only offloads never needs them.
const loadRead = () => import("./read-knowledge.js");
const loadGrep = () => import("./grep-knowledge.js");
const loadQuery = () => import("./query-knowledge.js");

/** The methods that work on one artifact. */
type ReadingVerbs = Pick<
  Workspace,
  | "getKnowledgeById"
  | "getKnowledgeByLines"
  | "grepKnowledge"
  | "grepSession"
  | "queryKnowledge"
  | "getArtifact"
  | "getOriginal"
  | "remove"
>;

export function createReadingVerbs(wiring: WorkspaceWiring, events: EventReporter): ReadingVerbs {
  const { store, hash, clock } = wiring;

  const find = (
    artifactId: string,
    sessionId: string | undefined,
    purpose: "reading" | "removal",
  ): Promise<ArtifactRecord> =>
    findArtifact(store, artifactId, sessionId, purpose).catch((error: unknown) => {
      const stored = typeof artifactId === "string" ? storedId(artifactId, wiring) : artifactId;
      if (stored === artifactId) throw error;
      return findArtifact(store, stored, sessionId, purpose);
    });

  /** Finds an artifact, does something with it, and logs it. */
  const withArtifact = async <T>(
    verb: string,
    artifactId: string,
    scope: Scope,
    work: (record: ArtifactRecord) => Promise<T>,
    describe: (outcome: T) => EventDetails & { readonly event?: "read" | "remove" } = () => ({}),
  ): Promise<T> => {
    requireOptions(scope);
    const known: EventDetails = { artifact_id: artifactId, session_id: scope.sessionId ?? null };
    return events.observe(
      verb,
      known,
      async () => {
        scope.signal?.throwIfAborted();
        const purpose = verb === "remove" ? "removal" : "reading";
        const record = await find(artifactId, scope.sessionId, purpose);
        // From here on, a failure is also logged with the artifact's details.
        Object.assign(known, detailsOf(record));
        return work(record).catch((error: unknown) => {
          throw toCodedError(error);
        });
      },
      (outcome) => ({ event: "read", ...describe(outcome) }),
    );
  };

  const open = async <T>(
    record: ArtifactRecord,
    options: ReadOptions,
    work: (target: OpenTarget) => Promise<T>,
  ): Promise<T> => {
    const { view = "readable", signal } = options;
    requireChoice("view", view, VIEWS);
    const maxChars = requireCount("maxChars", options.maxChars, wiring.readChars);
    const text = await openText(store, record, view, signal);
    try {
      const outcome = await work({ record, text, view, maxChars, signal });
      await text.checkIfWhole();
      return outcome;
    } finally {
      await text.close();
    }
  };

  /** Searches artifacts other than the one given, newest first. */
  const grepAll = async (
    query: SearchQuery,
    options: GrepOptions & { readonly cursor?: string | undefined },
    without?: ArtifactRecord,
  ): Promise<SessionReading> => {
    const request = {
      query,
      count: options.count ?? false,
      withoutTimes: options.withoutTimes ?? false,
      maxChars: requireCount("maxChars", options.maxChars, wiring.readChars),
      deadlineMs: requireCount("deadlineMs", options.deadlineMs, DEFAULTS.searchDeadlineMs),
      signal: options.signal,
    };
    const { grepArtifacts, listNewest, searchOpen } = await loadGrep();
    return grepArtifacts(request, {
      clock,
      list: () => listNewest(store, options, without),
      search: (record, asked, deadlineMs) =>
        open(record, options, (target) =>
          searchOpen(target, asked, deadlineMs, wiring.searchText),
        ).catch((error: unknown) => {
          throw toCodedError(error);
        }),
    });
  };

  const withText = (
    verb: string,
    artifactId: string,
    options: ReadOptions,
    work: (target: OpenTarget) => Promise<Reading>,
  ): Promise<Reading> =>
    withArtifact(
      verb,
      artifactId,
      options,
      (record) => open(record, options, work),
      ({ text }) => ({ chars: text.length }),
    );

  const read = (
    verb: string,
    artifactId: string,
    options: ReadOptions,
    work: (target: ReadTarget) => Promise<Reading>,
  ): Promise<Reading> =>
    withText(verb, artifactId, options, async (target) =>
      work({ ...target, text: await target.text.withIndex() }),
    );

  return {
    getKnowledgeById: (artifactId, options = {}) =>
      read("getKnowledgeById", artifactId, options, async (target) => {
        const { readCharRange, readFromStart } = await loadRead();
        if (options.startChar === undefined && options.endChar === undefined) {
          return readFromStart(target);
        }
        const startChar = requireCount("startChar", options.startChar, 1);
        const last = Math.max(startChar, target.text.index.chars);
        return readCharRange(target, startChar, requireCount("endChar", options.endChar, last));
      }),

    getKnowledgeByLines: (artifactId, startLine, endLine, options = {}) =>
      read("getKnowledgeByLines", artifactId, options, async (target) => {
        const { readBlock, readColumns, readLineRange } = await loadRead();
        const { startChar, endChar } = options;
        if (endLine === undefined) {
          if (startChar === undefined && endChar === undefined) return readBlock(target, startLine);
          return readColumns(target, startLine, { startChar, endChar });
        }
        if (endChar === undefined && (startChar === undefined || startLine !== endLine)) {
          return readLineRange(target, startLine, endLine, startChar);
        }
        if (startLine === endLine) return readColumns(target, startLine, { startChar, endChar });
        const expected = "the same as startLine when endChar is given";
        throw new InvalidArgumentError("endLine", endLine, expected);
      }),

    grepKnowledge: (artifactId, pattern, options = {}) =>
      withText("grepKnowledge", artifactId, options, async (target) => {
        const { grepText, locateValue, cutSource, endOfLine } = await loadGrep();
        const pointer = requirePointer(options.pointer) || undefined;
        const value = pointer === undefined ? undefined : await locateValue(target, pointer);
        const startLine = requireCount("startLine", options.startLine, 1);
        const isBehind = value === undefined || startLine > value.fromLine;
        const query = {
          ...requireQuery(pattern, options, target.maxChars),
          fromLine: isBehind ? startLine : value.fromLine,
          fromChar: requireCount("startChar", options.startChar, isBehind ? 1 : value.fromChar),
        };
        const { deadlineMs } = options;
        const endLine =
          options.endLine === undefined
            ? undefined
            : requireCount("endLine", options.endLine, startLine, startLine);
        const end = Math.min(
          value?.end ?? Infinity,
          endLine === undefined ? Infinity : await endOfLine(target, endLine),
        );
        const request = {
          query,
          pointer,
          endLine,
          count: options.count ?? false,
          withoutTimes: options.withoutTimes ?? false,
          isOpen: options.maxResults === undefined && startLine === 1,
          around:
            options.around === true &&
            pointer === undefined &&
            options.contextBefore === undefined &&
            options.contextAfter === undefined,
          deadlineMs: requireCount("deadlineMs", deadlineMs, DEFAULTS.searchDeadlineMs),
        };
        return grepText(target, request, {
          searchText: (source, asked, terms) =>
            wiring.searchText(end < Infinity ? cutSource(source, end) : source, asked, terms),
          clock,
          countElsewhere: async (asked, remainingMs) => {
            const anywhere = { ...asked, fromLine: 1, fromChar: 1 };
            const sessionId = options.sessionId ?? target.record.sessionId;
            const scope = { sessionId, signal: options.signal, view: options.view };
            const counting = { ...scope, count: true, deadlineMs: remainingMs };
            return (await grepAll(anywhere, counting, target.record)).counts;
          },
        });
      }),

    grepSession: async (pattern, options = {}) =>
      events.observe(
        "grepSession",
        { session_id: requireOptions(options).sessionId ?? null },
        async () => {
          options.signal?.throwIfAborted();
          const maxChars = requireCount("maxChars", options.maxChars, wiring.readChars);
          return grepAll(requireQuery(pattern, options, maxChars), options);
        },
        ({ text }) => ({ event: "read", chars: text.length }),
      ),

    queryKnowledge: (artifactId, options = {}) =>
      withArtifact(
        "queryKnowledge",
        artifactId,
        options,
        async (record) => {
          requirePointer(options.pointer);
          const { parseQuery, queryArtifact } = await loadQuery();
          const { pointer, records, limit, fields, cursor } = parseQuery(options);
          const request = {
            pointer,
            records,
            limit: limit === undefined ? undefined : requireCount("limit", limit, 1),
            fields: fields && requireStrings("fields", fields),
            offset: requireOffset(cursor),
            maxChars: requireCount("maxChars", options.maxChars, wiring.readChars),
            signal: options.signal,
          };
          return queryArtifact(store, record, request);
        },
        ({ text }) => ({ chars: text.length }),
      ),

    getArtifact: (artifactId, options = {}) =>
      withArtifact("getArtifact", artifactId, options, (record) => Promise.resolve(record)),

    getOriginal: (artifactId, options = {}) =>
      withArtifact(
        "getOriginal",
        artifactId,
        options,
        async (record) => ({
          record,
          original: await getOriginal(store, record, hash, options.signal),
        }),
        ({ record }) => sizeOf(record),
      ).then(({ original }) => original),

    remove: (artifactId, options = {}) =>
      withArtifact(
        "remove",
        artifactId,
        options,
        (record) => store.remove(record),
        () => ({ event: "remove" }),
      ),
  };
}
