import type { Dirent } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { basename, join, sep } from "node:path";
import { ContextOffloadError } from "../../core/errors/context-offload-error.js";
import { ReadFailedError, WriteFailedError } from "../../core/errors/storage-errors.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import type {
  ArtifactStore,
  NewArtifact,
  OpenContent,
  Removal,
  SessionListing,
  VerifyOptions,
  VerifyReport,
} from "../../core/workspace/artifacts/artifact-store.js";
import { createGate } from "../../core/lib/concurrency.js";
import { hasCode } from "./disk.js";
import { sha256 } from "../hash.js";
import {
  ContentCheck,
  SETTLED_MS,
  deleteDerived,
  derivedPrefix,
  openDerived,
  openContent,
} from "./open-content.js";
import {
  discardUnlisted,
  isAsListed,
  isListed,
  readingError,
  recoverFile,
  replaceBy,
} from "./session-files.js";
import { bySession, chooseOldest } from "../../core/workspace/artifacts/choose-oldest.js";
import { Manifest, readOwner } from "./manifest.js";
import { putArtifact } from "./put-artifact.js";
import { type CheckedFolder, FILE_MODE, StoreLayout } from "./store-layout.js";
import { verifyFiles } from "./verify-files.js";

/** About how much memory is spent on manifests that were read, and how often that is looked at. */
const MAX_CACHED_BYTES = 134_217_728;
const USES_BETWEEN = 256;
const MAX_LOADS = 8;

/**
 * How many files the whole process writes, or opens, at a time. Node has four threads for all of them:
 * more at once is no faster, but takes a descriptor each, and time of the event loop all at once.
 */
const MAX_AT_ONCE = 16;
const writing = createGate(MAX_AT_ONCE);
const reading = createGate(MAX_AT_ONCE);

/**
 * Artifacts as plain files: a folder per session, with a file per artifact and a manifest. Content is
 * written to a file that is created exclusively, then a line is appended to the manifest; an artifact
 * exists once its line does. Whoever creates the file owns the id, even between processes.
 */
export class FileStore implements ArtifactStore {
  readonly #layout: StoreLayout;
  readonly #namespace: CheckedFolder;
  readonly #manifests = new Map<string, Manifest>();
  /** The session of each folder; `null` for a copy of another session's. */
  readonly #owners = new Map<string, string | null>();
  #uses = 0;
  readonly #check = new ContentCheck();
  /** What the namespace's folder has held since it last changed, if that is a while ago. */
  #listed: { readonly changedMs: number; readonly entries: readonly Dirent[] } | undefined;

  constructor(root: string, namespace: string) {
    this.#layout = new StoreLayout(root, namespace, sha256);
    this.#namespace = { folder: this.#layout.namespaceFolder, realFolder: undefined };
  }

  async put(artifact: NewArtifact): Promise<ArtifactRecord> {
    const manifest = this.#manifestOf(artifact.sessionId);
    try {
      // A stream may be waiting for another put, so it must not take the place of one.
      const put = () => putArtifact(manifest, artifact);
      return await (artifact.content instanceof Uint8Array ? writing(put) : put());
    } catch (cause) {
      if (ContextOffloadError.isInstance(cause)) throw cause;
      throw new WriteFailedError(manifest.folder, cause);
    }
  }

  async renew(record: ArtifactRecord, createdAt: string): Promise<ArtifactRecord | undefined> {
    const manifest = this.#manifestOf(record.sessionId);
    try {
      await manifest.load();
      return await manifest.renew(record, createdAt);
    } catch (cause) {
      throw new WriteFailedError(manifest.folder, cause);
    }
  }

  async sessions(): Promise<readonly string[]> {
    const names = foldersOf(await this.#entries());
    const unknown = names.filter((name) => !this.#owners.has(name));
    for (let at = 0; at < unknown.length; at += MAX_LOADS) {
      // One that cannot be read must not hide the others; `verify` reports it.
      await Promise.allSettled(
        unknown.slice(at, at + MAX_LOADS).map((name) => this.#findOwner(name)),
      );
    }
    return names.flatMap((name) => this.#owners.get(name) ?? []);
  }

  async listSession(sessionId: string): Promise<SessionListing> {
    const manifest = this.#manifestOf(sessionId);
    const loading = manifest.load();
    loading.catch(() => undefined);
    // What is wrong with the folder explains what is wrong with the manifest.
    await this.#checkFolder(manifest);
    try {
      return await loading;
    } catch (cause) {
      throw new ReadFailedError(`the manifest in ${manifest.folder}`, cause);
    }
  }

  async open(record: ArtifactRecord): Promise<OpenContent> {
    const manifest = this.#manifestOf(record.sessionId);
    await this.#checkFolder(manifest);
    const path = join(manifest.folder, this.#layout.fileName(record.artifactId));
    try {
      return await reading(async () => {
        const file = await openContent(path, this.#layout.disk).catch(async (error: unknown) => {
          const isRecovered =
            hasCode(error, "ENOENT") &&
            (await recoverFile({ ...record, location: path }, manifest));
          if (isRecovered) return openContent(path, this.#layout.disk);
          throw error;
        });
        return this.#check.guard(record, file);
      });
    } catch (cause) {
      throw await readingError(cause, record, path, manifest);
    }
  }

  async openDerived(
    record: ArtifactRecord,
    name: string,
    make: () => AsyncIterable<Uint8Array>,
  ): Promise<OpenContent> {
    const { folder } = this.#manifestOf(record.sessionId);
    const file = this.#layout.fileName(record.artifactId);
    return openDerived(folder, file, record.hash, name, make, this.#layout.disk);
  }

  async writeReadable(record: ArtifactRecord, text: AsyncIterable<Uint8Array>): Promise<string> {
    const { folder } = this.#manifestOf(record.sessionId);
    const path = join(folder, this.#layout.readableName(record.artifactId));
    try {
      await replaceBy(path, this.#layout.disk, async (temporary) => {
        await writeFile(temporary, text, { flag: "wx", mode: FILE_MODE });
        return true;
      });
      return path;
    } catch (cause) {
      if (ContextOffloadError.isInstance(cause)) throw cause;
      throw new WriteFailedError(path, cause);
    }
  }

  remove(record: ArtifactRecord): Promise<void> {
    return this.#removeFrom(this.#manifestOf(record.sessionId), [record]);
  }

  /** By listings: files have no index. */
  async removeOldest(removal: Removal): Promise<readonly ArtifactRecord[]> {
    const { sessionId } = removal;
    const records: ArtifactRecord[] = [];
    for (const id of sessionId === undefined ? await this.sessions() : [sessionId]) {
      for (const record of (await this.listSession(id)).artifacts.values()) records.push(record);
    }
    const removed = chooseOldest(records, removal);
    for (const [id, own] of bySession(removed)) await this.#removeFrom(this.#manifestOf(id), own);
    return removed;
  }

  async #removeFrom(manifest: Manifest, records: readonly ArtifactRecord[]): Promise<void> {
    const { folder } = manifest;
    try {
      const { artifacts } = await manifest.load();
      // Not if another artifact has its id by now, or if it was renewed.
      const listed = records.filter((record) => isAsListed(record, artifacts));
      const unlisted = records.filter(({ artifactId }) => !artifacts.has(artifactId));
      // The tombstones first: from then on no reader looks for a file that may be gone.
      await manifest.bury(listed);
      const removed = [...listed, ...unlisted].filter(
        // Unless it was renewed at this moment.
        (record) => !isListed(record, manifest.listing.artifacts),
      );
      const files = new Map(
        removed.map((record) => [this.#layout.fileName(record.artifactId), record]),
      );
      await discardUnlisted(
        [...files.keys()].map((file) => join(folder, file)),
        manifest,
      );
      await deleteDerived(
        folder,
        new Set([...files].map(([file, { hash }]) => derivedPrefix(file, hash))),
      );
      for (const { artifactId } of files.values()) {
        await this.#layout.disk.delete(join(folder, this.#layout.readableName(artifactId)));
      }
      // At last, so that the names are free again as soon as can be.
      await manifest.erase();
    } catch (cause) {
      throw new WriteFailedError(folder, cause);
    }
  }

  async purge(sessionId?: string): Promise<{ readonly artifacts: number }> {
    const { namespaceFolder, disk } = this.#layout;
    const purged = sessionId === undefined ? await this.sessions() : [sessionId];
    let artifacts = 0;
    for (const id of purged) artifacts += (await this.listSession(id)).artifacts.size;
    const folder =
      sessionId === undefined ? namespaceFolder : this.#layout.sessionFolder(sessionId);
    try {
      if (sessionId !== undefined) await this.#removeChildLinks(sessionId);
      // Set aside at once, so that nobody meets a part of it; what is put from then on is new.
      const aside = this.#layout.asideName(randomBytes(9).toString("hex"));
      await disk.rename(folder, aside).catch((error: unknown) => {
        if (!hasCode(error, "ENOENT")) throw error;
      });
      this.#forget(folder);
      await this.#deletePurged();
    } catch (cause) {
      throw new WriteFailedError(folder, cause);
    }
    return { artifacts };
  }

  async #removeChildLinks(childSessionId: string): Promise<void> {
    for (const parent of await this.sessions()) {
      const { children } = await this.listSession(parent);
      if (children.has(childSessionId)) await this.#manifestOf(parent).removeChild(childSessionId);
    }
  }

  /** Deletes what was purged, also by a process that was killed then. */
  async #deletePurged(): Promise<void> {
    for (const path of await this.#layout.findAside()) {
      await rm(path, { recursive: true, force: true });
    }
  }

  #forget(folder: string): void {
    for (const [path, manifest] of this.#manifests) {
      if (path !== folder && !path.startsWith(`${folder}${sep}`)) continue;
      manifest.close();
      this.#manifests.delete(path);
      this.#owners.delete(basename(path));
    }
    this.#listed = undefined;
  }

  async addChild(sessionId: string, childSessionId: string): Promise<void> {
    const manifest = this.#manifestOf(sessionId);
    try {
      await this.#layout.makeFolder(manifest);
      if ((await manifest.load()).children.has(childSessionId)) return;
      await manifest.append({ child: childSessionId });
    } catch (cause) {
      if (ContextOffloadError.isInstance(cause)) throw cause;
      throw new WriteFailedError(manifest.folder, cause);
    }
  }

  async verify(options: VerifyOptions): Promise<VerifyReport> {
    const { namespaceFolder } = this.#layout;
    const entries = await this.#entries();
    const links = entries.filter((entry) => entry.isSymbolicLink());
    const report = await verifyFiles(
      foldersOf(entries).map((name) => join(namespaceFolder, name)),
      (folder) => this.#manifestIn(folder),
      // Links in the place of sessions.
      links.map(({ name }) => join(namespaceFolder, name)),
      options,
    );
    await this.#deletePurged().catch(() => undefined);
    return report;
  }

  /** Closes what stays open between puts. */
  close(): void {
    for (const manifest of this.#manifests.values()) manifest.close();
  }

  #manifestOf(sessionId: string): Manifest {
    return this.#manifestIn(this.#layout.sessionFolder(sessionId), sessionId);
  }

  #manifestIn(folder: string, sessionId?: string): Manifest {
    const manifest = this.#manifests.get(folder) ?? new Manifest(folder, this.#layout);
    if (sessionId !== undefined) manifest.nameSession(sessionId);
    // Removed and added again, so that the first entry of the map is the least recently used.
    this.#manifests.delete(folder);
    this.#manifests.set(folder, manifest);
    if (++this.#uses % USES_BETWEEN === 0) this.#trim();
    return manifest;
  }

  /** Forgets the manifests that were used least recently, if all together take too much memory. */
  #trim(): void {
    let bytes = 0;
    for (const [folder, { weight }] of [...this.#manifests].reverse()) {
      bytes += weight;
      if (bytes > MAX_CACHED_BYTES) this.#manifests.delete(folder);
    }
  }

  /** The session of a folder never changes, so that its manifest is read for that once. */
  async #findOwner(name: string): Promise<void> {
    const folder = join(this.#layout.namespaceFolder, name);
    let owner = await readOwner(folder, this.#layout.disk);
    if (owner === undefined) {
      const manifest = this.#manifestIn(folder);
      await manifest.load();
      owner = manifest.exists ? manifest.sessionId : undefined;
    }
    if (owner === undefined) return;
    this.#owners.set(name, this.#layout.sessionFolder(owner) === folder ? owner : null);
  }

  async #entries(): Promise<readonly Dirent[]> {
    const { namespaceFolder, disk } = this.#layout;
    await this.#checkFolder(this.#namespace);
    try {
      const before = await disk.changedMs(namespaceFolder);
      if (before !== undefined && before === this.#listed?.changedMs) return this.#listed.entries;
      const entries = await readdir(namespaceFolder, { withFileTypes: true });
      const isSettled = before !== undefined && Date.now() - before > SETTLED_MS;
      this.#listed = isSettled ? { changedMs: before, entries } : undefined;
      return entries;
    } catch (cause) {
      if (hasCode(cause, "ENOENT")) return [];
      throw new ReadFailedError(namespaceFolder, cause);
    }
  }

  async #checkFolder(checked: CheckedFolder): Promise<void> {
    try {
      await this.#layout.checkFolder(checked);
    } catch (cause) {
      if (ContextOffloadError.isInstance(cause)) throw cause;
      throw new ReadFailedError(checked.folder, cause);
    }
  }
}

function foldersOf(entries: readonly Dirent[]): string[] {
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}
