import { collectPieces } from "../core/lib/text/byte-source.js";
import { ArtifactGoneError } from "../core/errors/artifact-gone-error.js";
import { WriteFailedError } from "../core/errors/write-failed-error.js";
import { type ArtifactRecord, candidateIds } from "../core/workspace/artifacts/artifact.js";
import type {
  ArtifactStore,
  NewArtifact,
  VerifyReport,
} from "../core/workspace/artifacts/artifact-store.js";
import { memoryContent } from "../core/workspace/artifacts/memory-content.js";
import { checkHash } from "./check-hash.js";

interface Session {
  readonly artifacts: Map<string, ArtifactRecord>;
  readonly removed: Set<string>;
  readonly children: Set<string>;
  readonly contents: Map<string, Uint8Array>;
}

/** A store in memory, for tests: nothing outlives the process. */
export class MemoryStore implements ArtifactStore {
  readonly #sessions = new Map<string, Session>();

  async put(artifact: NewArtifact): Promise<ArtifactRecord> {
    const { sessionId, type, content, createdAt, metadata } = artifact;
    const bytes = content instanceof Uint8Array ? content : await collectPieces(content);
    const hash = checkHash(bytes);
    const session = this.#session(sessionId);
    const size = artifact.describe();
    for (const artifactId of candidateIds(artifact.wantedId, hash)) {
      const there = session.artifacts.get(artifactId);
      if (there && there.hash === hash && there.type === type) return there;
      if (there) continue;
      const location = `memory:${sessionId}/${artifactId}`;
      const record = { artifactId, sessionId, type, size, hash, createdAt, metadata, location };
      session.contents.set(artifactId, bytes);
      session.artifacts.set(artifactId, record);
      session.removed.delete(artifactId);
      return record;
    }
    throw new WriteFailedError("memory", "every id for this content holds other content");
  }

  sessions(): Promise<readonly string[]> {
    return Promise.resolve([...this.#sessions.keys()].sort());
  }

  listSession(sessionId: string): Promise<Session> {
    return Promise.resolve(this.#session(sessionId));
  }

  open({ sessionId, artifactId }: ArtifactRecord): Promise<ReturnType<typeof memoryContent>> {
    const bytes = this.#session(sessionId).contents.get(artifactId);
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

  remove({ sessionId, artifactId }: ArtifactRecord): Promise<void> {
    const session = this.#session(sessionId);
    session.artifacts.delete(artifactId);
    session.contents.delete(artifactId);
    session.removed.add(artifactId);
    return Promise.resolve();
  }

  addChild(sessionId: string, childSessionId: string): Promise<void> {
    this.#session(sessionId).children.add(childSessionId);
    return Promise.resolve();
  }

  verify(): Promise<VerifyReport> {
    const records = [...this.#sessions.values()].flatMap(({ artifacts }) => [
      ...artifacts.values(),
    ]);
    return Promise.resolve({
      sessions: this.#sessions.size,
      artifacts: records.length,
      bytes: records.reduce((sum, { size }) => sum + size.bytes, 0),
      damaged: [],
      missing: [],
      orphaned: [],
      brokenLines: 0,
      deleted: [],
    });
  }

  #session(sessionId: string): Session {
    let session = this.#sessions.get(sessionId);
    if (!session) {
      session = {
        artifacts: new Map(),
        removed: new Set(),
        children: new Set(),
        contents: new Map(),
      };
      this.#sessions.set(sessionId, session);
    }
    return session;
  }
}
