import { DEFAULTS } from "../../defaults.js";
import { createJsonIndenter } from "../../lib/json/json-indenter.js";
import { decodeJsonString, unescapeJson } from "../../lib/json/json-string.js";
import { JsonSyntaxError } from "../../lib/json/json-walker.js";
import { collectPieces, readPieces, type ByteSource } from "../../lib/text/byte-source.js";
import { decodeWtf8, encodeWtf8 } from "../../lib/text/wtf8.js";
import {
  wrappingOf,
  unwrap,
  indentJson,
  OPENING_CHARS,
  type ReadableText,
  type Wrapping,
} from "../../lib/wrapping/readable-text.js";
import { findSoleText } from "../../lib/wrapping/sole-text.js";
import { type ArtifactStore, type OpenContent, memoryContent } from "./artifact-store.js";
import type { ArtifactRecord } from "./artifact.js";

/** Anything smaller is made again each time rather than cached. */
export const MIN_KEPT_BYTES = 1_048_576;
/** No character takes more bytes for each of its units. */
const MAX_BYTES_PER_CHAR = 3;
const OPENING_BYTES = 256;
/** The name of the cached view. */
const VIEW = "view";

/** The names of all data that is derived from content and kept: its view, and line indexes of both. */
export const DERIVED_NAMES = [VIEW, "index", "view-index"] as const;

/**
 * Whether the artifact may be read in another form than it is stored. For a text of several lines its
 * size tells, so that plain text is searched without a look at it first.
 */
export function hasView({ size: { bytes, lines, viewLines } }: ArtifactRecord): boolean {
  return bytes <= DEFAULTS.viewBytes && (lines === 1 || viewLines !== undefined);
}

/** The readable view of an artifact; `undefined` if the stored text is read as it is. */
export async function openView(
  store: ArtifactStore,
  record: ArtifactRecord,
  stored: OpenContent,
  signal: AbortSignal | undefined,
): Promise<OpenContent | undefined> {
  if (!hasView(record)) return undefined;
  const wrapping = await storedWrapping(stored);
  if (wrapping === "plain") return undefined;
  if (wrapping === "wrapped") {
    const made = await openUnwrapped(store, record, stored, signal);
    if (made) return made;
  }
  if (record.size.lines !== 1) return undefined;
  return openIndented(store, record, stored, () => readPieces(stored, signal));
}

/** The JSON inside a wrapper, which is what a pointer most likely refers to. */
export async function openInnerJson(
  store: ArtifactStore,
  record: ArtifactRecord,
  stored: OpenContent,
  signal: AbortSignal | undefined,
): Promise<OpenContent | undefined> {
  if (!hasView(record) || (await storedWrapping(stored)) !== "wrapped") return undefined;
  const large = await openLargeText(store, record, stored, signal);
  if (large) return large;
  const readable = await unwrapStored(stored, signal);
  if (!readable?.isJson) return undefined;
  return memoryContent(encodeWtf8(readable.text.slice(0, readable.bodyChars)));
}

async function storedWrapping(stored: ByteSource): Promise<Wrapping> {
  const opening = await stored.read(0, OPENING_CHARS * MAX_BYTES_PER_CHAR);
  return wrappingOf(decodeWtf8(opening));
}

async function openUnwrapped(
  store: ArtifactStore,
  record: ArtifactRecord,
  stored: OpenContent,
  signal: AbortSignal | undefined,
): Promise<OpenContent | undefined> {
  const large = await openLargeText(store, record, stored, signal);
  if (large) return large;
  const unwrapped = async () => {
    const readable = await unwrapStored(stored, signal);
    return readable && encodeWtf8(readable.text);
  };
  if (record.size.bytes < MIN_KEPT_BYTES) {
    const bytes = await unwrapped();
    return bytes && memoryContent(bytes);
  }
  return openUnless(NotUnwrapped, () =>
    openCached(store, record, stored, async function* () {
      const bytes = await unwrapped();
      if (bytes === undefined) throw new NotUnwrapped();
      yield bytes;
    }),
  );
}

async function unwrapStored(
  stored: ByteSource,
  signal: AbortSignal | undefined,
): Promise<ReadableText | undefined> {
  return unwrap(decodeWtf8(await collectPieces(readPieces(stored, signal))));
}

/** The text of a single text block that is too large for memory, piece by piece, and its JSON indented. */
async function openLargeText(
  store: ArtifactStore,
  record: ArtifactRecord,
  stored: OpenContent,
  signal: AbortSignal | undefined,
): Promise<OpenContent | undefined> {
  if (record.size.bytes <= DEFAULTS.unwrapBytes) return undefined;
  const text = await findSoleText(stored, signal);
  if (text === undefined) return undefined;
  const decoded = () => decodeJsonString(stored, text, signal);
  const end = Math.min(text.start + OPENING_BYTES, text.end);
  const opening = unescapeJson(decodeWtf8(await stored.read(text.start, end)));
  const isOneLine = !/^\s*[[{][^\n]*\n/.test(opening);
  const indented =
    wrappingOf(opening) === "plain" || !isOneLine
      ? undefined
      : await openIndented(store, record, stored, decoded);
  return indented ?? openCached(store, record, stored, decoded);
}

/** JSON that is on one line, indented; `undefined` if it only looked like JSON. */
async function openIndented(
  store: ArtifactStore,
  record: ArtifactRecord,
  stored: OpenContent,
  pieces: () => AsyncIterable<Uint8Array>,
): Promise<OpenContent | undefined> {
  const make = async function* () {
    const indenter = createJsonIndenter();
    for await (const piece of pieces()) yield indenter.push(piece);
    yield indenter.end();
  };
  return openUnless(JsonSyntaxError, async () =>
    record.size.bytes < MIN_KEPT_BYTES
      ? memoryContent(await collectPieces(make()))
      : openCached(store, record, stored, make),
  );
}

async function openCached(
  store: ArtifactStore,
  record: ArtifactRecord,
  stored: OpenContent,
  make: () => AsyncIterable<Uint8Array>,
): Promise<OpenContent> {
  return store.openDerived(record, VIEW, async function* () {
    // A view of damaged content must not be cached.
    await stored.check?.();
    yield* make();
  });
}

/** A text that began like a wrapper is not one. */
class NotUnwrapped extends Error {}

async function openUnless(
  refused: typeof JsonSyntaxError | typeof NotUnwrapped,
  open: () => Promise<OpenContent>,
): Promise<OpenContent | undefined> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof refused) return undefined;
    throw error;
  }
}

/** Where an agent reads an artifact by path: the readable text, which is written first if it is not the content itself. */
export async function readablePath(
  store: ArtifactStore,
  record: ArtifactRecord,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (!store.writeReadable) return record.location;
  const stored = await store.open(record);
  try {
    const view = await openView(store, record, stored, signal);
    if (!view) return record.location;
    try {
      return await store.writeReadable(record, readPieces(view, signal));
    } finally {
      await view.close();
    }
  } finally {
    await stored.close();
  }
}

/** What content reads like, as far as it is worth finding out when it is stored. */
export interface ReadableContent {
  /** The readable text; `undefined` if it is the stored text, or not known. */
  readonly text?: string;
  /** The content without the fields of its wrapper, which a digest describes. */
  readonly body?: string;
  readonly isKnown: boolean;
}

const AS_STORED: ReadableContent = { isKnown: true };

const UNKNOWN: ReadableContent = { isKnown: false };

/**
 * The readable text of content that is about to be stored, made as the readable view will be made.
 *
 * @param bytes - The size of all of it.
 * @param isWhole - False if `stored` is only the beginning; its text is good for a digest then.
 */
export function readableOf(stored: string, bytes: number, isWhole = true): ReadableContent {
  const wrapping = wrappingOf(stored);
  if (wrapping === "plain") return AS_STORED;
  const lineEnd = stored.indexOf("\n");
  const isOneLine = lineEnd === -1 || lineEnd === stored.length - 1;
  const isLarge = isWhole && bytes > DEFAULTS.unwrapBytes;
  // The lines of a view must be known for a text of several lines, else it is read as it is.
  if (!isOneLine && (wrapping === "json" || isLarge || !isWhole)) return AS_STORED;
  if (isLarge) return UNKNOWN;
  if (wrapping === "wrapped") {
    const maxIndentedChars = isOneLine ? DEFAULTS.wholeJsonChars : Infinity;
    const readable = unwrap(stored, { maxIndentedChars });
    if (readable !== undefined) {
      const { text, bodyChars, isIndented, isJson } = readable;
      // JSON is told by its shape; of a text, the fields around it are told, too.
      const body = isJson ? text.slice(0, bodyChars) : text;
      return isIndented && isWhole ? { text, body, isKnown: true } : { body, isKnown: false };
    }
    if (!isOneLine) return AS_STORED;
  }
  if (!isWhole || stored.length > DEFAULTS.wholeJsonChars) return UNKNOWN;
  const indented = indentJson(stored);
  return indented === undefined ? AS_STORED : { text: indented, body: indented, isKnown: true };
}
