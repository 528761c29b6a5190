import { requireFormat, type Format } from "../../core/engine/format.js";
import { LINES_LOOKED_AT, parseLine } from "./json-lines.js";
import { findTextResults } from "./json-record.js";
import { lineSplicer, type LineMessage } from "./line-splicer.js";

/** A format's messages as the lines of a JSONL file, one message per line. */
export type MessageLines<F extends Format> = Format<
  unknown,
  ReturnType<F["describeTools"]>,
  ReturnType<F["answerCall"]>
> & { readonly name: `${F["name"]}-jsonl` };

/**
 * The format for files with a message of another format in each line. As in every file of lines,
 * results are replaced within the text of their line, and restored byte for byte.
 */
export function messageLines<const F extends Format>(inner: F): MessageLines<F> {
  requireFormat("inner", inner);
  const find = (line: unknown): LineMessage | undefined => {
    const message = parseLine(line);
    return message && { message, at: [] };
  };
  return {
    name: `${inner.name}-jsonl`,
    mismatch: (lines) => mismatchOf(lines, inner),
    ...lineSplicer(inner, find),
    describeTools: (tools) => inner.describeTools(tools),
    readCall: (call) => inner.readCall(call),
    answerCall: (call, answer) => inner.answerCall(call, answer),
  } as MessageLines<F>;
}

/** Lines that are not JSON do not count, as long as some are messages. */
function mismatchOf(lines: readonly unknown[], inner: Format): string | undefined {
  const stranger = lines.findIndex((line) => typeof line !== "string");
  if (stranger !== -1) return `message ${stranger} is not a line of text`;
  // Most other formats differ in the first lines, so that the rest need not be parsed.
  const first = lines.slice(0, LINES_LOOKED_AT);
  return mismatchOfMessages(first, inner) ?? mismatchOfMessages(lines, inner);
}

function mismatchOfMessages(lines: readonly unknown[], inner: Format): string | undefined {
  const messages = lines.flatMap((line) => parseLine(line) ?? []);
  const isBlank = lines.every((line) => (line as string).trim() === "");
  return messages.length === 0 && !isBlank
    ? `0 of the first ${lines.length} lines are JSON objects`
    : (inner.mismatch(messages) ?? findTextResults(messages));
}
