const HASH_CHARS = 12;

/** The id of a content that came without one. */
export function idOfContent(contentHash: string): string {
  return `unknown-${contentHash.slice(0, 16)}`;
}

/** The ids that a content may take, in order; the next is for when one holds other content. */
export function candidateIds(wantedId: string | undefined, contentHash: string): readonly string[] {
  const id = wantedId ?? idOfContent(contentHash);
  return [id, `${id}-${contentHash.slice(0, HASH_CHARS)}`, `${id}-${contentHash}`];
}

/** True when `artifactId` is what the content of this tool call may have been stored as. */
export function isIdFor(artifactId: string, toolCallId: string | undefined): boolean {
  if (toolCallId === undefined) {
    return /^unknown-[0-9a-f]{16}(?:-(?:[0-9a-f]{12}|[0-9a-f]{64}))?$/.test(artifactId);
  }
  if (artifactId === toolCallId) return true;
  const rest = artifactId.startsWith(toolCallId) ? artifactId.slice(toolCallId.length) : "";
  return /^-(?:[0-9a-f]{12}|[0-9a-f]{64})$/.test(rest);
}
