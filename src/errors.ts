/**
 * Every error that the package throws.
 *
 * @module errors
 */
export {
  InvalidArgumentError,
  InvalidEnvironmentError,
  VersionMismatchError,
  NoToolResultError,
  OutOfRangeError,
  UnknownFormatError,
  type FormatMismatch,
} from "./core/errors/argument-errors.js";
export { ContextOffloadError, type ErrorCode } from "./core/errors/context-offload-error.js";
export {
  AmbiguousArtifactError,
  ArtifactDamagedError,
  ArtifactGoneError,
  InvalidPatternError,
  NotJsonError,
  PointerNotFoundError,
  SearchFailedError,
  SearchTimeoutError,
  TooManyReadsError,
  UnknownArtifactError,
} from "./core/errors/reading-errors.js";
export {
  CallerFailedError,
  ContentNotSerializableError,
  KeyMissingError,
  PackageMissingError,
  ReadFailedError,
  StoreUnreachableError,
  UnsafePathError,
  WriteFailedError,
} from "./core/errors/storage-errors.js";
export type { PointerReach } from "./core/lib/json/json-pointer.js";
export type { RejectedRange } from "./core/lib/text/text-range.js";
