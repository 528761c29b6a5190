import type { ContentKind, Digest, DigestHints } from "./content-kind.js";
import { readJson, type JsonContent } from "./json-content.js";
import { jsonDigest } from "./json-digest.js";
import { detectKind } from "./kinds.js";
import { Lines } from "./lines.js";
import { filesDigest, matchesDigest } from "./listing.js";
import { codeDigest, diffDigest, htmlDigest, markdownDigest } from "./outlines.js";
import {
  complaintsIn,
  describeCut,
  describeFiles,
  linesAskedFor,
  plainDigest,
  quoteAll,
} from "./plain.js";
import { clip, toPrintable } from "../text/printable.js";
import { runDigest } from "./run.js";
import type { SampledText } from "./sampled-text.js";
import { tableDigest } from "./table-digest.js";

export type {
  ContentKind,
  ContentSample,
  Digest,
  DigestHints,
  DigestOptions,
} from "./content-kind.js";

/** What makes a digest of each kind; `undefined` where it found nothing. */
type Template = (lines: Lines, asked: readonly number[], room: number) => string | undefined;
const TEMPLATES: Readonly<Partial<Record<ContentKind, Template>>> = {
  diff: diffDigest,
  code: codeDigest,
  markdown: markdownDigest,
  html: htmlDigest,
  files: filesDigest,
  matches: matchesDigest,
  log: runDigest,
  build: runDigest,
  text: (lines, asked, room) => runDigest(lines, asked, room, true),
};
const MAY_BE_TABLE: ReadonlySet<ContentKind> = new Set(["text", "log", "markdown"]);
const MAY_BE_FILES: ReadonlySet<ContentKind> = new Set(["text", "code", "markdown", "html"]);
const IS_RUN: ReadonlySet<ContentKind> = new Set(["text", "log", "build"]);
/** A text up to this length is quoted whole. */
const WHOLE_CHARS = 600;

/** Returns what describes a text in so many characters, depending on its kind. */
export function scanSampled(
  sampled: SampledText,
  hints: DigestHints = {},
): (budgetChars: number) => Digest {
  const json = readJson(sampled);
  const lines = json ? undefined : new Lines(sampled, hints.about);
  return (budgetChars) => {
    const room = Math.max(0, Math.floor(budgetChars));
    const { kind, text } = lines
      ? describe(sampled, lines, hints, room)
      : jsonDigest(json as JsonContent, room);
    return { kind, text: clip(toPrintable(text), room) };
  };
}

function describe(
  sampled: SampledText,
  lines: Lines,
  { about }: DigestHints,
  room: number,
): Digest {
  const kind = detectKind(lines);
  if (MAY_BE_TABLE.has(kind) && (!lines.isStamped || sampled.text.slice(0, 400).includes("\t"))) {
    const table = tableDigest(sampled, lines, room);
    if (table !== undefined) return { kind: "table", text: table };
  }
  const whole = quoteAll(lines, Math.min(room, WHOLE_CHARS));
  if (whole !== undefined) return { kind, text: whole };
  const files = MAY_BE_FILES.has(kind) ? describeFiles(lines, about) : "";
  const complaints = IS_RUN.has(kind) ? [] : complaintsIn(lines).map((at) => lines.quote(at, 160));
  const notes = [describeCut(lines), files, ...complaints].filter((note) => note !== "");
  const opening = notes.map((note) => `${note}\n`).join("");
  const left = room - opening.length;
  const asked = linesAskedFor(lines);
  const text = TEMPLATES[kind]?.(lines, asked, left);
  // A template that found nothing gives way to the plain one.
  if (text === undefined) return { kind: "text", text: opening + plainDigest(lines, asked, left) };
  return { kind, text: opening + text };
}
