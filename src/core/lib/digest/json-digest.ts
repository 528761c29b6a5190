import type { ContentSample, Digest } from "./content-kind.js";
import { blocksDigest, contentBlocksOf, type DescribeText } from "./content-blocks.js";
import { findErrorLines, quoteErrorLines } from "./error-lines.js";
import { isRecord, parseOrUndefined, type JsonContent } from "./json-content.js";
import { longestText, sampleOfString } from "./json-embedded.js";
import { scanJson } from "./json-scan.js";
import { renderShape, type Shape } from "./json-shape.js";
import { shapeOfValue } from "./json-value-shape.js";
import { isBlank, linesOf, type Line, type SampledText } from "./line-scanner.js";
import { clip, countOf, formatCount, quoteLine, toPrintableLine } from "./printable.js";

/** A string that makes up this share of the content gets a digest of its own. */
const EMBEDDED_SHARE = 0.4;
const EMBEDDED_CHARS = 600;
const EMBEDDED_BUDGET = 0.6;

const MOST_RECORD_SHAPES = 3;

export interface Describers {
  readonly text: DescribeText;
  readonly sample: (sample: ContentSample, budgetChars: number) => Digest;
}

/** Keys, array lengths and first elements; for JSON Lines, the first records. */
export function jsonDigest(
  content: JsonContent,
  sampled: SampledText,
  budgetChars: number,
  describe: Describers,
): string {
  if (content.form === "lines") return linesDigest(content, sampled, budgetChars);
  if (content.form === "scan") return scanDigest(content, sampled, budgetChars, describe);
  const blocks = contentBlocksOf(content.value);
  if (blocks !== undefined) return blocksDigest(blocks, budgetChars, describe.text);
  const title = `${titleOf(sampled)}.`;
  const longest = longestText(content.value);
  const dominant =
    longest !== undefined &&
    longest.text.length >= EMBEDDED_CHARS &&
    longest.text.length >= sampled.chars * EMBEDDED_SHARE;
  const shape = shapeOfValue(content.value);
  if (!dominant) return withShape(title, shape, budgetChars);
  const { pointer, text } = longest;
  const lead = leadOf(pointer, text.length, "");
  return withEmbedded(title, shape, lead, budgetChars, (room) => describe.text(text, room));
}

/** JSON on one line is read indented, so mentioning its one line would be misleading. */
function titleOf({ lines }: SampledText): string {
  return lines > 1 ? `JSON, ${countOf(lines, "line")}` : "JSON";
}

function scanDigest(
  { scan, text }: JsonContent & { form: "scan" },
  sampled: SampledText,
  budgetChars: number,
  describe: Describers,
): string {
  const seen = `the first ${formatCount(scan.position)} chars`;
  const behind = text.slice(scan.position).trim().length;
  const partly = scan.position < Math.min(text.length, sampled.chars - 1);
  const how =
    scan.outcome === "end"
      ? behind > 0
        ? `, then ${formatCount(behind)} chars of something else`
        : ""
      : scan.outcome === "broken"
        ? `, not well-formed after ${seen}`
        : partly || text.length < sampled.chars - 64
          ? ` (sampled: ${seen})`
          : ", cut off at its end";
  const title = `${titleOf(sampled)}${how}.`;
  const { longest } = scan;
  const length = longest === undefined ? 0 : longest.end - longest.start;
  if (longest === undefined || length < sampled.chars * EMBEDDED_SHARE) {
    return withShape(title, scan.shape, budgetChars);
  }
  const lead = leadOf(longest.path, length, longest.closed ? "" : ", its start");
  return withEmbedded(title, scan.shape, lead, budgetChars, (room) =>
    describe.sample(sampleOfString(text, longest), room),
  );
}

function leadOf(pointer: string, length: number, part: string): string {
  const where = pointer === "" ? "the string" : `string at ${clip(toPrintableLine(pointer), 60)}`;
  return `In ${where} (${formatCount(length)} chars${part}; line numbers within it):`;
}

function withShape(title: string, shape: Shape, budgetChars: number): string {
  const body = renderShape(shape, budgetChars - title.length - 1);
  return clip(`${title}\n${body}`, budgetChars);
}

function withEmbedded(
  title: string,
  shape: Shape,
  lead: string,
  budgetChars: number,
  describe: (budgetChars: number) => Digest,
): string {
  const inside = Math.floor(budgetChars * EMBEDDED_BUDGET);
  const outer = withShape(title, shape, budgetChars - inside);
  const room = budgetChars - outer.length - lead.length - 2;
  // In a small budget the shape is worth more than the start of a digest.
  if (room < 80) return withShape(title, shape, budgetChars);
  return clip(`${outer}\n${lead}\n${describe(room).text}`, budgetChars);
}

function linesDigest(
  { records, others }: JsonContent & { form: "lines" },
  sampled: SampledText,
  budgetChars: number,
): string {
  const count = sampled.whole ? countRecords(sampled, others.length > 0) : sampled.lines;
  const about = sampled.whole ? "" : "about ";
  const title = `JSON Lines, ${about}${countOf(count, "record")} in ${countOf(sampled.lines, "line")}.`;
  const found = findErrorLines(sampled);
  const serious = { ...found, groups: found.groups.filter(({ rank }) => rank >= 2) };
  const room = budgetChars - title.length - 1;
  const errors =
    serious.groups.length === 0 ? [] : quoteErrorLines(serious, Math.floor(room * 0.4), new Set());
  const rest = others.slice(0, 4).map((line) => quoteLine(line, 60));
  const notes = [...(rest.length === 0 ? [] : ["Other lines:", ...rest]), ...errors];
  let tail = notes.length === 0 ? "" : `\n${notes.join("\n")}`;
  if (tail.length > room / 2) tail = "";
  const shapes = distinctShapes(records);
  let left = room - tail.length;
  const parts = shapes.map(({ line, shape }, index) => {
    const lead = `${line.number}: `;
    const share = Math.floor(left / (shapes.length - index));
    const part = lead + renderShape(shape, share - lead.length - 1);
    left -= part.length + 1;
    return part;
  });
  return clip(`${title}\n${parts.join("\n")}${tail}`, budgetChars);
}

/** The first record for each set of keys, up to a few. */
function distinctShapes(records: readonly Line[]): { line: Line; shape: Shape }[] {
  const found = new Map<string, { line: Line; shape: Shape }>();
  for (const line of records) {
    if (found.size >= MOST_RECORD_SHAPES) break;
    const shape = shapeOfRecord(line);
    const key =
      shape.type === "object" ? JSON.stringify(shape.entries.map(([name]) => name)) : shape.type;
    if (!found.has(key)) found.set(key, { line, shape });
  }
  return [...found.values()];
}

function shapeOfRecord(line: Line): Shape {
  const value = line.length > line.text.length ? undefined : parseOrUndefined(line.text);
  return value === undefined ? scanJson(line.text).shape : shapeOfValue(value);
}

function countRecords(sampled: SampledText, mixed: boolean): number {
  let count = 0;
  for (const segment of sampled.segments) {
    for (const line of linesOf(segment)) {
      if (mixed ? isRecord(line) : !isBlank(line.text)) count += 1;
    }
  }
  return count;
}
