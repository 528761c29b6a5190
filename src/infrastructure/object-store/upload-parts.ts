import { isMissing } from "./object-client.js";
import type { ObjectBucket } from "./object-bucket.js";

/** Uploads an object in parts, which can be opened only once all of them are there. */
export async function uploadParts(
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
  try {
    await bucket.call((client, options) =>
      client.completeMultipartUpload({ ...upload, MultipartUpload: { Parts } }, options),
    );
  } catch (error) {
    // An upload that is gone was completed by an attempt whose answer was lost.
    if (!isMissing(error) || (await bucket.size(Key)) !== bytes) throw error;
  }
}
