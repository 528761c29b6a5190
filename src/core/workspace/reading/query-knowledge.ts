import { DEFAULTS } from "../../defaults.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { JsonPointerError } from "../../lib/json/json-pointer.js";
import { queryJson, type JsonReading } from "../../lib/json/json-query.js";
import { JsonSyntaxError } from "../../lib/json/json-walker.js";
import { ArgumentError } from "../../lib/text/text-range.js";
import { type ArtifactStore, checkIfWhole, type OpenContent } from "../artifacts/artifact-store.js";
import type { ArtifactRecord } from "../artifacts/artifact.js";
import { openInnerJson } from "../artifacts/readable-view.js";
import type { Reading, Scope } from "./reading.js";

/** Options of `queryKnowledge`. */
export interface QueryOptions extends Scope {
  /** A JSON pointer (RFC 6901). Default: the whole value. */
  readonly pointer?: string | undefined;
  /** Maximum number of items of an array, or members of an object. Default: 20 items, or as many members as fit. */
  readonly limit?: number | undefined;
  /** Only these keys of an object, or of every object in an array; at most 100. Default: all keys. */
  readonly fields?: readonly string[] | undefined;
  /** Where an earlier answer stopped, taken from its `next`. */
  readonly cursor?: string | undefined;
  /** Maximum length of the answer's text, in characters. Default 20,000. */
  readonly maxChars?: number | undefined;
}

export interface QueryRequest {
  readonly pointer: string;
  /** `undefined`: 20 items of an array, or as many members of an object as fit. */
  readonly limit: number | undefined;
  readonly fields: readonly string[] | undefined;
  readonly offset: number;
  readonly maxChars: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * A part of a JSON artifact, by pointer. Where the pointer leads nowhere as it stands, it is read as
 * it was most likely meant.
 */
export async function queryArtifact(
  store: ArtifactStore,
  record: ArtifactRecord,
  request: QueryRequest,
): Promise<Reading> {
  return queryAsWritten(store, record, request).catch((error: unknown) => {
    const pointer = rereadPointer(request.pointer);
    if (pointer === undefined || !isPointerError(error)) throw error;
    return queryAsWritten(store, record, { ...request, pointer }).catch(() => {
      throw error;
    });
  });
}

/** A pointer that leads nowhere as it stands, as it was most likely meant. */
function rereadPointer(pointer: string): string | undefined {
  if (pointer === "/") return "";
  return !pointer.startsWith("/") && pointer.includes("/") ? `/${pointer}` : undefined;
}

function isPointerError(error: unknown): boolean {
  return (
    error instanceof JsonPointerError ||
    (error instanceof ArgumentError && error.argument === "pointer")
  );
}

async function queryAsWritten(
  store: ArtifactStore,
  record: ArtifactRecord,
  request: QueryRequest,
): Promise<Reading> {
  // Each field is looked for in each item, and the next call repeats them all.
  if (request.fields && request.fields.length > DEFAULTS.queryFields) {
    throw new InvalidArgumentError(
      "fields",
      request.fields,
      `at most ${DEFAULTS.queryFields} keys`,
    );
  }
  const stored = await store.open(record);
  try {
    const read = await query(store, record, stored, request);
    await checkIfWhole(stored, request.signal);
    return answer(record, request, read);
  } catch (error) {
    if (!(error instanceof ArgumentError) || error.argument !== "offset") throw error;
    throw new ArgumentError("cursor", String(error.received), error.expected);
  } finally {
    await stored.close();
  }
}

async function query(
  store: ArtifactStore,
  record: ArtifactRecord,
  stored: OpenContent,
  request: QueryRequest,
): Promise<JsonReading> {
  const { pointer, limit, offset, maxChars, fields, signal } = request;
  const asked = {
    pointer,
    limit,
    arrayLimit: DEFAULTS.queryLimit,
    offset,
    maxChars,
    ...(fields ? { fields } : {}),
    ...(signal ? { signal } : {}),
  };
  const inner = await openInnerJson(store, record, stored, signal);
  if (!inner) return queryJson(stored, asked);
  try {
    return await queryJson(inner, asked);
  } catch (error) {
    // It may also refer to the wrapper.
    if (!(error instanceof JsonPointerError || error instanceof JsonSyntaxError)) throw error;
    return await queryJson(stored, asked).catch(() => {
      throw error;
    });
  } finally {
    await inner.close();
  }
}

function answer(record: ArtifactRecord, request: QueryRequest, read: JsonReading): Reading {
  const { items, leftOut, nextOffset } = read;
  const chars = read.text.length;
  return {
    artifactId: record.artifactId,
    sessionId: record.sessionId,
    view: "raw",
    text: read.text,
    range: items
      ? { unit: "items", ...items }
      : {
          unit: "chars",
          from: request.offset + Math.min(chars, 1),
          to: request.offset + chars,
          of: request.offset + chars + (leftOut?.chars ?? 0),
        },
    leftOut:
      leftOut?.items !== undefined
        ? { unit: "items", count: leftOut.items }
        : leftOut?.chars !== undefined
          ? { unit: "chars", count: leftOut.chars }
          : undefined,
    next:
      nextOffset === undefined
        ? undefined
        : {
            tool: "query_knowledge",
            input: {
              artifact_id: record.artifactId,
              pointer: request.pointer,
              ...(request.fields ? { fields: request.fields } : {}),
              ...(request.limit === undefined ? {} : { limit: request.limit }),
              cursor: String(nextOffset),
            },
          },
    note:
      items && leftOut?.chars !== undefined
        ? "Values that are too long are left out; each is shown with the pointer to read it."
        : undefined,
  };
}
