import type { Hash } from "../../engine/format.js";
import { ArtifactGoneError } from "../../errors/reading-errors.js";
import { WriteFailedError } from "../../errors/storage-errors.js";
import { collectPieces } from "../../lib/text/byte-source.js";
import {
  candidateIds,
  isRenewal,
  isStanding,
  tombstoneOf,
  type ArtifactRecord,
  type Tombstone,
} from "./artifact.js";
import {
  memoryContent,
  type ArtifactStore,
  type NewArtifact,
  type OpenStore,
  type SessionListing,
  type VerifyOptions,
  type VerifyReport,
} from "./artifact-store.js";

interface Session {
  readonly artifacts: Map<string, ArtifactRecord>;
  readonly removed: Map<string, Tombstone>;
  readonly children: Set<string>;
  readonly contents: Map<string, Uint8Array>;
}

/** Artifacts in memory: nothing outlives the process. */
export class MemoryArtifacts implements ArtifactStore {
  readonly #sessions = new Map<string, Session>();

  constructor(readonly hash: Hash) {}

  async put(artifact: NewArtifact): Promise<ArtifactRecord> {
    const { sessionId, type, content, createdAt } = artifact;
    const bytes =
      content instanceof Uint8Array ? content.slice() : await collectPieces(copied(content));
    const hash = this.hash(bytes);
    const session = this.#session(sessionId);
    // Only now: size and metadata of a stream are known at its end.
    const size = artifact.size();
    const { metadata } = artifact;
    for (const artifactId of candidateIds(artifact.wantedId, hash)) {
      const there = session.artifacts.get(artifactId);
      if (there && there.hash === hash && there.type === type) {
        return renewIn(session, there, createdAt);
      }
      if (there) continue;
      const location = `memory:${sessionId}/${artifactId}`;
      const shownHash = artifact.shownHash?.();
      const record = {
        ...{ artifactId, sessionId, type, size, hash, createdAt, metadata, location },
        ...(shownHash === undefined ? {} : { shownHash }),
      };
      session.contents.set(artifactId, bytes);
      session.artifacts.set(artifactId, record);
      session.removed.delete(artifactId);
      return record;
    }
    throw new WriteFailedError("memory", "every id for this content holds other content");
  }

  renew(record: ArtifactRecord, createdAt: string): Promise<ArtifactRecord | undefined> {
    const session = this.#session(record.sessionId);
    const there = session.artifacts.get(record.artifactId);
    const isThere = there?.hash === record.hash;
    return Promise.resolve(isThere ? renewIn(session, there, createdAt) : undefined);
  }

  sessions(): Promise<readonly string[]> {
    return Promise.resolve([...this.#sessions.keys()].sort());
  }

  listSession(sessionId: string): Promise<SessionListing> {
    const session = this.#sessions.get(sessionId) ?? emptySession();
    for (const [id, tombstone] of session.removed) {
      // They end in the order in which they were made.
      if (isStanding(tombstone, Date.now())) break;
      session.removed.delete(id);
    }
    return Promise.resolve(session);
  }

  open({ sessionId, artifactId }: ArtifactRecord): Promise<ReturnType<typeof memoryContent>> {
    const bytes = this.#sessions.get(sessionId)?.contents.get(artifactId);
    return bytes
      ? Promise.resolve(memoryContent(bytes))
      : Promise.reject(new ArtifactGoneError(artifactId, "missing"));
  }

  async openDerived(
    _record: ArtifactRecord,
    _name: string,
    make: () => AsyncIterable<Uint8Array>,
  ): Promise<ReturnType<typeof memoryContent>> {
    return memoryContent(await collectPieces(make()));
  }

  remove({ sessionId, artifactId, createdAt }: ArtifactRecord): Promise<void> {
    const session = this.#sessions.get(sessionId);
    const held = session?.artifacts.get(artifactId);
    if (session && held?.createdAt === createdAt) {
      session.artifacts.delete(artifactId);
      session.contents.delete(artifactId);
      // Last, also if it was removed before: tombstones end in this order.
      session.removed.delete(artifactId);
      session.removed.set(artifactId, tombstoneOf(held, Date.now()));
    }
    return Promise.resolve();
  }

  purge(sessionId?: string): Promise<{ readonly artifacts: number }> {
    const purged = sessionId === undefined ? [...this.#sessions.keys()] : [sessionId];
    let artifacts = 0;
    for (const id of purged) {
      artifacts += this.#sessions.get(id)?.artifacts.size ?? 0;
      this.#sessions.delete(id);
      for (const { children } of this.#sessions.values()) children.delete(id);
    }
    return Promise.resolve({ artifacts });
  }

  addChild(sessionId: string, childSessionId: string): Promise<void> {
    this.#session(sessionId).children.add(childSessionId);
    return Promise.resolve();
  }

  verify({ signal }: VerifyOptions): Promise<VerifyReport> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const records = [...this.#sessions.values()].flatMap(({ artifacts }) => [
      ...artifacts.values(),
    ]);
    return Promise.resolve({
      sessions: this.#sessions.size,
      artifacts: records.length,
      bytes: records.reduce((sum, { size }) => sum + size.bytes, 0),
      damaged: [],
      missing: [],
      unreadable: [],
      orphaned: [],
      brokenLines: 0,
      deleted: [],
    });
  }

  #session(sessionId: string): Session {
    const session = this.#sessions.get(sessionId) ?? emptySession();
    this.#sessions.set(sessionId, session);
    return session;
  }
}

/** Namespaces in memory; opened twice, a namespace is the same one. */
export function openMemory(hash: Hash): OpenStore {
  const namespaces = new Map<string, MemoryArtifacts>();
  return (namespace) => {
    const store = namespaces.get(namespace) ?? new MemoryArtifacts(hash);
    namespaces.set(namespace, store);
    return store;
  };
}

function renewIn(
  { artifacts }: Session,
  record: ArtifactRecord,
  createdAt: string,
): ArtifactRecord {
  if (!isRenewal(record, createdAt)) return record;
  const renewed = { ...record, createdAt };
  artifacts.delete(record.artifactId);
  artifacts.set(record.artifactId, renewed);
  return renewed;
}

function emptySession(): Session {
  return { artifacts: new Map(), removed: new Map(), children: new Set(), contents: new Map() };
}

/** Copies, since a caller may reuse the memory of a chunk. */
async function* copied(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) yield chunk.slice();
}
