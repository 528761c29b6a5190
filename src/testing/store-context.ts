import { type ArtifactRecord, completeMetadata } from "../core/workspace/artifacts/artifact.js";
import {
  memoryContent,
  type ArtifactStore,
  type ListedArtifact,
  type NewArtifact,
  type OpenStore,
} from "../core/workspace/artifacts/artifact-store.js";
import { queryArtifacts } from "../core/workspace/artifacts/list-artifacts.js";
import { collectPieces, readPieces } from "../core/lib/text/byte-source.js";
import { decodeWtf8, encodeWtf8 } from "../core/lib/text/wtf8.js";
import type { Check } from "./checks.js";

/** A store to check. */
export interface StoreFixture {
  /**
   * Opens a namespace of the storage under test as a fresh process would: two stores that are opened
   * share the storage and nothing else. Every check uses new namespaces.
   */
  readonly open: OpenStore;
}

/** What the checks of a store are about. */
export type StoreConcern =
  | "basics"
  | "exactness"
  | "ranges"
  | "listing and filters"
  | "paging"
  | "concurrency"
  | "isolation"
  | "removal"
  | "by index"
  | "renewal"
  | "faults";

/** One check of a store. `run` rejects if it fails. */
export interface StoreCheck extends Check {
  readonly concern: StoreConcern;
}

/** Opens namespaces for a check; all are closed when it ends. */
export interface StoreContext {
  /** The namespace of this check. */
  readonly namespace: string;
  /** A store in a namespace of its own. */
  readonly store: ArtifactStore;
  /** Opens a namespace as a fresh process would. Default: that of `store`. */
  readonly open: (namespace?: string) => ArtifactStore;
}

let namespaces = 0;

/** Makes a check that gets a store in a namespace of its own. */
export function storeCheck(
  concern: StoreConcern,
  name: string,
  run: (context: StoreContext) => Promise<void>,
): (fixture: StoreFixture) => StoreCheck {
  return (fixture) => ({
    concern,
    name,
    async run() {
      // Unlike any of an earlier run, since the storage may be a permanent one.
      const random = Math.random().toString(36).slice(2);
      const namespace = `suite-${random}-${(namespaces++).toString()}`;
      const opened: ArtifactStore[] = [];
      const open = (name = namespace) => {
        const store = fixture.open(name);
        opened.push(store);
        return store;
      };
      try {
        await run({ namespace, store: open(), open });
      } finally {
        for (const store of opened) await store.close?.();
      }
    },
  });
}

/** Throws unless both are equal as JSON, in any order of keys. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [canonical(actual), canonical(expected)];
  if (got === wanted) return;
  throw new Error(`${what}: expected ${shown(wanted)} but got ${shown(got)}`);
}

/** Throws unless the promise is rejected with an error of this code. */
export async function rejects(
  promise: Promise<unknown>,
  code: string,
  what: string,
): Promise<void> {
  const outcome = await promise.then(
    () => "no error",
    (error: unknown) => (error as { code?: unknown } | undefined)?.code ?? String(error),
  );
  equal(outcome, code, `${what}: the code of the error`);
}

export interface ArtifactSample {
  readonly sessionId?: string;
  readonly id?: string | undefined;
  readonly type?: "TEXT" | "JSON";
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly createdAt?: string;
}

/** An artifact to put. */
export function artifactOf(
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  { sessionId = "s1", id, type = "TEXT", metadata = {}, createdAt }: ArtifactSample = {},
): NewArtifact {
  const source = typeof content === "string" ? encodeWtf8(content) : content;
  let streamed = 0;
  async function* counted(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      streamed += chunk.length;
      yield chunk;
    }
  }
  const bytes = () => (source instanceof Uint8Array ? source.length : streamed);
  return {
    sessionId,
    wantedId: id,
    type,
    content: source instanceof Uint8Array ? source : counted(source),
    size: () => ({ bytes: bytes(), chars: bytes(), lines: 1, tokens: 1 }),
    createdAt: createdAt ?? "2026-01-02T03:04:05.678Z",
    metadata: completeMetadata(metadata, id, sessionId),
  };
}

/** All bytes of an artifact, read in pieces. */
export async function bytesOf(store: ArtifactStore, record: ArtifactRecord): Promise<Uint8Array> {
  const content = await store.open(record);
  try {
    const bytes = await collectPieces(readPieces(content));
    await content.check?.();
    return bytes;
  } finally {
    await content.close();
  }
}

export async function textOf(store: ArtifactStore, record: ArtifactRecord): Promise<string> {
  return decodeWtf8(await bytesOf(store, record));
}

/** Throws unless the bytes are the same; says where they differ. */
export function equalBytes(actual: Uint8Array, expected: Uint8Array, what: string): void {
  equal(actual.length, expected.length, `${what}: number of bytes`);
  const at = expected.findIndex((byte, index) => actual[index] !== byte);
  if (at !== -1) equal([at, actual[at]], [at, expected[at]], `${what}: position and byte`);
}

/** The bytes 0 to 255 in a fixed disorder, which no compression and no cut leaves unnoticed. */
export function noise(length: number, seed = 1): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 16;
  });
}

/** A stream of these bytes in pieces of this size. */
export async function* streamOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const content = memoryContent(bytes);
  for (let at = 0; at < bytes.length; at += size) yield await content.read(at, at + size);
}

/** Every page of a listing. */
export async function listAll(
  store: ArtifactStore,
  query: Omit<Parameters<typeof queryArtifacts>[1], "limit">,
  limit: number,
): Promise<ListedArtifact[]> {
  const listed: ListedArtifact[] = [];
  for (;;) {
    const after = listed.at(-1)?.cursor ?? query.after;
    const { artifacts } = await queryArtifacts(store, { ...query, after, limit });
    if (artifacts.length > limit) equal(artifacts.length, limit, "artifacts on a page");
    listed.push(...artifacts);
    if (artifacts.length < limit) return listed;
  }
}

export async function listIds(...args: Parameters<typeof listAll>): Promise<string[]> {
  return idsOf(await listAll(...args));
}

export function idsOf(listed: readonly ListedArtifact[]): string[] {
  return listed.map(({ record }) => record.artifactId);
}

function canonical(value: unknown): string {
  return value === undefined ? "undefined" : JSON.stringify(value, sortKeys);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function shown(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
