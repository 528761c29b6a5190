import type { Content } from "../../engine/content.js";
import { createJsonIndenter } from "../../lib/json/json-indenter.js";
import type { ByteSource } from "../../lib/text/byte-source.js";
import { readPieces } from "../../lib/text/read-pieces.js";
import { decodeWtf8, encodeWtf8 } from "../../lib/text/wtf8.js";
import type { ArtifactRecord } from "../artifacts/artifact.js";

/** Longer JSON is read by pointer and by character range. */
const MAX_VIEW_BYTES = 64 * 1024 * 1024;

/** A value as a person would read it. */
export function renderValue(value: Exclude<Content, string>): string {
  if (Array.isArray(value)) return renderBlocks(value as readonly unknown[]);
  const { content, structuredContent } = value as Readonly<Record<string, unknown>>;
  // An MCP result says the same thing twice; its blocks are the form for reading.
  if (Array.isArray(content) && structuredContent !== undefined) return renderBlocks(content);
  return JSON.stringify(value, shortenData, 2);
}

/** Texts as they are, anything else as indented JSON. */
function renderBlocks(blocks: readonly unknown[]): string {
  const [only] = blocks;
  if (blocks.length === 1 && isTextBlock(only)) return only.text;
  return blocks
    .map((block, index) => {
      const heading = `--- block ${index + 1} of ${blocks.length}: ${typeOf(block)} ---`;
      const body = isTextBlock(block) ? block.text : JSON.stringify(block, shortenData, 2);
      return `${heading}\n${body}`;
    })
    .join("\n");
}

/** How the readable view differs from the stored text, as far as that can be told without reading it. */
export function viewKind({ type, size }: ArtifactRecord): "stored" | "blocks" | "one-line" {
  if (size.bytes > MAX_VIEW_BYTES) return "stored";
  if (type === "JSON") return "blocks";
  return size.lines === 1 ? "one-line" : "stored";
}

/** The readable view of stored blocks. */
export async function* viewOfBlocks(stored: ByteSource): AsyncGenerator<Uint8Array> {
  const value = JSON.parse(decodeWtf8(await stored.read(0, stored.size))) as unknown[];
  yield encodeWtf8(renderValue(value));
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

/** Whether a text may be JSON, by its first character. */
export async function looksLikeJson(stored: ByteSource): Promise<boolean> {
  return /^\s*[[{]/.test(decodeWtf8(await stored.read(0, 64)));
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
