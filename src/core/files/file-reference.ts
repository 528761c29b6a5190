import type { Content, Hash } from "../engine/content.js";
import type { Reference } from "../engine/offload.js";
import type { ToolResult } from "../engine/tool-result.js";
import {
  afterOwnName,
  DIRECT_LAYOUT,
  FILE_ENDING,
  HISTORY_LAYOUT,
  joinPath,
  type StoredFile,
} from "./file-layout.js";

/** Operating systems limit paths to 4,096 characters, so longer content cannot be a reference. */
const MAX_REFERENCE_CHARS = 4_300;

/** A reference to a file, read out of a text. */
export interface ParsedFileReference {
  readonly style: "direct" | "history";
  /** As written in the text: absolute in `direct`, relative to the output folder in `history`. */
  readonly path: string;
}

const STYLES = {
  direct: {
    start: "[Tool result offloaded to file: ",
    layout: DIRECT_LAYOUT,
    rest: /^(?:~\d{1,15})?(?:~(?:[0-9a-f]{12}|[0-9a-f]{64}))?$/,
  },
  history: {
    start: "[Content offloaded to: ./",
    layout: HISTORY_LAYOUT,
    // The length of a content hash, short or whole, but not that of the hash in another id's safe name.
    rest: /^(?:-\d+)?(?:~(?:[0-9a-f]{12}|[0-9a-f]{64}))?$/,
  },
} as const;

/** A path is one line and ends with the file name; otherwise the text merely contains a reference. */
const NO_PATH = /[\r\n\0]|\.md\]/;

/**
 * Parses a reference that a file preset put into a message; `undefined` for any other text.
 *
 * @example
 * parseFileReference("[Content offloaded to: ./tool-result-toolu_1.md]");
 * // { style: "history", path: "./tool-result-toolu_1.md" }
 */
export function parseFileReference(text: string): ParsedFileReference | undefined {
  return parseBelow("", text);
}

/** The part of the path that is the caller's own folder is not checked, since it may have any name. */
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

/** The references of the file presets; each preset also recognizes the other's. */
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

/** A reference is a plain string, or a block if it has a cache mark. */
function isOwnForm(content: Content): boolean {
  if (typeof content === "string") return true;
  return (
    Array.isArray(content) &&
    content.some((block: unknown) => Object.keys(Object(block) as object).length > 2)
  );
}

function lastSeparator(path: string): number {
  return Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
}
