import { requireFunction } from "./arguments.js";
import { ContextOffloadError } from "./errors/context-offload-error.js";
import { CallerFailedError } from "./errors/storage-errors.js";

/** Calls something of the host's. What it throws gets a code, unless it has one. */
export function callHost<Answer>(what: string, call: () => Answer): Answer {
  try {
    return call();
  } catch (cause) {
    // A policy asks for tokens, and the host's counter may be what failed.
    if (ContextOffloadError.isInstance(cause)) throw cause;
    throw new CallerFailedError(what, cause);
  }
}

/** A function that the host may pass as an option: checked at once, and guarded when it is called. */
export function hostCallback<Args extends readonly unknown[], Answer>(
  option: string,
  callback: ((...args: Args) => Answer) | undefined,
): ((...args: Args) => Answer) | undefined {
  if (callback === undefined) return undefined;
  requireFunction(option, callback, "a function, or omitted");
  return (...args) => callHost(option, () => callback(...args));
}
