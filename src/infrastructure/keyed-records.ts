import { ArtifactDamagedError } from "../core/errors/reading-errors.js";
import type {
  ArtifactStore,
  OpenContent,
  SessionListing,
} from "../core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../core/workspace/artifacts/artifact.js";
import { bindStore } from "../core/workspace/artifacts/bind-store.js";
import { sha256 } from "./hash.js";
import { keyedSeal } from "./sealed-store/seal.js";

/**
 * A store in which some artifacts were stored with redaction, read without it: those are known by the
 * keyed hash in their records, which is in the references of conversations. No key is needed for that.
 */
export function withKeyedRecords(store: ArtifactStore): ArtifactStore {
  const opened = new WeakMap<ArtifactRecord, ArtifactRecord>();
  const inners = new WeakMap<ArtifactRecord, ArtifactRecord>();
  const open = (record: ArtifactRecord): ArtifactRecord => {
    const known = opened.get(record);
    if (known) return known;
    const { hash, metadata } = keyedSeal.openRecord(record);
    const outer = hash === record.hash ? record : { ...record, hash, metadata };
    opened.set(record, outer);
    inners.set(outer, record);
    return outer;
  };
  const innerOf = (record: ArtifactRecord) => inners.get(record) ?? record;
  const openListing = (listing: SessionListing): SessionListing => {
    let artifacts: Map<string, ArtifactRecord> | undefined;
    for (const [id, record] of listing.artifacts) {
      const outer = open(record);
      // Most sessions have none, and are listed often.
      if (outer !== record) (artifacts ??= new Map(listing.artifacts)).set(id, outer);
    }
    return artifacts ? { ...listing, artifacts } : listing;
  };
  const inner = bindStore(store);
  const query = inner.query?.bind(inner);
  const writeReadable = inner.writeReadable?.bind(inner);
  return {
    ...inner,
    put: async (artifact) => open(await inner.put(artifact)),
    listSession: async (sessionId) => openListing(await inner.listSession(sessionId)),
    ...(query && {
      async query(wanted) {
        const page = await query(wanted);
        const artifacts = page.artifacts.map((listed) => ({
          ...listed,
          record: open(listed.record),
        }));
        return { ...page, artifacts };
      },
    }),
    async open(record) {
      const stored = innerOf(record);
      const content = await inner.open(stored);
      return stored === record ? content : withCheck(content, stored);
    },
    openDerived: (record, name, make) => inner.openDerived(innerOf(record), name, make),
    ...(writeReadable && {
      writeReadable: (record, text) => writeReadable(innerOf(record), text),
    }),
    remove: (record) => inner.remove(innerOf(record)),
  };
}

/** Content that is compared with the hash of what was stored, where the keyed hash says nothing about it. */
function withCheck(content: OpenContent, { hash, artifactId }: ArtifactRecord): OpenContent {
  if (content.check) return content;
  return {
    size: content.size,
    read: (start, end) => content.read(start, end),
    async check() {
      if (sha256(await content.read(0, content.size)) === hash) return;
      throw new ArtifactDamagedError(artifactId, "its hash is different");
    },
    close: () => content.close(),
  };
}
