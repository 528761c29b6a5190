import { DEFAULTS } from "../../core/defaults.js";
import { ArtifactDamagedError } from "../../core/errors/reading-errors.js";
import { mapConcurrently } from "../../core/lib/concurrency.js";
import type {
  ContentStore,
  MetadataStore,
  VerifyOptions,
  VerifyReport,
} from "../../core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import { checkedContent } from "../checked-content.js";
import { contentKey, locationOf } from "./content-keys.js";
import { PAGE } from "./session-listings.js";

/** What is listed at a location: keys, and when the last of them was written. */
interface Written {
  readonly keys: string[];
  writtenAt: number;
}

/**
 * Compares every artifact's content with its record, and finds content without a record. Content is listed
 * before records, so that an artifact put in between has a record.
 */
export async function verifyHalves(
  metadata: MetadataStore,
  content: ContentStore,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const { signal, limit = Infinity, deleteOrphans = false } = options;
  const damaged: { sessionId: string; artifactId: string; problem: string }[] = [];
  const missing: { sessionId: string; artifactId: string }[] = [];
  const isWhole = limit === Infinity && options.after === undefined;
  let written = isWhole ? await listContent(content, signal) : undefined;
  const check = async (record: ArtifactRecord): Promise<void> => {
    signal?.throwIfAborted();
    const { sessionId, artifactId, location } = record;
    const isListed = written?.get(record.location)?.keys.includes(contentKey(record.location));
    const isRead = options.content !== false || isListed === undefined;
    const problem = isRead
      ? await findProblem(content, record, options)
      : isListed
        ? undefined
        : "missing";
    if (problem === undefined) return;
    // An artifact that was removed in the meantime is not missing.
    const ids = { sessionId, artifactIds: [artifactId], limit: 1 };
    const [now] = (await metadata.find(ids)).artifacts;
    if (now?.location !== location) return;
    if (problem === "missing") missing.push({ sessionId, artifactId });
    else damaged.push({ sessionId, artifactId, problem });
  };
  const sessions = new Set<string>();
  let artifacts = 0;
  let bytes = 0;
  let next: string | undefined;
  for await (const page of pages(metadata, options)) {
    await mapConcurrently(page.records, DEFAULTS.writeConcurrency, check);
    for (const { location, sessionId, size } of page.records) {
      written?.delete(location);
      sessions.add(sessionId);
      bytes += size.bytes;
    }
    artifacts += page.records.length;
    ({ next } = page);
  }
  // The last part looks for content that no artifact has, of this part or of those before.
  if (!isWhole && next === undefined) {
    written = await listContent(content, signal);
    for await (const { records } of pages(metadata, { signal })) {
      for (const { location } of records) written.delete(location);
    }
  }
  const orphaned = [...(written?.keys() ?? [])].sort();
  const deleted = deleteOrphans && written ? await removeOrphans(content, written, options) : [];
  await metadata.sweep();
  return {
    ...{ sessions: sessions.size, artifacts, bytes, damaged, missing, orphaned, deleted, next },
    ...{ unreadable: [], brokenLines: 0 },
  };
}

/** Records as far as the limit goes, and where to continue after each page. */
async function* pages(
  metadata: MetadataStore,
  { after, limit = Infinity, signal }: VerifyOptions,
): AsyncGenerator<{ readonly records: ArtifactRecord[]; readonly next: string | undefined }> {
  let left = limit;
  let next = after;
  do {
    signal?.throwIfAborted();
    const size = Math.min(PAGE, left);
    const { artifacts } = await metadata.query({ after: next, limit: size });
    next = artifacts.length < size ? undefined : artifacts.at(-1)?.cursor;
    yield { records: artifacts.map(({ record }) => record), next };
    left -= size;
  } while (next !== undefined && left > 0);
}

/** A put adds its record soon after its content: what is older belongs to one that has ended. */
async function removeOrphans(
  content: ContentStore,
  written: ReadonlyMap<string, Written>,
  { signal, orphanAgeMs = DEFAULTS.orphanAgeMs }: VerifyOptions,
): Promise<readonly string[]> {
  const now = Date.now();
  const old = [...written].filter(([, { writtenAt }]) => now - writtenAt >= orphanAgeMs);
  for (let at = 0; at < old.length; at += PAGE) {
    signal?.throwIfAborted();
    await content.remove(old.slice(at, at + PAGE).flatMap(([, { keys }]) => keys));
  }
  return old.map(([location]) => location);
}

async function listContent(
  content: ContentStore,
  signal: AbortSignal | undefined,
): Promise<Map<string, Written>> {
  const written = new Map<string, Written>();
  let after = "";
  for (;;) {
    signal?.throwIfAborted();
    const page = await content.keys(after, PAGE);
    for (const { key, writtenAt } of page) {
      const location = locationOf(key);
      const known = written.get(location) ?? { keys: [], writtenAt };
      known.keys.push(key);
      known.writtenAt = Math.max(known.writtenAt, writtenAt);
      written.set(location, known);
      after = key;
    }
    if (page.length < PAGE) return written;
  }
}

async function findProblem(
  content: ContentStore,
  record: ArtifactRecord,
  { signal, content: isCompared = true }: VerifyOptions,
): Promise<string | undefined> {
  const opened = await content.open(contentKey(record.location), record.size.bytes);
  if (!opened) return "missing";
  try {
    const checked = checkedContent(record, opened);
    if (isCompared) await checked.check?.(signal);
    return undefined;
  } catch (error) {
    if (error instanceof ArtifactDamagedError) return error.problem;
    throw error;
  } finally {
    await opened.close();
  }
}
