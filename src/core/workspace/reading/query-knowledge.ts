import { DEFAULTS } from "../../defaults.js";
import { ArgumentError } from "../../lib/argument-error.js";
import { JsonPointerError, JsonSyntaxError } from "../../lib/json/json-errors.js";
import { queryJson, type JsonReading } from "../../lib/json/json-query.js";
import { decodeJsonString } from "../../lib/json/json-string-decoder.js";
import type { ArtifactRecord } from "../artifacts/artifact.js";
import type { ArtifactStore, OpenContent } from "../artifacts/artifact-store.js";
import { looksLikeJson, openMadeView, viewKind } from "./readable-view.js";
import type { Reading, Scope } from "./reading.js";
import { findSoleText } from "./sole-text.js";

export interface QueryOptions extends Scope {
  /** An RFC 6901 pointer; the whole value without it. */
  readonly pointer?: string | undefined;
  /** The most elements of an array. Default 20. */
  readonly limit?: number | undefined;
  /** Only these keys of an object, or of every object of an array. */
  readonly fields?: readonly string[] | undefined;
  /** Where an earlier answer stopped; its `next` says it. */
  readonly cursor?: string | undefined;
  readonly maxChars?: number | undefined;
}

export interface QueryRequest {
  readonly pointer: string;
  /** Of an array 20 unless told; of an object as many members as fit. */
  readonly limit: number | undefined;
  readonly fields: readonly string[] | undefined;
  readonly offset: number;
  readonly maxChars: number;
  readonly signal: AbortSignal | undefined;
}

/** A part of a JSON artifact, by pointer. */
export async function queryArtifact(
  store: ArtifactStore,
  record: ArtifactRecord,
  request: QueryRequest,
): Promise<Reading> {
  const stored = await store.open(record);
  try {
    return answer(record, request, await query(store, record, stored, request));
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
  const inner = await openInner(store, record, stored, signal);
  if (!inner) return queryJson(stored, asked);
  try {
    return await queryJson(inner, asked);
  } catch (error) {
    // What the text block holds is meant first; the blocks around it can be asked for all the same.
    if (!(error instanceof JsonPointerError || error instanceof JsonSyntaxError)) throw error;
    return await queryJson(stored, asked).catch(() => {
      throw error;
    });
  } finally {
    await inner.close();
  }
}

/** The JSON inside a lone text block, which is how many tools send their JSON. */
async function openInner(
  store: ArtifactStore,
  record: ArtifactRecord,
  stored: OpenContent,
  signal: AbortSignal | undefined,
): Promise<OpenContent | undefined> {
  if (viewKind(record) !== "blocks") return undefined;
  const text = await findSoleText(stored, signal);
  if (text === undefined || !(await looksLikeJson(stored, text))) return undefined;
  // It is the readable view too, so that reading and querying share what the store keeps.
  return openMadeView(store, record, () => decodeJsonString(stored, text, signal));
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
        ? "Values that are too long are left out; each stands with the pointer to read it by."
        : undefined,
  };
}
