import { randomBytes } from "node:crypto";
import { requireObject } from "../../core/arguments.js";
import { DEFAULTS } from "../../core/defaults.js";
import { ContextOffloadError } from "../../core/errors/context-offload-error.js";
import { ArtifactDamagedError, ArtifactGoneError } from "../../core/errors/reading-errors.js";
import { ReadFailedError, WriteFailedError } from "../../core/errors/storage-errors.js";
import { readPieces, collectPieces } from "../../core/lib/text/byte-source.js";
import {
  type OpenContent,
  type VerifyOptions,
  type VerifyReport,
  type ContentStore,
  type MetadataStore,
  memoryContent,
  type ArtifactStore,
  type NewArtifact,
} from "../../core/workspace/artifacts/artifact-store.js";
import {
  type ArtifactRecord,
  candidateIds,
  type TextSize,
} from "../../core/workspace/artifacts/artifact.js";
import { checkedContent } from "../checked-content.js";
import { PAGE } from "./session-listings.js";
import { hashPassing, sha256 } from "../hash.js";

/** A key that no other content has; what belongs to the same artifact has the same folder. */
function newLocation(): string {
  return randomBytes(16).toString("hex");
}

function contentKey(location: string): string {
  return `${location}/content`;
}

function derivedKey(location: string, name: string): string {
  return `${location}/${name}`;
}

function locationOf(key: string): string {
  return key.slice(0, key.indexOf("/"));
}

/** Compares every artifact's content with its record, and finds content without a record. */
async function verifyHalves(
  metadata: MetadataStore,
  content: ContentStore,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const { signal } = options;
  const damaged: { sessionId: string; artifactId: string; problem: string }[] = [];
  const missing: { sessionId: string; artifactId: string }[] = [];
  // Content is listed before records, so that an artifact put in between has a record.
  const written = await listContent(content, signal);
  let artifacts = 0;
  let bytes = 0;
  for await (const record of allRecords(metadata, signal)) {
    const { sessionId, artifactId, location } = record;
    written.delete(location);
    const problem = await findProblem(content, record, signal);
    artifacts++;
    bytes += record.size.bytes;
    if (problem === "missing") missing.push({ sessionId, artifactId });
    else if (problem !== undefined) damaged.push({ sessionId, artifactId, problem });
  }
  const orphaned = [...written.keys()].sort();
  const deleted: string[] = [];
  const { deleteOrphans = false, orphanAgeMs = DEFAULTS.orphanAgeMs } = options;
  for (const [location, writtenAt] of deleteOrphans ? written : []) {
    signal?.throwIfAborted();
    // A put adds its record soon after its content: what is older belongs to one that has ended.
    if (Date.now() - writtenAt < orphanAgeMs) continue;
    await content.removeAll(`${location}/`);
    deleted.push(location);
  }
  return {
    sessions: (await metadata.sessions()).length,
    ...{ artifacts, bytes, damaged, missing, orphaned, deleted },
    ...{ unreadable: [], brokenLines: 0 },
  };
}

/** When the content at each location was last written. */
async function listContent(
  content: ContentStore,
  signal: AbortSignal | undefined,
): Promise<Map<string, number>> {
  const written = new Map<string, number>();
  let after = "";
  for (;;) {
    signal?.throwIfAborted();
    const page = await content.keys(after, PAGE);
    for (const { key, writtenAt } of page) {
      const location = locationOf(key);
      written.set(location, Math.max(writtenAt, written.get(location) ?? 0));
      after = key;
    }
    if (page.length < PAGE) return written;
  }
}

async function* allRecords(
  metadata: MetadataStore,
  signal: AbortSignal | undefined,
): AsyncGenerator<ArtifactRecord> {
  let after: string | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const { artifacts } = await metadata.query({ after, limit: PAGE });
    for (const { record } of artifacts) yield record;
    after = artifacts.at(-1)?.cursor;
    if (artifacts.length < PAGE) return;
  }
}

async function findProblem(
  content: ContentStore,
  record: ArtifactRecord,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const opened = await content.open(contentKey(record.location), record.size.bytes);
  if (!opened) return "missing";
  try {
    await checkedContent(record, opened).check?.(signal);
    return undefined;
  } catch (error) {
    if (error instanceof ArtifactDamagedError) return error.problem;
    throw error;
  } finally {
    await opened.close();
  }
}

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
      size = artifact.size();
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
      await repair(record, location);
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
  const repair = async (record: ArtifactRecord, location: string): Promise<void> => {
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
    put: (artifact) => writing(put(artifact)),
    renew: (record, createdAt) => writing(metadata.renew(record, createdAt)),
    sessions: () => reading(metadata.sessions()),
    listSession: (sessionId) => reading(metadata.listSession(sessionId)),
    query: (query) => reading(metadata.query(query)),

    async open(record) {
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
      if (isUnused) await writing(content.removeAll(`${record.location}/`));
    },

    addChild: (sessionId, childSessionId) => writing(metadata.addChild(sessionId, childSessionId)),

    verify: (options) => reading(verifyHalves(metadata, content, options)),

    async close() {
      await metadata.close?.();
      await content.close?.();
    },
  };

  function reading<T>(work: Promise<T>): Promise<T> {
    return work.catch((cause: unknown) => {
      throw ContextOffloadError.isInstance(cause) ? cause : new ReadFailedError(name, cause);
    });
  }

  function writing<T>(work: Promise<T>): Promise<T> {
    return work.catch((cause: unknown) => {
      throw ContextOffloadError.isInstance(cause) ? cause : new WriteFailedError(name, cause);
    });
  }
}
