import type { Format } from "../core/engine/format.js";
import type { FormatMismatch } from "../core/errors/argument-errors.js";
import { FORMATS } from "./formats.js";
import { FitVisitor } from "./shared/visitors.js";
import { findTextResults } from "./shared/text-results.js";

/** How many messages are compared to see how close a conversation is to a format. */
const MESSAGES_COMPARED = 100;

/** The format of the messages, or why each format does not fit, closest first. */
export type Detection<F extends Format> =
  { readonly format: F } | { readonly mismatches: readonly FormatMismatch[] };

/** Finds the first format that fits. */
export function detectFormat<F extends Format = (typeof FORMATS)[number]>(
  messages: readonly unknown[],
  formats: readonly F[] = FORMATS as readonly Format[] as readonly F[],
): Detection<F> {
  const misfits: (FormatMismatch & { readonly nearness: number })[] = [];
  for (const format of formats) {
    const why = checkFit(format, messages);
    if (why === undefined) return { format };
    misfits.push({ format: format.name, why, nearness: countFitting(format, messages) });
  }
  misfits.sort((a, b) => b.nearness - a.nearness);
  return { mismatches: misfits.map(({ format, why }) => ({ format, why })) };
}

/**
 * Why messages are not in a format, or only seem to be: their calls have no results, or most of their
 * text is in blocks that the format does not know. Accepting those would silently offload nothing.
 */
export function checkFit(format: Format, messages: readonly unknown[]): string | undefined {
  const why = format.mismatch(messages) ?? findTextResults(messages);
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
  const some = messages.slice(0, MESSAGES_COMPARED);
  const fitting = some.filter((message) => format.mismatch([message]) === undefined).length;
  // Lines of text are closest to a line format, which always accepts a blank line.
  const takesLines = typeof messages[0] === "string" && format.mismatch([""]) === undefined;
  return fitting + (takesLines ? 0.5 : 0);
}
