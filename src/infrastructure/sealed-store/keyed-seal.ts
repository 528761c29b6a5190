import type { ArtifactMetadata } from "../../core/workspace/artifacts/artifact.js";
import type { Seal } from "./seal.js";

/** Metadata: the keyed hash of the content as it came, before anything was redacted. */
const HASH_FIELD = "content_hmac";

/** Content as it is, known by a keyed hash. */
export const keyedSeal: Seal = {
  hidesMetadata: false,
  sealContent: ({ content }) => ({
    ...{ content, contentId: Buffer.alloc(0) },
    storedBytes: (bytes) => bytes,
  }),
  sealRecord: ({ metadata, hash }) => ({ ...metadata, [HASH_FIELD]: hash }),

  openRecord({ type, size, hash, metadata }) {
    const { [HASH_FIELD]: keyed, ...rest } = metadata;
    // What was stored before has a plain hash.
    return {
      ...{ type, size, hash: typeof keyed === "string" ? keyed : hash },
      metadata: rest as ArtifactMetadata,
    };
  },

  openContent: (_, sealed) => Promise.resolve(sealed),
  sealDerived: (bytes) => bytes,
  openDerived: (sealed) => Promise.resolve(sealed),
};
