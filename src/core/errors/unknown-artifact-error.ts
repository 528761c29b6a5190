import { ContextOffloadError } from "./context-offload-error.js";

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
        ? `Did you mean one of these: ${nearest.map((id) => JSON.stringify(id)).join(", ")}?`
        : "Nothing is stored here yet.";
    super(`There is no artifact ${JSON.stringify(artifactId)}. ${hint}`);
  }
}
