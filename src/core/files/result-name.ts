import { serializeContent } from "../engine/content.js";
import type { Hash } from "../engine/hash.js";
import type { ToolResult } from "../engine/tool-result.js";
import { portableName } from "./portable-name.js";

const UNKNOWN = /^unknown-[0-9a-f]{16}/;

/** The file name of a result, without prefix and ending. One without an id is named by its content. */
export function resultName(result: ToolResult, hash: Hash): string {
  if (result.id !== undefined) return portableName(result.id, hash);
  return `unknown-${hash(serializeContent(result.content)).slice(0, 16)}`;
}

/** What follows the result's own name in `name`; `undefined` when another result's name it is. */
export function afterOwnName(name: string, id: string | undefined, hash: Hash): string | undefined {
  // The content that named a result without an id has left it; any such name may be its own.
  const own = id === undefined ? UNKNOWN.exec(name)?.[0] : portableName(id, hash);
  return own !== undefined && name.startsWith(own) ? name.slice(own.length) : undefined;
}
