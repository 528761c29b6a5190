import { once } from "../../core/lib/once.js";
import { join } from "node:path";
import {
  type ArtifactRecord,
  candidateIds,
  type TextSize,
} from "../../core/workspace/artifacts/artifact.js";
import type { NewArtifact } from "../../core/workspace/artifacts/artifact-store.js";
import { sha256 } from "../hash.js";
import { discardUnlisted } from "./discard-unlisted.js";
import { lookAt } from "./file-calls.js";
import {
  holdsContent,
  incomingBytes,
  type IncomingContent,
  incomingStream,
  temporaryIn,
} from "./incoming-content.js";
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
  /** Resolves once the folder is there and is not a link, and the manifest was read. */
  readonly ready: () => Promise<unknown>;
}

/** Stores content under the first of its candidate ids that is free. */
export async function putArtifact(
  manifest: Manifest,
  artifact: NewArtifact,
): Promise<ArtifactRecord> {
  // While the file is created; later entries of others are seen when the line is read back.
  const ready = once(() => {
    const both = Promise.all([prepareFolder(manifest.layout, manifest), manifest.load()]);
    both.catch(() => undefined);
    return both;
  });
  const size = once(artifact.describe);
  const { content: source, hash, meanwhile = doNothing } = artifact;
  // Bytes are written at once; nothing is awaited before the file is being created.
  const content =
    Symbol.asyncIterator in source
      ? await receive(manifest, source, ready, size)
      : incomingBytes(source, manifest.layout.disk, {
          hash: hash ?? once(() => sha256(source)),
          describe: size,
          meanwhile,
        });
  try {
    for (const id of idsFor(artifact.wantedId, content)) {
      const record = await claim(id, { manifest, artifact, content, size, ready });
      if (record) return record;
    }
  } finally {
    await content.discard();
  }
  throw new Error("every id for this content holds other content");
}

async function receive(
  manifest: Manifest,
  stream: AsyncIterable<Uint8Array>,
  ready: () => Promise<unknown>,
  size: () => unknown,
): Promise<IncomingContent> {
  await ready();
  return incomingStream(temporaryIn(join(manifest.folder, "x")), stream, size);
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
  const { manifest, content, ready } = put;
  const path = join(manifest.folder, manifest.layout.fileName(artifactId));
  const isListed = () => manifest.contents.artifacts.has(artifactId);
  if (isListed()) await ready();
  const isFree = once(async () => {
    await ready();
    return !isListed();
  });
  if (!isListed() && (await content.create(path, isFree))) return list(artifactId, path, put);
  await ready();
  const there = await findOwner(artifactId, path, put);
  if (there ? !isSame(there, put) : manifest.contents.removed.has(artifactId)) return undefined;
  const isThere = await holdsContent(path, content);
  if (!there) {
    if (!isThere) return undefined;
    // Left by a process that ended too early. It gets a file of its own all the same: should its
    // writer still be there, it writes to one that has no name.
    await content.replace(path);
    return list(artifactId, path, put);
  }
  if (isThere) return there;
  // Its file was lost or spoilt.
  return content.replace(path).then(
    () => there,
    () => undefined,
  );
}

async function list(
  artifactId: string,
  path: string,
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
  if (!isSame(listed, put)) return undefined;
  if (found?.size === content.bytes) return listed;
  // A concurrent verify took the file for an orphan before it was listed.
  try {
    await content.replace(path);
    return listed;
  } catch (error) {
    await manifest.append({ removed: artifactId, at: artifact.createdAt });
    throw error;
  }
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
