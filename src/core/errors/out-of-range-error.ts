import { countOf } from "../lib/digest/printable.js";
import type { RefusedRange } from "../lib/text/text-range.js";
import { ContextOffloadError } from "./context-offload-error.js";

/** The requested lines or characters do not exist, or the range starts after its end. */
export class OutOfRangeError extends ContextOffloadError {
  readonly code = "OUT_OF_RANGE";

  constructor(readonly range: RefusedRange) {
    super(describe(range));
  }
}

function describe({ names, start, end, count, unit, owner }: RefusedRange): string {
  const [startName, endName] = names;
  const rest = endName === undefined ? "" : ` to ${endName} ${end}`;
  const asked = `${startName} ${start}${rest} was asked for`;
  const has = `${owner} has ${countOf(count, unit)}`;
  if (count === 0) return `${asked}, but ${has}: there is nothing to read.`;
  const order = endName === undefined ? "" : ` and an ${endName} not before it`;
  const right = `Ask for a ${startName} from 1 to ${count}${order}.`;
  if (start < 1) return `${asked}, but ${unit}s are counted from 1; ${has}. ${right}`;
  if (start > end) return `${asked}, but the start is after the end; ${has}. ${right}`;
  return `${asked}, but ${has}. ${right}`;
}
