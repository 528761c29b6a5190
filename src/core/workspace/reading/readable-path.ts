import { readPieces } from "../../lib/text/byte-source.js";
import type { ArtifactRecord } from "../artifacts/artifact.js";
import type { ArtifactStore } from "../artifacts/artifact-store.js";
import { openView } from "./readable-view.js";

/** Where an agent reads an artifact by path: the readable text, which is written first if it is not the content itself. */
export async function readablePath(
  store: ArtifactStore,
  record: ArtifactRecord,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (!store.writeReadable) return record.location;
  const stored = await store.open(record);
  try {
    const view = await openView(store, record, stored, signal);
    if (!view) return record.location;
    try {
      return await store.writeReadable(record, readPieces(view, signal));
    } finally {
      await view.close();
    }
  } finally {
    await stored.close();
  }
}
