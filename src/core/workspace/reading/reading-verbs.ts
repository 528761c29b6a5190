import { DEFAULTS } from "../../defaults.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { requireChoice, requireCount, requireText } from "../../arguments.js";
import type { ArtifactRecord } from "../artifacts/artifact.js";
import { detailsOf, sizeOf } from "../artifacts/describe-record.js";
import type { EventDetails, EventReporter } from "../events.js";
import { findArtifact } from "../artifacts/find-artifact.js";
import { getOriginal } from "../artifacts/get-original.js";
import { toCodedError } from "./coded-errors.js";
import { grepText } from "./grep-knowledge.js";
import { openText } from "./open-text.js";
import { queryArtifact } from "./query-knowledge.js";
import {
  readCharRange,
  readColumns,
  readFromStart,
  readLineRange,
  type OpenTarget,
  type ReadTarget,
} from "./read-knowledge.js";
import { VIEWS, type Reading, type ReadOptions, type Scope } from "./reading.js";
import type { Workspace } from "../workspace-types.js";
import type { WorkspaceWiring } from "../workspace-wiring.js";

/** The methods that work on one artifact. */
type ReadingVerbs = Pick<
  Workspace,
  | "getKnowledgeById"
  | "getKnowledgeByLines"
  | "grepKnowledge"
  | "queryKnowledge"
  | "getArtifact"
  | "getOriginal"
  | "remove"
>;

export function createReadingVerbs(wiring: WorkspaceWiring, events: EventReporter): ReadingVerbs {
  const { store, hash } = wiring;

  /** Finds an artifact, does something with it, and logs it. */
  const withArtifact = <T>(
    verb: string,
    artifactId: string,
    scope: Scope,
    work: (record: ArtifactRecord) => Promise<T>,
    describe: (outcome: T) => EventDetails & { readonly event?: "read" | "remove" } = () => ({}),
  ): Promise<T> => {
    const known: EventDetails = { artifact_id: artifactId, session_id: scope.sessionId ?? null };
    return events.observe(
      verb,
      known,
      async () => {
        scope.signal?.throwIfAborted();
        const record = await findArtifact(store, artifactId, scope.sessionId);
        // From here on, a failure is also logged with the artifact's details.
        Object.assign(known, detailsOf(record));
        return work(record).catch((error: unknown) => {
          throw toCodedError(error);
        });
      },
      (outcome) => ({ event: "read", ...describe(outcome) }),
    );
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
      async (record) => {
        const { signal } = options;
        const { view = "readable" } = options;
        requireChoice("view", view, VIEWS);
        const maxChars = requireCount("maxChars", options.maxChars, DEFAULTS.readChars);
        const text = await openText(store, record, view, signal);
        try {
          const reading = await work({ record, text, view, maxChars, signal });
          await text.checkIfWhole();
          return reading;
        } finally {
          await text.close();
        }
      },
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
      read("getKnowledgeById", artifactId, options, (target) =>
        options.startChar === undefined && options.endChar === undefined
          ? readFromStart(target)
          : readCharRange(
              target,
              options.startChar ?? 1,
              options.endChar ?? Math.max(options.startChar ?? 1, target.text.index.chars),
            ),
      ),

    getKnowledgeByLines: (artifactId, startLine, endLine, options = {}) =>
      read("getKnowledgeByLines", artifactId, options, (target) => {
        const { startChar, endChar } = options;
        if (startChar === undefined && endChar === undefined) {
          return readLineRange(target, startLine, endLine);
        }
        if (endChar !== undefined && startLine !== endLine) {
          const expected = "the same as startLine when endChar is given";
          throw new InvalidArgumentError("endLine", endLine, expected);
        }
        return readColumns(target, startLine, endLine, { startChar, endChar });
      }),

    grepKnowledge: (artifactId, pattern, options = {}) =>
      withText("grepKnowledge", artifactId, options, (target) =>
        grepText(
          target,
          {
            query: {
              pattern: requireText("pattern", pattern, "what to search for"),
              literal: options.literal ?? false,
              ignoreCase: options.ignoreCase ?? false,
              contextBefore: requireCount("contextBefore", options.contextBefore, 0, 0),
              contextAfter: requireCount("contextAfter", options.contextAfter, 0, 0),
              maxResults: requireCount("maxResults", options.maxResults, DEFAULTS.searchResults),
              windowChars: Math.min(DEFAULTS.searchWindowChars, target.maxChars),
              fromLine: requireCount("startLine", options.startLine, 1),
            },
            deadlineMs: requireCount("deadlineMs", options.deadlineMs, DEFAULTS.searchDeadlineMs),
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
            limit:
              options.limit === undefined ? undefined : requireCount("limit", options.limit, 1),
            fields: options.fields,
            offset: requireCount("cursor", asNumber(options.cursor), 0, 0),
            maxChars: requireCount("maxChars", options.maxChars, DEFAULTS.readChars),
            signal: options.signal,
          }),
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

function asNumber(cursor: string | undefined): number | undefined {
  return cursor === undefined ? undefined : Number(cursor);
}
