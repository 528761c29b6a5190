import { mkdir, readdir, unlink } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { ArtifactGoneError } from "../../core/errors/artifact-gone-error.js";
import { ContextOffloadError } from "../../core/errors/context-offload-error.js";
import { ReadFailedError } from "../../core/errors/read-failed-error.js";
import { WriteFailedError } from "../../core/errors/write-failed-error.js";
import { candidateIds } from "../../core/workspace/artifacts/artifact-id.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import type {
  ArtifactStore,
  NewArtifact,
  OpenContent,
  SessionListing,
  VerifyOptions,
  VerifyReport,
} from "../../core/workspace/artifacts/artifact-store.js";
import { claimName } from "../claim-name.js";
import { hasCode } from "../error-code.js";
import { sha256 } from "../hash.js";
import { refuseLinks } from "../refuse-links.js";
import { deleteDerived, DerivedContents } from "./derived-content.js";
import { discardUnlisted } from "./discard-unlisted.js";
import { Manifest } from "./manifest.js";
import { openContent } from "./open-content.js";
import { createStoreLayout, FOLDER_MODE, type StoreLayout } from "./store-layout.js";
import { verifyFiles } from "./verify-files.js";
import {
  discardContent,
  holdsContent,
  restoreContent,
  writeContent,
  type WrittenContent,
} from "./write-content.js";

/** How many sessions' manifests are remembered. */
const MAX_MANIFESTS = 256;

/**
 * Artifacts as plain files: a folder per session, a file per artifact, a manifest. A content is
 * renamed into place, then its line is appended to the manifest; an artifact exists when its line
 * does. Having a file's name is having the id, also against other processes.
 */
export class FileStore implements ArtifactStore {
  readonly #layout: StoreLayout;
  readonly #manifests = new Map<string, Manifest>();
  readonly #derived = new DerivedContents();

  constructor(root: string, namespace: string) {
    this.#layout = createStoreLayout(root, namespace, sha256);
  }

  async put(artifact: NewArtifact): Promise<ArtifactRecord> {
    const manifest = this.#manifestOf(artifact.sessionId);
    try {
      await this.#prepareFolder(manifest.folder);
      // Read while the content is written; what others add meanwhile shows when the name is claimed.
      const loading = manifest.load();
      loading.catch(() => undefined);
      let size: ReturnType<NewArtifact["describe"]> | undefined;
      const written = await writeContent(manifest.folder, artifact.content, () => {
        size = artifact.describe();
      });
      try {
        const described = { ...artifact, size: size ?? artifact.describe() };
        await loading;
        for (const id of candidateIds(artifact.wantedId, written.hash)) {
          const record = await this.#claim(manifest, id, written, described);
          if (record) return record;
        }
      } finally {
        await discardContent(written.path);
      }
      throw new Error("every id for this content holds other content");
    } catch (cause) {
      if (ContextOffloadError.isInstance(cause)) throw cause;
      throw new WriteFailedError(manifest.folder, cause);
    }
  }

  /** Stores under this id, or says that it is not to be had with `undefined`. */
  async #claim(
    manifest: Manifest,
    artifactId: string,
    written: WrittenContent,
    artifact: NewArtifact & Pick<ArtifactRecord, "size">,
  ): Promise<ArtifactRecord | undefined> {
    const path = join(manifest.folder, this.#layout.fileName(artifactId));
    const isSame = ({ hash, type }: ArtifactRecord) =>
      hash === written.hash && type === artifact.type;
    const adopt = async (there: ArtifactRecord) =>
      isSame(there) && (await restoreContent(written, path)) ? there : undefined;

    const there = manifest.contents.artifacts.get(artifactId);
    if (there) return adopt(there);
    const claimed = await claimName(written.path, path);
    if (!claimed) {
      const { artifacts, removed } = await manifest.load();
      const listed = artifacts.get(artifactId);
      if (listed) return adopt(listed);
      // Who removed it may be about to delete the file.
      if (removed.has(artifactId)) return undefined;
      // Somebody has the name but is not listed: still under way, or ended too early.
      if (!(await holdsContent(path, written))) return undefined;
    }
    const { type, size, createdAt, metadata } = artifact;
    const put = { artifactId, type, size, hash: written.hash, createdAt, metadata };
    try {
      await manifest.append({ put });
    } catch (error) {
      if (claimed) await discardUnlisted(manifest, path).catch(() => undefined);
      throw error;
    }
    const [{ artifacts }] = await Promise.all([
      manifest.load(),
      // A verify may have taken the file for an orphan before it was listed.
      claimName(written.path, path),
    ]);
    const listed = artifacts.get(artifactId);
    if (!listed) throw new Error("the manifest was deleted or replaced meanwhile");
    // Who has the same bytes of another type may have been listed first.
    return isSame(listed) ? listed : undefined;
  }

  async sessions(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const manifest of await this.#allManifests()) {
      // A session keeps its name, so that a manifest that was read once need not be read for it.
      if (!manifest.exists || manifest.sessionId === undefined) await load(manifest);
      if (manifest.exists && manifest.sessionId !== undefined) ids.push(manifest.sessionId);
    }
    return ids;
  }

  async listSession(sessionId: string): Promise<SessionListing> {
    const manifest = this.#manifestOf(sessionId);
    await this.#refuseLinks(manifest.folder);
    return load(manifest);
  }

  async open(record: ArtifactRecord): Promise<OpenContent> {
    const { folder } = this.#manifestOf(record.sessionId);
    await this.#refuseLinks(folder);
    const path = join(folder, this.#layout.fileName(record.artifactId));
    try {
      return await openContent(path);
    } catch (cause) {
      if (hasCode(cause, "ENOENT")) {
        throw new ArtifactGoneError(record.artifactId, "missing", { cause });
      }
      throw new ReadFailedError(path, cause);
    }
  }

  async openDerived(
    record: ArtifactRecord,
    name: string,
    make: () => AsyncIterable<Uint8Array>,
  ): Promise<OpenContent> {
    const { folder } = this.#manifestOf(record.sessionId);
    const file = this.#layout.fileName(record.artifactId);
    return this.#derived.open(folder, file, record.hash, name, make);
  }

  async remove(record: ArtifactRecord): Promise<void> {
    const manifest = this.#manifestOf(record.sessionId);
    const file = this.#layout.fileName(record.artifactId);
    try {
      // The line first: from then on nobody is sent to a file that may be gone.
      await manifest.load();
      await manifest.append({ removed: record.artifactId, at: new Date().toISOString() });
      await unlink(join(manifest.folder, file)).catch((error: unknown) => {
        if (!hasCode(error, "ENOENT")) throw error;
      });
      await deleteDerived(manifest.folder, file, record.hash);
    } catch (cause) {
      throw new WriteFailedError(join(manifest.folder, file), cause);
    }
  }

  async addChild(sessionId: string, childSessionId: string): Promise<void> {
    const manifest = this.#manifestOf(sessionId);
    try {
      await this.#prepareFolder(manifest.folder);
      if ((await manifest.load()).children.has(childSessionId)) return;
      await manifest.append({ child: childSessionId });
    } catch (cause) {
      if (ContextOffloadError.isInstance(cause)) throw cause;
      throw new WriteFailedError(manifest.folder, cause);
    }
  }

  async verify(options: VerifyOptions): Promise<VerifyReport> {
    return verifyFiles(await this.#allManifests(), options);
  }

  #manifestOf(sessionId: string): Manifest {
    const manifest = this.#manifestIn(this.#layout.sessionFolder(sessionId));
    manifest.nameSession(sessionId);
    return manifest;
  }

  #manifestIn(folder: string): Manifest {
    const manifest = this.#manifests.get(folder) ?? new Manifest(folder, this.#layout);
    // Taken out and put back, so that the first of the map is the one unused for longest.
    this.#manifests.delete(folder);
    this.#manifests.set(folder, manifest);
    const [oldest] = this.#manifests.keys();
    if (this.#manifests.size > MAX_MANIFESTS && oldest !== undefined)
      this.#manifests.delete(oldest);
    return manifest;
  }

  async #allManifests(): Promise<Manifest[]> {
    const { namespaceFolder } = this.#layout;
    await this.#refuseLinks(namespaceFolder);
    try {
      const entries = await readdir(namespaceFolder, { withFileTypes: true });
      return entries
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort()
        .map((name) => this.#manifestIn(join(namespaceFolder, name)));
    } catch (cause) {
      if (hasCode(cause, "ENOENT")) return [];
      throw new ReadFailedError(namespaceFolder, cause);
    }
  }

  async #prepareFolder(folder: string): Promise<void> {
    // Links are looked for each time; a folder that was made is there until somebody deletes it.
    if ((await this.#refuseLinks(folder)) === "there") return;
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  }

  #refuseLinks(folder: string): Promise<"there" | "missing"> {
    return refuseLinks(this.#layout.root, relative(this.#layout.root, folder).split(sep));
  }
}

async function load(manifest: Manifest): Promise<SessionListing> {
  try {
    return await manifest.load();
  } catch (cause) {
    throw new ReadFailedError(`the manifest in ${manifest.folder}`, cause);
  }
}
