import type { ArtifactStore, SessionListing } from "../core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../core/workspace/artifacts/artifact.js";
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
  const { query, writeReadable, close } = store;
  return {
    put: async (artifact) => open(await store.put(artifact)),
    sessions: () => store.sessions(),
    listSession: async (sessionId) => openListing(await store.listSession(sessionId)),
    ...(query && {
      async query(wanted) {
        const page = await query.call(store, wanted);
        const artifacts = page.artifacts.map((listed) => ({
          ...listed,
          record: open(listed.record),
        }));
        return { ...page, artifacts };
      },
    }),
    open: (record) => store.open(innerOf(record)),
    openDerived: (record, name, make) => store.openDerived(innerOf(record), name, make),
    ...(writeReadable && {
      writeReadable: (record, text) => writeReadable.call(store, innerOf(record), text),
    }),
    remove: (record) => store.remove(innerOf(record)),
    addChild: (sessionId, childSessionId) => store.addChild(sessionId, childSessionId),
    verify: (options) => store.verify(options),
    ...(close && { close: () => close.call(store) }),
  };
}
