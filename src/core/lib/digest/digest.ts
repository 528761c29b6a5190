import type { ContentKind, Digest, DigestHints } from "./content-kind.js";
import { detectKind } from "./detect-kind.js";
import { diffDigest } from "./diff-digest.js";
import { fileDigest } from "./file-digest.js";
import { htmlDigest } from "./html-digest.js";
import { jsonDigest } from "./json-digest.js";
import { lineDigest } from "./line-digest.js";
import { readListing, type Listing } from "./listing-numbers.js";
import { matchDigest } from "./match-digest.js";
import { clip, countOf, withoutColors } from "./printable.js";
import { sampleText, type SampledText } from "./sampled-text.js";
import { scanText, type Scan } from "./scan-text.js";
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
const MAX_USES = 6;
/** So much of what the call says is looked at. */
const MAX_ABOUT_CHARS = 8_192;

/** What was read of a text for its digest. */
interface Reading {
  readonly sampled: SampledText;
  readonly listing: Listing | undefined;
  readonly scan: Scan;
  readonly kind: ContentKind;
}

/** Reads a text, and returns what describes it in so many characters, depending on its kind. */
export function scanSampled(
  sampled: SampledText,
  hints: DigestHints = {},
): (budgetChars: number) => Digest {
  return (budgetChars) => {
    const most = Math.max(0, Math.floor(budgetChars));
    const json = jsonDigest(sampled, most);
    if (json !== undefined) return { ...json, text: clip(json.text, most) };
    const { kind, text } = describe(readSampled(sampled, hints), most);
    return { kind, text: clip(text, most) };
  };
}

function readSampled(given: SampledText, hints: DigestHints): Reading {
  const sampled = withoutFrame(withoutEscapes(given));
  const listing = readListing(sampled);
  const scan = scanText(sampled, { ...listing, isEscaped: isEscaped(sampled) });
  weigh(scan, hints);
  return { sampled, listing, scan, kind: detectKind(scan, listing !== undefined) };
}

function describe(reading: Reading, budgetChars: number): Digest {
  const { kind, listing, sampled, scan } = reading;
  const { lines } = sampled;
  const scale = sampled.whole ? 1 : Math.max(1, lines / Math.max(1, scan.lines.length));
  if (kind === "html") return { kind, text: htmlDigest(sampled, budgetChars) };
  if (kind === "diff") return { kind, text: diffDigest(scan, lines, scale, budgetChars) };
  if (kind === "files") return { kind, text: fileDigest(scan, lines, sampled.whole, budgetChars) };
  if (kind === "matches") return { kind, text: matchDigest(scan, lines, scale, budgetChars) };
  if (listing === undefined && (kind === "text" || kind === "log" || kind === "markdown")) {
    const table = tableDigest(sampled, budgetChars);
    if (table !== undefined) return { kind: "table", text: table };
  }
  const title = titleOf(kind, sampled, listing);
  return { kind, text: lineDigest(scan, { kind, title, budgetChars, scale }) };
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
  { lines, whole }: SampledText,
  listing: Listing | undefined,
): string {
  const sampled = whole ? "" : ", sampled";
  const own =
    listing === undefined || listing.first === listing.line
      ? ""
      : `, file lines ${listing.first}–${listing.last} (line ${listing.line} here is line ${listing.first} of the file)`;
  return `${TITLES[kind]}, ${countOf(lines, "line")}${own}${sampled}.`;
}
