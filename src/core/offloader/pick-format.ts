import type { Format } from "../engine/format.js";
import { InvalidArgumentError } from "../errors/invalid-argument-error.js";
import { UnknownFormatError } from "../errors/unknown-format-error.js";

/** The dialect that these messages speak, or an error that says why none fits. */
export function pickFormat(
  dialects: readonly Format[],
  wanted: string | Format,
  messages: readonly unknown[],
): Format {
  for (const [index, message] of messages.entries()) {
    const isMessage =
      typeof message === "string" || (typeof message === "object" && message !== null);
    if (!isMessage) throw new InvalidArgumentError(`history[${index}]`, message, "a message");
  }
  if (typeof wanted !== "string") return requireFit(wanted, messages);
  if (wanted !== "auto") {
    const named = dialects.find(({ name }) => name === wanted);
    if (named) return requireFit(named, messages);
    throw new UnknownFormatError(
      `There is no format ${JSON.stringify(wanted)}. Those there are: auto, ` +
        `${dialects.map(({ name }) => name).join(", ")}.`,
      [],
    );
  }
  const refusals: { format: string; why: string }[] = [];
  for (const dialect of dialects) {
    const why = dialect.mismatch(messages);
    if (why === undefined) return dialect;
    refusals.push({ format: dialect.name, why });
  }
  const tried = refusals.map(({ format, why }) => `${format}: ${why}`).join("; ");
  throw new UnknownFormatError(`No format fits these messages. ${tried}.`, refusals);
}

/** A format that does not fit would find nothing to offload, and nobody would know why. */
function requireFit(dialect: Format, messages: readonly unknown[]): Format {
  const why = dialect.mismatch(messages);
  if (why === undefined) return dialect;
  const format = dialect.name;
  throw new UnknownFormatError(`These messages are not of the format ${format}: ${why}.`, [
    { format, why },
  ]);
}
