/** Content that is not a string: blocks, or an object. */
type Structure = readonly unknown[] | Readonly<Record<string, unknown>>;

/** A value for reading: indented, with a line between blocks. */
export function renderValue(value: Structure): string {
  return [...renderParts(value, 2)].join("");
}

/** A value as it is sent to a model, in compact JSON: its tokens are counted from this. */
export function renderSent(value: Structure): string {
  return [...renderParts(value, 0)].join("");
}

function* renderParts(value: Structure, indent: number): Generator<string> {
  const { content, structuredContent } = value as Readonly<Record<string, unknown>>;
  if (Array.isArray(value)) yield* renderBlocks(value as readonly unknown[], indent);
  // An MCP result may hold the same data twice; the blocks are easier to read, unless they only sum it up.
  else if (Array.isArray(content) && structuredContent !== undefined) {
    const isSummary = 2 * lengthOf(content) < lengthOf(structuredContent);
    if (isSummary) yield JSON.stringify(value, shortenData, indent);
    else yield* renderBlocks(content, indent);
  } else yield JSON.stringify(value, shortenData, indent);
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
    yield isTextBlock(block) ? block.text : JSON.stringify(block, shortenData, indent);
  }
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
