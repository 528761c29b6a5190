import {
  createWorkspace,
  estimateTokens,
  type ArtifactRecord,
  type Workspace,
} from "context-offload";

/**
 * The reference of a stored result, made again as `put` makes it, in a workspace that is thrown away. It
 * is not stored: the one that the model saw may have quoted other lines, since it also depends on
 * the call and on the offloader's options.
 */
export async function rebuildReference(
  workspace: Workspace,
  { artifactId, sessionId, metadata }: ArtifactRecord,
  signal?: AbortSignal,
): Promise<string> {
  const content = await workspace.getOriginal(artifactId, { sessionId, signal });
  const scratch = createWorkspace({
    ...{ store: "memory:", namespace: workspace.namespace, countTokens: estimateTokens },
  });
  try {
    const { tool_name: toolName } = metadata;
    const artifact = { artifactId, content, metadata: { tool_name: toolName } };
    const { reference } = await scratch.put(artifact, { sessionId, signal });
    return reference;
  } finally {
    await scratch.close();
  }
}

/** The lines that a reference quotes: each begins with its number. */
export function quotedLines(reference: string, lines: number): number[] {
  const numbers = [...reference.matchAll(/^(\d{1,15}): /gm)].map(([, number]) => Number(number));
  return [...new Set(numbers)].filter((line) => line > 0 && line <= lines).sort((a, b) => a - b);
}
