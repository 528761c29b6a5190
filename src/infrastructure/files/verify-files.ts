import { DEFAULTS } from "../../core/defaults.js";
import { lstat, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import type { VerifyOptions, VerifyReport } from "../../core/workspace/artifacts/artifact-store.js";
import { InvalidArgumentError } from "../../core/errors/argument-errors.js";
import { forEachConcurrently, mapConcurrently } from "../../core/lib/concurrency.js";
import { messageOf } from "../../core/errors/context-offload-error.js";
import { type Disk, hasCode } from "./disk.js";
import { derivedPrefix, derivedPrefixOf, listDerived, hashFile } from "./open-content.js";
import { discardUnlisted, isListed, recoverFile } from "./session-files.js";
import { Manifest } from "./manifest.js";
import { CACHE_FOLDER, MANIFEST_NAME } from "./store-layout.js";

/** A report in progress. */
type Findings = { -readonly [Key in keyof VerifyReport]: Writable<VerifyReport[Key]> };
type Writable<T> = T extends readonly (infer Item)[] ? Item[] : T;

/** How many sessions are checked at a time, and how many artifacts of each. */
const SESSIONS_AT_ONCE = 4;
const ARTIFACTS_AT_ONCE = 4;

/** What is checked of a session. */
interface Part {
  readonly manifest: Manifest;
  readonly records: readonly ArtifactRecord[];
  /** Whether these are its last artifacts. */
  readonly isLast: boolean;
}

/** Compares the sessions' files with their manifests; deletes files only with `deleteOrphans`. */
export async function verifyFiles(
  folders: readonly string[],
  manifestIn: (folder: string) => Manifest,
  /** Links in the place of sessions. */
  links: readonly string[],
  options: VerifyOptions,
): Promise<VerifyReport> {
  const { signal } = options;
  const report: Findings = {
    sessions: folders.length,
    artifacts: 0,
    bytes: 0,
    damaged: [],
    missing: [],
    unreadable: links.map((folder) => ({ folder, problem: "it is a symbolic link" })),
    orphaned: [],
    brokenLines: 0,
    deleted: [],
  };
  const attempt = async (folder: string, work: () => Promise<void>): Promise<void> => {
    try {
      signal?.throwIfAborted();
      await work();
    } catch (cause) {
      if (signal?.aborted) throw cause;
      report.unreadable.push({ folder, problem: messageOf(cause) });
    }
  };

  const check = ({ manifest, records, isLast }: Part): Promise<void> =>
    attempt(manifest.folder, async () => {
      await mapConcurrently(records, ARTIFACTS_AT_ONCE, (record) =>
        checkArtifact(manifest, record, report, options),
      );
      if (!isLast) return;
      // Files that belong to an artifact without one are put back before orphans are looked for.
      await checkOrphans(manifest, report, options);
      // What a process that was killed has left, and tombstones that have ended.
      await manifest.erase().catch(() => undefined);
      report.brokenLines += manifest.brokenLines;
    });

  /** The parts in order, as far as the limit goes. */
  async function* parts(): AsyncGenerator<Part> {
    const after = parseAfter(options.after);
    let left = options.limit ?? Infinity;
    for (const folder of folders) {
      const name = basename(folder);
      if (after && name < after.name) continue;
      if (left === 0) {
        report.next ??= JSON.stringify([name, ""]);
        return;
      }
      const manifest = manifestIn(folder);
      let records: readonly ArtifactRecord[] | undefined;
      await attempt(folder, async () => {
        const { artifacts } = await manifest.load();
        // By id, since a renewal moves an artifact to the end.
        records = [...artifacts.values()].sort((a, b) => (a.artifactId < b.artifactId ? -1 : 1));
      });
      if (!records) continue;
      if (name === after?.name) {
        records = records.filter(({ artifactId }) => artifactId > after.artifactId);
      }
      const part = records.slice(0, left);
      left -= part.length;
      const isLast = part.length === records.length;
      yield { manifest, records: part, isLast };
      if (isLast) continue;
      report.next = JSON.stringify([name, part.at(-1)?.artifactId]);
      return;
    }
  }

  await forEachConcurrently(parts(), SESSIONS_AT_ONCE, check);
  return report;
}

function parseAfter(after: string | undefined) {
  if (after === undefined) return undefined;
  try {
    const [name, artifactId] = JSON.parse(after) as readonly unknown[];
    if (typeof name === "string" && typeof artifactId === "string") return { name, artifactId };
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError("after", after, "the next of an earlier report");
}

async function checkArtifact(
  manifest: Manifest,
  record: ArtifactRecord,
  report: Findings,
  options: VerifyOptions,
): Promise<void> {
  options.signal?.throwIfAborted();
  const { disk } = manifest.layout;
  const { sessionId, artifactId } = record;
  let problem = await findProblem(record, disk, options);
  if (problem === "missing" && (await recoverFile(record, manifest))) {
    problem = await findProblem(record, disk, options);
  }
  // An artifact that was removed in the meantime is not missing.
  if (problem && !isListed(record, (await manifest.load()).artifacts)) return;
  report.artifacts++;
  report.bytes += record.size.bytes;
  if (problem === "missing") report.missing.push({ sessionId, artifactId });
  else if (problem) report.damaged.push({ sessionId, artifactId, problem });
}

async function findProblem(
  { location, size, hash }: ArtifactRecord,
  disk: Disk,
  { content = true, signal }: VerifyOptions,
): Promise<string | undefined> {
  try {
    const stats = await lstat(location);
    if (!stats.isFile()) return "it is not a plain file";
    if (stats.size !== size.bytes) return `it has ${stats.size} bytes instead of ${size.bytes}`;
    if (!content) return undefined;
    return (await hashFile(location, disk, signal)) === hash ? undefined : "its hash is different";
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "missing";
    if (signal?.aborted) throw error;
    return `it cannot be read: ${String(error)}`;
  }
}

async function checkOrphans(
  manifest: Manifest,
  report: Findings,
  { deleteOrphans = false, orphanAgeMs = DEFAULTS.orphanAgeMs, signal }: VerifyOptions,
): Promise<void> {
  const old: Orphan[] = [];
  for (const orphan of await findOrphans(manifest)) {
    signal?.throwIfAborted();
    const stats = await lstat(orphan.path).catch(() => undefined);
    // It belonged to a put that has ended.
    if (!stats) continue;
    report.orphaned.push(orphan.path);
    // A workspace makes no folders here, so it belongs to someone else.
    if (stats.isDirectory() || Date.now() - stats.mtimeMs < orphanAgeMs) continue;
    old.push(orphan);
  }
  if (!deleteOrphans) return;
  const unlisted = old.filter(({ derived }) => !derived).map(({ path }) => path);
  // Before anything is deleted, the manifest is read again from scratch.
  const fresh = new Manifest(manifest.folder, manifest.layout);
  report.deleted.push(...(await discardUnlisted(unlisted, fresh)));
  for (const { path, derived } of old) {
    if (!derived) continue;
    await rm(path, { force: true });
    report.deleted.push(path);
  }
}

interface Orphan {
  readonly path: string;
  readonly derived: boolean;
}

/** Files that belong to no artifact, and data derived from artifacts that are gone. */
async function findOrphans(manifest: Manifest): Promise<Orphan[]> {
  const { folder, layout } = manifest;
  // Files are listed before the manifest is read, so that an artifact put in between is in the manifest.
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  const derived = await listDerived(folder);
  const { artifacts } = await manifest.load();
  const claimed = new Set([MANIFEST_NAME, CACHE_FOLDER]);
  const prefixes = new Set<string>();
  for (const { artifactId, hash } of artifacts.values()) {
    const file = layout.fileName(artifactId);
    claimed.add(file).add(layout.readableName(artifactId));
    prefixes.add(derivedPrefix(file, hash));
  }
  const isUnclaimed = (name: string) => {
    const prefix = derivedPrefixOf(name);
    return prefix === undefined || !prefixes.has(prefix);
  };
  return [
    ...names
      .filter((name) => !claimed.has(name))
      .sort()
      .map((name) => ({ path: join(folder, name), derived: false })),
    ...derived
      .filter(isUnclaimed)
      .sort()
      .map((name) => ({ path: join(folder, CACHE_FOLDER, name), derived: true })),
  ];
}
