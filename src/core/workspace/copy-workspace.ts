import { requireOptions, requireStrings, hostCallback } from "../arguments.js";
import { ArtifactDamagedError } from "../errors/reading-errors.js";
import { checkIfWhole, type ArtifactStore } from "./artifacts/artifact-store.js";
import type { ArtifactRecord } from "./artifacts/artifact.js";
import { readPieces } from "../lib/text/byte-source.js";
import { coreOf } from "./workspace-core.js";
import type { Workspace } from "./workspace-types.js";

/** Options of `copyWorkspace`. */
export interface CopyOptions {
  /** Only these sessions. Default: all. */
  readonly sessionIds?: readonly string[] | undefined;
  /** Called after each artifact. */
  readonly onProgress?: ((done: CopyReport) => void) | undefined;
  /** Aborts the call; what was copied so far is complete, and the next call goes on after it. */
  readonly signal?: AbortSignal | undefined;
}

/** What `copyWorkspace` has done. */
export interface CopyReport {
  /** Artifacts that were copied now. */
  readonly copied: number;
  /** Artifacts that were there already, from an earlier call. */
  readonly skipped: number;
  /** Bytes that were copied now. */
  readonly bytes: number;
}

/**
 * Copies all artifacts of a workspace into another one, with their ids, metadata and sessions. Each is
 * compared with its hash on the way and again in its new place. A call that was interrupted is
 * continued by calling again: what is there is not copied twice.
 *
 * @example
 * await copyWorkspace(createWorkspace({ root: ".offload" }), createWorkspace({ store: "sqlite:./offload.db" }));
 */
export async function copyWorkspace(
  from: Workspace,
  to: Workspace,
  options: CopyOptions = {},
): Promise<CopyReport> {
  requireOptions(options);
  if (options.sessionIds !== undefined) requireStrings("sessionIds", options.sessionIds);
  const onProgress = hostCallback("onProgress", options.onProgress);
  const source = coreOf(from).artifactStore;
  const target = coreOf(to).artifactStore;
  let report: CopyReport = { copied: 0, skipped: 0, bytes: 0 };
  for (const sessionId of options.sessionIds ?? (await source.sessions())) {
    const { artifacts, children } = await source.listSession(sessionId);
    const there = new Map((await target.listSession(sessionId)).artifacts);
    for (const record of artifacts.values()) {
      options.signal?.throwIfAborted();
      const isThere = there.get(record.artifactId)?.createdAt === record.createdAt;
      if (!isThere) await copyOne(source, target, record, options.signal);
      report = isThere
        ? { ...report, skipped: report.skipped + 1 }
        : { ...report, copied: report.copied + 1, bytes: report.bytes + record.size.bytes };
      onProgress?.(report);
    }
    for (const child of children) await target.addChild(sessionId, child);
  }
  return report;
}

async function copyOne(
  source: ArtifactStore,
  target: ArtifactStore,
  record: ArtifactRecord,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { sessionId, artifactId, type, createdAt, metadata, size } = record;
  const content = await source.open(record);
  try {
    async function* read(): AsyncGenerator<Uint8Array> {
      yield* readPieces(content, signal);
      // A damaged artifact must not look intact in its new place.
      await checkIfWhole(content, signal);
    }
    const copy = await target.put({
      ...{ sessionId, wantedId: artifactId, type, createdAt, metadata },
      content: read(),
      size: () => size,
    });
    if (copy.artifactId !== artifactId || copy.size.bytes !== size.bytes) {
      const problem = `its copy is ${JSON.stringify(copy.artifactId)} with ${copy.size.bytes} bytes`;
      throw new ArtifactDamagedError(artifactId, problem);
    }
    const written = await target.open(copy);
    try {
      await written.check?.(signal);
    } finally {
      await written.close();
    }
  } finally {
    await content.close();
  }
}
