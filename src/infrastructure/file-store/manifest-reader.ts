import { LINE_FEED } from "../../core/lib/text/scan-bytes.js";
import { MANIFEST_NAME, type StoreLayout } from "./store-layout.js";
import { READ_NO_LINK } from "./open-content.js";
import { basename, join, sep } from "node:path";
import { closeSoon, openFile, readOnce } from "./file-calls.js";
import { hasCode } from "../error-code.js";
import { identityOf, type KeptFile } from "./kept-file.js";
import { decodeLines, parseEntry, type ManifestRecord } from "./manifest-entry.js";

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
