import { ContextOffloadError } from "./context-offload-error.js";

/** Using this path could write or read outside of the given folder. */
export class UnsafePathError extends ContextOffloadError {
  readonly code = "UNSAFE_PATH";

  constructor(
    readonly path: string,
    readonly why: string,
  ) {
    super(`Refused to use ${path}: ${why}. Remove it or choose another output folder.`);
  }
}
