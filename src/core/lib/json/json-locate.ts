import type { ByteSource } from "../text/byte-source.js";
import {
  JsonPathTracker,
  type JsonChildren,
  type JsonPath,
  type Located,
} from "./json-path-tracker.js";
import { JsonSyntaxError } from "./json-errors.js";
import { JsonWalker } from "./json-walker.js";

export type { Located } from "./json-path-tracker.js";

const CHUNK_BYTES = 256 * 1024;
/**
 * Whether the source is JSON Lines is certain only where the first value ends. A first value longer
 * than this is taken to be the only one, so that an early item of a huge array is found at once.
 */
const SURE_BYTES = 1024 * 1024;

export interface LocateOptions {
  readonly signal?: AbortSignal | undefined;
  /** How many bytes are read at once. Default 256 kB. */
  readonly chunkBytes?: number | undefined;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface PathOptions extends LocateOptions {
  /** Receives what is directly inside the value. */
  readonly children?: JsonChildren | undefined;
  /** Only these bytes, which hold one value, instead of all. */
  readonly range?: ByteRange | undefined;
  /** True when the source is known to be several values that count as an array. */
  readonly isSequence?: boolean | undefined;
}

/**
 * Finds the value that a pointer names, in one pass and with little memory. What is not on the path
 * is skipped by looking only at strings and brackets. The last of equal keys wins, as in JSON.parse.
 * Several top-level values, separated by line breaks, count as an array.
 */
export async function locatePointer(
  source: ByteSource,
  pointer: readonly string[],
  options: LocateOptions = {},
): Promise<Located> {
  return locatePath(source, pointer, options);
}

/** As `locatePointer`, for a path that may go through every item of an array. */
export async function locatePath(
  source: ByteSource,
  path: JsonPath,
  options: PathOptions = {},
): Promise<Located> {
  const isSequence = options.isSequence === true;
  const located = await follow(source, path, isSequence, options);
  // A second value follows the first: start again, treating them as an array.
  const answer = located ?? (await follow(source, path, true, options));
  if (answer === undefined) throw new JsonSyntaxError("there is no value", source.size);
  return answer;
}

async function follow(
  source: ByteSource,
  path: JsonPath,
  isSequence: boolean,
  { signal, chunkBytes = CHUNK_BYTES, children, range }: PathOptions,
): Promise<Located | undefined> {
  const tracker = new JsonPathTracker(path, isSequence, children);
  const { start, end } = range ?? { start: 0, end: source.size };
  const walker = new JsonWalker(tracker, start);
  children?.reset();
  let at = start;
  while (at < end) {
    signal?.throwIfAborted();
    const chunk = await source.read(at, Math.min(at + chunkBytes, end));
    if (chunk.length === 0) break;
    walker.push(chunk);
    at += chunk.length;
    if (tracker.hasSeveral) return undefined;
    if (tracker.isDone || (tracker.isSettled && at - start >= SURE_BYTES)) return tracker.outcome;
  }
  signal?.throwIfAborted();
  walker.end();
  return tracker.finish();
}
