import { linesAskedFor } from "./asked.js";
import { codeDigest } from "./code.js";
import type { ContentKind, Digest, DigestHints } from "./content-kind.js";
import { diffDigest } from "./diff.js";
import { htmlDigest, markdownDigest, snapshotDigest } from "./document.js";
import { jsonDigest } from "./json-digest.js";
import { detectKind } from "./kinds.js";
import { Lines } from "./lines.js";
import { filesDigest, matchesDigest } from "./listing.js";
import { plainDigest, quoteAll } from "./plain.js";
import { clip, toPrintable } from "./printable.js";
import { runDigest } from "./run.js";
import type { SampledText } from "./sampled-text.js";
import { describeCut, describeFiles } from "./sections.js";
import { tableDigest } from "./table-digest.js";

export {
  type ContentKind,
  type ContentSample,
  type Digest,
  type DigestHints,
  type DigestOptions,
} from "./content-kind.js";

/** Returns what describes a text in so many characters, depending on its kind. */
export function scanSampled(
  sampled: SampledText,
  hints: DigestHints = {},
): (budgetChars: number) => Digest {
  return (budgetChars) => {
    const most = Math.max(0, Math.floor(budgetChars));
    const { kind, text } = describe(sampled, hints, most);
    return { kind, text: clip(toPrintable(text), most) };
  };
}

function describe(sampled: SampledText, { about }: DigestHints, room: number): Digest {
  const json = jsonDigest(sampled, room);
  if (json !== undefined) return json;
  const lines = new Lines(sampled);
  const kind = detectKind(lines);
  if (MAY_BE_TABLE.has(kind) && !(lines.isStamped && !sampled.text.slice(0, 400).includes("\t"))) {
    // Without what a harness put before it.
    const from = { from: lines.start(0), line: lines.number(0) };
    const pieces = sampled.pieces.map((piece, at) => (at === 0 ? { ...piece, ...from } : piece));
    const table = tableDigest({ ...sampled, pieces }, room);
    if (table !== undefined) return { kind: "table", text: table };
  }
  const whole = quoteAll(lines, Math.min(room, WHOLE_CHARS));
  if (whole !== undefined) return { kind, text: whole };
  const files = MAY_BE_FILES.has(kind) ? describeFiles(lines, about) : "";
  const notes = [describeCut(lines), files].filter((note) => note !== "");
  const opening = notes.length === 0 ? "" : `${notes.join("\n")}\n`;
  const left = room - opening.length;
  const asked = linesAskedFor(lines, about);
  const text = byTemplate(kind, lines, asked, left);
  // A template that found nothing gives way to the plain one.
  if (text === undefined) return { kind: "text", text: opening + plainDigest(lines, asked, left) };
  return { kind, text: opening + text };
}

const MAY_BE_TABLE: ReadonlySet<ContentKind> = new Set(["text", "log", "markdown"]);
const MAY_BE_FILES: ReadonlySet<ContentKind> = new Set(["text", "code", "markdown", "html"]);
/** A text up to this length is quoted whole. */
const WHOLE_CHARS = 600;

function byTemplate(
  kind: ContentKind,
  lines: Lines,
  asked: ReadonlySet<number>,
  room: number,
): string | undefined {
  switch (kind) {
    case "diff":
      return diffDigest(lines, room);
    case "code":
      return codeDigest(lines, asked, room);
    case "markdown":
      return markdownDigest(lines, asked, room);
    case "html":
      return snapshotDigest(lines, asked, room) ?? htmlDigest(lines, room);
    case "files":
      return filesDigest(lines, room);
    case "matches":
      return matchesDigest(lines, asked, room);
    case "log":
    case "build":
      return runDigest(lines, asked, room);
    case "text":
      return runDigest(lines, asked, room, true);
    default:
      return undefined;
  }
}
