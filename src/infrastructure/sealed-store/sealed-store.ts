import { createHmac, randomBytes } from "node:crypto";
import { DEFAULTS } from "../../core/defaults.js";
import { InvalidArgumentError } from "../../core/errors/argument-errors.js";
import { ContextOffloadError, messageOf } from "../../core/errors/context-offload-error.js";
import { ArtifactDamagedError } from "../../core/errors/reading-errors.js";
import { WriteFailedError } from "../../core/errors/storage-errors.js";
import { forEachConcurrently, once } from "../../core/lib/concurrency.js";
import { collectPieces, readPieces } from "../../core/lib/text/byte-source.js";
import {
  type NewArtifact,
  memoryContent,
  type ArtifactStore,
  type OpenContent,
  type SessionListing,
  type VerifyOptions,
  type VerifyReport,
} from "../../core/workspace/artifacts/artifact-store.js";
import {
  candidateIds,
  SHOWN_HASH_DIGITS,
  type ArtifactRecord,
} from "../../core/workspace/artifacts/artifact.js";
import { queryByListing } from "../../core/workspace/artifacts/list-artifacts.js";
import { DERIVED_NAMES } from "../../core/workspace/artifacts/readable-view.js";
import { CauseError } from "../cause-error.js";
import { hashPassing, sha256 } from "../hash.js";
import { OpenedRecords } from "./opened-records.js";
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

/** How often a put is tried while others take its id, or remove what it found. */
const MAX_ATTEMPTS = 20;

/** Smaller content has no derived data: its view would have to be many times as long. */
const MIN_DERIVED_BYTES = 65_536;

/**
 * A store around another one, which holds content and records in another form: encrypted, or under a
 * keyed hash. The other store sees only that form and its plain hash, with which it finds damage itself.
 *
 * @param hashKey - Artifacts are known by an HMAC with this key: a plain hash of a short secret can be guessed.
 */
export function sealStore(inner: ArtifactStore, seal: Seal, hashKey: Uint8Array): ArtifactStore {
  const records = new OpenedRecords(inner, (record) => {
    try {
      return { ...record, ...seal.openRecord(record) };
    } catch {
      // It exists, but nobody here can read it; reading its content says why.
      return { ...record, hash: "" };
    }
  });

  const listSession = async (sessionId: string): Promise<SessionListing> => {
    const listing = await inner.listSession(sessionId);
    const children = new Set<string>();
    for (const child of listing.children) {
      const opened = openChild(child, sessionId);
      if (opened !== undefined) children.add(opened);
    }
    return { ...records.listing(listing), children };
  };

  /** `undefined` for a name that nobody here has put there: it must give access to nothing. */
  const openChild = (sealed: string, sessionId: string): string | undefined => {
    try {
      return seal.openChild(sealed, sessionId);
    } catch {
      return undefined;
    }
  };

  const openSealed = async (record: ArtifactRecord): Promise<OpenContent> => {
    const innerRecord = await records.innerOf(record);
    const sealed = await inner.open(innerRecord);
    try {
      return guard(await seal.openContent(innerRecord, sealed), sealed, record.artifactId);
    } catch (error) {
      await sealed.close();
      throw damaged(error, record.artifactId);
    }
  };

  const renew = async (record: ArtifactRecord, at: string): Promise<ArtifactRecord | undefined> => {
    const renewed = await inner.renew(await records.innerOf(record), at);
    return renewed && records.open(renewed);
  };

  /** Renews what is held already; if its content cannot be read any more, it is removed and stored anew. */
  const renewIntact = async (
    record: ArtifactRecord,
    createdAt: string,
  ): Promise<ArtifactRecord | undefined> => {
    const renewed = await renew(record, createdAt);
    if (!renewed) return undefined;
    try {
      await (await openSealed(renewed)).close();
      return renewed;
    } catch (error) {
      if (!isLost(error)) throw error;
      await inner.remove(await records.innerOf(renewed));
      return undefined;
    }
  };

  const put = async (artifact: NewArtifact): Promise<ArtifactRecord> => {
    const { sessionId, type, createdAt } = artifact;
    const gathered = await gather(artifact.content);
    const hmac = createHmac("sha256", hashKey);
    const bytes = gathered instanceof Uint8Array ? gathered : undefined;
    // The hash of a stream is known when all of it has passed.
    const passing = gathered instanceof Uint8Array ? undefined : hashPassing(gathered, hmac);
    const known =
      artifact.knownAs ?? (bytes && (artifact.hash?.() ?? hmac.update(bytes).digest("hex")));
    const hash = once(() => known ?? passing?.hash() ?? "");
    // What is sealed belongs to one id, so that the id of a stream cannot be made from its hash.
    const candidates = candidateIds(artifact.wantedId, known ?? randomBytes(32).toString("hex"));
    const size = once(artifact.size);
    let content: NewArtifact["content"] = passing?.bytes ?? gathered;
    let strayed: Strayed | undefined;
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        // The inner store sees other bytes for the same content with another key, so this one decides.
        const { artifacts } = records.listing(await inner.listSession(sessionId));
        const same = candidates
          .map((id) => artifacts.get(id))
          .find((held) => known !== undefined && held?.hash === known && held.type === type);
        if (same) {
          const renewed = await renewIntact(same, createdAt);
          if (renewed) return renewed;
          continue;
        }
        const artifactId = candidates.find((id) => !artifacts.has(id));
        if (artifactId === undefined) break;
        const stored = await putAs(artifactId);
        if (stored.artifactId === artifactId) return records.open(stored);
        // Another put was quicker. What is sealed for one artifact cannot be another one.
        const before = strayed;
        strayed = await openStrayed(stored, artifactId);
        content = bytes ?? readPieces(strayed.content);
        await before?.discard();
      }
    } finally {
      await strayed?.discard();
    }
    const cause = new CauseError("every id for this content holds other content");
    throw new WriteFailedError(`session ${sessionId}`, cause);

    function putAs(artifactId: string): Promise<ArtifactRecord> {
      const place = { sessionId, artifactId };
      const sealed = seal.sealContent(content, place);
      const sealedBytes = sealed.content instanceof Uint8Array ? sealed.content : undefined;
      // Stores ask for these once the content is written: only then are size and hash of a stream known.
      const record = once(() =>
        seal.sealRecord(
          { type, size: size(), hash: hash(), metadata: artifact.metadata },
          ...[place, sealed.contentId],
        ),
      );
      return inner.put({
        ...{ sessionId, createdAt, wantedId: artifactId },
        type: seal.sealType(type),
        content: sealed.content,
        hash: sealedBytes && once(() => sha256(sealedBytes)),
        shownHash: () => artifact.shownHash?.() ?? hash().slice(0, SHOWN_HASH_DIGITS),
        size: () => ({ ...record().size, bytes: sealed.storedBytes(size().bytes) }),
        get metadata() {
          return record().metadata;
        },
      });
    }

    /** A stream can be read only once: where it was stored under a wrong id, it is read from there. */
    async function openStrayed(stored: ArtifactRecord, artifactId: string): Promise<Strayed> {
      const sealed = await inner.open(stored);
      return {
        content: await seal.openContent({ ...stored, artifactId }, sealed),
        async discard() {
          await sealed.close();
          await inner.remove(stored).catch(() => undefined);
        },
      };
    }
  };

  return {
    put,
    renew,
    listSession,
    sessions: () => inner.sessions(),
    ...(inner.query
      ? {
          async query(wanted) {
            if (!seal.canQuery(wanted)) {
              const page = await queryByListing(
                { sessions: () => inner.sessions(), listSession },
                wanted,
              );
              return page;
            }
            return records.page(await (inner as Required<ArtifactStore>).query(wanted));
          },
        }
      : {}),
    ...records.byIndex,
    open: openSealed,

    async openDerived(record, name, make) {
      const sealed = await inner.openDerived(await records.innerOf(record), name, () =>
        seal.sealDerived(make(), record, name),
      );
      try {
        return guard(await seal.openDerived(sealed, record, name), sealed, record.artifactId);
      } catch {
        // A cache that is no sealed data at all, or that was sealed with a key that is gone, is rebuilt.
        await sealed.close();
        return memoryContent(await collectPieces(make()));
      }
    },

    remove: async (record) => inner.remove(await records.innerOf(record)),

    async purge(sessionId) {
      if (sessionId !== undefined) await purgeLinks(sessionId);
      return inner.purge(sessionId);
    },

    addChild: async (sessionId, childSessionId) => {
      if ((await listSession(sessionId)).children.has(childSessionId)) return;
      await inner.addChild(sessionId, seal.sealChild(childSessionId, sessionId));
    },

    verify,

    ...(inner.close ? { close: () => inner.close?.() } : {}),
  };

  /** The inner store knows links under sealed names alone: to it, each is a session that may be purged. */
  async function purgeLinks(sessionId: string): Promise<void> {
    for (const parent of await inner.sessions()) {
      for (const child of [...(await inner.listSession(parent)).children]) {
        const isLink = child !== sessionId && openChild(child, parent) === sessionId;
        if (isLink) await inner.purge(child);
      }
    }
  }

  /** The inner store compares its lists, and what is sealed is checked here: each goes on where its last part ended. */
  async function verify(options: VerifyOptions): Promise<VerifyReport> {
    const { signal, limit = Infinity, content = true } = options;
    const [fromLists, fromSealed] = parseNext(options.after);
    const lists =
      fromLists === null
        ? NOTHING
        : await inner.verify({ ...options, content: false, after: fromLists });
    // Whoever opens content finds what is missing, too.
    const damaged = content ? [] : [...lists.damaged];
    const missing = content ? [] : [...lists.missing];
    const unreadable = [...lists.unreadable];
    let next: CheckedPlace | undefined;
    let bytes = 0;

    async function* part(): AsyncGenerator<ArtifactRecord, void> {
      const [firstSession, lastArtifact] = fromSealed ?? ["", ""];
      let left = limit;
      for (const sessionId of [...(await inner.sessions())].sort()) {
        signal?.throwIfAborted();
        if (sessionId < firstSession) continue;
        if (left === 0) {
          next = [sessionId, ""];
          return;
        }
        const listing = await inner.listSession(sessionId);
        const after = sessionId === firstSession ? lastArtifact : "";
        if (after === "") {
          for (const child of listing.children) {
            if (openChild(child, sessionId) !== undefined) continue;
            const problem = "a session that it may read was not sealed here";
            unreadable.push({ folder: sessionId, problem });
          }
        }
        // By id, since a renewal moves an artifact to the end.
        const rest = [...listing.artifacts.values()]
          .filter(({ artifactId }) => artifactId > after)
          .sort((a, b) => (a.artifactId < b.artifactId ? -1 : 1));
        const records = rest.slice(0, left);
        left -= records.length;
        yield* records;
        if (records.length === rest.length) continue;
        next = [sessionId, records.at(-1)?.artifactId ?? ""];
        return;
      }
    }

    const check = async (innerRecord: ArtifactRecord): Promise<void> => {
      signal?.throwIfAborted();
      const record = records.open(innerRecord);
      const { sessionId, artifactId, location } = record;
      const problem = content ? await findProblem(record, signal) : undefined;
      if (problem !== undefined) {
        // An artifact that was removed in the meantime is not missing.
        const now = (await inner.listSession(sessionId)).artifacts.get(artifactId);
        if (now?.location !== location) return;
        if (problem === "missing") missing.push({ sessionId, artifactId });
        else damaged.push({ sessionId, artifactId, problem });
      }
      bytes += record.size.bytes;
    };
    if (fromSealed !== null) await forEachConcurrently(part(), DEFAULTS.writeConcurrency, check);
    const isOver = lists.next === undefined && next === undefined;
    return {
      ...{ ...lists, bytes, damaged, missing, unreadable },
      next: isOver ? undefined : JSON.stringify([lists.next ?? null, next ?? null]),
    };
  }

  async function findProblem(
    record: ArtifactRecord,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    try {
      await checkAll(await openSealed(record), signal);
      const names = record.size.bytes < MIN_DERIVED_BYTES ? [] : DERIVED_NAMES;
      for (const name of names) await checkDerived(record, name, signal);
      return undefined;
    } catch (error) {
      signal?.throwIfAborted();
      const isGone = ContextOffloadError.isInstance(error) && error.code === "ARTIFACT_GONE";
      return isGone ? "missing" : messageOf(error);
    }
  }

  async function checkDerived(
    record: ArtifactRecord,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    // eslint-disable-next-line require-yield, @typescript-eslint/require-await
    async function* make(): AsyncGenerator<Uint8Array> {
      throw new CauseError("there is none");
    }
    const innerRecord = await records.innerOf(record);
    const sealed = await inner.openDerived(innerRecord, name, make).catch(() => undefined);
    if (!sealed) return;
    // What is rebuilt at the next read needs no report.
    const opened = await seal.openDerived(sealed, record, name).catch(() => undefined);
    if (opened) await checkAll(guard(opened, sealed, record.artifactId), signal);
    else await sealed.close();
  }
}

const NOTHING: VerifyReport = {
  ...{ sessions: 0, artifacts: 0, bytes: 0, brokenLines: 0, damaged: [], missing: [] },
  ...{ unreadable: [], orphaned: [], deleted: [] },
};

/** The last artifact of a part of a verification, or the session that comes next. */
type CheckedPlace = readonly [sessionId: string, artifactId: string];

/** Where the next part begins, in the lists and in what is sealed: `null` where all was checked. */
function parseNext(
  after: string | undefined,
): readonly [lists?: string | null, sealed?: CheckedPlace | null] {
  if (after === undefined) return [];
  try {
    const [lists, sealed] = JSON.parse(after) as readonly unknown[];
    const isText = (value: unknown) => typeof value === "string";
    const isPlace = Array.isArray(sealed) && sealed.length === 2 && sealed.every(isText);
    if ((lists === null || isText(lists)) && (sealed === null || isPlace)) {
      return [lists, sealed as CheckedPlace | null];
    }
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError("after", after, "the next of an earlier report");
}

/** A sealed stream that was stored under another id than it was sealed for. */
interface Strayed {
  readonly content: OpenContent;
  discard(): Promise<void>;
}

async function checkAll(content: OpenContent, signal: AbortSignal | undefined): Promise<void> {
  try {
    await content.check?.(signal);
  } finally {
    await content.close();
  }
}

/** Whether content does not exist any more, or is not what was stored. */
function isLost(error: unknown): boolean {
  return (
    ContextOffloadError.isInstance(error) &&
    (error.code === "ARTIFACT_GONE" || error.code === "ARTIFACT_DAMAGED")
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
