import { ArgumentError } from "../argument-error.js";
import type { ByteSource } from "./byte-source.js";
import type { TextIndex } from "./text-index.js";

/** A stored text of any size, in UTF-8 or WTF-8, and the index that was made of it. */
export interface IndexedText {
  readonly source: ByteSource;
  readonly index: TextIndex;
}

/** A place between two characters. */
export interface Position {
  readonly byte: number;
  /** UTF-16 units before it. */
  readonly char: number;
}

/** Refuses an index that was made of other bytes; what it points at would be wrong. */
export function requireOwnIndex({ source, index }: IndexedText): void {
  if (index.bytes === source.size) return;
  const expected = `an index of ${source.size} bytes, as many as the source has`;
  throw new ArgumentError("text.index.bytes", index.bytes, expected);
}
