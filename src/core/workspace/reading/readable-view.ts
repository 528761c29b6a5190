import type { Content } from "../../engine/content.js";
import { createJsonIndenter } from "../../lib/json/json-indenter.js";
import type { ByteRange } from "../../lib/json/json-locate.js";
import { decodeJsonString } from "../../lib/json/json-string-decoder.js";
import { unescapeJson } from "../../lib/json/json-strings.js";
import { type ByteSource, collectPieces, readPieces } from "../../lib/text/byte-source.js";
import { decodeWtf8, encodeWtf8 } from "../../lib/text/wtf8.js";
import type { ArtifactRecord } from "../artifacts/artifact.js";
import type { ArtifactStore, OpenContent } from "../artifacts/artifact-store.js";
import { memoryContent } from "../artifacts/memory-content.js";
import { findSoleText } from "./sole-text.js";

/** Longer JSON is read by pointer and by character range. */
const MAX_VIEW_BYTES = 64 * 1024 * 1024;

/** How far a text is looked at to tell whether it begins like JSON. */
const OPENING_BYTES = 256;

/** What is smaller is made anew each time rather than kept. */
export const MIN_KEPT_BYTES = 1_048_576;

/** A value as a person would read it. */
export function renderValue(value: Exclude<Content, string>): string {
  return [...renderParts(value)].join("");
}

function* renderParts(value: Exclude<Content, string>): Generator<string> {
  const { content, structuredContent } = value as Readonly<Record<string, unknown>>;
  if (Array.isArray(value)) yield* renderBlocks(value as readonly unknown[]);
  // An MCP result says the same thing twice; its blocks are the form for reading.
  else if (Array.isArray(content) && structuredContent !== undefined) yield* renderBlocks(content);
  else yield JSON.stringify(value, shortenData, 2);
}

/** Texts as they are, anything else as indented JSON. */
function* renderBlocks(blocks: readonly unknown[]): Generator<string> {
  const [only] = blocks;
  if (blocks.length === 1 && isTextBlock(only)) {
    yield only.text;
    return;
  }
  for (const [index, block] of blocks.entries()) {
    const start = index === 0 ? "" : "\n";
    yield `${start}--- block ${index + 1} of ${blocks.length}: ${typeOf(block)} ---\n`;
    yield isTextBlock(block) ? block.text : JSON.stringify(block, shortenData, 2);
  }
}

/** How the readable view differs from the stored text, as far as that can be told without reading it. */
export function viewKind({ type, size }: ArtifactRecord): "stored" | "blocks" | "one-line" {
  if (size.bytes > MAX_VIEW_BYTES) return "stored";
  if (type === "JSON") return "blocks";
  return size.lines === 1 ? "one-line" : "stored";
}

/** The readable view of stored blocks: a lone text as a stream, others one block at a time. */
export async function* viewOfBlocks(
  stored: ByteSource,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const text = await findSoleText(stored, signal);
  if (text !== undefined) yield* decodeJsonString(stored, text, signal);
  else for (const part of renderParts(await parseStored(stored, signal))) yield encodeWtf8(part);
}

/** A function of its own, so that neither bytes nor text are held while the value is in use. */
async function parseStored(stored: ByteSource, signal?: AbortSignal): Promise<unknown[]> {
  return JSON.parse(decodeWtf8(await collectPieces(readPieces(stored, signal)))) as unknown[];
}

/** Opens a view, which a store keeps if it is large. */
export async function openMadeView(
  store: ArtifactStore,
  record: ArtifactRecord,
  make: () => AsyncIterable<Uint8Array>,
): Promise<OpenContent> {
  return record.size.bytes < MIN_KEPT_BYTES
    ? memoryContent(await collectPieces(make()))
    : store.openDerived(record, "view", make);
}

/** One line of JSON, indented. */
export async function* viewOfOneLine(
  stored: ByteSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const indenter = createJsonIndenter();
  for await (const piece of readPieces(stored, signal)) yield indenter.push(piece);
  yield indenter.end();
}

/** Whether a text, or the string that stands between two places of it, may be JSON. */
export async function looksLikeJson(stored: ByteSource, inside?: ByteRange): Promise<boolean> {
  const { start, end } = inside ?? { start: 0, end: stored.size };
  const opening = decodeWtf8(await stored.read(start, Math.min(start + OPENING_BYTES, end)));
  return /^\s*[[{]/.test(inside === undefined ? opening : unescapeJson(opening));
}

/** Pictures and sound as text are nothing to read; the raw view has them. */
function shortenData(_key: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length < 1_000) return value;
  if (!/^(?:data:[^,]{0,80},)?[A-Za-z0-9+/=_-]{500}/.test(value)) return value;
  return `${value.slice(0, 40)}… ${value.length} characters of encoded data`;
}

function isTextBlock(block: unknown): block is { readonly text: string } {
  const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
  return type === "text" && typeof text === "string";
}

function typeOf(block: unknown): string {
  const { type } = (block ?? {}) as { type?: unknown };
  return typeof type === "string" ? type : typeof block;
}
