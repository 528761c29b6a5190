import { ContextOffloadError } from "./context-offload-error.js";

/** Several sessions hold an artifact with this id, and no session was named. */
export class AmbiguousArtifactError extends ContextOffloadError {
  readonly code = "AMBIGUOUS_ARTIFACT";

  constructor(
    readonly artifactId: string,
    readonly sessionIds: readonly string[],
  ) {
    super(
      `The artifact ${JSON.stringify(artifactId)} is held by ${sessionIds.length} sessions: ` +
        `${sessionIds.map((id) => JSON.stringify(id)).join(", ")}. Pass the sessionId of the one you mean.`,
    );
  }
}
