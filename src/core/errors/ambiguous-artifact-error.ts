import { ContextOffloadError } from "./context-offload-error.js";

/** Several sessions hold an artifact of this id, and none was named. */
export class AmbiguousArtifactError extends ContextOffloadError {
  readonly code = "AMBIGUOUS_ARTIFACT";

  constructor(
    readonly artifactId: string,
    readonly sessionIds: readonly string[],
  ) {
    super(
      `The artifact ${JSON.stringify(artifactId)} is held by ${sessionIds.length} sessions: ` +
        `${sessionIds.map((id) => JSON.stringify(id)).join(", ")}. Say which one with sessionId.`,
    );
  }
}
