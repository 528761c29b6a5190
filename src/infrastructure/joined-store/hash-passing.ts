import { createHash } from "node:crypto";

/** The same bytes, hashed as they pass; the hash is known when all of them have passed. */
export function hashPassing(source: AsyncIterable<Uint8Array>): {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly hash: () => string;
} {
  const hashing = createHash("sha256");
  async function* pass(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      hashing.update(chunk);
      yield chunk;
    }
  }
  return { bytes: pass(), hash: () => hashing.digest("hex") };
}
