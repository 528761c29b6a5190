import { createHash } from "node:crypto";
import { ArtifactDamagedError } from "../../core/errors/artifact-errors.js";
import { readPieces } from "../../core/lib/text/byte-source.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import type { OpenContent } from "../../core/workspace/artifacts/artifact-store.js";

/** Open content that can be compared with its hash; what was read from the start is not read again for it. */
export function hashedContent(record: ArtifactRecord, content: OpenContent): OpenContent {
  const { artifactId, hash, size } = record;
  if (content.size !== size.bytes) {
    const problem = `it has ${content.size} bytes instead of ${size.bytes}`;
    throw new ArtifactDamagedError(artifactId, problem);
  }
  const hashing = createHash("sha256");
  let hashedTo = 0;
  let bytesRead = 0;
  let outcome: "intact" | "damaged" | undefined;
  return {
    size: content.size,
    get bytesRead() {
      return bytesRead;
    },
    async read(start, end) {
      const bytes = await content.read(start, end);
      bytesRead += bytes.length;
      if (start === hashedTo && outcome === undefined) {
        hashing.update(bytes);
        hashedTo += bytes.length;
      }
      return bytes;
    },
    async check(signal) {
      if (outcome === undefined) {
        const rest = { start: hashedTo, end: content.size };
        const state = hashing.copy();
        for await (const piece of readPieces(content, signal, rest)) state.update(piece);
        outcome = state.digest("hex") === hash ? "intact" : "damaged";
      }
      if (outcome === "damaged") {
        throw new ArtifactDamagedError(artifactId, "its hash is different");
      }
    },
    close: () => content.close(),
  };
}

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
