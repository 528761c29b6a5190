import { isWellFormed } from "../../core/lib/text/wtf8.js";
import { sha256 } from "../hash.js";

const MAX_PLAIN_CHARS = 200;

/**
 * An id as databases can index it: short, and without what their texts cannot hold. Any other id is
 * represented by its hash; the id itself is kept in the record.
 */
export function indexKey(id: string): string {
  const isPlain =
    id.length <= MAX_PLAIN_CHARS && !id.includes("\0") && !id.startsWith("~") && isWellFormed(id);
  return isPlain ? id : `~${sha256(id)}`;
}
