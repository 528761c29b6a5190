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
  const requested = `${startName} ${start}${rest}`;
  if (count === 0) return `${requested} does not exist: ${owner} is empty.`;
  const has = `${owner} has ${countOf(count, unit)}`;
  const order = endName === undefined ? "" : `, and an ${endName} that is not smaller`;
  const right = `Use a ${startName} from 1 to ${count}${order}.`;
  if (start < 1)
    return `${requested} does not exist: ${unit}s are counted from 1; ${has}. ${right}`;
  if (start > end)
    return `${requested} is not a range: the start is after the end; ${has}. ${right}`;
  return `${requested} does not exist: ${has}. ${right}`;
}
