import { DEFAULTS } from "../defaults.js";
import { InvalidArgumentError } from "../errors/invalid-argument-error.js";
import { requireText } from "../require-argument.js";
import type { ArtifactRecord } from "./artifact.js";
import { detailsOf, sizeOf } from "./describe-record.js";
import type { EventDetails, EventReporter } from "./events.js";
import { findArtifact } from "./find-artifact.js";
import { getOriginal } from "./get-original.js";
import { grepText } from "./grep-knowledge.js";
import { openText } from "./open-text.js";
import { queryArtifact } from "./query-knowledge.js";
import { readCount } from "./read-count.js";
import {
  readCharRange,
  readColumns,
  readFromStart,
  readLineRange,
  type ReadTarget,
} from "./read-knowledge.js";
import type { Reading, ReadOptions, Scope } from "./reading.js";
import type { Workspace } from "./workspace-types.js";
import type { WorkspaceWiring } from "./workspace-wiring.js";

/** The verbs that look at one artifact. */
type ReadingVerbs = Pick<
  Workspace,
  | "getKnowledgeById"
  | "getKnowledgeByLines"
  | "grepKnowledge"
  | "queryKnowledge"
  | "getOriginal"
  | "remove"
>;

export function createReadingVerbs(wiring: WorkspaceWiring, events: EventReporter): ReadingVerbs {
  const { store, hash } = wiring;

  /** Finds an artifact and does something with it, and tells of it. */
  const withArtifact = <T>(
    verb: string,
    artifactId: string,
    scope: Scope,
    work: (record: ArtifactRecord) => Promise<T>,
    describe: (outcome: T) => EventDetails & { readonly event?: "read" | "remove" } = () => ({}),
  ): Promise<T> => {
    let found: ArtifactRecord | undefined;
    return events.observe(
      verb,
      { artifact_id: artifactId, session_id: scope.sessionId ?? null },
      async () => {
        scope.signal?.throwIfAborted();
        found = await findArtifact(store, artifactId, scope.sessionId);
        return work(found);
      },
      (outcome) => ({ event: "read", ...(found ? detailsOf(found) : {}), ...describe(outcome) }),
    );
  };

  const read = (
    verb: string,
    artifactId: string,
    options: ReadOptions,
    work: (target: ReadTarget) => Promise<Reading>,
  ): Promise<Reading> =>
    withArtifact(
      verb,
      artifactId,
      options,
      async (record) => {
        const { view = "readable", signal } = options;
        const maxChars = readCount("maxChars", options.maxChars, DEFAULTS.readChars);
        const text = await openText(store, record, view, signal);
        try {
          return await work({ record, text, view, maxChars, signal });
        } finally {
          await text.close();
        }
      },
      ({ text }) => ({ chars: text.length }),
    );

  return {
    getKnowledgeById: (artifactId, options = {}) =>
      read("getKnowledgeById", artifactId, options, (target) =>
        options.startChar === undefined && options.endChar === undefined
          ? readFromStart(target)
          : readCharRange(
              target,
              options.startChar ?? 1,
              options.endChar ?? target.text.index.chars,
            ),
      ),

    getKnowledgeByLines: (artifactId, startLine, endLine, options = {}) =>
      read("getKnowledgeByLines", artifactId, options, (target) => {
        const { startChar, endChar } = options;
        if (startChar === undefined && endChar === undefined) {
          return readLineRange(target, startLine, endLine);
        }
        if (startLine !== endLine) {
          const expected = "the same as startLine when characters are asked for";
          throw new InvalidArgumentError("endLine", endLine, expected);
        }
        return readColumns(target, startLine, startChar ?? 1, endChar ?? Number.MAX_SAFE_INTEGER);
      }),

    grepKnowledge: (artifactId, pattern, options = {}) =>
      read("grepKnowledge", artifactId, options, (target) =>
        grepText(
          target,
          {
            query: {
              pattern: requireText("pattern", pattern, "what to search for"),
              literal: options.literal ?? false,
              ignoreCase: options.ignoreCase ?? false,
              contextBefore: readCount("contextBefore", options.contextBefore, 0, 0),
              contextAfter: readCount("contextAfter", options.contextAfter, 0, 0),
              maxResults: readCount("maxResults", options.maxResults, DEFAULTS.searchResults),
              windowChars: Math.min(DEFAULTS.searchWindowChars, target.maxChars),
              fromLine: readCount("startLine", options.startLine, 1),
            },
            deadlineMs: readCount("deadlineMs", options.deadlineMs, DEFAULTS.searchDeadlineMs),
          },
          wiring.searchText,
        ),
      ),

    queryKnowledge: (artifactId, options = {}) =>
      withArtifact(
        "queryKnowledge",
        artifactId,
        options,
        (record) =>
          queryArtifact(store, record, {
            pointer: options.pointer ?? "",
            limit: readCount("limit", options.limit, DEFAULTS.queryLimit),
            fields: options.fields,
            offset: readCount("cursor", asNumber(options.cursor), 0, 0),
            maxChars: readCount("maxChars", options.maxChars, DEFAULTS.readChars),
            signal: options.signal,
          }),
        ({ text }) => ({ chars: text.length }),
      ),

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

function asNumber(cursor: string | undefined): number | undefined {
  return cursor === undefined ? undefined : Number(cursor);
}
