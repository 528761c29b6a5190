/** Content that is not a string: blocks, or an object. */
type Structure = readonly unknown[] | Readonly<Record<string, unknown>>;

/** A value for reading: indented, with a line between blocks. */
export function renderValue(value: Structure): string {
  return [...renderParts(value, 2)].join("");
}

/**
 * A value as it is sent to a model, in compact JSON: its tokens are counted from this. Encoded data counts
 * in full, unless it is in a media block, for which vendors count something else.
 */
export function renderSent(value: Structure): string {
  return [...renderParts(value, 0)].join("");
}

function* renderParts(value: Structure, indent: number): Generator<string> {
  const { content, structuredContent } = value as Readonly<Record<string, unknown>>;
  if (Array.isArray(value)) yield* renderBlocks(value as readonly unknown[], indent);
  // An MCP result may hold the same data twice; the blocks are easier to read, unless they only sum it up.
  else if (Array.isArray(content) && structuredContent !== undefined) {
    const isSummary = 2 * lengthOf(content) < lengthOf(structuredContent);
    if (isSummary) yield render(value, indent);
    else yield* renderBlocks(content, indent);
  } else yield render(value, indent);
}

function render(value: unknown, indent: number): string {
  return JSON.stringify(value, indent > 0 ? shortenData : shortenMedia, indent);
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value).length;
}

/** Text blocks as plain text, anything else as JSON. */
function* renderBlocks(blocks: readonly unknown[], indent: number): Generator<string> {
  const [only] = blocks;
  if (blocks.length === 1 && isTextBlock(only)) {
    yield only.text;
    return;
  }
  for (const [index, block] of blocks.entries()) {
    if (index > 0) yield "\n";
    if (indent > 0) yield `--- block ${index + 1} of ${blocks.length}: ${typeOf(block)} ---\n`;
    yield isTextBlock(block)
      ? block.text
      : render(isMediaBlock(block) ? shortened(block) : block, indent);
  }
}

/** Encoded images and audio are not worth reading; the raw view has them in full. */
function shortenData(_key: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length < 1_000) return value;
  if (!/^(?:data:[^,]{0,80},)?[A-Za-z0-9+/=_-]{500}/.test(value)) return value;
  return `${value.slice(0, 40)}… ${value.length} characters of encoded data`;
}

function shortenMedia(this: unknown, _key: string, value: unknown): unknown {
  return Array.isArray(this) && isMediaBlock(value) ? shortened(value) : value;
}

function shortened(block: unknown): unknown {
  return JSON.parse(JSON.stringify(block, shortenData));
}

/** What vendors call a block of media: by its type, or by its only key. */
const MEDIA = /image|audio|video|document|media|inline_?data|input_file|file[-_]data/i;
/** These are other things, too: an entry of a folder, say. */
const MEDIA_IF_TYPED = /^(?:file|resource)$/;
const MEDIA_TYPE = /"(?:mime_?type|media_?type|file_data)":/i;

function isMediaBlock(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { type } = value as { type?: unknown };
  const [onlyKey = "", ...otherKeys] = Object.keys(value);
  const name = typeof type === "string" ? type : otherKeys.length === 0 ? onlyKey : "";
  if (MEDIA_IF_TYPED.test(name)) return MEDIA_TYPE.test(JSON.stringify(value));
  return MEDIA.test(name);
}

/** What vendors call a block of text. */
export const TEXT_TYPES: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);
/** A record of data may have no other key, either; where its text is long, it is counted much alike. */
const LONG_CHARS = 200;

function isTextBlock(block: unknown): block is { readonly text: string } {
  if (typeof block !== "object" || block === null) return false;
  const { type, text } = block as { type?: unknown; text?: unknown };
  if (typeof text !== "string") return false;
  // Bedrock and Gemini name no type.
  return TEXT_TYPES.has(type) || (text.length > LONG_CHARS && Object.keys(block).length === 1);
}

function typeOf(block: unknown): string {
  const { type } = (block ?? {}) as { type?: unknown };
  return typeof type === "string" ? type : typeof block;
}
