import type { FormatResult, MediaRule } from "../../core/engine/format.js";
import { asRecord, countJsonChars, type JsonRecord } from "./json-record.js";

/** How a format treats the blocks of a result's content. */
export interface BlockRules {
  /** The type of the block for a reference; `undefined` where blocks have no type. */
  readonly textType: string | undefined;
  /** Other types of blocks that hold text under `text`. */
  readonly otherTextTypes?: readonly string[];
  /** Images, audio, files: what cannot be read as text. */
  isMedia(block: JsonRecord): boolean;
  /** Blocks that are always kept, since the provider acts on them. */
  isFixed?(block: JsonRecord): boolean;
  /** Fields that tell a prompt cache where a prefix ends. */
  readonly cacheMarks: readonly string[];
}

/** A result's content that is a string or blocks. */
export type BlockContent = string | readonly unknown[];

export function isBlockContent(content: unknown): content is BlockContent {
  return typeof content === "string" || Array.isArray(content);
}

/** The content fields of a result. */
export function readBlockContent(
  content: BlockContent,
  rules: BlockRules,
  media: MediaRule,
): Pick<FormatResult, "content" | "soleText" | "chars"> {
  if (typeof content === "string") return { content, soleText: content, chars: content.length };
  return {
    content,
    soleText: soleTextOf(content, rules),
    chars: countOffloaded(content, rules, media),
  };
}

/** The length of the blocks that would be offloaded, as compact JSON, without those that are kept. */
export function countOffloaded(
  blocks: readonly unknown[],
  rules: BlockRules,
  media: MediaRule,
): number {
  const offloaded = blocks.filter((block) => !isKept(block, rules, media));
  return offloaded.length === 0 && blocks.length > 0 ? 0 : countJsonChars(offloaded);
}

/** The only text, if everything else is media: where a reference would be. */
export function soleTextOf(blocks: readonly unknown[], rules: BlockRules): string | undefined {
  const [first, ...others] = blocks.filter((block) => !isKept(block, rules, "keep"));
  return others.length === 0 ? blockText(first, rules) : undefined;
}

/** The text of a block; some vendors also write a block as a bare string. */
export function blockText(block: unknown, rules: BlockRules): string | undefined {
  if (typeof block === "string") return block;
  const { type, text } = asRecord(block);
  const isText = type === rules.textType || rules.otherTextTypes?.includes(type as string);
  return isText && typeof text === "string" ? text : undefined;
}

/**
 * A reference in place of content: a plain string, or blocks if media is kept or a cache mark must
 * be kept.
 */
export function referenceContent(
  content: unknown,
  text: string,
  rules: BlockRules,
  media: MediaRule,
): string | readonly unknown[] {
  if (!Array.isArray(content)) return text;
  const isBare = content.every(
    (block) => !isKept(block, rules, media) && marksOf(block, rules).length === 0,
  );
  return isBare ? text : referenceBlocks(content, text, rules, media);
}

/** The same for vendors that accept only blocks. The last of several cache marks wins. */
export function referenceBlocks(
  blocks: readonly unknown[],
  text: string,
  rules: BlockRules,
  media: MediaRule,
): readonly unknown[] {
  const kept = blocks.filter((block) => isKept(block, rules, media));
  const offloaded = blocks.filter((block) => !isKept(block, rules, media));
  const marks = Object.fromEntries(offloaded.flatMap((block) => marksOf(block, rules)));
  const type = rules.textType === undefined ? {} : { type: rules.textType };
  return [{ ...type, text, ...marks }, ...kept];
}

function marksOf(block: unknown, { cacheMarks }: BlockRules): readonly [string, unknown][] {
  const record = asRecord(block);
  return cacheMarks.flatMap((mark): [string, unknown][] =>
    record[mark] === undefined ? [] : [[mark, record[mark]]],
  );
}

function isKept(block: unknown, rules: BlockRules, media: MediaRule): boolean {
  const record = asRecord(block);
  return rules.isFixed?.(record) === true || (media === "keep" && rules.isMedia(record));
}
