import { countOf } from "../lib/text/printable.js";
import { quote, shorten } from "../lib/text/quote.js";
import type { RejectedRange } from "../lib/text/text-range.js";
import { ContextOffloadError, describeValue } from "./context-offload-error.js";

/** A caller passed a value that the function cannot work with. */
export class InvalidArgumentError extends ContextOffloadError {
  readonly code = "INVALID_ARGUMENT";

  /**
   * @param argument - Which argument, as a path into it: `messages[3].content[0]`.
   * @param received - The value that was wrong.
   * @param expected - What is expected, as a phrase that follows "must be".
   * @param message - Another sentence, where that one would not read well.
   */
  constructor(
    readonly argument: string,
    readonly received: unknown,
    readonly expected: string,
    message?: string,
  ) {
    super(
      message ??
        (received === undefined
          ? `${argument} is required: ${expected}.`
          : `${argument} must be ${expected}, but it is ${describeValue(received)}.`),
    );
  }
}

/** An environment variable holds something that is not a plain number. */
export class InvalidEnvironmentError extends ContextOffloadError {
  readonly code = "INVALID_ENVIRONMENT";

  constructor(
    readonly variable: string,
    readonly received: string,
    readonly expected: string,
  ) {
    super(
      `The environment variable ${variable} must be ${expected}, but it is ${describeValue(received)}. ` +
        `Correct it, unset it to use the default, or pass the option, which takes precedence.`,
    );
  }
}

/** The requested lines or characters do not exist, or the range starts after its end. */
export class OutOfRangeError extends ContextOffloadError {
  readonly code = "OUT_OF_RANGE";

  constructor(readonly range: RejectedRange) {
    super(describeRange(range));
  }
}

function describeRange({ names, start, end, count, unit, owner }: RejectedRange): string {
  const [startName, endName] = names;
  const isOpen = endName === undefined || end === Number.MAX_SAFE_INTEGER;
  const rest = isOpen ? "" : ` to ${endName} ${end}`;
  const requested = `${startName} ${start}${rest}`;
  if (count === 0) return `${requested} does not exist: ${owner} is empty.`;
  const has = `${owner} has ${countOf(count, unit)}`;
  const order = isOpen ? "" : `, and an ${endName} at or after it`;
  const right = `Use a ${startName} from 1 to ${count}${order}.`;
  if (start < 1)
    return `${requested} does not exist: ${unit}s are counted from 1; ${has}. ${right}`;
  if (start > end && !isOpen)
    return `${endName} ${end} is before ${startName} ${start}; ${has}. ${right}`;
  return `${requested} does not exist: ${has}. ${right}`;
}

/** Reasons repeat a role or a type from the messages, which may be anything. */
const SHOWN_WHY_CHARS = 240;

/** Why messages are not in a format. */
export interface FormatMismatch {
  readonly format: string;
  readonly why: string;
  /** Whether it fits some of the messages, each taken by itself. */
  readonly isNear?: boolean;
}

/** The message format is not recognized, or a format was named that does not exist. */
export class UnknownFormatError extends ContextOffloadError {
  readonly code = "UNKNOWN_FORMAT";

  /** @param mismatches - The formats that were tried, nearest first, and why each does not fit. */
  constructor(
    message: string,
    readonly mismatches: readonly FormatMismatch[] = [],
  ) {
    super(message);
  }

  /** The error for messages that fit none of the formats tried. */
  static ofMismatches(mismatches: readonly FormatMismatch[]): UnknownFormatError {
    const [nearest, ...others] = mismatches;
    if (nearest && others.length === 0) {
      const message = `These messages are not in the format ${nearest.format}: ${shorten(nearest.why, SHOWN_WHY_CHARS)}.`;
      return new UnknownFormatError(message, mismatches);
    }
    const near = mismatches.filter(({ isNear }) => isNear);
    const far = mismatches.filter(({ isNear }) => !isNear);
    const headline =
      near.length === 0
        ? "No known format matches any of these messages."
        : `No known format matches these messages. They look most like ${near[0]?.format ?? ""}.`;
    const isSplit = near.length > 0 && far.length > 0;
    const lines = [
      `${headline} If another program wrote them, pass your own format.`,
      ...near.map(lineOf),
      ...(isSplit ? ["These do not fit a single message:"] : []),
      ...far.map(lineOf),
    ];
    return new UnknownFormatError(lines.join("\n"), mismatches);
  }
}

function lineOf({ format, why }: FormatMismatch): string {
  return `- ${format}: ${shorten(why, SHOWN_WHY_CHARS)}`;
}

/** The message that was passed in has no tool result to offload. */
export class NoToolResultError extends ContextOffloadError {
  readonly code = "NO_TOOL_RESULT";

  constructor(readonly role: string) {
    super(
      `The message has no tool result with content to offload (${describeRole(role)}). ` +
        `Pass a message with a tool_result block, a message of role "tool", or one whose content is a tool's output as a plain string.`,
    );
  }
}

/** JavaScript may pass a message without one. */
function describeRole(role: unknown): string {
  return typeof role === "string" ? `its role is ${quote(role)}` : "it has no role";
}

/** A workspace was made by another version of the package, which cannot work with this one. */
export class VersionMismatchError extends ContextOffloadError {
  readonly code = "VERSION_MISMATCH";

  constructor() {
    super(
      "This workspace was made by another version of context-offload. Install one version: `npm ls context-offload` shows which packages bring their own.",
    );
  }
}
