import { requireString } from "../arguments.js";
import type { Content, Hash } from "../engine/content.js";
import type { Reference } from "../engine/offload.js";
import type { ToolResult } from "../engine/tool-result.js";
import {
  afterOwnName,
  DIRECT_LAYOUT,
  FILE_ENDING,
  HISTORY_LAYOUT,
  isMadeName,
  joinPath,
  type StoredFile,
} from "./file-layout.js";
import { DEFAULTS } from "../defaults.js";
import { mapConcurrently } from "../lib/map-concurrently.js";
import type { FileWriter, FolderWriter } from "./file-writer.js";

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
  const parsed = parsePath(requireString("text", text));
  return parsed && !NO_PATH.test(parsed.path) ? parsed : undefined;
}

/** Whether a text begins like a reference: perhaps a stale one, to a folder that has moved since. */
export function looksLikeFileReference(text: string): boolean {
  return text.startsWith(STYLES.direct.start) || text.startsWith(STYLES.history.start);
}

function parsePath(text: string): ParsedFileReference | undefined {
  if (text.length > MAX_REFERENCE_CHARS || !text.endsWith("]")) return undefined;
  if (text.startsWith(STYLES.direct.start)) {
    return { style: "direct", path: text.slice(STYLES.direct.start.length, -1) };
  }
  if (text.startsWith(STYLES.history.start)) {
    return { style: "history", path: `./${text.slice(STYLES.history.start.length, -1)}` };
  }
  return undefined;
}

/** Where a preset's files are. */
export interface FilePlace {
  readonly outputDir: string;
  /** The folder of a session's files in `direct`; without one, that of any session. */
  readonly session?: string;
}

/**
 * The references of the file presets; each preset also recognizes the other's. A text is one only if
 * it names exactly the file that this result would have in this place: tool output can lie.
 */
export function createFileReference(
  style: ParsedFileReference["style"],
  place: FilePlace,
  hash: Hash,
): Reference<StoredFile> {
  const { start } = STYLES[style];
  return {
    render: ({ path, name }) => `${start}${style === "direct" ? path : name}]`,
    resolve: (result) => resolveFileReference(result, place, hash),
  };
}

function resolveFileReference(
  { content, soleText, id }: ToolResult,
  place: FilePlace,
  hash: Hash,
): StoredFile | undefined {
  const parsed = soleText !== undefined && isOwnForm(content) ? parsePath(soleText) : undefined;
  const file = parsed && findFile(parsed, place);
  if (!file) return undefined;
  const { layout, rest } = STYLES[parsed.style];
  const { name } = file;
  if (!name.startsWith(layout.prefix) || !name.endsWith(FILE_ENDING)) return undefined;
  const after = afterOwnName(name.slice(layout.prefix.length, -FILE_ENDING.length), id, hash);
  return after !== undefined && rest.test(after) ? file : undefined;
}

/** The file that a reference names in this place; `undefined` if it names one anywhere else. */
function findFile(
  { style, path }: ParsedFileReference,
  { outputDir, session }: FilePlace,
): StoredFile | undefined {
  if (style === "history") {
    const name = path.slice("./".length);
    return { path: joinPath(outputDir, name), name };
  }
  const [folder = "", name = ""] = path.slice(joinPath(outputDir, "").length).split(/[\\/]/);
  const isSession = session === undefined ? isMadeName(folder) : folder === session;
  return isSession && path === joinPath(outputDir, folder, name) ? { path, name } : undefined;
}

/** A reference is a plain string, or a block if it has a cache mark. */
function isOwnForm(content: Content): boolean {
  if (typeof content === "string") return true;
  return (
    Array.isArray(content) &&
    content.some((block: unknown) => Object.keys(Object(block) as object).length > 2)
  );
}

/**
 * The same references, but only to files that exist, where the writer can tell: what a tool merely
 * claims to be offloaded is content like any other.
 */
export async function vouchForFiles(
  reference: Reference<StoredFile>,
  results: readonly ToolResult[],
  writer: FileWriter,
  root: string,
): Promise<Reference<StoredFile>> {
  const { holdsInFolder } = writer as Partial<FolderWriter>;
  if (!holdsInFolder) return reference;
  const named: { readonly result: ToolResult; readonly path: string }[] = [];
  for (const result of results) {
    const file = reference.resolve(result);
    if (file) named.push({ result, path: file.path });
  }
  const unknown = new Set<ToolResult>();
  await mapConcurrently(named, DEFAULTS.writeConcurrency, async ({ result, path }) => {
    const names = path.slice(joinPath(root, "").length).split(/[\\/]/);
    if (!(await holdsInFolder.call(writer, { root, names }))) unknown.add(result);
  });
  return {
    ...reference,
    resolve: (result) => (unknown.has(result) ? undefined : reference.resolve(result)),
  };
}
