import { shapeOfValue } from "./json-value-shape.js";
import { renderShape } from "./json-shape.js";
import { clip, countOf, formatCount, toPrintableLine } from "./printable.js";
import type { Digest } from "./content-kind.js";

/** Describes an embedded text within a budget. */
export type DescribeText = (text: string, budgetChars: number) => Digest;

interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

const BLOCK_TYPES = new Set(
  "text image audio document file resource resource_link thinking tool_use tool_result input_text output_text image_url input_image search_result".split(
    " ",
  ),
);
const LONG_TEXT = 300;

/** The blocks of a tool result's content, bare or under `content`, or undefined. */
export function contentBlocksOf(value: unknown): readonly Block[] | undefined {
  if (Array.isArray(value)) {
    const blocks = value.filter(isBlock);
    return blocks.length > 0 && blocks.length === value.length ? blocks : undefined;
  }
  if (typeof value !== "object" || value === null || !("content" in value)) return undefined;
  return Array.isArray(value.content) ? contentBlocksOf(value.content) : undefined;
}

function isBlock(value: unknown): value is Block {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  return typeof value.type === "string" && BLOCK_TYPES.has(value.type);
}

/** Each block by its type; a long text gets a digest of its own. */
export function blocksDigest(
  blocks: readonly Block[],
  budgetChars: number,
  describe: DescribeText,
): string {
  const title = `JSON, ${countOf(blocks.length, "content block")}.`;
  const long = blocks.filter((block) => textOf(block).length > LONG_TEXT);
  const whole = long.reduce((sum, block) => sum + textOf(block).length, 0);
  const brief = blocks.map((block, index) => briefOf(block, index));
  const shown = Math.min(blocks.length, Math.max(1, Math.floor(budgetChars / 240)));
  const left = blocks.length - shown;
  const closing =
    left > 0 ? [`… ${formatCount(left)} more ${left === 1 ? "block" : "blocks"}`] : [];
  const fixed = [title, ...brief.slice(0, shown), ...closing].join("\n").length + 1;
  const room = budgetChars - fixed;
  const parts = blocks.slice(0, shown).map((block, index) => {
    const text = textOf(block);
    const lead = brief[index] ?? "";
    if (text.length <= LONG_TEXT) return lead;
    const share = Math.floor((room * text.length) / Math.max(1, whole)) - 1;
    // A block that gets hardly any room is only named, not cut to pieces.
    return share < 80 ? lead : `${lead}\n${describe(text, share).text}`;
  });
  return clip([title, ...parts, ...closing].join("\n"), budgetChars);
}

function textOf(block: Block): string {
  return typeof block["text"] === "string" ? block["text"] : "";
}

function briefOf(block: Block, index: number): string {
  const text = textOf(block);
  const name = `Block ${index}, ${block.type}`;
  if (text.length > LONG_TEXT) {
    return `${name}, ${formatCount(text.length)} chars; line numbers within it:`;
  }
  if (text !== "") return `${name}: "${clip(toPrintableLine(text), 100)}"`;
  const fields = Object.fromEntries(Object.entries(block).filter(([field]) => field !== "type"));
  return `${name}: ${clip(renderShape(shapeOfValue(fields), 120).replace(/\s*\n\s*/g, " "), 120)}`;
}
