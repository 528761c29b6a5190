import { idOfContent } from "./artifact-id.js";
import { prepareContent } from "./prepare-content.js";
import { renderKnowledgeList } from "../reference/knowledge-list.js";
import { completeMetadata } from "./metadata.js";
import type { ArtifactInput, PutOptions, Preview } from "../workspace-types.js";
import type { WorkspaceWiring } from "../workspace-wiring.js";

/** The reference that a content would get, as far as it can be told without storing it. */
export function previewArtifact(
  wiring: WorkspaceWiring,
  { content, artifactId, metadata = {} }: ArtifactInput,
  { toolCallId, sessionId }: PutOptions,
): Preview {
  const prepared = prepareContent(content, wiring);
  const { tool_name, action_name } = completeMetadata(metadata, toolCallId, sessionId);
  const { chars, tokens } = prepared.describe();
  const named = [tool_name, action_name].filter((name) => name !== null);
  const entry = {
    artifactId: artifactId ?? toolCallId ?? idOfContent("0".repeat(64)),
    tool: named.join(":") || undefined,
    chars,
    lines: prepared.viewLines(),
    tokens,
    digest: prepared.digest(),
    path: "",
  };
  return { reference: renderKnowledgeList([entry], wiring.notice), tokens };
}
