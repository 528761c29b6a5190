import { DEFAULTS } from "../../core/defaults.js";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import type { VerifyOptions, VerifyReport } from "../../core/workspace/artifacts/artifact-store.js";
import { messageOf } from "../../core/errors/context-offload-error.js";
import { hasCode } from "./disk.js";
import { derivedPrefix, listDerived, hashFile } from "./open-content.js";
import { discardUnlisted, isListed, recoverFile } from "./session-files.js";
import { Manifest } from "./manifest.js";
import { CACHE_FOLDER, MANIFEST_NAME } from "./store-layout.js";

/** A report in progress. */
type Findings = { -readonly [Key in keyof VerifyReport]: Writable<VerifyReport[Key]> };
type Writable<T> = T extends readonly (infer Item)[] ? Item[] : T;

/** Compares every session's files with its manifest; deletes only with `deleteOrphans`. */
export async function verifyFiles(
  manifests: readonly Manifest[],
  /** Links in the place of sessions. */
  links: readonly string[],
  options: VerifyOptions,
): Promise<VerifyReport> {
  const report: Findings = {
    sessions: manifests.length,
    artifacts: 0,
    bytes: 0,
    damaged: [],
    missing: [],
    unreadable: links.map((folder) => ({ folder, problem: "it is a symbolic link" })),
    orphaned: [],
    brokenLines: 0,
    deleted: [],
  };
  for (const manifest of manifests) {
    try {
      await checkArtifacts(manifest, report, options.signal);
      await checkOrphans(manifest, report, options);
    } catch (cause) {
      if (options.signal?.aborted) throw cause;
      report.unreadable.push({ folder: manifest.folder, problem: messageOf(cause) });
    }
    report.brokenLines += manifest.brokenLines;
  }
  return report;
}

async function checkArtifacts(
  manifest: Manifest,
  report: Findings,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { artifacts } = await manifest.load();
  for (const record of [...artifacts.values()]) {
    signal?.throwIfAborted();
    const { sessionId, artifactId } = record;
    let problem = await findProblem(record, signal);
    if (problem === "missing" && (await recoverFile(record, manifest))) {
      problem = await findProblem(record, signal);
    }
    // An artifact that was removed in the meantime is not missing.
    if (problem && !isListed(record, (await manifest.load()).artifacts)) continue;
    report.artifacts++;
    report.bytes += record.size.bytes;
    if (problem === "missing") report.missing.push({ sessionId, artifactId });
    else if (problem) report.damaged.push({ sessionId, artifactId, problem });
  }
}

async function findProblem(
  { location, size, hash }: ArtifactRecord,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const stats = await lstat(location);
    if (!stats.isFile()) return "it is not a plain file";
    if (stats.size !== size.bytes) return `it has ${stats.size} bytes instead of ${size.bytes}`;
    return (await hashFile(location, signal)) === hash ? undefined : "its hash is different";
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
    const [, prefix] = /^(.*\.[0-9a-f]{12}\.)[a-z-]+$/.exec(name) ?? [];
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
