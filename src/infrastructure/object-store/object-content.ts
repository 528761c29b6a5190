import type { OpenContent } from "../../core/workspace/artifacts/artifact-store.js";
import type { ContentStore } from "../../core/workspace/artifacts/store-halves.js";
import { inChunks } from "../joined-store/in-chunks.js";
import { sha256 } from "../hash.js";
import type { ObjectBucket } from "./object-bucket.js";
import { isEmptyRange, isMissing } from "./object-client.js";
import { uploadParts } from "./upload-parts.js";

/** How much is read when content is opened, so that short content takes a single request. */
const OPENING_BYTES = 65_536;
const LISTED_AT_ONCE = 1_000;

/** Content as objects, one for each key. */
export function objectContent(
  bucket: ObjectBucket,
  prefix: string,
  namespace: string,
  partBytes: number,
): ContentStore {
  const root = `${prefix}${folderOf(namespace)}/`;
  const Bucket = bucket.name;

  const list = async (Prefix: string, after: string, MaxKeys: number) => {
    const { Contents = [] } = await bucket.call((client, options) =>
      client.listObjectsV2(
        { Bucket, Prefix, MaxKeys, ...(after === "" ? {} : { StartAfter: root + after }) },
        options,
      ),
    );
    return Contents.map(({ Key = "", LastModified }) => ({
      key: Key.slice(root.length),
      writtenAt: LastModified?.getTime() ?? 0,
    }));
  };

  const range = async (Key: string, start: number, end: number) => {
    const Range = `bytes=${start}-${end - 1}`;
    return bucket.call(async (client, options) => {
      const { Body, ContentRange } = await client.getObject({ Bucket, Key, Range }, options);
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      return { bytes, size: Number(/\/(\d+)$/.exec(ContentRange ?? "")?.[1] ?? bytes.length) };
    });
  };

  /** The first bytes and the size. No range is asked for of an empty object, which has none. */
  const readOpening = async (Key: string, expected: number | undefined) => {
    const size = expected === 0 ? await bucket.size(Key) : undefined;
    if (size === 0) return { bytes: new Uint8Array(), size };
    return range(Key, 0, OPENING_BYTES);
  };

  const openObject = async (
    Key: string,
    expected: number | undefined,
  ): Promise<OpenContent | undefined> => {
    const opening = await readOpening(Key, expected).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      if (isEmptyRange(error)) return { bytes: new Uint8Array(), size: 0 };
      throw error;
    });
    if (!opening) return undefined;
    const { bytes, size } = opening;
    return {
      size,
      async read(start, end) {
        const stop = Math.min(end, size);
        if (start >= stop) return new Uint8Array();
        if (stop <= bytes.length) return bytes.subarray(start, stop);
        return (await range(Key, start, stop)).bytes;
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

    async removeAll(start) {
      for (;;) {
        const found = await list(root + start, "", LISTED_AT_ONCE);
        for (const { key } of found) {
          await bucket.call((client, options) =>
            client.deleteObject({ Bucket, Key: root + key }, options),
          );
        }
        if (found.length < LISTED_AT_ONCE) return;
      }
    },

    keys: (after, limit) => list(root, after, limit),
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
