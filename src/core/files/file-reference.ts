import type { Content } from "../engine/content.js";
import type { Hash } from "../engine/hash.js";
import type { Reference } from "../engine/offload-parts.js";
import type { ToolResult } from "../engine/tool-result.js";
import {
  afterOwnName,
  DIRECT_LAYOUT,
  FILE_ENDING,
  HISTORY_LAYOUT,
  joinPath,
  type StoredFile,
} from "./file-layout.js";

/** A path has at most 4,096 characters where it counts; a longer content is not looked at. */
const MAX_REFERENCE_CHARS = 4_300;

/** A reference to a file, read out of a text. */
export interface ParsedFileReference {
  readonly style: "direct" | "history";
  /** As it stands in the text: absolute in `direct`, relative to the output folder in `history`. */
  readonly path: string;
}

const STYLES = {
  direct: {
    start: "[Tool result offloaded to file: ",
    layout: DIRECT_LAYOUT,
    rest: /^(?:~\d{1,15})?$/,
  },
  history: {
    start: "[Content offloaded to: ./",
    layout: HISTORY_LAYOUT,
    // As long as a content's hash is, short or whole, and not as that in the safe name of another id.
    rest: /^(?:-\d+)?(?:~(?:[0-9a-f]{12}|[0-9a-f]{64}))?$/,
  },
} as const;

/** A path is one line and ends with the file: what goes on is a text that merely holds a reference. */
const NO_PATH = /[\r\n\0]|\.md\]/;

/**
 * Reads a reference that a file preset left in a message.
 *
 * @example
 * parseFileReference("[Content offloaded to: ./tool-result-toolu_1.md]");
 * // { style: "history", path: "./tool-result-toolu_1.md" }
 */
export function parseFileReference(text: string): ParsedFileReference | undefined {
  return parseBelow("", text);
}

/** The caller's own folder may have any name, which is not held against the path. */
function parseBelow(folder: string, text: string): ParsedFileReference | undefined {
  if (text.length > MAX_REFERENCE_CHARS || !text.startsWith("[") || !text.endsWith("]")) {
    return undefined;
  }
  if (text.startsWith(STYLES.direct.start)) {
    const path = text.slice(STYLES.direct.start.length, -1);
    const below = path.startsWith(folder) ? path.slice(folder.length) : path;
    return NO_PATH.test(below) ? undefined : { style: "direct", path };
  }
  if (text.startsWith(STYLES.history.start)) {
    const path = `./${text.slice(STYLES.history.start.length, -1)}`;
    return NO_PATH.test(path) ? undefined : { style: "history", path };
  }
  return undefined;
}

/** The references of both file presets; each leaves the other's alone. */
export function createFileReference(
  style: ParsedFileReference["style"],
  outputDir: string,
  hash: Hash,
): Reference<StoredFile> {
  const { start } = STYLES[style];
  return {
    render: ({ path, name }) => `${start}${style === "direct" ? path : name}]`,
    resolve: (result) => resolveFileReference(result, outputDir, hash),
  };
}

function resolveFileReference(
  { content, soleText, id }: ToolResult,
  outputDir: string,
  hash: Hash,
): StoredFile | undefined {
  if (soleText === undefined || !isOwnForm(content)) return undefined;
  const parsed = parseBelow(outputDir, soleText);
  if (!parsed) return undefined;
  const { layout, rest } = STYLES[parsed.style];
  const name = parsed.path.slice(lastSeparator(parsed.path) + 1);
  if (!name.startsWith(layout.prefix) || !name.endsWith(FILE_ENDING)) return undefined;
  if (parsed.style === "history" && parsed.path !== `./${name}`) return undefined;
  const inner = name.slice(layout.prefix.length, -FILE_ENDING.length);
  const after = afterOwnName(inner, id, hash);
  if (after === undefined || !rest.test(after)) return undefined;
  return { path: parsed.style === "direct" ? parsed.path : joinPath(outputDir, name), name };
}

/** A reference is a plain text, or a block where a cache mark goes with it. */
function isOwnForm(content: Content): boolean {
  if (typeof content === "string") return true;
  return Array.isArray(content) && content.some((block) => Object.keys(Object(block)).length > 2);
}

function lastSeparator(path: string): number {
  return Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
}
