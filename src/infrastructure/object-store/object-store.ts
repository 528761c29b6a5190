import { requireCount, requireFunction, requireObject, requireText } from "../../core/arguments.js";
import { onceResolved } from "../../core/lib/concurrency.js";
import type {
  OpenContent,
  ContentStore,
  OpenStore,
  MetadataStore,
} from "../../core/workspace/artifacts/artifact-store.js";
import { CauseError } from "../cause-error.js";
import { sha256 } from "../hash.js";
import { inChunks } from "../joined-store/chunked-content.js";
import { joinStores } from "../joined-store/join-stores.js";
import { createRetry, type Retry, type RetryOptions } from "../joined-store/retry.js";
import {
  isEmptyRange,
  isMissing,
  isObjectTransient,
  isUploadGone,
  type ObjectCallOptions,
  type ObjectClient,
  type ObjectLocation,
  type ObjectSource,
  ShortBodyError,
} from "./object-client.js";

/** What to read of an object, and how large all of it should be, if that is known. */
interface ObjectRange {
  readonly start: number;
  readonly end: number;
  readonly expected?: number | undefined;
}

interface ObjectPart {
  readonly bytes: Uint8Array;
  /** The size of the whole object. */
  readonly size: number;
}

/** Not by HEAD, whose answer cannot say what it is that is missing. */
async function readRange(
  client: ObjectClient,
  location: ObjectLocation,
  { start, end, expected }: ObjectRange,
  options: ObjectCallOptions,
): Promise<ObjectPart | undefined> {
  // An empty object has no range.
  const Range = expected === 0 ? {} : { Range: `bytes=${start}-${end - 1}` };
  try {
    const answer = await client.getObject({ ...location, ...Range }, options);
    const { Body, ContentRange, ContentLength } = answer;
    const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
    const total = /\/(\d+)$/.exec(ContentRange ?? "")?.[1];
    // Without a range in the answer it is the whole object.
    const size = total === undefined ? (ContentLength ?? bytes.length) : Number(total);
    const whole = total === undefined ? size : Math.max(Math.min(end, size) - start, 0);
    // Something on the way may cut a body, which is not the object's fault.
    if (bytes.length < whole || (total === undefined && size < (expected ?? 0))) {
      throw new ShortBodyError(`only ${bytes.length} of ${whole} bytes arrived`);
    }
    return { bytes: total === undefined ? bytes.subarray(start, end) : bytes, size };
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isEmptyRange(error)) return { bytes: new Uint8Array(), size: 0 };
    throw error;
  }
}

/** A bucket, reached when it is first used. A request that fails for the moment is made again, within the deadline. */
class ObjectBucket {
  readonly #client: () => Promise<ObjectClient>;
  readonly #retry: Retry;

  constructor(
    source: ObjectSource,
    readonly name: string,
    options: RetryOptions,
  ) {
    this.#client = onceResolved(async () => (typeof source === "function" ? source() : source));
    this.#retry = createRetry(`the object storage s3://${name}`, isObjectTransient, options);
  }

  /** Makes a request. It may be made twice if its answer is lost. */
  call<T>(request: (client: ObjectClient, options: ObjectCallOptions) => Promise<T>): Promise<T> {
    return this.#retry(async (abortSignal) => request(await this.#client(), { abortSignal }));
  }

  put(Key: string, Body: Uint8Array): Promise<unknown> {
    return this.call((client, options) =>
      client.putObject({ Bucket: this.name, Key, Body }, options),
    );
  }

  /** A range of an object, and the size of all of it; `undefined` if there is no such object. */
  range(Key: string, range: ObjectRange): Promise<ObjectPart | undefined> {
    const location = { Bucket: this.name, Key };
    return this.call((client, options) => readRange(client, location, range, options));
  }

  async remove(keys: readonly string[]): Promise<void> {
    const { Errors: [failed] = [] } = await this.call((client, options) => {
      const Objects = keys.map((Key) => ({ Key }));
      return client.deleteObjects({ Bucket: this.name, Delete: { Objects, Quiet: true } }, options);
    });
    if (!failed) return;
    throw new CauseError(`${failed.Key ?? "an object"}: ${failed.Message ?? failed.Code ?? ""}`);
  }
}

/** Uploads an object in parts, which can be opened only once all of them are there. */
async function uploadParts(
  bucket: ObjectBucket,
  Key: string,
  parts: AsyncIterable<Uint8Array>,
): Promise<void> {
  const Bucket = bucket.name;
  const { UploadId = "" } = await bucket.call((client, options) =>
    client.createMultipartUpload({ Bucket, Key }, options),
  );
  const upload = { Bucket, Key, UploadId };
  const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
  let bytes = 0;
  try {
    for await (const Body of parts) {
      const PartNumber = Parts.length + 1;
      const { ETag } = await bucket.call((client, options) =>
        client.uploadPart({ ...upload, PartNumber, Body }, options),
      );
      Parts.push({ ETag, PartNumber });
      bytes += Body.length;
    }
  } catch (error) {
    await bucket
      .call((client, options) => client.abortMultipartUpload(upload, options))
      .catch(() => undefined);
    throw error;
  }
  const isComplete = async (client: ObjectClient, options: ObjectCallOptions) =>
    (await readRange(client, { Bucket, Key }, FIRST_BYTE, options))?.size === bytes;
  let attempts = 0;
  await bucket.call(async (client, options) => {
    // An attempt whose answer was lost may have completed the upload; so may one that the client made by itself.
    if (attempts++ > 0 && (await isComplete(client, options))) return;
    const parts = { ...upload, MultipartUpload: { Parts } };
    await client.completeMultipartUpload(parts, options).catch(async (error: unknown) => {
      if (!isUploadGone(error) || !(await isComplete(client, options))) throw error;
    });
  });
}

const FIRST_BYTE = { start: 0, end: 1 };

/** How much is read when content is opened, so that short content takes a single request. */
const OPENING_BYTES = 65_536;

/** How many objects one request may delete. */
const MAX_DELETED = 1_000;

/** Content as objects, one for each key. */
function objectContent(
  bucket: ObjectBucket,
  prefix: string,
  namespace: string,
  partBytes: number,
): ContentStore {
  const root = `${prefix}${folderOf(namespace)}/`;

  const openObject = async (
    Key: string,
    expected: number | undefined,
  ): Promise<OpenContent | undefined> => {
    const opening = await bucket.range(Key, { start: 0, end: OPENING_BYTES, expected });
    if (!opening) return undefined;
    const { bytes, size } = opening;
    return {
      size,
      async read(start, end) {
        const stop = Math.min(end, size);
        if (start >= stop) return new Uint8Array();
        if (stop <= bytes.length) return bytes.subarray(start, stop);
        const read = await bucket.range(Key, { start, end: stop });
        if (!read) throw new CauseError("the object is gone");
        return read.bytes;
      },
      close: () => Promise.resolve(),
    };
  };

  return {
    async write(key, content) {
      const parts = inChunks(content, partBytes);
      const first = await parts.next();
      const second = first.done ? first : await parts.next();
      if (second.done) await bucket.put(root + key, first.done ? new Uint8Array() : first.value);
      else if (!first.done)
        await uploadParts(bucket, root + key, resume(first.value, second.value, parts));
    },

    open: (key, bytes) => openObject(root + key, bytes),

    async remove(keys) {
      for (let at = 0; at < keys.length; at += MAX_DELETED) {
        await bucket.remove(keys.slice(at, at + MAX_DELETED).map((key) => root + key));
      }
    },

    async keys(after, MaxKeys) {
      const StartAfter = after === "" ? {} : { StartAfter: root + after };
      const { Contents = [] } = await bucket.call((client, options) =>
        client.listObjectsV2(
          { Bucket: bucket.name, Prefix: root, MaxKeys, ...StartAfter },
          options,
        ),
      );
      return Contents.map(({ Key = "", LastModified }) => ({
        key: Key.slice(root.length),
        writtenAt: LastModified?.getTime() ?? 0,
      }));
    },
  };
}

async function* resume(
  first: Uint8Array,
  second: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  yield second;
  yield* rest;
}

/** A name that is safe in every address; any other namespace is represented by its hash. */
function folderOf(namespace: string): string {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(namespace) ? namespace : `-${sha256(namespace)}`;
}

/** Options of `objectStore`. */
export interface ObjectStoreOptions extends RetryOptions {
  /** A client of the class `S3` of `@aws-sdk/client-s3`, or a function that makes one. */
  readonly client: ObjectSource;
  /** The bucket that holds the content. It must exist. */
  readonly bucket: string;
  /** What all keys begin with. Default: nothing. */
  readonly prefix?: string | undefined;
  /** Where the metadata is kept: `postgresMetadata(pool)` or `sqliteMetadata(client)`. */
  readonly metadata: (namespace: string) => MetadataStore;
  /** Content that is longer than this is uploaded in parts of this size; at least 5 MiB on Amazon S3. Default 8 MiB. */
  readonly partBytes?: number | undefined;
}

const PART_BYTES = 8_388_608;

/**
 * A store with its content in object storage (S3 and what speaks its protocol) and its metadata in
 * a database.
 *
 * @example
 * const store = objectStore({ client: new S3({}), bucket: "agents", metadata: postgresMetadata(pool) });
 * const workspace = createWorkspace({ store });
 */
export function objectStore(options: ObjectStoreOptions): OpenStore {
  requireObject("options", options, "an object with client, bucket and metadata");
  const { client, metadata, prefix = "" } = options;
  const name = requireText("bucket", options.bucket, "the bucket for the content");
  requireFunction("metadata", metadata, "a half of a store, such as postgresMetadata(pool)");
  const partBytes = requireCount("partBytes", options.partBytes, PART_BYTES);
  const bucket = new ObjectBucket(client, name, options);
  return (namespace) =>
    joinStores(
      metadata(namespace),
      objectContent(bucket, prefix, namespace, partBytes),
      `s3://${name}`,
    );
}
