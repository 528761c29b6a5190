import { idOfContent } from "./artifact-id.js";
import { takeContent } from "./intake.js";
import { renderKnowledgeList } from "./knowledge-list.js";
import { completeMetadata } from "./metadata.js";
import type { ArtifactInput, PutOptions, Preview } from "./workspace-types.js";
import type { WorkspaceWiring } from "./workspace-wiring.js";

/** The reference that a content would get, as far as it can be told without storing it. */
export function previewArtifact(
  wiring: WorkspaceWiring,
  { content, artifactId, metadata = {} }: ArtifactInput,
  { bizId, sessionId }: PutOptions,
): Preview {
  const intake = takeContent(content, wiring);
  const { tool_name, action_name } = completeMetadata(metadata, bizId, sessionId);
  const { chars, tokens } = intake.describe();
  const named = [tool_name, action_name].filter((name) => name !== null);
  const entry = {
    artifactId: artifactId ?? bizId ?? idOfContent("0".repeat(64)),
    tool: named.join(":") || undefined,
    chars,
    lines: intake.viewLines(),
    tokens,
    digest: intake.digest(),
    path: "",
  };
  return { reference: renderKnowledgeList([entry], wiring.notice), tokens };
}
