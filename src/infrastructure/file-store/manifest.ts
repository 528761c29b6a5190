import * as nodeBuffer from "node:buffer";
import { basename, join, sep } from "node:path";
import { LINE_FEED } from "../../core/lib/text/code-units.js";
import type { SessionListing } from "../../core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord, TextSize } from "../../core/workspace/artifacts/artifact.js";
import { hasCode } from "../claim-name.js";
import { closeSoon, openFile, readOnce, writeOnce } from "./file-calls.js";
import { identityOf, KeptFile } from "./kept-file.js";
import { READ_NO_LINK } from "./open-content.js";
import { MANIFEST_NAME, type StoreLayout, type CheckedFolder } from "./store-layout.js";

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

/** An artifact in a listing; the id of its session may become known later. */
export type ListedRecord = ManifestRecord & { sessionId: string; location: string };

/** What was read from a manifest so far. */
export interface ReadState {
  /** The identity of the file that was read; "" if there was none. */
  readonly file: string;
  readonly artifacts: Map<string, ListedRecord>;
  readonly removed: Map<string, string | null>;
  readonly children: Set<string>;
  /** Another object after each removal. */
  lastRemoval: object;
  /** Up to where it was read. */
  bytes: number;
  /** When the file was last modified. */
  modifiedMs: number;
  /** The last bytes that were read: a file with other bytes there was replaced. */
  ending: Buffer;
  /** The session that the header names. */
  owner: string | undefined;
  brokenLines: number;
  /** The last line is incomplete: still being written, or abandoned. */
  torn: boolean;
}

export function emptyState(file: string): ReadState {
  return {
    file,
    artifacts: new Map(),
    removed: new Map(),
    children: new Set(),
    lastRemoval: {},
    bytes: 0,
    modifiedMs: 0,
    ending: Buffer.alloc(0),
    owner: undefined,
    brokenLines: 0,
    torn: false,
  };
}

/** How many of the last bytes read are compared before reading on. */
const COMPARED_BYTES = 256;
/** How much is read at a time: a few thousand lines, after which the event loop can run. */
const BLOCK_BYTES = 1_048_576;
/** Room for one's own line and those that other processes may have added. */
const SMALL_BLOCK_BYTES = 8_192;

/** The session that the first line of a manifest names, if it is a header; nothing else is read. */
export async function readOwner(folder: string): Promise<string | undefined> {
  const fd = await openFile(join(folder, MANIFEST_NAME), READ_NO_LINK);
  try {
    const block = Buffer.allocUnsafe(SMALL_BLOCK_BYTES);
    const start = block.toString("utf8", 0, await readOnce(fd, block, 0, block.length, 0));
    const end = start.indexOf("\n");
    return end === -1 ? undefined : parseEntry(start.slice(0, end))?.session;
  } finally {
    closeSoon(fd);
  }
}

/** Reads a manifest incrementally: everything it knows was read from the file, in order. */
export class ManifestReader {
  readonly path: string;
  /** Lines that were appended and have not been read back. */
  readonly awaited = new Set<string>();
  #state = emptyState("");
  #named: string | undefined;

  constructor(
    readonly folder: string,
    readonly layout: StoreLayout,
  ) {
    this.path = join(folder, MANIFEST_NAME);
  }

  get state(): Readonly<ReadState> {
    return this.#state;
  }

  /** The id of the session; `undefined` while only a hash of it is known. */
  get sessionId(): string | undefined {
    const known = this.#state.owner ?? this.#named;
    if (known !== undefined) return known;
    const name = basename(this.folder);
    return this.layout.sessionFolder(name) === this.folder ? name : undefined;
  }

  /** The session id that the caller uses. */
  get named(): string | undefined {
    return this.#named;
  }

  /** Sets the session id that the caller uses; it applies until the manifest names its owner. */
  nameSession(sessionId: string): void {
    if (this.#named === sessionId) return;
    this.#named = sessionId;
    this.#spreadName();
  }

  /** Reads what is new, through the open file if there is one. */
  async readOn(kept: KeptFile | undefined): Promise<void> {
    const open = kept?.isOpen ? kept : undefined;
    if (open && this.awaited.size > 0 && (await this.#readBack(open))) return;
    const stats = await this.layout.disk.lookAt(this.path);
    if (!stats) this.#state = emptyState("");
    else if (!this.#isAsRead(stats)) await this.#readByPath();
  }

  #isAsRead(stats: { dev: number; ino: number; size: number; mtimeMs: number }): boolean {
    const { file, bytes, modifiedMs } = this.#state;
    return identityOf(stats) === file && stats.size === bytes && stats.mtimeMs === modifiedMs;
  }

  /** Reads what was just appended, and checks that the path is still the same file. */
  async #readBack(kept: KeptFile): Promise<boolean> {
    if (this.#state.file !== "" && this.#state.file !== kept.identity) return false;
    return kept.use(async (fd) => {
      const block = Buffer.allocUnsafe(SMALL_BLOCK_BYTES);
      const start = this.#state.bytes - this.#state.ending.length;
      const [stats, read] = await Promise.all([
        this.layout.disk.lookAt(this.path),
        this.layout.disk.readOnce(fd, block, start),
      ]);
      if (!stats || identityOf(stats) !== kept.identity) return false;
      if (this.#state.file === "") this.#state = emptyState(kept.identity);
      // A full block ends anywhere, even when the file was shorter a moment ago.
      const isEnd = read < block.length && start + read >= stats.size;
      if (this.#take(block.subarray(0, read), isEnd) === "other") return false;
      if (!isEnd && !(await this.#readTo(fd, stats.size))) return false;
      this.#state.modifiedMs = stats.mtimeMs;
      return true;
    });
  }

  async #readByPath(): Promise<void> {
    let fd: number;
    try {
      fd = await openFile(this.path, READ_NO_LINK);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      this.#state = emptyState("");
      return;
    }
    try {
      const stats = await this.layout.disk.statOpen(fd);
      if (!stats.isFile()) throw new Error(`${this.path} is not a plain file`);
      const file = identityOf(stats);
      // A file that was not read before, or one that was deleted and started again: read all of it.
      if (file !== this.#state.file || !(await this.#readTo(fd, stats.size))) {
        this.#state = emptyState(file);
        await this.#readTo(fd, stats.size);
      }
      this.#state.modifiedMs = stats.mtimeMs;
    } finally {
      this.layout.disk.close(fd);
    }
  }

  /** @returns Whether the file continues what was read before. */
  async #readTo(fd: number, end: number): Promise<boolean> {
    let wanted = BLOCK_BYTES;
    for (;;) {
      const { bytes, ending } = this.#state;
      const start = bytes - ending.length;
      const block = Buffer.allocUnsafe(Math.max(Math.min(wanted, end - start), ending.length));
      let filled = 0;
      while (filled < block.length) {
        const read = await readOnce(fd, block, filled, block.length - filled, start + filled);
        if (read === 0) break;
        filled += read;
      }
      const isEnd = filled < block.length || start + filled >= end;
      const outcome = this.#take(block.subarray(0, filled), isEnd);
      if (outcome === "other") return false;
      if (isEnd) return true;
      // A line that is longer than a block.
      if (outcome === "nothing") wanted *= 2;
    }
  }

  /** Processes the lines of a block, which must begin with the last bytes read. */
  #take(block: Buffer, isEnd: boolean): "lines" | "nothing" | "other" {
    const state = this.#state;
    const known = state.ending.length;
    if (block.length < known || !block.subarray(0, known).equals(state.ending)) return "other";
    let taken = Math.max(block.lastIndexOf(LINE_FEED) + 1, known);
    const text = decodeLines(block.subarray(known, taken));
    let from = 0;
    for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
      if (!this.#takeLine(text.slice(from, to))) state.brokenLines++;
      from = to + 1;
    }
    if (isEnd) {
      // Another process may still be writing the last line: unless it is complete, it is read again
      // next time.
      state.torn = !this.#takeLine(block.toString("utf8", taken));
      if (!state.torn) taken = block.length;
    }
    if (taken === known) return "nothing";
    state.bytes += taken - known;
    state.ending = Buffer.from(block.subarray(Math.max(taken - COMPARED_BYTES, 0), taken));
    return "lines";
  }

  /** @returns Whether the line is a whole entry, or blank. */
  #takeLine(line: string): boolean {
    if (this.awaited.size > 0) this.awaited.delete(line);
    if (line.length < 2 && line.trim() === "") return true;
    const entry = parseEntry(line);
    if (!entry) return line.trim() === "";
    const { artifacts, removed, children } = this.#state;
    if (entry.put) this.#takePut(entry.put);
    if (entry.session !== undefined && this.#state.owner === undefined) {
      this.#state.owner = entry.session;
      this.#spreadName();
    }
    if (entry.child !== undefined) children.add(entry.child);
    if (entry.removed !== undefined) {
      const { tool_name = removed.get(entry.removed) ?? null } =
        artifacts.get(entry.removed)?.metadata ?? {};
      artifacts.delete(entry.removed);
      removed.set(entry.removed, tool_name);
      this.#state.lastRemoval = {};
    }
    return true;
  }

  #takePut(record: ManifestRecord): void {
    const { artifactId } = record;
    const { artifacts, removed, owner } = this.#state;
    // Two processes may have put the same content at once; the first line wins, so that all readers
    // agree.
    if (artifacts.has(artifactId)) return;
    // The parsed object becomes the record; these two fields never come from the line.
    const listed = record as ListedRecord;
    listed.sessionId = owner ?? this.sessionId ?? "";
    listed.location = `${this.folder}${sep}${this.layout.fileName(artifactId)}`;
    artifacts.set(artifactId, listed);
    removed.delete(artifactId);
  }

  #spreadName(): void {
    const { sessionId = "" } = this;
    for (const record of this.#state.artifacts.values()) record.sessionId = sessionId;
  }
}

const MAX_APPENDS = 3;

/** The append-only list of what a session holds. An artifact exists once its line does. */
export class Manifest implements CheckedFolder {
  realFolder: string | undefined;
  readonly #reader: ManifestReader;
  #running: Promise<unknown> | undefined;
  #next: Promise<void> | undefined;
  #kept: KeptFile | undefined;

  constructor(
    readonly folder: string,
    readonly layout: StoreLayout,
  ) {
    this.#reader = new ManifestReader(folder, layout);
  }

  /** The id of the session; `undefined` while only a hash of it is known. */
  get sessionId(): string | undefined {
    return this.#reader.sessionId;
  }

  /** Whether there was a manifest when it was last looked for. */
  get exists(): boolean {
    return this.#reader.state.file !== "";
  }

  get brokenLines(): number {
    const { brokenLines, torn } = this.#reader.state;
    return brokenLines + (torn ? 1 : 0);
  }

  /** The listing as of the last load. */
  get contents(): SessionListing {
    const { artifacts, removed, children, lastRemoval } = this.#reader.state;
    return { artifacts, removed, children, lastRemoval };
  }

  nameSession(sessionId: string): void {
    this.#reader.nameSession(sessionId);
  }

  /** The current listing, including entries of other processes. */
  async load(): Promise<SessionListing> {
    // A load that is already running may have read too early. The next one starts after this call
    // and serves all callers until then.
    this.#next ??= this.#startNext();
    await this.#next;
    const { state, named } = this.#reader;
    if (named === undefined || state.owner === undefined || state.owner === named) {
      return this.contents;
    }
    const owner = JSON.stringify(state.owner);
    throw new Error(`according to its manifest, ${this.folder} belongs to session ${owner}`);
  }

  async #startNext(): Promise<void> {
    await this.#running;
    const reading = this.#reader.readOn(this.#kept);
    this.#running = reading.catch(() => undefined);
    this.#next = undefined;
    await reading;
  }

  /**
   * Appends an entry and reads it back; to be called after `load`. `meanwhile` runs while the line is
   * written, `look` while it is read back.
   */
  async append<T>(
    entry: ManifestEntry,
    meanwhile?: () => void,
    look?: () => Promise<T>,
  ): Promise<T | undefined> {
    const { awaited } = this.#reader;
    const text = JSON.stringify(entry);
    try {
      for (let attempt = 0; attempt < MAX_APPENDS; attempt++) {
        awaited.add(text);
        await this.#write(text, meanwhile);
        const [, outcome] = await Promise.all([this.load(), look?.()]);
        if (!awaited.has(text)) return outcome;
        // The file was deleted or replaced, or the line was joined to another process's incomplete line.
        this.close();
      }
    } finally {
      awaited.delete(text);
    }
    throw new Error("the manifest was deleted, replaced or overwritten meanwhile");
  }

  /** Closes the file that is kept open between two appends. */
  close(): void {
    this.#kept?.close();
  }

  async #write(text: string, meanwhile?: () => void): Promise<void> {
    await this.#openFile();
    const { state, named } = this.#reader;
    // With the header in the same write, so that nobody meets a manifest without one. Two processes
    // that begin it at once both write it, which does no harm.
    const header: ManifestEntry = { session: named ?? "", layout: 1 };
    const lines = `${state.owner === undefined ? `${JSON.stringify(header)}\n` : ""}${text}\n`;
    const isLineStart = !state.torn && (state.bytes === 0 || state.ending.at(-1) === LINE_FEED);
    let line = Buffer.from(isLineStart ? lines : `\n${lines}`);
    await this.#kept?.use(async (fd) => {
      // By one call, so that no other process can write between two parts of it. What was cut short
      // is written again as a whole; that ends, since a full disk then says so.
      for (;;) {
        const writing = writeOnce(fd, line);
        meanwhile?.();
        if ((await writing) === line.length) return;
        line = Buffer.from(`\n${lines}`);
      }
    });
  }

  /** Has the file open that was read last; another one in its place is read first. */
  async #openFile(): Promise<void> {
    const { path, state } = this.#reader;
    if (state.file !== "" && this.#kept?.identity !== state.file) this.close();
    while (!this.#kept?.isOpen) {
      this.#kept = await KeptFile.open(path);
      if (this.#kept.identity !== this.#reader.state.file) await this.load();
    }
  }
}
