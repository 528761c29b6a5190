import { requireObject } from "../../core/arguments.js";
import { ArtifactGoneError } from "../../core/errors/artifact-errors.js";
import { ContextOffloadError } from "../../core/errors/context-offload-error.js";
import { ReadFailedError, WriteFailedError } from "../../core/errors/storage-errors.js";
import { collectPieces, readPieces } from "../../core/lib/text/byte-source.js";
import {
  candidateIds,
  type ArtifactRecord,
  type TextSize,
} from "../../core/workspace/artifacts/artifact.js";
import {
  memoryContent,
  type ArtifactStore,
  type NewArtifact,
  type OpenContent,
} from "../../core/workspace/artifacts/artifact-store.js";
import type { ContentStore, MetadataStore } from "../../core/workspace/artifacts/store-halves.js";
import { sha256 } from "../hash.js";
import { contentKey, derivedKey, newLocation } from "./content-key.js";
import { hashedContent, hashPassing } from "./hashed-content.js";
import { verifyHalves } from "./verify-halves.js";

/**
 * Makes one store of two halves. A put writes the content first and adds its record then, so that an
 * artifact that is listed can be read; content without a record is an orphan that `verify` finds.
 *
 * @param name - What the store is called in errors.
 */
export function joinStores(
  metadata: MetadataStore,
  content: ContentStore,
  name: string,
): ArtifactStore {
  requireObject("metadata", metadata, "a MetadataStore");
  requireObject("content", content, "a ContentStore");
  const put = async (artifact: NewArtifact): Promise<ArtifactRecord> => {
    const { sessionId, type, createdAt, wantedId } = artifact;
    const location = newLocation();
    const hash = await write(contentKey(location), artifact);
    let size: TextSize;
    try {
      size = artifact.describe();
    } catch (error) {
      await discard(location);
      throw error;
    }
    // From here on the content is kept whatever happens: an error may mean that only the answer was lost.
    const record = await metadata.add({
      ...{ sessionId, type, size, hash, createdAt, location },
      metadata: artifact.metadata,
      candidateIds: candidateIds(wantedId, hash),
    });
    if (record.location !== location) {
      await heal(record, location);
      await discard(location);
    }
    return record;
  };

  const write = async (key: string, artifact: NewArtifact): Promise<string> => {
    const { content: source } = artifact;
    if (source instanceof Uint8Array) {
      const writing = content.write(key, source);
      writing.catch(() => undefined);
      // Computed while the content is on its way.
      const hash = artifact.hash?.() ?? sha256(source);
      await writing;
      return hash;
    }
    const passing = hashPassing(source);
    await content.write(key, passing.bytes);
    return passing.hash();
  };

  /** Content that was lost where its record says is put back there. */
  const heal = async (record: ArtifactRecord, location: string): Promise<void> => {
    const there = await content.open(contentKey(record.location), record.size.bytes);
    await there?.close();
    if (there?.size === record.size.bytes) return;
    const copy = await content.open(contentKey(location), record.size.bytes);
    if (!copy) return;
    await content.write(contentKey(record.location), readPieces(copy));
    await copy.close();
  };

  /** An orphan does no harm, so a failure to remove one is not an error. */
  const discard = (location: string): Promise<void> =>
    content.removeAll(`${location}/`).catch(() => undefined);

  return {
    put: (artifact) => coded(put(artifact), (cause) => new WriteFailedError(name, cause)),
    sessions: () => reading(metadata.sessions()),
    listSession: (sessionId) => reading(metadata.listSession(sessionId)),
    query: (query) => reading(metadata.query(query)),

    async open(record) {
      const opened = await reading(content.open(contentKey(record.location), record.size.bytes));
      if (!opened) throw new ArtifactGoneError(record.artifactId, "missing");
      const read: OpenContent["read"] = (start, end) => reading(opened.read(start, end));
      return hashedContent(record, { ...opened, read });
    },

    async openDerived(record, derived, make) {
      const key = derivedKey(record.location, derived);
      const there = await reading(content.open(key));
      if (there) return there;
      let failure: { readonly error: unknown } | undefined;
      async function* made(): AsyncGenerator<Uint8Array> {
        try {
          yield* make();
        } catch (error) {
          failure = { error };
          throw error;
        }
      }
      const kept = await content.write(key, made()).then(
        () => content.open(key),
        () => undefined,
      );
      if (failure) throw failure.error;
      // A cache that cannot be written is done without.
      return kept ?? memoryContent(await collectPieces(make()));
    },

    async remove(record) {
      // The record first: from then on no reader looks for content that may be gone.
      await coded(metadata.remove(record), (cause) => new WriteFailedError(name, cause));
      await coded(
        content.removeAll(`${record.location}/`),
        (cause) => new WriteFailedError(name, cause),
      );
    },

    addChild: (sessionId, childSessionId) =>
      coded(
        metadata.addChild(sessionId, childSessionId),
        (cause) => new WriteFailedError(name, cause),
      ),

    verify: (options) => reading(verifyHalves(metadata, content, options)),

    async close() {
      await metadata.close?.();
      await content.close?.();
    },
  };

  function reading<T>(work: Promise<T>): Promise<T> {
    return coded(work, (cause) => new ReadFailedError(name, cause));
  }
}

async function coded<T>(work: Promise<T>, wrap: (cause: unknown) => Error): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw ContextOffloadError.isInstance(cause) ? cause : wrap(cause);
  }
}
