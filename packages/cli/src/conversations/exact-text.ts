import { createHash } from "node:crypto";
import type { Workspace } from "context-offload";
import type { InexactText } from "./parse-text.js";

/** Where what `run` keeps for `restore` shows in a listing. */
const TOOL_NAME = "context-offload run";

/**
 * Keeps a text that could not be written back to the byte, such as JSON with blanks of another style, under the
 * hash of what `run` writes in its place.
 */
export async function keepExactText(
  workspace: Workspace,
  sessionId: string,
  { text, written }: InexactText,
): Promise<void> {
  const input = { artifactId: idOf(written), content: text, metadata: { tool_name: TOOL_NAME } };
  await workspace.put(input, { sessionId });
}

/** The text that was kept for what `run` wrote; `undefined` if writing it again gives the same bytes. */
export async function findExactText(
  workspace: Workspace,
  sessionId: string,
  written: string,
): Promise<string | undefined> {
  const original = await workspace.getOriginal(idOf(written), { sessionId }).catch(() => undefined);
  return typeof original === "string" ? original : undefined;
}

function idOf(written: string): string {
  return `original-${createHash("sha256").update(written).digest("hex").slice(0, 16)}`;
}
