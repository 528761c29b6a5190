import { requireOptions, requireStrings, hostCallback } from "../arguments.js";
import { ContextOffloadError, messageOf } from "../errors/context-offload-error.js";
import { ArtifactDamagedError } from "../errors/reading-errors.js";
import { checkIfWhole, type ArtifactStore } from "./artifacts/artifact-store.js";
import type { ArtifactRecord } from "./artifacts/artifact.js";
import { removeIfThere } from "./artifacts/retention.js";
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
  /** Artifacts that could not be copied: the id holds other content there, or the content cannot be read. */
  readonly notCopied: readonly {
    readonly sessionId: string;
    readonly artifactId: string;
    readonly problem: string;
  }[];
}

/**
 * Copies all artifacts of a workspace into another one, with their ids, metadata and sessions. Each is
 * compared with its hash on the way and again in its new place. References in conversations remain
 * valid, also where only one of the two encrypts or redacts. One that cannot be copied does not stop
 * the others. A call that was interrupted is continued by calling again: what is there is not copied
 * twice.
 *
 * @example
 * const from = createWorkspace({ root: ".offload" });
 * const { notCopied } = await copyWorkspace(from, createWorkspace({ store: "sqlite:./offload.db" }));
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
  let report: CopyReport = { copied: 0, skipped: 0, bytes: 0, notCopied: [] };
  for (const sessionId of options.sessionIds ?? (await source.sessions())) {
    const { artifacts, children } = await source.listSession(sessionId);
    // A copy, since the listing may change with each put.
    const there = new Map((await target.listSession(sessionId)).artifacts);
    for (const record of [...artifacts.values()]) {
      options.signal?.throwIfAborted();
      const { artifactId } = record;
      const outcome = await copyOne(source, target, record, there.get(artifactId), options.signal);
      if (outcome === "copied") {
        const bytes = report.bytes + record.size.bytes;
        report = { ...report, copied: report.copied + 1, bytes };
      } else if (outcome === "skipped") report = { ...report, skipped: report.skipped + 1 };
      else {
        const notCopied = [...report.notCopied, { sessionId, artifactId, ...outcome }];
        report = { ...report, notCopied };
      }
      onProgress?.(report);
    }
    for (const child of children) await target.addChild(sessionId, child);
  }
  return report;
}

const CONFLICT = { problem: "its id holds other content there" };

/** Errors of one artifact; any other one is of the whole store, and ends the call. */
const ARTIFACT_CODES: readonly string[] = ["ARTIFACT_DAMAGED", "ARTIFACT_GONE", "KEY_MISSING"];

async function copyOne(
  source: ArtifactStore,
  target: ArtifactStore,
  record: ArtifactRecord,
  there: ArtifactRecord | undefined,
  signal: AbortSignal | undefined,
): Promise<"copied" | "skipped" | { readonly problem: string }> {
  if (there && (there.hash !== record.hash || there.type !== record.type)) return CONFLICT;
  if (there) return "skipped";
  try {
    return await copyContent(source, target, record, signal);
  } catch (error) {
    if (ContextOffloadError.isInstance(error) && ARTIFACT_CODES.includes(error.code)) {
      return { problem: messageOf(error) };
    }
    throw error;
  }
}

async function copyContent(
  source: ArtifactStore,
  target: ArtifactStore,
  record: ArtifactRecord,
  signal: AbortSignal | undefined,
): Promise<"copied" | typeof CONFLICT> {
  const { sessionId, artifactId, type, createdAt, metadata, size, hash } = record;
  const content = await source.open(record);
  try {
    async function* read(): AsyncGenerator<Uint8Array> {
      try {
        yield* readPieces(content, signal);
        // A damaged artifact must not look intact in its new place.
        await checkIfWhole(content, signal);
      } catch (error) {
        failure = { error };
        throw error;
      }
    }
    let failure: { readonly error: unknown } | undefined;
    const copy = await target
      .put({
        ...{ sessionId, wantedId: artifactId, type, createdAt, metadata, knownAs: hash },
        content: read(),
        size: () => size,
      })
      .catch((error: unknown) => {
        // Rather what was wrong with the content than that it could not be written.
        throw failure ? failure.error : error;
      });
    if (copy.artifactId !== artifactId) {
      // Another put was quicker.
      await removeIfThere(target, copy);
      return CONFLICT;
    }
    try {
      if (copy.size.bytes !== size.bytes) {
        throw new ArtifactDamagedError(artifactId, `its copy has ${copy.size.bytes} bytes`);
      }
      const written = await target.open(copy);
      try {
        await written.check?.(signal);
      } finally {
        await written.close();
      }
    } catch (error) {
      await removeIfThere(target, copy);
      throw error;
    }
    return "copied";
  } finally {
    await content.close();
  }
}
