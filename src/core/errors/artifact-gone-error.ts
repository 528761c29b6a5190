import { ContextOffloadError } from "./context-offload-error.js";

/** The artifact existed and its content is no longer there. Asking again will not help. */
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
        `Do not ask for it a second time: run the tool again if you still need its result.`,
      options,
    );
  }
}
