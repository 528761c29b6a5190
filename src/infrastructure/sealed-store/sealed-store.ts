import { createHmac } from "node:crypto";
import { messageOf } from "../../core/errors/context-offload-error.js";
import { ArtifactDamagedError } from "../../core/errors/reading-errors.js";
import { once } from "../../core/lib/concurrency.js";
import { collectPieces } from "../../core/lib/text/byte-source.js";
import {
  type NewArtifact,
  memoryContent,
  type ArtifactStore,
  type OpenContent,
  type SessionListing,
} from "../../core/workspace/artifacts/artifact-store.js";
import {
  candidateIds,
  type ArtifactRecord,
  NAMED_FIELDS,
} from "../../core/workspace/artifacts/artifact.js";
import { queryByListing } from "../../core/workspace/artifacts/list-artifacts.js";
import { hashPassing, sha256 } from "../hash.js";
import { type Seal, TamperedError } from "./seal.js";

const MAX_GATHERED_BYTES = 8_388_608;

/**
 * A stream as one piece if it is short: only content that is known before it is stored gets the id
 * that it would have had, and is stored once.
 */
async function gather(content: NewArtifact["content"]): Promise<NewArtifact["content"]> {
  if (content instanceof Uint8Array) return content;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const source = content[Symbol.asyncIterator]();
  while (bytes <= MAX_GATHERED_BYTES) {
    const next = await source.next();
    if (next.done === true) return Buffer.concat(pieces);
    // A copy, since the caller may use its buffer again.
    pieces.push(next.value.slice());
    bytes += next.value.length;
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
      for (;;) {
        const next = await source.next();
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await source.return?.();
    }
  }
  return rest();
}

/**
 * A store around another one, which holds content and records in another form: encrypted, or under a
 * keyed hash. The other store sees only that form and its plain hash, with which it finds damage itself.
 *
 * @param hashKey - Artifacts are known by an HMAC with this key: a plain hash of a short secret can be guessed.
 */
export function sealStore(inner: ArtifactStore, seal: Seal, hashKey: Uint8Array): ArtifactStore {
  /** The records of the inner store, by the ones made from them. */
  const inners = new WeakMap<ArtifactRecord, ArtifactRecord>();
  const opened = new WeakMap<ArtifactRecord, ArtifactRecord>();

  const openRecord = (record: ArtifactRecord): ArtifactRecord => {
    const known = opened.get(record);
    if (known) return known;
    let fields;
    try {
      fields = seal.openRecord(record);
    } catch {
      // It exists, but nobody here can read it; reading its content says why.
      fields = { type: record.type, size: record.size, hash: "", metadata: record.metadata };
    }
    const outer = { ...record, ...fields };
    opened.set(record, outer);
    inners.set(outer, record);
    return outer;
  };

  const openListing = (listing: SessionListing): SessionListing => ({
    ...listing,
    artifacts: new Map([...listing.artifacts].map(([id, record]) => [id, openRecord(record)])),
    removed: new Map([...listing.removed].map(([id, record]) => [id, record && openRecord(record)])),
  });

  /** A record may come from an earlier process, or from a copy. */
  const innerOf = async (record: ArtifactRecord): Promise<ArtifactRecord> => {
    const known = inners.get(record);
    if (known) return known;
    const { artifacts } = await inner.listSession(record.sessionId);
    return artifacts.get(record.artifactId) ?? record;
  };

  const put = async (artifact: NewArtifact): Promise<ArtifactRecord> => {
    const { sessionId, type, wantedId } = artifact;
    const gathered = await gather(artifact.content);
    const hmac = createHmac("sha256", hashKey);
    // The hash of a stream is known when all of it has passed.
    const passing = gathered instanceof Uint8Array ? undefined : hashPassing(gathered, hmac);
    const hash =
      gathered instanceof Uint8Array
        ? (artifact.hash?.() ?? hmac.update(gathered).digest("hex"))
        : undefined;
    const content = passing?.bytes ?? gathered;
    let id = wantedId;
    if (hash !== undefined) {
      // The inner store sees other bytes for the same content with another key, so this one decides.
      const { artifacts } = openListing(await inner.listSession(sessionId));
      const candidates = candidateIds(wantedId, hash);
      const same = candidates
        .map((name) => artifacts.get(name))
        .find((held) => held?.hash === hash && held.type === type);
      if (same) return same;
      id = candidates.find((name) => !artifacts.has(name));
    }
    const sealed = seal.sealContent({ ...artifact, content }, hash);
    const size = once(artifact.size);
    const bytes = sealed.content instanceof Uint8Array ? sealed.content : undefined;
    const stored = await inner.put({
      ...{ sessionId, type, createdAt: artifact.createdAt, wantedId: id },
      content: sealed.content,
      hash: bytes && once(() => sha256(bytes)),
      size: () => ({ ...size(), bytes: sealed.storedBytes(size().bytes) }),
      // Stores ask for it once the content is written: only then are size and hash of a stream known.
      get metadata() {
        return seal.sealRecord(
          {
            type,
            size: size(),
            hash: hash ?? passing?.hash() ?? "",
            metadata: artifact.metadata,
          },
          sessionId,
          sealed.contentId,
        );
      },
    });
    return openRecord(stored);
  };

  const openSealed = async (record: ArtifactRecord): Promise<OpenContent> => {
    const innerRecord = await innerOf(record);
    const sealed = await inner.open(innerRecord);
    try {
      return guard(await seal.openContent(innerRecord, sealed), sealed, record.artifactId);
    } catch (error) {
      await sealed.close();
      throw damaged(error, record.artifactId);
    }
  };

  const listings: Pick<ArtifactStore, "sessions" | "listSession"> = {
    sessions: () => inner.sessions(),
    listSession: async (sessionId) => openListing(await inner.listSession(sessionId)),
  };
  return {
    put,
    ...listings,
    ...(inner.query
      ? {
          async query(wanted) {
            if (seal.hidesMetadata && !isNamed(wanted.filter ?? {})) {
              return queryByListing(listings, wanted);
            }
            const page = await (inner as Required<ArtifactStore>).query(wanted);
            const artifacts = page.artifacts.map(({ record, cursor }) => ({
              ...{ cursor, record: openRecord(record) },
            }));
            return { ...page, artifacts };
          },
        }
      : {}),
    open: openSealed,

    async openDerived(record, name, make) {
      const sealed = await inner.openDerived(await innerOf(record), name, () =>
        seal.sealDerived(make()),
      );
      try {
        return guard(await seal.openDerived(sealed), sealed, record.artifactId);
      } catch {
        // A cache that was tampered with is rebuilt.
        await sealed.close();
        return memoryContent(await collectPieces(make()));
      }
    },

    remove: async (record) => inner.remove(await innerOf(record)),
    addChild: (sessionId, childSessionId) => inner.addChild(sessionId, childSessionId),

    async verify(options) {
      const report = await inner.verify(options);
      let bytes = 0;
      const unopenable: { sessionId: string; artifactId: string; problem: string }[] = [];
      const known = new Set(
        [...report.damaged, ...report.missing].map((at) => `${at.sessionId}\n${at.artifactId}`),
      );
      for (const sessionId of await inner.sessions()) {
        const { artifacts } = openListing(await inner.listSession(sessionId));
        for (const [artifactId, record] of artifacts) {
          options.signal?.throwIfAborted();
          bytes += record.size.bytes;
          if (known.has(`${sessionId}\n${artifactId}`)) continue;
          const problem = await problemOf(record);
          if (problem !== undefined) unopenable.push({ sessionId, artifactId, problem });
        }
      }
      return { ...report, bytes, damaged: [...report.damaged, ...unopenable] };

      async function problemOf(record: ArtifactRecord): Promise<string | undefined> {
        try {
          const content = await openSealed(record);
          try {
            await content.check?.(options.signal);
          } finally {
            await content.close();
          }
          return undefined;
        } catch (error) {
          options.signal?.throwIfAborted();
          return messageOf(error);
        }
      }
    },

    ...(inner.close ? { close: () => inner.close?.() } : {}),
  };
}

/** The rest of the metadata is in the part of a record that the store cannot read. */
function isNamed(filter: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(filter).every(
    ([key, value]) => value === undefined || (NAMED_FIELDS as readonly string[]).includes(key),
  );
}

/** Reads that fail because of what is stored say so; the inner store's own check comes with ours. */
function guard(content: OpenContent, sealed: OpenContent, artifactId: string): OpenContent {
  return {
    size: content.size,
    get bytesRead() {
      return content.bytesRead;
    },
    async read(start, end) {
      try {
        return await content.read(start, end);
      } catch (error) {
        throw damaged(error, artifactId);
      }
    },
    async check(signal) {
      try {
        await content.check?.(signal);
        await sealed.check?.(signal);
      } catch (error) {
        throw damaged(error, artifactId);
      }
    },
    close: () => content.close(),
  };
}

function damaged(error: unknown, artifactId: string): unknown {
  return error instanceof TamperedError
    ? new ArtifactDamagedError(artifactId, error.message)
    : error;
}
