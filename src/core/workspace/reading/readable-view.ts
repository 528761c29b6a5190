import { DEFAULTS } from "../../defaults.js";
import type { Content } from "../../engine/content.js";
import { createJsonIndenter } from "../../lib/json/json-indenter.js";
import type { ByteRange } from "../../lib/json/json-locate.js";
import { decodeJsonString } from "../../lib/json/json-string-decoder.js";
import { unescapeJson } from "../../lib/json/json-strings.js";
import { type ByteSource, collectPieces, readPieces } from "../../lib/text/byte-source.js";
import { decodeWtf8, encodeWtf8 } from "../../lib/text/wtf8.js";
import type { ArtifactRecord } from "../artifacts/artifact.js";
import {
  type ArtifactStore,
  memoryContent,
  type OpenContent,
} from "../artifacts/artifact-store.js";
import { findSoleText } from "./sole-text.js";

/** How many bytes are checked to see whether a text begins like JSON. */
const OPENING_BYTES = 256;

/** Anything smaller is made again each time rather than cached. */
export const MIN_KEPT_BYTES = 1_048_576;

/** A value as a person would read it. */
export function renderValue(value: Exclude<Content, string>): string {
  return [...renderParts(value)].join("");
}

function* renderParts(value: Exclude<Content, string>): Generator<string> {
  const { content, structuredContent } = value as Readonly<Record<string, unknown>>;
  if (Array.isArray(value)) yield* renderBlocks(value as readonly unknown[]);
  // An MCP result may hold the same data twice; the blocks are easier to read.
  else if (Array.isArray(content) && structuredContent !== undefined) yield* renderBlocks(content);
  else yield JSON.stringify(value, shortenData, 2);
}

/** Text blocks as plain text, anything else as indented JSON. */
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

/** How the readable view may differ from the stored text, judged without reading it. */
export function viewKind({ type, size }: ArtifactRecord): "stored" | "blocks" | "one-line" {
  if (size.bytes > DEFAULTS.viewBytes) return "stored";
  if (type === "JSON") return "blocks";
  return size.lines === 1 ? "one-line" : "stored";
}

/** The readable view of stored blocks: a single text block as a stream, others one block at a time. */
export async function* viewOfBlocks(
  stored: ByteSource,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const text = await findSoleText(stored, signal);
  if (text !== undefined) yield* decodeJsonString(stored, text, signal);
  else for (const part of renderParts(await parseStored(stored, signal))) yield encodeWtf8(part);
}

/** A separate function, so that bytes and text can be freed while the value is in use. */
async function parseStored(stored: ByteSource, signal?: AbortSignal): Promise<unknown[]> {
  return JSON.parse(decodeWtf8(await collectPieces(readPieces(stored, signal)))) as unknown[];
}

/** Opens a view, which the store caches if it is large. */
export async function openMadeView(
  store: ArtifactStore,
  record: ArtifactRecord,
  stored: OpenContent,
  make: () => AsyncIterable<Uint8Array>,
): Promise<OpenContent> {
  if (record.size.bytes < MIN_KEPT_BYTES) return memoryContent(await collectPieces(make()));
  return store.openDerived(record, "view", async function* () {
    // A view of damaged content must not be cached.
    await stored.check?.();
    yield* make();
  });
}

/** JSON that was stored on one line, indented. */
export async function* viewOfOneLine(
  stored: ByteSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const indenter = createJsonIndenter();
  for await (const piece of readPieces(stored, signal)) yield indenter.push(piece);
  yield indenter.end();
}

/** Whether a text, or the JSON string in the given range of it, begins like JSON. */
export async function looksLikeJson(stored: ByteSource, inside?: ByteRange): Promise<boolean> {
  const { start, end } = inside ?? { start: 0, end: stored.size };
  const opening = decodeWtf8(await stored.read(start, Math.min(start + OPENING_BYTES, end)));
  return /^\s*[[{]/.test(inside === undefined ? opening : unescapeJson(opening));
}

/** Encoded images and audio are not worth reading; the raw view has them in full. */
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
