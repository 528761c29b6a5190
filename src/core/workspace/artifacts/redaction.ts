import { guardHost } from "../../arguments.js";
import type { Content } from "../../engine/format.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { isData } from "../../lib/json/plain-json.js";
import { collectPieces } from "../../lib/text/byte-source.js";
import { decodeWtf8 } from "../../lib/text/wtf8.js";
import { REDACTIONS_KEY, WRAPPING_KEY, type ContentSource } from "./artifact.js";

/** Where a text comes from that is about to be stored. */
export interface RedactContext {
  readonly sessionId: string | undefined;
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
}

/** Removes what must not be stored from a text; called for every string of the content, before anything is stored. */
export type Redact = (text: string, context: RedactContext) => string;

/** Content without what was redacted, and how much that was. */
export interface RedactedContent {
  readonly content: Content;
  readonly redactions: number;
}

/** A mark that stands for what was redacted; what else a function puts there counts once for each text. */
const MARK = /\[redacted[^[\]]*\]/gi;
const MAX_REDACT_DEPTH = 1_000;

/** Applies the host's function to every string of the content, object keys included. */
export function redactContent(
  content: Content,
  redact: Redact,
  context: RedactContext,
): RedactedContent {
  let redactions = 0;
  const change = (text: string): string => {
    if (text === "") return text;
    const changed = callRedact(redact, text, context);
    if (changed !== text) redactions += Math.max(1, countMarks(changed) - countMarks(text));
    return changed;
  };
  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return change(value);
    if (typeof value !== "object" || value === null || depth > MAX_REDACT_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1));
    if (!isData(value)) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, item]) => [change(key), walk(item, depth + 1)]));
  };
  const redacted = walk(content, 0) as Content;
  return { content: redactions === 0 ? content : redacted, redactions };
}

/** A secret may lie across two chunks of a stream, so that all of it must be read first. */
export async function readForRedaction(source: ContentSource): Promise<Content> {
  if (typeof source === "string" || !(Symbol.asyncIterator in source)) return source;
  return decodeWtf8(await collectPieces(source));
}

function callRedact(redact: Redact, text: string, context: RedactContext): string {
  const changed: unknown = guardHost("redact", redact)(text, context);
  if (typeof changed === "string") return changed;
  throw new InvalidArgumentError("redact", changed, "a function that returns a string");
}

function countMarks(text: string): number {
  return text.match(MARK)?.length ?? 0;
}

/** Metadata may repeat the content: the raw JSON of a result goes, every other text is redacted like it. */
export function redactMetadata(
  given: Readonly<Record<string, unknown>>,
  redact: Redact,
  context: RedactContext,
  redactions: number,
): Readonly<Record<string, unknown>> {
  const { [WRAPPING_KEY]: wrapping, ...rest } = given;
  const isRaw = typeof wrapping === "string" && /^["[{]/.test(wrapping);
  const { content } = redactContent(rest, redact, context);
  return {
    ...(content as Readonly<Record<string, unknown>>),
    ...(wrapping === undefined || isRaw ? {} : { [WRAPPING_KEY]: wrapping }),
    [REDACTIONS_KEY]: redactions,
  };
}
