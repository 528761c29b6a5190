import type { ArtifactRecord } from "./artifact.js";
import type { EventDetails } from "../events.js";
import type { OffloadInfo } from "../workspace-types.js";

/** How a listing and a log describe an artifact. */

export function infoOf({
  artifactId,
  sessionId,
  size,
  createdAt,
  metadata,
}: ArtifactRecord): OffloadInfo {
  return {
    artifact_id: artifactId,
    biz_id: metadata.biz_id,
    tool_name: metadata.tool_name,
    action_name: metadata.action_name,
    session_id: sessionId,
    task_id: metadata.task_id,
    chars: size.viewChars ?? size.chars,
    lines: size.viewLines ?? size.lines,
    tokens: size.tokens,
    created_at: createdAt,
  };
}

export function detailsOf({ artifactId, metadata, sessionId }: ArtifactRecord): EventDetails {
  return {
    artifact_id: artifactId,
    biz_id: metadata.biz_id,
    context_type: metadata.context_type,
    session_id: sessionId,
    tool_name: metadata.tool_name,
  };
}

export function sizeOf({ size: { bytes, chars, lines, tokens } }: ArtifactRecord): EventDetails {
  return { bytes, chars, lines, tokens };
}
