import { ArtifactGoneError } from "../../core/errors/artifact-errors.js";
import { ContextOffloadError } from "../../core/errors/context-offload-error.js";
import { ReadFailedError } from "../../core/errors/storage-errors.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import { hasCode } from "../error-code.js";
import type { Manifest } from "./manifest.js";

/** What to tell a reader whose content could not be opened, or is not what its record says. */
export async function readingFault(
  cause: unknown,
  record: ArtifactRecord,
  path: string,
  manifest: Manifest,
): Promise<unknown> {
  const { artifactId, metadata } = record;
  const gone = (why: "removed" | "missing") =>
    new ArtifactGoneError(artifactId, why, metadata.tool_name, { cause });
  const isMissing = hasCode(cause, "ENOENT");
  if (isMissing || hasCode(cause, "ARTIFACT_DAMAGED")) {
    // Removed since its record was listed; its id may have another file by now.
    const listing = await manifest.load().catch(() => undefined);
    if (listing && !isListed(record, listing.artifacts)) return gone("removed");
  }
  if (ContextOffloadError.isInstance(cause)) return cause;
  return isMissing ? gone("missing") : new ReadFailedError(path, cause);
}

/** Whether this artifact is listed, and not another one with its id. */
export function isListed(
  { artifactId, hash, createdAt }: ArtifactRecord,
  artifacts: ReadonlyMap<string, ArtifactRecord>,
): boolean {
  const listed = artifacts.get(artifactId);
  return listed?.hash === hash && listed.createdAt === createdAt;
}
