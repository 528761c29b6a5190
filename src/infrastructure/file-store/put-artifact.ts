import { once } from "../../core/lib/concurrency.js";
import { join } from "node:path";
import {
  type ArtifactRecord,
  candidateIds,
  type TextSize,
} from "../../core/workspace/artifacts/artifact.js";
import type { NewArtifact } from "../../core/workspace/artifacts/artifact-store.js";
import { sha256 } from "../hash.js";
import { discardUnlisted } from "./recover-file.js";
import { lookAt } from "./file-calls.js";
import {
  deleteOwn,
  holdsContent,
  incomingBytes,
  type IncomingContent,
  incomingStream,
  temporaryIn,
} from "./incoming-content.js";
import { identityOf } from "./kept-file.js";
import type { Manifest } from "./manifest.js";
import { prepareFolder } from "./store-layout.js";

/** A file that was changed within this time may be an artifact that is being put right now. */
const UNDER_WAY_MS = 250;
const POLL_MS = 2;
const MAX_POLLS = 200;

/** One put in progress. */
interface Put {
  readonly manifest: Manifest;
  readonly artifact: NewArtifact;
  readonly content: IncomingContent;
  readonly size: () => TextSize;
  /** Makes the folder; rejects one that is a link. */
  readonly makeFolder: () => Promise<unknown>;
}

/** Stores content under the first of its candidate ids that is free. */
export async function putArtifact(
  manifest: Manifest,
  artifact: NewArtifact,
): Promise<ArtifactRecord> {
  const makeFolder = () => prepareFolder(manifest.layout, manifest);
  // Before anything is written: a link may lead anywhere, and an id that is listed has its own file.
  await Promise.all([makeFolder(), manifest.load()]);
  const size = once(artifact.describe);
  const { content: source, hash, meanwhile = doNothing } = artifact;
  const content =
    Symbol.asyncIterator in source
      ? await incomingStream(temporaryIn(join(manifest.folder, "x")), source, size)
      : incomingBytes(source, manifest.layout.disk, {
          hash: hash ?? once(() => sha256(source)),
          describe: size,
          meanwhile,
        });
  try {
    for (const id of idsFor(artifact.wantedId, content)) {
      const record = await claim(id, { manifest, artifact, content, size, makeFolder });
      if (record) return record;
    }
  } finally {
    await content.discard();
  }
  throw new Error("every id for this content holds other content");
}

/** The wanted id needs no hash, so the hash can be computed while the file is created. */
function* idsFor(wantedId: string | undefined, content: IncomingContent): Generator<string> {
  if (wantedId !== undefined) yield wantedId;
  const [first = "", ...others] = candidateIds(wantedId, content.hash());
  if (wantedId === undefined) yield first;
  yield* others;
}

/** Stores under this id; `undefined` if the id is taken. */
async function claim(artifactId: string, put: Put): Promise<ArtifactRecord | undefined> {
  const { manifest, content, makeFolder } = put;
  const path = join(manifest.folder, manifest.layout.fileName(artifactId));
  if (!manifest.contents.artifacts.has(artifactId)) {
    const file = await content.create(path, makeFolder);
    if (file !== undefined) return list(artifactId, path, file, put);
  }
  const there = await findOwner(artifactId, path, put);
  if (there ? !isSame(there, put) : manifest.contents.removed.has(artifactId)) return undefined;
  const isThere = await holdsContent(path, content);
  if (!there) {
    if (!isThere) return undefined;
    // Left by a process that ended too early. It gets a file of its own all the same: should its
    // writer still be there, it writes to one that has no name.
    const isFree = async () => !(await manifest.load()).artifacts.has(artifactId);
    const file = await content.replace(path, isFree);
    return file === undefined ? undefined : list(artifactId, path, file, put);
  }
  if (isThere) return there;
  // Its file was lost or spoilt.
  return giveFile(there, path, put).then(
    () => there,
    () => undefined,
  );
}

/** Lists the artifact whose file was created; `undefined` if another one was quicker. */
async function list(
  artifactId: string,
  path: string,
  file: string,
  put: Put,
): Promise<ArtifactRecord | undefined> {
  const { manifest, artifact, content } = put;
  const { type, createdAt, metadata } = artifact;
  const entry = { artifactId, type, size: put.size(), hash: content.hash(), createdAt, metadata };
  const found = await manifest
    .append({ put: entry }, artifact.meanwhile, () => manifest.layout.disk.lookAt(path))
    .catch(async (error: unknown) => {
      await discardUnlisted([path], () => manifest.load()).catch(() => undefined);
      throw error;
    });
  const listed = manifest.contents.artifacts.get(artifactId);
  // Another process removed it right away.
  if (!listed) return { ...entry, sessionId: artifact.sessionId, location: path };
  if (!isSame(listed, put)) {
    // In the place of the other's, which can be recovered only where there is none.
    await deleteOwn(path, file);
    return undefined;
  }
  if (found && identityOf(found) === file) return listed;
  // Another process may have put the same, and rely on this line.
  const isThere = () => holdsContent(path, content);
  if (await isThere()) return listed;
  // Before it was listed, the file was taken for an orphan, or for that of an artifact with this id
  // that was removed; another one may have its name.
  try {
    await giveFile(listed, path, put);
    return listed;
  } catch (error) {
    if (await isThere()) return listed;
    await manifest.append({ removed: artifactId, at: artifact.createdAt });
    throw error;
  }
}

/** Gives an artifact its file again. What was removed meanwhile must not come back. */
async function giveFile(
  { artifactId, hash }: ArtifactRecord,
  path: string,
  { manifest, content, makeFolder }: Put,
): Promise<void> {
  const isListed = async () => (await manifest.load()).artifacts.get(artifactId)?.hash === hash;
  // Another artifact may get the id meanwhile: its file is in the way then, and stays.
  const file = (await content.create(path, makeFolder)) ?? (await content.replace(path, isListed));
  if (file !== undefined && !(await isListed())) await deleteOwn(path, file);
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
    const stats = await lookAt(path);
    if (!stats?.isFile() || Date.now() - stats.ctimeMs > UNDER_WAY_MS) return undefined;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function isSame({ hash, type }: ArtifactRecord, { content, artifact }: Put): boolean {
  return hash === content.hash() && type === artifact.type;
}

function doNothing(): void {
  // Its caller has nothing to compute.
}
