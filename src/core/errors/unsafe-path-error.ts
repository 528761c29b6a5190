import { ContextOffloadError } from "./context-offload-error.js";

/** Writing or reading there would leave the folder that was agreed on. */
export class UnsafePathError extends ContextOffloadError {
  readonly code = "UNSAFE_PATH";

  constructor(
    readonly path: string,
    readonly why: string,
  ) {
    super(`Refused to use ${path}: ${why}. Remove it or choose another output folder.`);
  }
}
