import { type ContentSample, type Digest, type DigestOptions } from "./content-kind.js";
import { detectLineKind, isHtml, stripListingPrefixes, withoutPreamble } from "./detect-kind.js";
import { diffDigest, isDiff } from "./diff-digest.js";
import { headTailDigest } from "./head-tail.js";
import { htmlDigest } from "./html-digest.js";
import { readJson } from "./json-content.js";
import { jsonDigest, type Describers } from "./json-digest.js";
import {
  firstLines,
  sampledFromSample,
  sampledFromText,
  type SampledText,
} from "./line-scanner.js";
import { logDigest } from "./log-digest.js";
import { codeDigest, markdownDigest } from "./outline-digest.js";
import { clip } from "./printable.js";
import { readHeaderless, readTable } from "./table-content.js";
import { tableDigest } from "./table-digest.js";

export {
  type ContentKind,
  type ContentSample,
  type Digest,
  type DigestOptions,
} from "./content-kind.js";

/** A string in JSON may itself hold JSON with a string in it; deeper nesting is not looked at. */
const MOST_NESTING = 2;
const DIFF_LINES = 30;

/** A short description of a text, depending on its kind. */
export function digestText(text: string, options: DigestOptions): Digest {
  return digestTextAt(text, budgetOf(options), 0);
}

/** The same for content of which only the start and the end are available. */
export function digestSample(sample: ContentSample, options: DigestOptions): Digest {
  return digestSampled(sample, sampledFromSample(sample), budgetOf(options), 0);
}

function budgetOf({ budgetChars }: DigestOptions): number {
  return Math.max(0, Math.floor(budgetChars));
}

function digestTextAt(text: string, budgetChars: number, nesting: number): Digest {
  const sampled = sampledFromText(text);
  const sample = {
    head: text,
    tail: "",
    tailLine: 1,
    chars: text.length,
    lines: sampled.lines,
    complete: true,
  };
  return digestSampled(sample, sampled, budgetChars, nesting);
}

function digestSampled(
  sample: ContentSample,
  sampled: SampledText,
  budgetChars: number,
  nesting: number,
): Digest {
  const { kind, text } = describe(sample, sampled, budgetChars, nesting);
  return { kind, text: clip(text, budgetChars) };
}

function describe(
  sample: ContentSample,
  whole: SampledText,
  budgetChars: number,
  nesting: number,
): Digest {
  const listing = stripListingPrefixes(whole);
  const sampled = listing ?? whole;
  const { sampled: body, offset } = withoutPreamble(sampled);
  const nested: Describers =
    nesting >= MOST_NESTING
      ? { text: plainDigest, sample: (inner, room) => plainDigest(inner.head, room) }
      : {
          text: (inner, room) => digestTextAt(inner, room, nesting + 1),
          sample: (inner, room) =>
            digestSampled(inner, sampledFromSample(inner), room, nesting + 1),
        };
  const head = listing === undefined ? sample.head : (sampled.segments[0]?.text ?? "");
  const start = listing === undefined ? sample.head.slice(offset) : (body.segments[0]?.text ?? "");
  const json = readJson(start, sample, body);
  if (json !== undefined)
    return { kind: "json", text: jsonDigest(json, sampled, budgetChars, nested) };
  if (isDiff(firstLines(sampled, DIFF_LINES))) {
    return { kind: "code", text: diffDigest(head, sampled, budgetChars) };
  }
  if (isHtml(start)) return { kind: "html", text: htmlDigest(head, sampled, budgetChars) };
  const table = readTable(body);
  if (table !== undefined) return { kind: "table", text: tableDigest(table, sampled, budgetChars) };
  switch (detectLineKind(body, listing !== undefined)) {
    case "log":
      return { kind: "log", text: logDigest(sampled, budgetChars) };
    case "code":
      return { kind: "code", text: codeDigest(sampled, budgetChars) };
    case "markdown":
      return { kind: "markdown", text: markdownDigest(sampled, budgetChars) };
    default: {
      const rows = readHeaderless(body);
      if (rows !== undefined)
        return { kind: "table", text: tableDigest(rows, sampled, budgetChars) };
      return { kind: "text", text: headTailDigest(sampled, budgetChars) };
    }
  }
}

function plainDigest(text: string, budgetChars: number): Digest {
  return { kind: "text", text: headTailDigest(sampledFromText(text), budgetChars) };
}
