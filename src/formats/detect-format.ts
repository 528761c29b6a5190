import type { Format } from "../core/engine/format.js";
import {
  InvalidArgumentError,
  UnknownFormatError,
  type FormatMismatch,
} from "../core/errors/argument-errors.js";
import { FORMATS } from "./formats.js";
import { FitVisitor } from "./shared/visitors.js";
import { findTextResults } from "./shared/json-record.js";

/** How many messages are compared to see how close a conversation is to a format. */
const MESSAGES_COMPARED = 100;

/** The format of the messages, or why each format does not fit, closest first. */
export type Detection<F extends Format> =
  { readonly format: F } | { readonly mismatches: readonly FormatMismatch[] };

/** The format of the messages: the chosen one, if it fits, or else the first that does. */
export function pickFormat(
  messages: readonly unknown[],
  chosen: Format | undefined,
  how: "by shape" | "by reading" = "by reading",
): Format {
  const check = how === "by shape" ? checkShape : checkFit;
  for (const [index, message] of messages.entries()) {
    const isMessage =
      typeof message === "string" || (typeof message === "object" && message !== null);
    if (!isMessage) throw new InvalidArgumentError(`history[${index}]`, message, "a message");
  }
  if (!chosen) {
    const detected = detectFormat<Format>(messages, FORMATS, check);
    if ("format" in detected) return detected.format;
    throw UnknownFormatError.ofMismatches(detected.mismatches);
  }
  // A format that does not fit would silently offload nothing.
  const why = check(chosen, messages);
  if (why === undefined) return chosen;
  throw UnknownFormatError.ofMismatches([{ format: chosen.name, why }]);
}

/** Finds the first format that fits. */
export function detectFormat<F extends Format = (typeof FORMATS)[number]>(
  messages: readonly unknown[],
  formats: readonly F[] = FORMATS as readonly Format[] as readonly F[],
  check: FitCheck = checkFit,
): Detection<F> {
  const misfits: (FormatMismatch & { readonly nearness: number })[] = [];
  for (const format of relevantTo(messages, formats)) {
    const why = check(format, messages);
    if (why === undefined) return { format };
    misfits.push({ format: format.name, why, nearness: countFitting(format, messages) });
  }
  misfits.sort((a, b) => b.nearness - a.nearness);
  return {
    mismatches: misfits.map(({ format, why, nearness }) => ({ format, why, isNear: nearness > 0 })),
  };
}

/** Lines of text can only be in formats for lines, and objects only in the others. */
function relevantTo<F extends Format>(
  [first]: readonly unknown[],
  formats: readonly F[],
): readonly F[] {
  if (first === undefined) return formats;
  const isLine = typeof first === "string";
  const relevant = formats.filter((format) => takesLines(format) === isLine);
  return relevant.length === 0 ? formats : relevant;
}

/** A format for lines always accepts a blank one. */
function takesLines(format: Format): boolean {
  return format.mismatch([""]) === undefined;
}

/** Says why messages are not in a format, as the end of a sentence; `undefined` if they are. */
type FitCheck = (format: Format, messages: readonly unknown[]) => string | undefined;

/** By the shape of the messages alone. */
const checkShape: FitCheck = (format, messages) =>
  format.mismatch(messages) ?? findTextResults(messages);

/**
 * Why messages are not in a format, or only seem to be: their calls have no results, or most of their
 * text is in blocks that the format does not know. Accepting those would silently offload nothing.
 */
export function checkFit(format: Format, messages: readonly unknown[]): string | undefined {
  const why = checkShape(format, messages);
  if (why !== undefined) return why;
  const visitor = new FitVisitor();
  for (const message of messages) {
    visitor.startMessage();
    format.read(message, visitor, { media: "keep", countOther: true });
  }
  return visitor.findFault();
}

/** How many messages fit on their own; Infinity if each fits but the conversation does not. */
function countFitting(format: Format, messages: readonly unknown[]): number {
  if (format.mismatch(messages) === undefined) return Infinity;
  const some = messages.filter((message) => !isBlank(message)).slice(0, MESSAGES_COMPARED);
  return some.filter((message) => format.mismatch([message]) === undefined).length;
}

/** A line without anything, which says nothing about its format. */
function isBlank(message: unknown): boolean {
  return typeof message === "string" && message.trim() === "";
}
