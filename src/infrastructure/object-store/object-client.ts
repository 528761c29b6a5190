import { CauseError } from "../cause-error.js";
import { isConnectionFailure } from "../joined-store/retry.js";

/** Where an object is. */
export interface ObjectLocation {
  Bucket: string;
  Key: string;
}

/** An upload in parts that is under way. */
export interface ObjectUpload extends ObjectLocation {
  UploadId: string;
}

/** What every call gets. */
export interface ObjectCallOptions {
  /** Aborts the request. */
  abortSignal: AbortSignal;
}

/** An object of several that could not be deleted. */
export interface ObjectFailure {
  Key?: string | undefined;
  Code?: string | undefined;
  Message?: string | undefined;
}

/** A client of the class `S3` of `@aws-sdk/client-s3`, by the methods that are used. */
export interface ObjectClient {
  putObject(
    input: ObjectLocation & { Body: Uint8Array },
    options: ObjectCallOptions,
  ): Promise<unknown>;
  getObject(
    input: ObjectLocation & { Range?: string },
    options: ObjectCallOptions,
  ): Promise<{
    Body?: { transformToByteArray(): Promise<Uint8Array> } | undefined;
    ContentRange?: string | undefined;
    ContentLength?: number | undefined;
  }>;
  deleteObjects(
    input: { Bucket: string; Delete: { Objects: { Key: string }[]; Quiet: boolean } },
    options: ObjectCallOptions,
  ): Promise<{ Errors?: ObjectFailure[] | undefined }>;
  listObjectsV2(
    input: { Bucket: string; Prefix: string; StartAfter?: string; MaxKeys: number },
    options: ObjectCallOptions,
  ): Promise<{
    Contents?: { Key?: string | undefined; LastModified?: Date | undefined }[] | undefined;
  }>;
  createMultipartUpload(
    input: ObjectLocation,
    options: ObjectCallOptions,
  ): Promise<{ UploadId?: string | undefined }>;
  uploadPart(
    input: ObjectUpload & { PartNumber: number; Body: Uint8Array },
    options: ObjectCallOptions,
  ): Promise<{ ETag?: string | undefined }>;
  completeMultipartUpload(
    input: ObjectUpload & {
      MultipartUpload: { Parts: { ETag: string | undefined; PartNumber: number }[] };
    },
    options: ObjectCallOptions,
  ): Promise<unknown>;
  abortMultipartUpload(input: ObjectUpload, options: ObjectCallOptions): Promise<unknown>;
}

/** A client, or a function that makes one when it is first needed. */
export type ObjectSource = ObjectClient | (() => Promise<ObjectClient>);

function statusOf(error: unknown): number | undefined {
  const { $metadata } = (error ?? {}) as { $metadata?: { httpStatusCode?: unknown } };
  const status = $metadata?.httpStatusCode;
  return typeof status === "number" ? status : undefined;
}

/** Whether there is no such object. A bucket that does not exist, or an answer of somebody else, says nothing of the object. */
export function isMissing(error: unknown): boolean {
  return nameOf(error) === "NoSuchKey";
}

/** Whether an upload has ended, one way or the other. */
export function isUploadGone(error: unknown): boolean {
  return nameOf(error) === "NoSuchUpload";
}

function nameOf(error: unknown): unknown {
  return (error as { name?: unknown } | undefined)?.name;
}

/** A body that is shorter than what was asked for: something on the way has cut it. */
export class ShortBodyError extends CauseError {}

/** An empty object has no range. */
export function isEmptyRange(error: unknown): boolean {
  return statusOf(error) === 416;
}

const SLOW =
  /^(?:TimeoutError|RequestTimeout|SlowDown|Throttling\w*|InternalError|ServiceUnavailable)$/;

/** Whether another attempt may succeed. */
export function isObjectTransient(error: unknown): boolean {
  const { code, name, message } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const status = statusOf(error) ?? 0;
  return (
    status >= 500 ||
    status === 429 ||
    status === 408 ||
    isConnectionFailure(code) ||
    error instanceof ShortBodyError ||
    code === "ERR_STREAM_PREMATURE_CLOSE" ||
    (typeof name === "string" && SLOW.test(name)) ||
    /socket hang up|aborted|premature close/i.test(String(message))
  );
}
