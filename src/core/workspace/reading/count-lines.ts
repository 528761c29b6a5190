import type { ArtifactStore } from "../artifacts/artifact-store.js";
import { findArtifact } from "../artifacts/find-artifact.js";
import { openText } from "./open-text.js";
import type { ReadOptions } from "./reading.js";

/** How many lines an artifact has. */
export type CountLines = (
  artifactId: string,
  options: Pick<ReadOptions, "sessionId" | "signal" | "view">,
) => Promise<number>;

/** Counts without a word to the logger, which is told of what a model reads. */
export function createCountLines(store: ArtifactStore): CountLines {
  return async (artifactId, { sessionId, signal, view = "readable" }) => {
    const record = await findArtifact(store, artifactId, sessionId);
    const text = await openText(store, record, view, signal);
    try {
      return (await text.withIndex()).index.lines;
    } finally {
      await text.close();
    }
  };
}
