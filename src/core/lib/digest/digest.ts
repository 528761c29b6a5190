import type { ContentKind, Digest, DigestHints } from "./content-kind.js";
import { readJson } from "./json-content.js";
import { jsonDigest } from "./json-digest.js";
import { detectKind } from "./kinds.js";
import { Lines } from "./lines.js";
import { filesDigest, matchesDigest } from "./listing.js";
import { Page } from "./outline.js";
import { codeDigest, diffDigest, htmlDigest, markdownDigest } from "./outlines.js";
import {
  complaintsIn,
  describeCut,
  describeFiles,
  linesAskedFor,
  namesIn,
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

/** What fills the page for each kind; false where it found nothing, and nothing is on the page. */
type Template = (page: Page) => boolean;
const TEMPLATES: Readonly<Partial<Record<ContentKind, Template>>> = {
  diff: diffDigest,
  code: codeDigest,
  markdown: markdownDigest,
  html: htmlDigest,
  files: filesDigest,
  matches: matchesDigest,
  log: runDigest,
  build: runDigest,
  text: (page) => runDigest(page, true),
};
const MAY_BE_TABLE: ReadonlySet<ContentKind> = new Set(["text", "log", "markdown"]);
const MAY_BE_FILES: ReadonlySet<ContentKind> = new Set(["text", "code", "markdown", "html"]);
const IS_RUN: ReadonlySet<ContentKind> = new Set(["text", "log", "build"]);
/** A text up to this length is quoted whole. */
const WHOLE_CHARS = 600;
/** A line that was asked for has so much of the room, and no more than this. */
const ASKED = { share: 0.17, chars: 160 };

/** Returns what describes a text in so many characters, depending on its kind. */
export function scanSampled(
  sampled: SampledText,
  { about = "" }: DigestHints = {},
): (budgetChars: number) => Digest {
  const json = readJson(sampled);
  const describe = json ? (room: number) => jsonDigest(json, room) : scanLines(sampled, about);
  return (budgetChars) => {
    const room = Math.max(0, Math.floor(budgetChars));
    const { kind, text } = describe(room);
    return { kind, text: clip(toPrintable(text), room) };
  };
}

function scanLines(sampled: SampledText, about: string): (room: number) => Digest {
  const lines = new Lines(sampled);
  const kind = detectKind(lines);
  const mayBeTable = !lines.isStamped || sampled.text.slice(0, 400).includes("\t");
  return (room) => {
    const table =
      MAY_BE_TABLE.has(kind) && mayBeTable ? tableDigest(sampled, lines, room) : undefined;
    if (table !== undefined) return { kind: "table", text: table };
    const whole = quoteAll(lines, Math.min(room, WHOLE_CHARS));
    if (whole !== undefined) return { kind, text: whole };
    const words = namesIn(about);
    const page = new Page(lines, words, room);
    page.say(describeCut(lines));
    if (MAY_BE_FILES.has(kind)) page.say(describeFiles(lines, about));
    if (!IS_RUN.has(kind)) for (const index of complaintsIn(lines)) page.quote(index, 160);
    const most = Math.min(ASKED.chars, Math.floor(room * ASKED.share));
    for (const index of linesAskedFor(lines, words)) page.quote(index, most, undefined, true);
    if (TEMPLATES[kind]?.(page) === true) return { kind, text: page.text };
    // A template that found nothing gives way to the plain one.
    plainDigest(page);
    return { kind: "text", text: page.text };
  };
}
