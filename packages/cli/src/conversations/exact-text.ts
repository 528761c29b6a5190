import { createHash } from "node:crypto";
import { ContextOffloadError, type Workspace } from "context-offload";

/** Where what `run` keeps for `restore` shows in a listing. */
const TOOL_NAME = "context-offload run";

/**
 * Keeps a text that could not be written back to the byte, such as JSON with blanks of another style, under the hash
 * of what is written in its place. Several texts may differ only in style: blanks at the end, which mean nothing in
 * JSON, tell apart what is written for each. There is at least one, since without any it is what is written for the
 * text that needs not be kept.
 *
 * @returns What to write.
 */
export async function keepExactText(
  workspace: Workspace,
  sessionId: string,
  text: string,
  written: string,
): Promise<string> {
  const body = written.trimEnd();
  for (let blanks = 1; ; blanks++) {
    const marked = body + " ".repeat(blanks) + written.slice(body.length);
    const kept = await findExactText(workspace, sessionId, marked);
    if (kept !== undefined && kept !== text) continue;
    const artifactId = idOf(marked);
    const input = { artifactId, content: text, metadata: { tool_name: TOOL_NAME } };
    const { record } = await workspace.put(input, { sessionId });
    // Otherwise another process has just kept another text.
    if (record.artifactId === artifactId) return marked;
  }
}

/** The text that was kept for what `run` wrote; `undefined` if writing it again gives the same bytes. */
export async function findExactText(
  workspace: Workspace,
  sessionId: string,
  written: string,
): Promise<string | undefined> {
  try {
    const original = await workspace.getOriginal(idOf(written), { sessionId });
    return typeof original === "string" ? original : undefined;
  } catch (error) {
    if (ContextOffloadError.isInstance(error) && error.code === "UNKNOWN_ARTIFACT")
      return undefined;
    throw error;
  }
}

function idOf(written: string): string {
  return `original-${createHash("sha256").update(written).digest("hex").slice(0, 16)}`;
}
