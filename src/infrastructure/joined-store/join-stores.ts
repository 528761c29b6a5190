import { requireObject } from "../../core/arguments.js";
import { ContextOffloadError } from "../../core/errors/context-offload-error.js";
import { ArtifactGoneError } from "../../core/errors/reading-errors.js";
import { ReadFailedError, WriteFailedError } from "../../core/errors/storage-errors.js";
import { readPieces, collectPieces } from "../../core/lib/text/byte-source.js";
import {
  type ArtifactStore,
  type ContentStore,
  type FoundArtifacts,
  type IdQuery,
  type MetadataStore,
  memoryContent,
  type NewArtifact,
  type NewRecord,
  type OpenContent,
} from "../../core/workspace/artifacts/artifact-store.js";
import {
  type ArtifactRecord,
  candidateIds,
  type TextSize,
} from "../../core/workspace/artifacts/artifact.js";
import { checkedBytes, checkedContent } from "../checked-content.js";
import { hashPassing, sha256 } from "../hash.js";
import { contentKey, derivedKey, keysAt, newLocation, nextLocation } from "./content-keys.js";
import { PAGE } from "./session-listings.js";
import { verifyHalves } from "./verify-halves.js";

/** A listing that also has the content of what it found, where that is short. */
export interface FoundContent extends FoundArtifacts {
  readonly contents: ReadonlyMap<ArtifactRecord, Uint8Array>;
}

/** Both halves in one database, which writes and reads short content together with its record. */
export interface OneDatabase {
  /** Longer content is written on its own. */
  readonly maxBytes: number;
  /** Adds a record like `MetadataStore.add`, and writes its content under this key only if the record is new. */
  add(record: NewRecord, content: Uint8Array): Promise<ArtifactRecord>;
  /** Finds records like `MetadataStore.find`, with the content under the key of their location. */
  find(query: IdQuery): Promise<FoundContent>;
}

/**
 * Makes one store of two halves. A put writes the content first and adds its record then, so that an
 * artifact that is listed can be read; content without a record is an orphan that `verify` finds.
 *
 * @param name - What the store is called in errors.
 * @param together - If both halves are in one database: how it does with one statement what takes two.
 */
export function joinStores(
  metadata: MetadataStore,
  content: ContentStore,
  name: string,
  together?: OneDatabase,
): ArtifactStore {
  requireObject("metadata", metadata, "a MetadataStore");
  requireObject("content", content, "a ContentStore");
  const locate = together ? nextLocation : newLocation;
  /** Content that was found with its record, for the one who opens it next. */
  const fetched = new WeakMap<ArtifactRecord, Uint8Array>();

  const put = async (artifact: NewArtifact): Promise<ArtifactRecord> => {
    const { content: source } = artifact;
    if (!(source instanceof Uint8Array)) return putStream(artifact, source);
    const hash = artifact.hash?.() ?? sha256(source);
    const record = newRecord(artifact, locate(), hash, artifact.size());
    if (together && source.length <= together.maxBytes) {
      const added = await together.add(record, source);
      if (added.location !== record.location) await repair(added, source);
      return added;
    }
    const held = await findHeld(record);
    if (held) {
      await repair(held, source);
      return held;
    }
    await content.write(contentKey(record.location), source);
    return addWritten(record);
  };

  const putStream = async (
    artifact: NewArtifact,
    source: AsyncIterable<Uint8Array>,
  ): Promise<ArtifactRecord> => {
    const location = locate();
    const passing = hashPassing(source);
    await content.write(contentKey(location), passing.bytes);
    let size: TextSize;
    try {
      size = artifact.size();
    } catch (error) {
      await discard(location);
      throw error;
    }
    return addWritten(newRecord(artifact, location, passing.hash(), size));
  };

  /** From here on the content is kept whatever happens: an error may mean that only the answer was lost. */
  const addWritten = async (record: NewRecord): Promise<ArtifactRecord> => {
    const added = await metadata.add(record);
    const { location } = record;
    if (added.location === location) return added;
    const copy = await content.open(contentKey(location), record.size.bytes);
    if (copy) {
      await repair(added, () => readPieces(copy));
      await copy.close();
    }
    await discard(location);
    return added;
  };

  /** What is stored already under the first id that is not taken by other content, renewed: it need not be uploaded again. */
  const findHeld = async ({
    candidateIds: artifactIds,
    sessionId,
    hash,
    type,
    createdAt,
  }: NewRecord): Promise<ArtifactRecord | undefined> => {
    const limit = artifactIds.length;
    const { artifacts } = await metadata.find({ artifactIds, sessionId, limit });
    for (const id of artifactIds) {
      const there = artifacts.find(({ artifactId }) => artifactId === id);
      if (!there) return undefined;
      if (there.hash === hash && there.type === type) return metadata.renew(there, createdAt);
    }
    return undefined;
  };

  /** Content that was lost where its record says is put back there. */
  const repair = async (
    record: ArtifactRecord,
    source: Uint8Array | (() => AsyncIterable<Uint8Array>),
  ): Promise<void> => {
    const there = await content.open(contentKey(record.location), record.size.bytes);
    await there?.close();
    if (there?.size === record.size.bytes) return;
    const whole = typeof source === "function" ? source() : source;
    await content.write(contentKey(record.location), whole);
  };

  /** An orphan does no harm, so a failure to remove one is not an error. */
  const discard = (location: string): Promise<void> =>
    content.remove(keysAt(location)).catch(() => undefined);

  const removeOldest: MetadataStore["removeOldest"] = async (removal) => {
    const removed = await metadata.removeOldest(removal);
    if (removed.length > 0) {
      // The records first: from then on no reader looks for content that may be gone.
      await content.remove(removed.flatMap(({ location }) => keysAt(location)));
    }
    if (removal.beyond && removed.length < removal.limit) await metadata.sweep();
    return removed;
  };

  const purge = async (sessionId: string | undefined): Promise<{ artifacts: number }> => {
    let artifacts = 0;
    for (let found = PAGE; found === PAGE; artifacts += found) {
      found = (await removeOldest({ sessionId, limit: PAGE })).length;
    }
    await metadata.forget(sessionId);
    // What puts that never ended have left.
    for (let found = PAGE; sessionId === undefined && found === PAGE;) {
      const keys = await content.keys("", PAGE);
      await content.remove(keys.map(({ key }) => key));
      found = keys.length;
    }
    return { artifacts };
  };

  return {
    put: (artifact) => writing(put(artifact)),
    renew: (record, createdAt) => writing(metadata.renew(record, createdAt)),
    sessions: () => reading(metadata.sessions()),
    listSession: (sessionId) => reading(metadata.listSession(sessionId)),
    query: (query) => reading(metadata.query(query)),
    summarize: (query) => reading(metadata.summarize(query)),

    async find(query) {
      if (!together) return reading(metadata.find(query));
      const { contents, ...found } = await reading(together.find(query));
      for (const [record, bytes] of contents) fetched.set(record, bytes);
      return found;
    },

    async open(record) {
      const bytes = fetched.get(record);
      // Once: whoever opens it again wants what is there by then.
      fetched.delete(record);
      if (bytes) return checkedBytes(record, bytes);
      const opened = await reading(content.open(contentKey(record.location), record.size.bytes));
      if (!opened) throw new ArtifactGoneError(record.artifactId, "missing");
      const read: OpenContent["read"] = (start, end) => reading(opened.read(start, end));
      return checkedContent(record, { ...opened, read });
    },

    async openDerived(record, derived, make) {
      const key = derivedKey(record.location, derived);
      const existing = await reading(content.open(key));
      if (existing) return existing;
      let failure: { readonly error: unknown } | undefined;
      async function* made(): AsyncGenerator<Uint8Array> {
        try {
          yield* make();
        } catch (error) {
          failure = { error };
          throw error;
        }
      }
      const cached = await content.write(key, made()).then(
        () => content.open(key),
        () => undefined,
      );
      if (failure) throw failure.error;
      // If the cache cannot be written, go on without it.
      return cached ?? memoryContent(await collectPieces(make()));
    },

    async remove(record) {
      // The record first: from then on no reader looks for content that may be gone.
      const isUnused = await writing(metadata.remove(record));
      if (isUnused) await writing(content.remove(keysAt(record.location)));
    },

    removeOldest: (removal) => writing(removeOldest(removal)),
    purge: (sessionId) => writing(purge(sessionId)),
    addChild: (sessionId, childSessionId) => writing(metadata.addChild(sessionId, childSessionId)),

    verify: (options) => reading(verifyHalves(metadata, content, options), options.signal),

    async close() {
      await metadata.close?.();
      await content.close?.();
    },
  };

  function reading<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
    return work.catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw ContextOffloadError.isInstance(cause) ? cause : new ReadFailedError(name, cause);
    });
  }

  function writing<T>(work: Promise<T>): Promise<T> {
    return work.catch((cause: unknown) => {
      throw ContextOffloadError.isInstance(cause) ? cause : new WriteFailedError(name, cause);
    });
  }
}

function newRecord(
  { sessionId, type, createdAt, wantedId, metadata, shownHash }: NewArtifact,
  location: string,
  hash: string,
  size: TextSize,
): NewRecord {
  const shown = shownHash?.();
  return {
    ...{ sessionId, type, size, hash, createdAt, location, metadata },
    ...(shown === undefined ? {} : { shownHash: shown }),
    candidateIds: candidateIds(wantedId, hash),
  };
}
