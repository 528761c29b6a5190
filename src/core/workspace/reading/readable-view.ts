import { DEFAULTS } from "../../defaults.js";
import { unescapeJson } from "../../lib/json/json-characters.js";
import { createJsonIndenter } from "../../lib/json/json-indenter.js";
import { decodeJsonString } from "../../lib/json/json-path-tracker.js";
import { JsonSyntaxError } from "../../lib/json/json-pointer.js";
import { collectPieces, readPieces, type ByteSource } from "../../lib/text/byte-source.js";
import {
  decodeTextIndex,
  encodeTextIndex,
  type IndexedText,
  indexText,
  type TextIndex,
} from "../../lib/text/text-index.js";
import { decodeWtf8, encodeWtf8 } from "../../lib/text/wtf8.js";
import {
  OPENING_CHARS,
  type ReadableText,
  unwrap,
  type Wrapping,
  wrappingOf,
} from "../../lib/wrapping/readable-text.js";
import {
  type ArtifactStore,
  checkIfWhole,
  type OpenContent,
  memoryContent,
} from "../artifacts/artifact-store.js";
import type { ArtifactRecord } from "../artifacts/artifact.js";
import type { View } from "./reading.js";
import { findSoleText } from "./readable-content.js";

/** A text that is open for reading and searching: the readable view or the stored text. */
export interface OpenText {
  readonly source: OpenContent;
  /** Makes or loads the index, which takes a pass over the text; a search does not need it. */
  withIndex(): Promise<IndexedText>;
  /** Compares all of the text with its hash, if the store can; throws if it is damaged. */
  check(signal: AbortSignal | undefined): Promise<void>;
  /** The same, if all of it was read. */
  checkIfWhole(): Promise<void>;
  close(): Promise<void>;
}

export async function openText(
  store: ArtifactStore,
  record: ArtifactRecord,
  view: View,
  signal: AbortSignal | undefined,
): Promise<OpenText> {
  const stored = await store.open(record);
  const opened = [stored];
  const close = async () => {
    for (const content of opened) await content.close();
  };
  try {
    const made = view === "raw" ? undefined : await openView(store, record, stored, signal);
    if (made) opened.push(made);
    const source = made ?? stored;
    const name = made ? "view-index" : "index";
    const withIndex = async () => ({
      source,
      index: await openIndex(store, record, source, name, signal),
    });
    return {
      source,
      withIndex,
      // A view was checked when it was made.
      check: async (signal) => source.check?.(signal),
      checkIfWhole: () => checkIfWhole(source, signal),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openIndex(
  store: ArtifactStore,
  record: ArtifactRecord,
  source: OpenContent,
  name: string,
  signal: AbortSignal | undefined,
): Promise<TextIndex> {
  const make = () => indexText(source, { signal });
  if (source.size < MIN_KEPT_BYTES) return make();
  const kept = await store.openDerived(record, name, async function* () {
    // An index of damaged content must not be cached.
    await source.check?.(signal);
    yield encodeTextIndex(await make());
  });
  try {
    const index = decodeTextIndex(await collectPieces(readPieces(kept, signal)));
    return index?.bytes === source.size ? index : await make();
  } finally {
    await kept.close();
  }
}

/** Anything smaller is made again each time rather than cached. */
export const MIN_KEPT_BYTES = 1_048_576;
/** No character takes more bytes for each of its units. */
const MOST_BYTES_PER_CHAR = 3;
const OPENING_BYTES = 256;
/** The name of the cached view. */
const VIEW = "view";

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
  const opening = await stored.read(0, OPENING_CHARS * MOST_BYTES_PER_CHAR);
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
