import { ContextOffloadError } from "./context-offload-error.js";
import { quote, quoteSome } from "../lib/text/quote.js";

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
  ) {
    super(
      `The artifact ${quote(artifactId)} is held by ${sessionIds.length} sessions: ` +
        `${quoteSome(sessionIds, SHOWN_IDS)}. Pass the sessionId of the one you mean.`,
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
