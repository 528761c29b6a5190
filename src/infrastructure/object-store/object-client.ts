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

/** A client of the class `S3` of `@aws-sdk/client-s3`, by the methods that are used. */
export interface ObjectClient {
  putObject(
    input: ObjectLocation & { Body: Uint8Array },
    options: ObjectCallOptions,
  ): Promise<unknown>;
  getObject(
    input: ObjectLocation & { Range: string },
    options: ObjectCallOptions,
  ): Promise<{
    Body?: { transformToByteArray(): Promise<Uint8Array> } | undefined;
    ContentRange?: string | undefined;
    ContentLength?: number | undefined;
  }>;
  headObject(
    input: ObjectLocation,
    options: ObjectCallOptions,
  ): Promise<{ ContentLength?: number | undefined }>;
  deleteObject(input: ObjectLocation, options: ObjectCallOptions): Promise<unknown>;
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

/** Whether there is no such object, upload or range. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404;
}

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
    code === "ERR_STREAM_PREMATURE_CLOSE" ||
    (typeof name === "string" && SLOW.test(name)) ||
    /socket hang up|aborted|premature close/i.test(String(message))
  );
}
