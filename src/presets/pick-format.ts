import type { Format } from "../core/engine/format.js";
import { InvalidArgumentError, UnknownFormatError } from "../core/errors/argument-errors.js";
import { checkFit, detectFormat } from "../formats/detect-format.js";

/** The format of the messages: the chosen one, if it fits, or else the first that does. */
export function pickFormat(messages: readonly unknown[], chosen: Format | undefined): Format {
  for (const [index, message] of messages.entries()) {
    const isMessage =
      typeof message === "string" || (typeof message === "object" && message !== null);
    if (!isMessage) throw new InvalidArgumentError(`history[${index}]`, message, "a message");
  }
  if (!chosen) {
    const detected = detectFormat(messages);
    if ("format" in detected) return detected.format;
    throw UnknownFormatError.ofMismatches(detected.mismatches);
  }
  // A format that does not fit would silently offload nothing.
  const why = checkFit(chosen, messages);
  if (why === undefined) return chosen;
  throw UnknownFormatError.ofMismatches([{ format: chosen.name, why }]);
}
