import type { ContentSample } from "./content-kind.js";
import { scanJson, type JsonScan } from "./json-scan.js";
import { firstLines, type Line, type SampledText } from "./line-scanner.js";

/** JSON up to this length is parsed completely. */
const PARSED_CHARS = 262_144;
/** How many tokens of a sampled text are scanned. */
const TOKENS_OF_LARGE = 3_000;
const CHECKED_LINES = 40;
const RECORD_SHARE = 0.6;

export type JsonContent =
  | { readonly form: "value"; readonly value: unknown }
  | { readonly form: "scan"; readonly scan: JsonScan; readonly text: string }
  | { readonly form: "lines"; readonly records: readonly Line[]; readonly others: readonly Line[] };

/** The content as JSON, JSON Lines or something close to it, or undefined. */
export function readJson(
  body: string,
  sample: ContentSample,
  sampled: SampledText,
): JsonContent | undefined {
  const start = /[^\s\ufeff]/.exec(body.slice(0, 4_096));
  const first = start?.[0];
  if (first !== "{" && first !== "[" && first !== '"') return undefined;
  if (sample.complete && body.length <= PARSED_CHARS) {
    const value = parseOrUndefined(body.charCodeAt(0) === 0xfeff ? body.slice(1) : body);
    if (isStructured(value) || (typeof value === "string" && value.length > 200)) {
      return { form: "value", value };
    }
  }
  if (first === '"') return undefined;
  const lines = readJsonLines(sampled);
  if (lines !== undefined) return lines;
  const scan = sampled.whole ? scanJson(body) : scanJson(body, TOKENS_OF_LARGE);
  return isConvincing(scan, body) ? { form: "scan", scan, text: body } : undefined;
}

function isConvincing(scan: JsonScan, body: string): boolean {
  const { outcome, position, tokens } = scan;
  if (outcome === "cut") return tokens >= 3;
  if (outcome === "end" && body.slice(position, position + 1_000).trim() === "") return true;
  // With so many tokens it is damaged JSON, not text that happens to begin with a brace.
  if (outcome === "broken" && tokens >= 40) return true;
  return tokens >= 20 && position >= body.length * 0.5;
}

function readJsonLines(sampled: SampledText): JsonContent | undefined {
  const records: Line[] = [];
  const others: Line[] = [];
  for (const line of firstLines(sampled, CHECKED_LINES)) {
    // Text in braces that spans several lines is not a record; find out before parsing them all.
    if (records.length === 0 && others.length >= 2) return undefined;
    if (isRecord(line)) records.push(line);
    else others.push(line);
  }
  const enough =
    records.length >= 2 && records.length >= others.length * (RECORD_SHARE / (1 - RECORD_SHARE));
  return enough ? { form: "lines", records, others } : undefined;
}

export function isRecord(line: Line): boolean {
  const text = line.text.trim();
  if (!text.startsWith("{") && !text.startsWith("[")) return false;
  if (line.length > line.text.length) return scanJson(text).outcome === "cut";
  return isStructured(parseOrUndefined(text));
}

export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isStructured(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
