import type { ContentKind, Digest, DigestHints } from "./content-kind.js";
import { detectKind } from "./detect-kind.js";
import { diffDigest } from "./diff-digest.js";
import { fileDigest } from "./file-digest.js";
import { htmlDigest } from "./html-digest.js";
import { readJson, type JsonContent } from "./json-content.js";
import { jsonDigest } from "./json-digest.js";
import { lineDigest } from "./line-digest.js";
import { listNames, markShown } from "./list-names.js";
import { readListing, type Listing } from "./listing-numbers.js";
import { matchDigest } from "./match-digest.js";
import { clip, countOf, formatCount, withoutColors } from "./printable.js";
import { sampleText, type Piece, type SampledText } from "./sampled-text.js";
import { isNumber, scanText, type Scan } from "./scan-text.js";
import { readTable } from "./table-content.js";
import { tableDigest } from "./table-digest.js";
import { withoutFrame } from "./tool-frame.js";

export {
  type ContentKind,
  type ContentSample,
  type Digest,
  type DigestHints,
  type DigestOptions,
} from "./content-kind.js";

/** A known name is worth this much of a new one. */
const KNOWN_WORTH = 0.1;
/** So is a key or a number in JSON. */
const KEY_WORTH = 0.3;
const MAX_USES = 6;
/** So much of what the call says is looked at. */
const MAX_ABOUT_CHARS = 8_192;
/** The share of the budget for the value itself, where JSON does not fit. */
const VALUE_SHARE = 0.55;

/** What was read of a text for its digest. */
type Reading =
  | { readonly json: JsonContent; readonly sampled: SampledText }
  | {
      readonly json?: undefined;
      readonly sampled: SampledText;
      readonly listing: Listing | undefined;
      readonly scan: Scan;
      readonly kind: ContentKind;
    };

/** Reads a text, and returns what describes it in so many characters, depending on its kind. */
export function scanSampled(
  sampled: SampledText,
  hints: DigestHints = {},
): (budgetChars: number) => Digest {
  let next: Reading | undefined = readSampled(sampled, hints);
  return (budgetChars) => {
    const most = Math.max(0, Math.floor(budgetChars));
    const reading = next ?? readSampled(sampled, hints);
    // Describing it changes what was read: the worth of names, the ends of lines.
    next = undefined;
    const { kind, text } = describe(reading, hints, most);
    return { kind, text: clip(text, most) };
  };
}

function readSampled(given: SampledText, hints: DigestHints): Reading {
  const json = readJson(given);
  if (json !== undefined) return { json, sampled: given };
  const sampled = withoutFrame(withoutEscapes(given));
  const listing = readListing(sampled);
  const scan = scanText(sampled, { ...listing, isEscaped: isEscaped(sampled) });
  weigh(scan, hints);
  return { sampled, listing, scan, kind: detectKind(scan, listing !== undefined) };
}

function describe(reading: Reading, hints: DigestHints, budgetChars: number): Digest {
  const { json, sampled } = reading;
  if (json !== undefined) {
    const text = describeJson(json, sampled, hints, budgetChars);
    return { kind: json.isJson ? "json" : "text", text };
  }
  const { kind, listing, scan } = reading;
  const { lines } = sampled;
  const scale = sampled.whole ? 1 : Math.max(1, lines / Math.max(1, scan.lines.length));
  if (kind === "html") return { kind, text: htmlDigest(sampled, budgetChars) };
  if (kind === "diff") return { kind, text: diffDigest(scan, lines, scale, budgetChars) };
  if (kind === "files") return { kind, text: fileDigest(scan, lines, sampled.whole, budgetChars) };
  if (kind === "matches") return { kind, text: matchDigest(scan, lines, scale, budgetChars) };
  if (listing === undefined && (kind === "text" || kind === "log" || kind === "markdown")) {
    const table = readTable(scan);
    const isLog = kind === "log" && (table?.header.length === 0 ? table.columns < 4 : false);
    if (table !== undefined && !isLog) {
      return { kind: "table", text: tableDigest(table, scan, lines, scale, budgetChars) };
    }
  }
  const title = titleOf(kind, sampled, listing);
  return { kind, text: lineDigest(scan, { kind, title, budgetChars, scale }) };
}

/** The value in half of the budget, or all of it where it fits, and names that it did not show. */
function describeJson(
  json: JsonContent,
  sampled: SampledText,
  hints: DigestHints,
  budgetChars: number,
): string {
  const title = titleOfJson(json.value, json.isStart, sampled);
  const { text, isWhole } = jsonDigest(
    json,
    title,
    budgetChars,
    Math.floor(budgetChars * VALUE_SHARE),
  );
  if (isWhole && !json.isStart) return text;
  const scan = scanText(sampled, { isEscaped: true });
  weigh(scan, hints);
  for (const name of scan.names) {
    const isMinor = isKey(sampled.text, name.end) || isNumber(sampled.text, name);
    if (isMinor) name.worth *= KEY_WORTH;
  }
  markShown(scan, text);
  const names = listNames(scan, budgetChars - text.length - 1, sampled.lines > 1);
  return names === "" ? text : `${text}\n${names}`;
}

/** Whether what ends here is a key of an object. */
function isKey(text: string, end: number): boolean {
  return text.charCodeAt(end) === 34 && text.charCodeAt(end + 1) === 58;
}

/** Whether line breaks are written as `\\n`, as in a program's own form of a string. */
function isEscaped({ text, lines }: SampledText): boolean {
  let found = 0;
  for (
    let at = text.indexOf("\\n");
    at !== -1 && found <= lines;
    at = text.indexOf("\\n", at + 2)
  ) {
    found += 1;
  }
  return found > lines;
}

/** Colors are not part of names, and must not be cut in half. */
function withoutEscapes(sampled: SampledText): SampledText {
  if (!sampled.text.includes("\u001b")) return sampled;
  let text = "";
  const pieces = sampled.pieces.map(({ from, to, line }) => {
    const start = text.length;
    text += withoutColors(sampled.text.slice(from, to));
    return { from: start, to: text.length, line };
  });
  return { ...sampled, text, pieces };
}

/**
 * What a name is worth: one that is used often is more likely to be needed, one that the conversation
 * has already less. Lines with names that the call itself has come first.
 */
function weigh({ text, names }: Scan, { isKnown, about }: DigestHints): void {
  const asked = about === undefined ? undefined : namesIn(about);
  for (const name of names) {
    name.worth = 0.8 + 0.2 * Math.min(name.uses, MAX_USES);
    if (isKnown === undefined && asked === undefined) continue;
    const shown = text.slice(name.start, name.end);
    name.asked = asked?.has(shown) === true;
    if (name.asked || isKnown?.(shown) === true) name.worth *= KNOWN_WORTH;
  }
}

function namesIn(text: string): ReadonlySet<string> {
  const { names } = scanText(sampleText(text.slice(0, MAX_ABOUT_CHARS)));
  return new Set(names.map(({ start, end }) => text.slice(start, end)));
}

const TITLES: Readonly<Record<ContentKind, string>> = {
  json: "JSON",
  log: "Log",
  build: "Output of a build or test run",
  table: "Table",
  files: "Files",
  matches: "Search output",
  diff: "Diff",
  code: "Code",
  markdown: "Markdown",
  html: "HTML",
  text: "Text",
};

function titleOf(
  kind: ContentKind,
  { text, pieces, lines, whole }: SampledText,
  listing: Listing | undefined,
): string {
  const sampled = whole ? "" : ", sampled";
  const own =
    listing === undefined || listing.first === listing.line
      ? ""
      : `, file lines ${listing.first}–${listing.last} (line ${listing.line} here is line ${listing.first} of the file)`;
  const name = kind === "text" && isJsonLines(text, pieces) ? "JSON Lines" : TITLES[kind];
  return `${name}, ${countOf(lines, "line")}${own}${sampled}.`;
}

/** One JSON object a line, by the looks of the first two. */
function isJsonLines(text: string, [first]: readonly Piece[]): boolean {
  const start = first?.from ?? 0;
  const feed = text.indexOf("\n", start);
  return (
    text[start] === "{" &&
    text
      .slice(feed - 2, feed)
      .trimEnd()
      .endsWith("}") &&
    text[feed + 1] === "{"
  );
}

function titleOfJson(value: unknown, isStart: boolean, { chars }: SampledText): string {
  const form = Array.isArray(value)
    ? `array of ${isStart ? "at least " : ""}${countOf(value.length, "item")}`
    : `object, ${isStart ? "at least " : ""}${countOf(Object.keys(value as object).length, "key")}`;
  return `JSON ${form}${isStart ? `, read from its start (${formatCount(chars)} chars in all)` : ""}.`;
}
