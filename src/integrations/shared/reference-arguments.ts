import type { Scope } from "../../core/workspace/reading/reading.js";
import type { Workspace } from "../../core/workspace/workspace-types.js";

/** A whole string: a reference inside a longer text is text. The id is percent-encoded. */
const REFERENCE = /^offload:([^#]+)(?:#lines=(\d+)(?:-(\d+))?)?$/;

/** What a model is told of the tools that take references. */
export function explainReferences(toolNames: readonly string[]): string {
  if (toolNames.length === 0) return "";
  return (
    `Instead of copying stored text into an argument of ${toolNames.join(", ")}, pass ` +
    "offload:<artifact_id> or offload:<artifact_id>#lines=10-40, with the id percent-encoded."
  );
}

/** The input with the stored text in place of each reference; the same object if there is none. */
export async function resolveReferences<I>(
  input: I,
  workspace: Workspace,
  scope: Scope,
): Promise<I> {
  return (await resolve(input, workspace, scope)) as I;
}

async function resolve(value: unknown, workspace: Workspace, scope: Scope): Promise<unknown> {
  if (typeof value === "string") {
    const match = REFERENCE.exec(value);
    return match ? readReferenced(match, workspace, scope) : value;
  }
  if (Array.isArray(value)) {
    const items = await Promise.all(value.map((item) => resolve(item, workspace, scope)));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const resolved = await Promise.all(
    entries.map(async ([key, item]) => [key, await resolve(item, workspace, scope)] as const),
  );
  const isSame = resolved.every(([, item], index) => item === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(resolved);
}

async function readReferenced(
  [, encodedId = "", first, last = first]: RegExpExecArray,
  workspace: Workspace,
  scope: Scope,
): Promise<string> {
  const id = decodeId(encodedId);
  if (first === undefined) {
    const original = await workspace.getOriginal(id, scope);
    if (typeof original === "string") return original;
  }
  const range = { ...scope, maxChars: Number.MAX_SAFE_INTEGER };
  const end = last === undefined ? Number.MAX_SAFE_INTEGER : Number(last);
  return (await workspace.getKnowledgeByLines(id, Number(first ?? 1), end, range)).text;
}

/** An id that is not well encoded is taken as it stands, since the error for it then lists the ids that exist. */
function decodeId(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
