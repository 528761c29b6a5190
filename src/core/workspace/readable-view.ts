import { createJsonIndenter } from "../json/json-indenter.js";
import type { ByteSource } from "../reading/byte-source.js";
import { readPieces } from "../reading/read-pieces.js";
import { decodeWtf8, encodeWtf8 } from "../wtf8.js";
import type { ArtifactRecord } from "./artifact.js";

/** Longer JSON is read by pointer and by character range. */
const MAX_VIEW_BYTES = 64 * 1024 * 1024;

/** Blocks as a person would read them: texts as they are, anything else as indented JSON. */
export function renderBlocks(blocks: readonly unknown[]): string {
  const [only] = blocks;
  if (blocks.length === 1 && isTextBlock(only)) return only.text;
  return blocks
    .map((block, index) => {
      const heading = `--- block ${index + 1} of ${blocks.length}: ${typeOf(block)} ---`;
      const body = isTextBlock(block) ? block.text : JSON.stringify(block, null, 2);
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
  const value: unknown = JSON.parse(decodeWtf8(await stored.read(0, stored.size)));
  const view = Array.isArray(value) ? renderBlocks(value) : JSON.stringify(value, null, 2);
  yield encodeWtf8(view);
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

function isTextBlock(block: unknown): block is { readonly text: string } {
  const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
  return type === "text" && typeof text === "string";
}

function typeOf(block: unknown): string {
  const { type } = (block ?? {}) as { type?: unknown };
  return typeof type === "string" ? type : typeof block;
}
