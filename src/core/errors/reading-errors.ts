import type { PointerReach } from "../lib/json/json-pointer.js";
import { quote, quoteSome } from "../lib/text/quote.js";
import { ContextOffloadError } from "./context-offload-error.js";

const SHOWN_IDS = 5;

/** There is no artifact with this id among those that the caller may read. */
export class UnknownArtifactError extends ContextOffloadError {
  readonly code = "UNKNOWN_ARTIFACT";

  /** @param nearest - Up to five ids that exist, closest matches first. */
  constructor(
    readonly artifactId: string,
    readonly nearest: readonly string[],
  ) {
    const hint =
      nearest.length > 0
        ? `Did you mean one of these: ${quoteSome(nearest, SHOWN_IDS)}?`
        : "Nothing is stored here yet.";
    super(`There is no artifact ${quote(artifactId)}. ${hint}`);
  }
}

/** Several sessions hold an artifact with this id, and no session was named. */
export class AmbiguousArtifactError extends ContextOffloadError {
  readonly code = "AMBIGUOUS_ARTIFACT";

  constructor(
    readonly artifactId: string,
    readonly sessionIds: readonly string[],
    hashes: readonly string[] = [],
  ) {
    const [example] = hashes;
    super(
      `The artifact ${quote(artifactId)} is held by ${sessionIds.length} sessions: ` +
        `${quoteSome(sessionIds, SHOWN_IDS)}. Pass the sessionId of the one you mean` +
        (example === undefined
          ? "."
          : `, or the id with the hash in its reference, such as ${quote(`${artifactId}#${example}`)}.`),
    );
  }
}

/** The stored bytes are not those that were put. Retrying will not help. */
export class ArtifactDamagedError extends ContextOffloadError {
  readonly code = "ARTIFACT_DAMAGED";

  /** @param problem - What is wrong with it, as a phrase that follows "is damaged in storage". */
  constructor(
    readonly artifactId: string,
    readonly problem: string,
  ) {
    super(
      `The content of artifact ${JSON.stringify(artifactId)} is damaged in storage: ${problem}. ` +
        `Retrying will not help: run the tool again if you still need its result.`,
    );
  }
}

/** The artifact existed, but its content is no longer there. Retrying will not help. */
export class ArtifactGoneError extends ContextOffloadError {
  readonly code = "ARTIFACT_GONE";

  constructor(
    readonly artifactId: string,
    readonly why: "removed" | "missing",
    /** The tool to run again, if it is known. */
    readonly toolName: string | null = null,
    options?: { cause?: unknown },
  ) {
    const reason = why === "removed" ? "was removed from the workspace" : "is missing from storage";
    super(
      `The content of artifact ${quote(artifactId)} ${reason} and cannot be read again. ` +
        `Retrying will not help: run ${toolName === null ? "the tool" : quote(toolName)} again if you still need its result.`,
      options,
    );
  }
}

/** The pattern is not a valid regular expression, or cannot be searched for. */
export class InvalidPatternError extends ContextOffloadError {
  readonly code = "INVALID_PATTERN";

  /**
   * @param pattern - The pattern as it was passed in.
   * @param reason - What is wrong with it and, where known, what to write instead; a sentence without
   *   its full stop.
   */
  constructor(
    readonly pattern: string,
    readonly reason: string,
  ) {
    super(
      `Invalid pattern ${quote(pattern)}: ${reason}. ` +
        `Fix the regular expression (JavaScript syntax), or escape what is to be found as it is, as in \\(.`,
    );
  }
}

/** A search found nothing before its deadline, or never ran because other searches took too long. */
export class SearchTimeoutError extends ContextOffloadError {
  readonly code = "SEARCH_TIMEOUT";

  /** @param waitedMs - How long the search waited for others, if it never ran. */
  constructor(
    readonly pattern: string,
    readonly deadlineMs: number,
    readonly scannedLines: number,
    readonly waitedMs?: number,
  ) {
    const search = `The search for ${quote(pattern)}`;
    super(
      waitedMs === undefined
        ? `${search} was stopped after ${deadlineMs} ms, ${scannedLines} lines in, without a match. ` +
            `Use a simpler pattern: no nested repetition such as (a+)+.`
        : `${search} was not run: it waited ${waitedMs} ms for other searches to finish. ` +
            `Its pattern may be fine; try again.`,
    );
  }
}

/** A search could not be run or finished, for a reason other than its pattern. */
export class SearchFailedError extends ContextOffloadError {
  readonly code = "SEARCH_FAILED";

  /** @param reason - Why, and what to do; a sentence without its full stop. The model sees it. */
  constructor(
    readonly reason: string,
    options?: { cause?: unknown },
  ) {
    super(`The search could not be run: ${reason}.`, options);
  }
}

/** The model did nothing but read, though it was told to answer; the host's messages are as they were. */
export class TooManyReadsError extends ContextOffloadError {
  readonly code = "TOO_MANY_READS";

  /** @param reads - How many replies in a row only called reading tools. */
  constructor(readonly reads: number) {
    super(
      `The model called only reading tools in ${reads} replies in a row, the last one in answer to ` +
        `a request with tool_choice "none". Check that the endpoint heeds tool_choice, then send the request again.`,
    );
  }
}

/** Content was queried as JSON, but is not JSON. */
export class NotJsonError extends ContextOffloadError {
  readonly code = "NOT_JSON";

  constructor(
    /** The byte at which it stops being JSON, from 0. */
    readonly offset: number,
    /** What is wrong there. */
    readonly reason: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The content is not JSON: ${reason} at byte ${offset}. ` +
        `It cannot be read by pointer; read it by lines or search it with a pattern instead.`,
      options,
    );
  }
}

const SHOWN_KEY_CHARS = 80;

/** There is no value at a JSON pointer. */
export class PointerNotFoundError extends ContextOffloadError {
  readonly code = "POINTER_NOT_FOUND";

  constructor(
    readonly pointer: string,
    readonly reach: PointerReach,
  ) {
    const place = reach.reached === "" ? "The whole content" : quote(reach.reached);
    super(`There is no value at ${quote(pointer)}. ${place} is ${describeReach(reach)}.`);
  }
}

function describeReach({ kind, keys, length }: PointerReach): string {
  if (keys !== undefined) {
    if (keys.length === 0) return "an object without keys";
    const shown = keys.map((key) => quote(key, SHOWN_KEY_CHARS)).join(", ");
    const of = length !== undefined && length > keys.length ? ` (${keys.length} of ${length})` : "";
    return `an object with the keys ${shown}${of}`;
  }
  if (length !== undefined) {
    if (length === 0) return "an empty array";
    return `an array of ${length}, whose items have the indices 0 to ${length - 1}`;
  }
  return kind === "null" ? "null" : `a ${kind}, which has no members`;
}
