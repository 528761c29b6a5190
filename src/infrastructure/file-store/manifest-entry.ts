import * as nodeBuffer from "node:buffer";
import type { ArtifactRecord, TextSize } from "../../core/workspace/artifacts/artifact.js";

/** An artifact in a manifest line; the location of its file is derived from its id, never read from the line. */
export type ManifestRecord = Omit<ArtifactRecord, "sessionId" | "location">;

/** One line of a manifest. */
export type ManifestEntry =
  | { readonly session: string; readonly layout: 1 }
  | { readonly put: ManifestRecord }
  | { readonly removed: string; readonly at: string }
  | { readonly child: string };

/** A line that could be read: of a known kind, or of one that a later version writes. */
export interface ParsedEntry {
  readonly session?: string;
  readonly put?: ManifestRecord;
  readonly removed?: string;
  readonly child?: string;
}

// Available from Node 18.15 on.
const { isAscii } = nodeBuffer as { isAscii?: (bytes: Uint8Array) => boolean };

/** Most manifests are ASCII, which takes half the time to decode. */
export function decodeLines(bytes: Buffer): string {
  return bytes.toString(isAscii?.(bytes) === true ? "latin1" : "utf8");
}

/** @returns `undefined` for a broken line. */
export function parseEntry(line: string): ParsedEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { session, put, removed, child } = value;
  if (put !== undefined && !isRecord(put)) return undefined;
  return isTextOrMissing(session) && isTextOrMissing(removed) && isTextOrMissing(child)
    ? value
    : undefined;
}

const HASH = /^[0-9a-f]{64}$/;

// A listing parses every line of a session, so these checks use no arrays or closures.

/** Code that reads a record relies on all of these. */
function isRecord(value: unknown): value is ManifestRecord {
  if (!isObject(value)) return false;
  const { artifactId, type, size, hash, createdAt, metadata } = value;
  return (
    typeof artifactId === "string" &&
    artifactId !== "" &&
    (type === "TEXT" || type === "JSON") &&
    isSize(size) &&
    typeof hash === "string" &&
    HASH.test(hash) &&
    typeof createdAt === "string" &&
    isObject(metadata)
  );
}

function isSize(value: unknown): value is TextSize {
  if (!isObject(value)) return false;
  const { bytes, chars, lines, tokens } = value;
  return isCount(bytes) && isCount(chars) && isCount(lines) && isCount(tokens);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

function isTextOrMissing(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
