import * as nodeBuffer from "node:buffer";
import { constants } from "node:fs";
import { basename, join, sep } from "node:path";
import { DEFAULTS } from "../../core/defaults.js";
import { createGate } from "../../core/lib/concurrency.js";
import { LINE_FEED } from "../../core/lib/text/code-units.js";
import type { SessionListing } from "../../core/workspace/artifacts/artifact-store.js";
import {
  isRenewal,
  isStanding,
  type ArtifactRecord,
  type Tombstone,
  tombstoneOf,
} from "../../core/workspace/artifacts/artifact.js";
import { CauseError } from "../cause-error.js";
import { type Disk, hasCode, identityOf, NO_LINK } from "./disk.js";
import { type CheckedFolder, FILE_MODE, MANIFEST_NAME, type StoreLayout } from "./store-layout.js";

/** An artifact in a manifest line; the location of its file is derived from its id, never read from the line. */
type ManifestRecord = Omit<ArtifactRecord, "sessionId" | "location">;

/** One line of a manifest. */
type ManifestEntry =
  | { readonly session: string; readonly layout: 1 }
  | { readonly put: ManifestRecord }
  | { readonly renewed: string; readonly hash: string; readonly at: string }
  | RemovedEntry
  | { readonly child: string };

/** The tombstone of an artifact. It says when that was stored, since it may be renewed at this moment. */
interface RemovedEntry extends Pick<Tombstone, "shownHash" | "until"> {
  readonly removed: string;
  readonly createdAt: string;
}

/** A line that could be read: of a known kind, or of one that a later version writes. */
interface ParsedEntry {
  readonly session?: string;
  readonly put?: ManifestRecord;
  readonly renewed?: string;
  readonly hash?: string;
  readonly at?: string;
  readonly removed?: string;
  readonly createdAt?: string;
  readonly shownHash?: unknown;
  readonly until?: unknown;
  readonly child?: string;
}

// Available from Node 18.15 on. Most manifests are ASCII, which takes half the time to decode.
const { isAscii } = nodeBuffer as { isAscii?: (bytes: Uint8Array) => boolean };

/** @returns `undefined` for a broken line. */
function parseEntry(line: string): ParsedEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { session, put, renewed, at, removed, child } = value;
  if (put !== undefined && !isRecord(put)) return undefined;
  return isTextOrMissing(session) &&
    isTextOrMissing(renewed) &&
    isTextOrMissing(at) &&
    isTextOrMissing(removed) &&
    isTextOrMissing(child)
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
    isObject(size) &&
    isCount(size["bytes"]) &&
    isCount(size["chars"]) &&
    isCount(size["lines"]) &&
    isCount(size["tokens"]) &&
    typeof hash === "string" &&
    HASH.test(hash) &&
    typeof createdAt === "string" &&
    isObject(metadata)
  );
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
type ListedRecord = ManifestRecord & { sessionId: string; location: string };

/** What was read from a manifest so far. */
interface ManifestState {
  /** The identity of the file that was read; "" if there was none. */
  readonly file: string;
  readonly artifacts: Map<string, ListedRecord>;
  readonly removed: Map<string, Tombstone>;
  readonly children: Set<string>;
  /** Where the lines of each artifact are. */
  readonly lines: Map<string, Line[]>;
  readonly childLines: Map<string, Line[]>;
  /** The lines of what was removed, or has ended. */
  erasable: Line[];
  /** Another object after each removal. */
  lastRemoval: object;
  /** Up to where it was read. */
  bytes: number;
  /** When the file was last modified. */
  modifiedMs: number;
  /** When it was last read. */
  readMs: number;
  /** The last bytes that were read: a file with other bytes there was replaced. */
  ending: Buffer;
  /** The session that the header names. */
  owner: string | undefined;
  brokenLines: number;
  /** The last line is incomplete: still being written, or abandoned. */
  torn: boolean;
}

/** From its first byte to the one after its last. */
interface Line {
  readonly start: number;
  readonly end: number;
}

function emptyState(file: string): ManifestState {
  return {
    file,
    artifacts: new Map(),
    removed: new Map(),
    children: new Set(),
    lines: new Map(),
    childLines: new Map(),
    erasable: [],
    lastRemoval: {},
    bytes: 0,
    modifiedMs: 0,
    readMs: Date.now(),
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
/** Room for one's own line and a few that other processes may have added; cut from memory that Node has ready. */
const READ_BACK_BYTES = 2_048;
const HEADER_BYTES = 8_192;

/** How many files the whole process keeps open between appends. */
const MAX_OPEN_FILES = 32;
/** An unused file is closed after this, so that its disk can be unmounted and its folder deleted. */
const IDLE_MS = 2_000;

const { O_APPEND, O_CREAT, O_RDWR } = constants;
const CHANGE_NO_LINK = O_RDWR | NO_LINK;
const APPEND_NO_LINK = CHANGE_NO_LINK | O_APPEND | O_CREAT;

/** How many manifests the whole process reads at a time: each takes a descriptor, and few threads serve them all. */
const reading = createGate(16);

/** In order of use, the least recently used first. */
const openFiles = new Set<AppendFile>();

/** A file that stays open between appends; it does not keep the process alive. */
class AppendFile {
  #users = 0;
  isOpen = true;
  readonly #idle: NodeJS.Timeout;

  private constructor(
    readonly fd: number,
    readonly disk: Disk,
    /** The device and inode numbers of the file. */
    readonly identity: string,
  ) {
    this.#idle = setTimeout(() => {
      this.close();
    }, IDLE_MS);
    this.#idle.unref();
  }

  /** Opens a file for appending and reading, and creates it if it is missing. */
  static async open(path: string, disk: Disk): Promise<AppendFile> {
    const fd = await disk.open(path, APPEND_NO_LINK, FILE_MODE);
    try {
      const stats = await disk.statOpen(fd);
      if (!stats.isFile()) throw new CauseError(`${path} is not a plain file`);
      return new AppendFile(fd, disk, identityOf(stats));
    } catch (error) {
      disk.close(fd);
      throw error;
    }
  }

  /** Runs `work` with the file, which stays open until then. */
  async use<T>(work: (fd: number) => Promise<T>): Promise<T> {
    if (!this.isOpen) throw new CauseError("the file was closed; open it again");
    this.#users++;
    try {
      return await work(this.fd);
    } finally {
      this.#users--;
      this.#settle();
    }
  }

  /** Closes it as soon as it is no longer in use. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    clearTimeout(this.#idle);
    openFiles.delete(this);
    this.#settle();
  }

  #settle(): void {
    if (!this.isOpen) {
      if (this.#users === 0) this.disk.close(this.fd);
      return;
    }
    this.#idle.refresh();
    openFiles.delete(this);
    openFiles.add(this);
    const [oldest] = openFiles;
    if (openFiles.size > MAX_OPEN_FILES) oldest?.close();
  }
}

/** The session that the first line of a manifest names, if it is a header; nothing else is read. */
export async function readOwner(folder: string, disk: Disk): Promise<string | undefined> {
  const fd = await disk.openToRead(join(folder, MANIFEST_NAME));
  try {
    const block = Buffer.allocUnsafe(HEADER_BYTES);
    const start = block.toString("utf8", 0, await disk.read(fd, block, 0));
    const end = start.indexOf("\n");
    return end === -1 ? undefined : parseEntry(start.slice(0, end))?.session;
  } finally {
    disk.close(fd);
  }
}

const MAX_APPENDS = 3;
const BLANK = 0x20;

/**
 * The append-only list of what a session holds. An artifact exists once its line does. Everything that
 * is known of the list was read from the file, in order, one's own lines included.
 */
export class Manifest implements CheckedFolder {
  realFolder: string | undefined;
  readonly path: string;
  #state = emptyState("");
  /** The session id that the caller uses. */
  #named: string | undefined;
  /** Lines that were appended and have not been read back. */
  readonly #awaited = new Set<string>();
  #running: Promise<unknown> | undefined;
  #next: Promise<void> | undefined;
  #file: AppendFile | undefined;

  constructor(
    readonly folder: string,
    readonly layout: StoreLayout,
  ) {
    this.path = join(folder, MANIFEST_NAME);
  }

  /** The id of the session; `undefined` while only a hash of it is known. */
  get sessionId(): string | undefined {
    const known = this.#state.owner ?? this.#named;
    if (known !== undefined) return known;
    const name = basename(this.folder);
    return this.layout.sessionFolder(name) === this.folder ? name : undefined;
  }

  /** Sets the session id that the caller uses; it applies until the manifest names its owner. */
  nameSession(sessionId: string): void {
    if (this.#named === sessionId) return;
    this.#named = sessionId;
    const { artifacts, owner = sessionId } = this.#state;
    for (const record of artifacts.values()) record.sessionId = owner;
  }

  /** Whether there was a manifest when it was last looked for. */
  get exists(): boolean {
    return this.#state.file !== "";
  }

  get brokenLines(): number {
    return this.#state.brokenLines + (this.#state.torn ? 1 : 0);
  }

  /** The listing as of the last load. */
  get listing(): SessionListing {
    const { artifacts, removed, children, lastRemoval } = this.#state;
    return { artifacts, removed, children, lastRemoval };
  }

  /** About how much memory it takes, in bytes. */
  get weight(): number {
    return 2_048 + 3 * this.#state.bytes;
  }

  /** The current listing, including entries of other processes. */
  async load(): Promise<SessionListing> {
    // A load that is already running may have read too early. The next one starts after this call
    // and serves all callers until then.
    this.#next ??= (async () => {
      await this.#running;
      const reading = this.#readOn();
      this.#running = reading.catch(() => undefined);
      this.#next = undefined;
      await reading;
    })();
    await this.#next;
    const { owner } = this.#state;
    if (this.#named === undefined || owner === undefined || owner === this.#named) {
      return this.listing;
    }
    const quoted = JSON.stringify(owner);
    throw new CauseError(`according to its manifest, ${this.folder} belongs to session ${quoted}`);
  }

  /** Reads what is new, through the open file if there is one. */
  async #readOn(): Promise<void> {
    const open = this.#file?.isOpen ? this.#file : undefined;
    if (open && this.#awaited.size > 0 && (await this.#readBack(open))) return;
    const now = Date.now();
    // Tombstones that have ended since then may have been overwritten unread.
    if (now - this.#state.readMs > DEFAULTS.tombstoneMs) this.#state = emptyState("");
    const stats = await this.layout.disk.lookAt(this.path);
    if (!stats) this.#state = emptyState("");
    else {
      const { file, bytes, modifiedMs } = this.#state;
      const isAsRead =
        identityOf(stats) === file && stats.size === bytes && stats.mtimeMs === modifiedMs;
      if (!isAsRead) await this.#readByPath();
    }
    this.#state.readMs = now;
    this.#endTombstones();
  }

  #endTombstones(): void {
    const { removed, lines, erasable } = this.#state;
    for (const [artifactId, tombstone] of removed) {
      // They end in the order in which they were made.
      if (isStanding(tombstone, Date.now())) return;
      removed.delete(artifactId);
      erasable.push(...(lines.get(artifactId) ?? []));
      lines.delete(artifactId);
    }
  }

  /** Reads what was just appended, and checks that the path is still the same file. */
  async #readBack(open: AppendFile): Promise<boolean> {
    if (this.#state.file !== "" && this.#state.file !== open.identity) return false;
    return open.use(async (fd) => {
      const block = Buffer.allocUnsafe(READ_BACK_BYTES);
      const start = this.#state.bytes - this.#state.ending.length;
      const [stats, read] = await Promise.all([
        this.layout.disk.lookAt(this.path),
        this.layout.disk.readOnce(fd, block, start),
      ]);
      if (!stats || identityOf(stats) !== open.identity) return false;
      if (this.#state.file === "") this.#state = emptyState(open.identity);
      // A full block ends anywhere, even when the file was shorter a moment ago.
      const isEnd = read < block.length && start + read >= stats.size;
      if (this.#take(block.subarray(0, read), isEnd) === "other") return false;
      if (!isEnd && !(await this.#readTo(fd, stats.size))) return false;
      this.#state.modifiedMs = stats.mtimeMs;
      return true;
    });
  }

  #readByPath(): Promise<void> {
    return reading(() => this.#readWhole());
  }

  async #readWhole(): Promise<void> {
    let fd: number;
    try {
      fd = await this.layout.disk.openToRead(this.path);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      this.#state = emptyState("");
      return;
    }
    try {
      const stats = await this.layout.disk.statOpen(fd);
      if (!stats.isFile()) throw new CauseError(`${this.path} is not a plain file`);
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
      const filled = await this.layout.disk.read(fd, block, start);
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
    if (block.length < known || !continues(block, state.ending)) return "other";
    let taken = Math.max(block.lastIndexOf(LINE_FEED) + 1, known);
    const lines = block.subarray(known, taken);
    // In ASCII a character is a byte, so that places in the text are places in the file.
    const text = isAscii?.(lines) === true ? lines.toString("latin1") : undefined;
    const nextEnd = (from: number) =>
      text === undefined ? lines.indexOf(LINE_FEED, from) : text.indexOf("\n", from);
    let from = 0;
    for (let to = nextEnd(0); to !== -1; to = nextEnd(from)) {
      const line = text?.slice(from, to) ?? lines.toString("utf8", from, to);
      if (!this.#takeLine(line, state.bytes + from, state.bytes + to)) state.brokenLines++;
      from = to + 1;
    }
    if (isEnd) {
      // Another process may still be writing the last line: unless it is complete, it is read again
      // next time.
      const start = state.bytes + taken - known;
      const line = block.toString("utf8", taken);
      state.torn = !this.#takeLine(line, start, start + block.length - taken);
      if (!state.torn) taken = block.length;
    }
    if (taken === known) return "nothing";
    state.bytes += taken - known;
    state.ending = Buffer.from(block.subarray(Math.max(taken - COMPARED_BYTES, 0), taken));
    return "lines";
  }

  /** @returns Whether the line is a whole entry, or blank. */
  #takeLine(line: string, start: number, end: number): boolean {
    if (this.#awaited.size > 0) this.#awaited.delete(line);
    if (line.length < 2 && line.trim() === "") return true;
    const entry = parseEntry(line);
    if (!entry) return line.trim() === "";
    const { artifacts, removed, children, lines, childLines, owner } = this.#state;
    const id = entry.put?.artifactId ?? entry.renewed ?? entry.removed;
    if (id !== undefined) addLine(lines, id, { start, end });
    if (entry.child !== undefined) addLine(childLines, entry.child, { start, end });
    // Two processes may have put the same content at once; the first line wins, so that all readers
    // agree.
    if (entry.put && !artifacts.has(entry.put.artifactId)) {
      // The parsed object becomes the record; these two fields never come from the line.
      const listed = entry.put as ListedRecord;
      const { artifactId } = listed;
      listed.sessionId = owner ?? this.sessionId ?? "";
      listed.location = `${this.folder}${sep}${this.layout.fileName(artifactId)}`;
      artifacts.set(artifactId, listed);
      removed.delete(artifactId);
    }
    if (entry.session !== undefined && owner === undefined) {
      this.#state.owner = entry.session;
      for (const record of artifacts.values()) record.sessionId = entry.session;
    }
    if (entry.child !== undefined) children.add(entry.child);
    if (entry.renewed !== undefined) {
      const { renewed, hash, at = "" } = entry;
      const listed = artifacts.get(renewed);
      if (listed?.hash === hash && listed && listed.createdAt < at) {
        // Another object, since whoever has the old one must be able to tell.
        artifacts.delete(renewed);
        artifacts.set(renewed, { ...listed, createdAt: at });
      }
    }
    if (entry.removed !== undefined && !this.#isRenewed(entry.removed, entry.createdAt)) {
      this.#takeRemoval(entry.removed, entry);
    }
    return true;
  }

  #takeRemoval(artifactId: string, { at, shownHash, until }: ParsedEntry): void {
    const state = this.#state;
    const { artifacts, removed, lines } = state;
    const listed = artifacts.get(artifactId);
    const known = removed.get(artifactId);
    artifacts.delete(artifactId);
    // Last, also if it was removed before.
    removed.delete(artifactId);
    // An earlier version wrote no tombstone.
    const made = listed && tombstoneOf(listed, Date.parse(at ?? listed.createdAt));
    const written =
      typeof shownHash === "string" && typeof until === "string"
        ? { artifactId, shownHash, until }
        : undefined;
    const tombstone = written ?? made ?? known;
    if (tombstone) removed.set(artifactId, tombstone);
    state.lastRemoval = {};
    // Without one, the record is needed to tell which references were to it.
    if (!written) return;
    const own = lines.get(artifactId) ?? [];
    state.erasable.push(...own.slice(0, -1));
    lines.set(artifactId, own.slice(-1));
  }

  /**
   * Whether an artifact was renewed after the process that removes it had looked. It is removed by a
   * tombstone of a later time, too: the lines that renewed it may have been overwritten unread.
   */
  #isRenewed(artifactId: string, createdAt: string | undefined): boolean {
    const listed = this.#state.artifacts.get(artifactId);
    return listed !== undefined && createdAt !== undefined && listed.createdAt > createdAt;
  }

  /**
   * Renews an artifact that is listed.
   *
   * @returns The artifact as it is now; `undefined` if it was removed.
   */
  async renew(record: ArtifactRecord, createdAt: string): Promise<ArtifactRecord | undefined> {
    const { artifactId, hash } = record;
    const find = () => {
      const listed = this.listing.artifacts.get(artifactId);
      return listed?.hash === hash ? listed : undefined;
    };
    const listed = find();
    if (!listed || !isRenewal(listed, createdAt)) return listed;
    await this.append({ renewed: artifactId, hash, at: createdAt });
    return find();
  }

  /**
   * Appends entries by one write and reads them back; to be called after `load`. `computeAhead` runs
   * while they are written, `look` while they are read back.
   */
  async append<T>(
    entries: ManifestEntry | readonly ManifestEntry[],
    computeAhead?: () => void,
    look?: () => Promise<T>,
  ): Promise<T | undefined> {
    let texts = [entries].flat().map((entry) => JSON.stringify(entry));
    try {
      for (let attempt = 0; attempt < MAX_APPENDS; attempt++) {
        for (const text of texts) this.#awaited.add(text);
        await this.#write(texts.join("\n"), computeAhead);
        const [, outcome] = await Promise.all([this.load(), look?.()]);
        texts = texts.filter((text) => this.#awaited.has(text));
        if (texts.length === 0) return outcome;
        // The file was deleted or replaced, or the line was joined to another process's incomplete line.
        this.close();
      }
    } finally {
      for (const text of texts) this.#awaited.delete(text);
    }
    throw new CauseError(
      "the manifest was deleted, replaced or overwritten while a line was appended",
    );
  }

  /** Appends tombstones of artifacts that are listed; what the manifest says of them besides is left to `erase`. */
  async bury(records: readonly ArtifactRecord[]): Promise<void> {
    if (records.length === 0) return;
    const now = Date.now();
    await this.append(
      records.map((record): RemovedEntry => {
        const { artifactId: removed, shownHash, until } = tombstoneOf(record, now);
        return { removed, createdAt: record.createdAt, shownHash, until };
      }),
    );
  }

  /** Takes back that a session may read another one. */
  async removeChild(childSessionId: string): Promise<void> {
    const { children, childLines, erasable } = this.#state;
    erasable.push(...(childLines.get(childSessionId) ?? []));
    childLines.delete(childSessionId);
    children.delete(childSessionId);
    await this.erase();
  }

  /**
   * Overwrites lines that no reader needs with blanks, in place: every other line stays where it is, so
   * that processes that append or read at this moment need not know. What a process that was killed has
   * left is overwritten the next time.
   */
  async erase(): Promise<void> {
    await this.load();
    const state = this.#state;
    const { disk } = this.layout;
    const { erasable } = state;
    if (erasable.length === 0) return;
    state.erasable = [];
    const fd = await disk.open(this.path, CHANGE_NO_LINK);
    try {
      const before = await disk.statOpen(fd);
      // Another file in its place has other lines, and is read before anything else happens to it.
      if (identityOf(before) !== state.file) return;
      for (const { start, end } of joinLines(erasable)) {
        const block = Buffer.alloc(end - start, BLANK);
        const held = Buffer.allocUnsafe(block.length);
        await disk.read(fd, held, start);
        for (let at = held.indexOf(LINE_FEED); at !== -1; at = held.indexOf(LINE_FEED, at + 1)) {
          block[at] = LINE_FEED;
        }
        await disk.writeAt(fd, block, start);
      }
      // What was written needs not be read: blanks in the place of lines that are known.
      if (before.mtimeMs === state.modifiedMs) state.modifiedMs = (await disk.statOpen(fd)).mtimeMs;
    } catch (error) {
      state.erasable.push(...erasable);
      throw error;
    } finally {
      disk.close(fd);
    }
  }

  /** Closes the file that stays open between appends. */
  close(): void {
    this.#file?.close();
  }

  /** Opens the file, and makes its folder if that was purged. */
  #openToAppend(): Promise<AppendFile> {
    const open = () => AppendFile.open(this.path, this.layout.disk);
    return open().catch(async (error: unknown) => {
      if (!hasCode(error, "ENOENT")) throw error;
      await this.layout.makeFolder(this);
      return open();
    });
  }

  async #write(text: string, computeAhead?: () => void): Promise<void> {
    const { file } = this.#state;
    if (file !== "" && this.#file?.identity !== file) this.close();
    while (!this.#file?.isOpen) {
      this.#file = await this.#openToAppend();
      // A file that was not read yet, perhaps another one in its place, is read first.
      if (this.#file.identity !== this.#state.file) await this.load();
    }
    const state = this.#state;
    // With the header in the same write, so that nobody meets a manifest without one. Two processes
    // that begin it at once both write it, which does no harm.
    const header: ManifestEntry = { session: this.#named ?? "", layout: 1 };
    const lines = `${state.owner === undefined ? `${JSON.stringify(header)}\n` : ""}${text}\n`;
    const isLineStart = !state.torn && (state.bytes === 0 || state.ending.at(-1) === LINE_FEED);
    let line = Buffer.from(isLineStart ? lines : `\n${lines}`);
    await this.#file.use(async (fd) => {
      // By one call, so that no other process can write between two parts of it. What was cut short
      // is written again as a whole; that ends, since a full disk then says so.
      for (;;) {
        const writing = this.layout.disk.writeOnce(fd, line);
        computeAhead?.();
        if ((await writing) === line.length) return;
        line = Buffer.from(`\n${lines}`);
      }
    });
  }
}

/** Whether a file still begins as it did, but for what was overwritten since. */
function continues(block: Buffer, ending: Buffer): boolean {
  if (block.subarray(0, ending.length).equals(ending)) return true;
  return ending.every((byte, at) => block[at] === byte || block[at] === BLANK);
}

function addLine(lines: Map<string, Line[]>, id: string, line: Line): void {
  const known = lines.get(id);
  if (known) known.push(line);
  else lines.set(id, [line]);
}

/** The same lines in fewer pieces: those that follow each other become one, with their line breaks. */
function joinLines(lines: readonly Line[]): Line[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of [...lines].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last && start <= last.end + 1) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}
