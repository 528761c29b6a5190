import { once } from "../../core/lib/concurrency.js";
import { readPieces } from "../../core/lib/text/byte-source.js";
import {
  memoryContent,
  type ArtifactStore,
  type NewArtifact,
} from "../../core/workspace/artifacts/artifact-store.js";
import {
  type ArtifactMetadata,
  type ArtifactRecord,
  SHOWN_HASH_DIGITS,
} from "../../core/workspace/artifacts/artifact.js";
import { checkedContent } from "../checked-content.js";
import { hashPassing } from "../hash.js";
import { OpenedRecords } from "./opened-records.js";

/**
 * Metadata: the hash that references show, where it is not that of the stored bytes. It may be keyed, of
 * content before it was redacted, or of a workspace that this content was copied from.
 */
const KNOWN_HASH = "context_offload_known_hash";

/** Metadata with the hash that references show; never with one that a caller has put there. */
export function withKnownHash(
  metadata: ArtifactMetadata,
  hash: string | undefined,
): ArtifactMetadata {
  if (hash !== undefined) return { ...metadata, [KNOWN_HASH]: hash };
  const entries = Object.entries(metadata).filter(([name]) => name !== KNOWN_HASH);
  return Object.fromEntries(entries) as unknown as ArtifactMetadata;
}

/** A record of the store as references know it. */
export function openKnownHash(inner: ArtifactRecord): ArtifactRecord {
  const hash = inner.metadata[KNOWN_HASH];
  if (hash === undefined) return inner;
  const metadata = withKnownHash(inner.metadata, undefined);
  return typeof hash === "string" ? { ...inner, hash, metadata } : { ...inner, metadata };
}

/** A store whose artifacts are known by the plain hash of their bytes, unless they say otherwise. */
export function knowHashes(inner: ArtifactStore): ArtifactStore {
  const query = inner.query?.bind(inner);
  const writeReadable = inner.writeReadable?.bind(inner);
  const close = inner.close?.bind(inner);
  const records = new OpenedRecords(inner, openKnownHash);
  return {
    async put(artifact) {
      const { knownAs, ...given } = artifact;
      if (knownAs === undefined) {
        const isPlain = !(KNOWN_HASH in artifact.metadata);
        const metadata = isPlain ? artifact.metadata : withKnownHash(artifact.metadata, undefined);
        return records.open(await inner.put(isPlain ? artifact : { ...given, metadata }));
      }
      return records.open(await inner.put(renamed(given, knownAs)));
    },

    async renew(record, createdAt) {
      const renewed = await inner.renew(await records.innerOf(record), createdAt);
      return renewed && records.open(renewed);
    },

    sessions: () => inner.sessions(),
    listSession: async (sessionId) => records.listing(await inner.listSession(sessionId)),
    ...(query ? { query: async (wanted) => records.page(await query(wanted)) } : {}),
    ...records.byIndex,

    async open(record) {
      const innerRecord = await records.innerOf(record);
      const content = await inner.open(innerRecord);
      // Without a check of the store, it would be compared with the hash that references show.
      const isComparable = content.check !== undefined || innerRecord.hash === record.hash;
      return isComparable ? content : checkedContent(innerRecord, content);
    },

    openDerived: async (record, name, make) =>
      inner.openDerived(await records.innerOf(record), name, make),
    ...(writeReadable
      ? {
          writeReadable: async (record, text) => writeReadable(await records.innerOf(record), text),
        }
      : {}),
    remove: async (record) => inner.remove(await records.innerOf(record)),
    purge: (sessionId) => inner.purge(sessionId),
    addChild: (sessionId, childSessionId) => inner.addChild(sessionId, childSessionId),
    verify: (options) => inner.verify(options),
    ...(close ? { close } : {}),
  };
}

/** A copy that keeps the hash of its original, if its own is another one. */
function renamed(artifact: NewArtifact, knownAs: string): NewArtifact {
  const { content } = artifact;
  const stream = content instanceof Uint8Array ? readPieces(memoryContent(content)) : content;
  const passing = hashPassing(stream);
  const hash = once(passing.hash);
  return {
    ...artifact,
    content: passing.bytes,
    hash: undefined,
    shownHash: () => knownAs.slice(0, SHOWN_HASH_DIGITS),
    get metadata() {
      const isSame = hash() === knownAs;
      return withKnownHash(artifact.metadata, isSame ? undefined : knownAs);
    },
  };
}
