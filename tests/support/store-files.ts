import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createWorkspace, type Workspace } from "../../src/index.js";
import { makeTempFolder } from "./temp-folder.js";

export interface StoreFolder {
  readonly root: string;
  readonly workspace: Workspace;
  /** The folder of a session that has a portable name. */
  readonly sessionFolder: (sessionId: string) => string;
}

/** A workspace in an empty folder. */
export async function makeStore(): Promise<StoreFolder> {
  const root = join(await makeTempFolder(), "root");
  return {
    root,
    workspace: openStore(root),
    sessionFolder: (sessionId) => join(root, "v1", "default", sessionId),
  };
}

/** A workspace that knows nothing of what another one on the same folder has seen. */
export function openStore(root: string, namespace = "default"): Workspace {
  const workspace = createWorkspace({ root, namespace });
  onTestFinished(() => workspace.close());
  return workspace;
}

/** The entries of a session's manifest, each line parsed; blank ones do no harm. */
export async function readManifest(folder: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(folder, "manifest.jsonl"), "utf8");
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** All bytes of what `getOriginal` gave back as a stream. */
export async function bytesOf(original: unknown): Promise<Buffer> {
  if (typeof original !== "object" || original === null || !(Symbol.asyncIterator in original)) {
    throw new Error("The original was expected to be a stream, and it is not.");
  }
  const parts: Uint8Array[] = [];
  for await (const part of original as AsyncIterable<Uint8Array>) parts.push(part);
  return Buffer.concat(parts);
}
