import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ArtifactRecord } from "../../core/workspace/artifact.js";
import type { VerifyOptions, VerifyReport } from "../../core/workspace/artifact-store.js";
import { hasCode } from "../error-code.js";
import type { Manifest } from "./manifest.js";
import { hashFile } from "./open-content.js";
import { CACHE_FOLDER, MANIFEST_NAME } from "./store-layout.js";

const ONE_HOUR_MS = 3_600_000;

/** Compares every session's files with its manifest, and deletes only what it is told to. */
export async function verifyFiles(
  manifests: readonly Manifest[],
  { deleteOrphans = false, orphanAgeMs = ONE_HOUR_MS, signal }: VerifyOptions,
): Promise<VerifyReport> {
  const report = {
    sessions: manifests.length,
    artifacts: 0,
    bytes: 0,
    damaged: [] as { sessionId: string; artifactId: string; problem: string }[],
    missing: [] as { sessionId: string; artifactId: string }[],
    orphaned: [] as string[],
    brokenLines: 0,
    deleted: [] as string[],
  };
  for (const manifest of manifests) {
    const { artifacts } = await manifest.load();
    report.brokenLines += manifest.brokenLines;
    for (const record of artifacts.values()) {
      signal?.throwIfAborted();
      const { sessionId, artifactId } = record;
      report.artifacts++;
      report.bytes += record.size.bytes;
      const problem = await findProblem(record, signal);
      if (problem === "missing") report.missing.push({ sessionId, artifactId });
      else if (problem) report.damaged.push({ sessionId, artifactId, problem });
    }
    const claimed = new Set([...artifacts.keys()].map(manifest.fileName));
    for (const path of await findOrphans(manifest.folder, claimed)) {
      report.orphaned.push(path);
      if (deleteOrphans && (await isOlderThan(path, orphanAgeMs))) {
        await rm(path, { recursive: true, force: true });
        report.deleted.push(path);
      }
    }
  }
  return report;
}

async function findProblem(
  { location, size, hash }: ArtifactRecord,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const stats = await lstat(location);
    if (!stats.isFile()) return "it is not a plain file";
    if (stats.size !== size.bytes) return `it has ${stats.size} bytes instead of ${size.bytes}`;
    return (await hashFile(location, signal)) === hash ? undefined : "its hash is another";
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "missing";
    if (signal?.aborted) throw error;
    return `it cannot be read: ${String(error)}`;
  }
}

async function findOrphans(folder: string, claimed: ReadonlySet<string>): Promise<string[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => name !== MANIFEST_NAME && name !== CACHE_FOLDER && !claimed.has(name))
    .sort()
    .map((name) => join(folder, name));
}

async function isOlderThan(path: string, ageMs: number): Promise<boolean> {
  const { mtimeMs } = await lstat(path);
  return Date.now() - mtimeMs >= ageMs;
}
