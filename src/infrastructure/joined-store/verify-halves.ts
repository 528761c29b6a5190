import { DEFAULTS } from "../../core/defaults.js";
import { ArtifactDamagedError } from "../../core/errors/artifact-errors.js";
import type { VerifyOptions, VerifyReport } from "../../core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import type { ContentStore, MetadataStore } from "../../core/workspace/artifacts/store-halves.js";
import { contentKey, locationOf } from "./content-key.js";
import { hashedContent } from "./hashed-content.js";

const PAGE = 1_000;

/** Compares every artifact's content with its record, and finds content without a record. */
export async function verifyHalves(
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
    await hashedContent(record, opened).check?.(signal);
    return undefined;
  } catch (error) {
    if (error instanceof ArtifactDamagedError) return error.problem;
    throw error;
  } finally {
    await opened.close();
  }
}
