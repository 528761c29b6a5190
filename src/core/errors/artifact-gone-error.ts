import { ContextOffloadError } from "./context-offload-error.js";

/** The artifact existed, but its content is no longer there. Retrying will not help. */
export class ArtifactGoneError extends ContextOffloadError {
  readonly code = "ARTIFACT_GONE";

  constructor(
    readonly artifactId: string,
    readonly why: "removed" | "missing",
    options?: { cause?: unknown },
  ) {
    const reason = why === "removed" ? "was removed from the workspace" : "is missing from storage";
    super(
      `The content of artifact ${JSON.stringify(artifactId)} ${reason} and cannot be read again. ` +
        `Retrying will not help: run the tool again if you still need its result.`,
      options,
    );
  }
}
