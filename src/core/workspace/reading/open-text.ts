import { collectPieces, readPieces } from "../../lib/text/byte-source.js";
import {
  type IndexedText,
  type TextIndex,
  indexText,
  encodeTextIndex,
  decodeTextIndex,
} from "../../lib/text/text-index.js";
import { type ArtifactStore, type OpenContent, checkIfWhole } from "../artifacts/artifact-store.js";
import type { ArtifactRecord } from "../artifacts/artifact.js";
import { findArtifact } from "../artifacts/find-artifact.js";
import { openView, MIN_KEPT_BYTES } from "../artifacts/readable-view.js";
import type { ReadOptions, View } from "./reading.js";

/** A text that is open for reading and searching: the readable view or the stored text. */
export interface OpenText {
  readonly source: OpenContent;
  /** Makes or loads the index, which takes a pass over the text; a search does not need it. */
  withIndex(): Promise<IndexedText>;
  /** Compares all of the text with its hash, if the store can; throws if it is damaged. */
  check(signal: AbortSignal | undefined): Promise<void>;
  /** The same, if all of it was read. */
  checkIfWhole(): Promise<void>;
  close(): Promise<void>;
}

export async function openText(
  store: ArtifactStore,
  record: ArtifactRecord,
  view: View,
  signal: AbortSignal | undefined,
): Promise<OpenText> {
  const stored = await store.open(record);
  const opened = [stored];
  const close = async () => {
    for (const content of opened) await content.close();
  };
  try {
    const made = view === "raw" ? undefined : await openView(store, record, stored, signal);
    if (made) opened.push(made);
    const source = made ?? stored;
    const name = made ? "view-index" : "index";
    const withIndex = async () => ({
      source,
      index: await openIndex(store, record, source, name, signal),
    });
    return {
      source,
      withIndex,
      // A view was checked when it was made.
      check: async (signal) => source.check?.(signal),
      checkIfWhole: () => checkIfWhole(source, signal),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openIndex(
  store: ArtifactStore,
  record: ArtifactRecord,
  source: OpenContent,
  name: string,
  signal: AbortSignal | undefined,
): Promise<TextIndex> {
  const make = () => indexText(source, { signal });
  if (source.size < MIN_KEPT_BYTES) return make();
  const kept = await store.openDerived(record, name, async function* () {
    // An index of damaged content must not be cached.
    await source.check?.(signal);
    yield encodeTextIndex(await make());
  });
  try {
    const index = decodeTextIndex(await collectPieces(readPieces(kept, signal)));
    return index?.bytes === source.size ? index : await make();
  } finally {
    await kept.close();
  }
}

/** How many lines an artifact has. */
export type CountLines = (
  artifactId: string,
  options: Pick<ReadOptions, "sessionId" | "signal" | "view">,
) => Promise<number>;

/** Counts without an event: the logger reports only what a model reads. */
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

/** What is read or searched. */
export interface OpenTarget {
  readonly record: ArtifactRecord;
  readonly text: OpenText;
  readonly view: View;
  readonly maxChars: number;
  readonly signal: AbortSignal | undefined;
}

/** What a read needs to know besides the range. */
export type ReadTarget = Omit<OpenTarget, "text"> & { readonly text: IndexedText };
