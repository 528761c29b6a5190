import type { EventLogger } from "../core/workspace/events.js";
import type { ToolNaming } from "../core/workspace/tools/tool-naming.js";
import type { Workspace } from "../core/workspace/workspace-types.js";
import { ArtifactGoneError } from "../core/errors/artifact-errors.js";
import { DEFAULTS } from "../core/defaults.js";
import { SearchFailedError } from "../core/errors/search-errors.js";
import { WriteFailedError } from "../core/errors/storage-errors.js";
import { candidateIds, type ArtifactRecord } from "../core/workspace/artifacts/artifact.js";
import { checkHash } from "./check-hash.js";
import { collectPieces } from "../core/lib/text/byte-source.js";
import { estimateTokens } from "../core/lib/tokens/estimate-tokens.js";
import {
  memoryContent,
  type ArtifactStore,
  type NewArtifact,
  type VerifyReport,
} from "../core/workspace/artifacts/artifact-store.js";
import { wireWorkspace } from "../core/workspace/workspace.js";

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
      unreadable: [],
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

export interface MemoryWorkspaceOptions {
  /** Maximum length of the digest in a reference, in characters. Default 2,000. */
  readonly digestChars?: number | undefined;
  /** The agent's own names for the reading tools; `false` for one that it does not have. Default: the tools' own names. */
  readonly toolNames?: ToolNaming | undefined;
  /** Called with an event for every offload, read, skip, removal and failure. Default: none. */
  readonly logger?: EventLogger | undefined;
}

/** A workspace in memory, for tests of formats and agents. It does not support `grepKnowledge`. */
export function createMemoryWorkspace(options: MemoryWorkspaceOptions = {}): Workspace {
  const { digestChars = DEFAULTS.digestChars, toolNames = {}, logger } = options;
  return wireWorkspace({
    namespace: "memory",
    store: new MemoryStore(),
    searchText: () => Promise.reject(new SearchFailedError("a workspace in memory cannot search")),
    closeSearch: () => Promise.resolve(),
    hash: checkHash,
    clock: { now: () => 0 },
    countTokens: estimateTokens,
    digestChars,
    readChars: DEFAULTS.readChars,
    notice: { readBy: "tools", toolNames },
    logger,
  });
}
