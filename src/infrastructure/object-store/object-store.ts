import { requireCount, requireFunction, requireObject, requireText } from "../../core/arguments.js";
import type { OpenStore } from "../../core/workspace/artifacts/artifact-store.js";
import type { MetadataStore } from "../../core/workspace/artifacts/store-halves.js";
import { joinStores } from "../joined-store/join-stores.js";
import type { RetryOptions } from "../joined-store/retry.js";
import { ObjectBucket } from "./object-bucket.js";
import type { ObjectSource } from "./object-client.js";
import { objectContent } from "./object-content.js";

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
