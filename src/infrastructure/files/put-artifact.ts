import { createHash } from "node:crypto";
import { join } from "node:path";
import { once } from "../../core/lib/concurrency.js";
import {
  type ArtifactRecord,
  candidateIds,
  isRenewal,
} from "../../core/workspace/artifacts/artifact.js";
import type { NewArtifact } from "../../core/workspace/artifacts/artifact-store.js";
import { CauseError } from "../cause-error.js";
import { sha256 } from "../hash.js";
import { hasCode, identityOf } from "./disk.js";
import type { Manifest } from "./manifest.js";
import {
  deleteOwn,
  discardUnlisted,
  holdsContent,
  replaceBy,
  temporaryIn,
} from "./session-files.js";
import { FILE_MODE } from "./store-layout.js";

/** A file that was changed within this time may be an artifact that is being put right now. */
const UNDER_WAY_MS = 250;
const POLL_MS = 2;
const MAX_POLLS = 200;

/** One put in progress. */
interface Put {
  readonly manifest: Manifest;
  readonly artifact: NewArtifact;
  readonly content: IncomingContent;
}

/** Stores content under the first of its candidate ids that is free. */
export async function putArtifact(
  manifest: Manifest,
  artifact: NewArtifact,
): Promise<ArtifactRecord> {
  // Before anything is written: a link may lead anywhere, and an id that is listed has its own file.
  await Promise.all([manifest.layout.makeFolder(manifest), manifest.load()]);
  const { content: source, size } = artifact;
  const content =
    Symbol.asyncIterator in source
      ? await incomingStream(manifest, source, size)
      : incomingBytes(manifest, source, artifact);
  try {
    for (const id of idsFor(artifact.wantedId, content)) {
      const record = await claimAndRenew(id, { manifest, artifact, content });
      if (record) return record;
    }
  } finally {
    await content.discard();
  }
  throw new CauseError("every id for this content holds other content");
}

/** The wanted id needs no hash, so the hash can be computed while the file is created. */
function* idsFor(wantedId: string | undefined, content: IncomingContent): Generator<string> {
  if (wantedId !== undefined) yield wantedId;
  const [first = "", ...others] = candidateIds(wantedId, content.hash());
  if (wantedId === undefined) yield first;
  yield* others;
}

/** How often an artifact may be removed while it is renewed. */
const MAX_CLAIMS = 10;

/** An artifact that was there already is renewed, so that nobody removes it as an old one. */
async function claimAndRenew(artifactId: string, put: Put): Promise<ArtifactRecord | undefined> {
  const { manifest, artifact } = put;
  for (let attempt = 0; attempt < MAX_CLAIMS; attempt++) {
    const record = await claim(artifactId, put);
    if (!record || !isRenewal(record, artifact.createdAt)) return record;
    const renewed = await manifest.renew(record, artifact.createdAt);
    if (renewed) return renewed;
  }
  return undefined;
}

/** Stores under this id; `undefined` if the id is taken. */
async function claim(artifactId: string, put: Put): Promise<ArtifactRecord | undefined> {
  const { manifest, content } = put;
  const { disk } = manifest.layout;
  const path = join(manifest.folder, manifest.layout.fileName(artifactId));
  if (!manifest.listing.artifacts.has(artifactId)) {
    const file = await content.create(path);
    if (file !== undefined) return listArtifact(artifactId, path, file, put);
  }
  const there = await findOwner(artifactId, path, put);
  if (there ? !isSame(there, put) : manifest.listing.removed.has(artifactId)) return undefined;
  const isThere = await holdsContent(path, content.bytes, content.hash, disk);
  if (!there) {
    if (!isThere) return undefined;
    // Left by a process that ended too early. It gets a file of its own all the same: should its
    // writer still be there, it writes to one that has no name.
    const isFree = async () => !(await manifest.load()).artifacts.has(artifactId);
    const file = await content.replace(path, isFree);
    return file === undefined ? undefined : listArtifact(artifactId, path, file, put);
  }
  if (isThere) return there;
  // Its file was lost or damaged.
  return restoreFile(there, path, put).then(
    () => there,
    () => undefined,
  );
}

/** Lists the artifact whose file was created; `undefined` if another one was quicker. */
async function listArtifact(
  artifactId: string,
  path: string,
  file: string,
  put: Put,
): Promise<ArtifactRecord | undefined> {
  const { manifest, artifact, content } = put;
  const { disk } = manifest.layout;
  const { type, createdAt, metadata } = artifact;
  const shownHash = artifact.shownHash?.();
  const entry = {
    ...{ artifactId, type, size: artifact.size(), hash: content.hash(), createdAt, metadata },
    ...(shownHash === undefined ? {} : { shownHash }),
  };
  const found = await manifest
    .append({ put: entry }, artifact.computeAhead, () => disk.lookAt(path))
    .catch(async (error: unknown) => {
      await discardUnlisted([path], manifest).catch(() => undefined);
      throw error;
    });
  const listed = manifest.listing.artifacts.get(artifactId);
  // Another process removed it right away.
  if (!listed) return { ...entry, sessionId: artifact.sessionId, location: path };
  if (!isSame(listed, put)) {
    // In the place of the other's, which can be recovered only where there is none.
    await deleteOwn(path, file, manifest);
    return undefined;
  }
  if (found && identityOf(found) === file) return listed;
  // Another process may have put the same, and rely on this line.
  const isThere = () => holdsContent(path, content.bytes, content.hash, disk);
  if (await isThere()) return listed;
  // Before it was listed, the file was taken for an orphan, or for that of an artifact with this id
  // that was removed; another one may have its name.
  try {
    await restoreFile(listed, path, put);
    return listed;
  } catch (error) {
    if (await isThere()) return listed;
    await manifest.bury([listed]);
    await manifest.erase();
    throw error;
  }
}

/** Gives an artifact its file again. What was removed in the meantime must not come back. */
async function restoreFile(
  { artifactId, hash }: ArtifactRecord,
  path: string,
  { manifest, content }: Put,
): Promise<void> {
  const isListed = async () => (await manifest.load()).artifacts.get(artifactId)?.hash === hash;
  // Another artifact may get the id in the meantime: its file is in the way then, and stays.
  const file = (await content.create(path)) ?? (await content.replace(path, isListed));
  if (file !== undefined && !(await isListed())) await deleteOwn(path, file, manifest);
}

/** The artifact that has the file; who is about to list it this moment is waited for. */
async function findOwner(
  artifactId: string,
  path: string,
  { manifest }: Put,
): Promise<ArtifactRecord | undefined> {
  for (let poll = 0; ; poll++) {
    const { artifacts, removed } = await manifest.load();
    const listed = artifacts.get(artifactId);
    // A process that removed it may be about to delete the file.
    if (listed || removed.has(artifactId) || poll === MAX_POLLS) return listed;
    const stats = await manifest.layout.disk.lookAt(path);
    if (!stats?.isFile() || Date.now() - stats.ctimeMs > UNDER_WAY_MS) return undefined;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function isSame({ hash, type }: ArtifactRecord, { content, artifact }: Put): boolean {
  return hash === content.hash() && type === artifact.type;
}

/** Content that is being written to a session's folder. */
interface IncomingContent {
  readonly bytes: number;
  readonly hash: () => string;
  /**
   * Creates a file that is complete when this resolves.
   *
   * @returns The identity of the file; `undefined` if the name is taken.
   */
  create(path: string): Promise<string | undefined>;
  /**
   * Replaces whatever has the name, if that is still wanted when the new file is complete.
   *
   * @returns The identity of the file.
   */
  replace(path: string, isWanted: () => Promise<boolean>): Promise<string | undefined>;
  discard(): Promise<unknown>;
}

/**
 * Hash, size and what else is to be computed are computed while the system creates and writes a file,
 * so that they take little extra time.
 */
function incomingBytes(
  manifest: Manifest,
  content: Uint8Array,
  { hash = once(() => sha256(content)), size, computeAhead }: NewArtifact,
): IncomingContent {
  const { disk } = manifest.layout;
  // Closed at the end: an identity is that of another file once the file is deleted and closed.
  const opened: number[] = [];
  const fill = async (fd: number, path: string): Promise<string> => {
    opened.push(fd);
    const writing = disk.write(fd, content);
    // A failure is reported when it is awaited; until then it must not count as unhandled.
    writing.catch(() => undefined);
    let file = "";
    try {
      try {
        file = identityOf(await disk.statOpen(fd));
        hash();
        size();
      } finally {
        await writing;
      }
      return file;
    } catch (error) {
      await deleteOwn(path, file, manifest);
      throw error;
    }
  };
  return {
    bytes: content.length,
    hash,
    async create(path) {
      const creating = createFile(path, manifest);
      creating.catch(() => undefined);
      computeAhead?.();
      const fd = await creating;
      return fd === undefined ? undefined : fill(fd, path);
    },
    async replace(path, isWanted) {
      for (let attempt = 1; ; attempt++) {
        let file = "";
        try {
          const isDone = await replaceBy(path, disk, async (temporary) => {
            file = await fill(await disk.open(temporary, "wx", FILE_MODE), temporary);
            return isWanted();
          });
          return isDone ? file : undefined;
        } catch (error) {
          if (!hasCode(error, "ENOENT") || attempt === MAX_CLAIMS) throw error;
          // A reader that missed the content took this for what a killed process had left, and moved it.
          const stats = await disk.lookAt(path);
          if (stats && identityOf(stats) === file) return file;
        }
      }
    },
    discard() {
      // Nobody waits for the closing: every byte is with the system.
      for (const fd of opened) disk.close(fd);
      return Promise.resolve();
    },
  };
}

/** Creates a file, and its folder if that was deleted; `undefined` when the name is taken. */
async function createFile(path: string, manifest: Manifest): Promise<number | undefined> {
  const { layout } = manifest;
  try {
    return await layout.disk.open(path, "wx", FILE_MODE).catch(async (error: unknown) => {
      if (!hasCode(error, "ENOENT")) throw error;
      await layout.makeFolder(manifest);
      return layout.disk.open(path, "wx", FILE_MODE);
    });
  } catch (error) {
    if (hasCode(error, "EEXIST")) return undefined;
    throw error;
  }
}

/** How much of a stream is written at a time. */
const BLOCK_BYTES = 262_144;

/**
 * Writes a stream to a temporary file: its hash, and so its possible names, are known only at its
 * end. `size` is called then, before the file gets a name.
 */
async function incomingStream(
  manifest: Manifest,
  content: AsyncIterable<Uint8Array>,
  size: () => unknown,
): Promise<IncomingContent> {
  const { disk } = manifest.layout;
  const temporary = temporaryIn(join(manifest.folder, "x"));
  const hashing = createHash("sha256");
  const fd = await disk.open(temporary, "wx", FILE_MODE);
  // Closed at the end, as above.
  const discard = async () => {
    disk.close(fd);
    await disk.delete(temporary);
  };
  let bytes = 0;
  let file: string;
  try {
    for await (const block of inBlocks(content)) {
      hashing.update(block);
      bytes += block.length;
      // Written before the next one is requested, since the caller may reuse the memory of a chunk.
      await disk.write(fd, block);
    }
    size();
    file = identityOf(await disk.statOpen(fd));
  } catch (error) {
    await discard().catch(() => undefined);
    throw error;
  }
  const hash = hashing.digest("hex");
  return {
    bytes,
    hash: () => hash,
    async create(path) {
      // Whoever created the empty file owns the name; no one else lists or replaces it.
      const claim = await createFile(path, manifest);
      if (claim === undefined) return undefined;
      try {
        const claimed = identityOf(await disk.statOpen(claim));
        await disk.rename(temporary, path).catch(async (error: unknown) => {
          await deleteOwn(path, claimed, manifest);
          throw error;
        });
        return file;
      } finally {
        disk.close(claim);
      }
    },
    async replace(path, isWanted) {
      if (!(await isWanted())) return undefined;
      await disk.rename(temporary, path);
      return file;
    },
    discard,
  };
}

/** The same bytes in fewer pieces, so that short chunks do not each cost a write. */
async function* inBlocks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  for await (const chunk of content) {
    if (filled + chunk.length > BLOCK_BYTES) {
      yield block.subarray(0, filled);
      filled = 0;
    }
    if (chunk.length >= BLOCK_BYTES) yield chunk;
    else {
      block.set(chunk, filled);
      filled += chunk.length;
    }
  }
  yield block.subarray(0, filled);
}
