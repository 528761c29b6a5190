import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, lstat, open, unlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { SessionListing } from "../../core/workspace/artifacts/artifact-store.js";
import { hasCode } from "../error-code.js";
import { closeSoon } from "./close-soon.js";
import { emptyState } from "./manifest-state.js";
import { parseEntry, type ManifestEntry, type ManifestRecord } from "./manifest-entry.js";
import { READ_NO_LINK } from "./open-content.js";
import { FILE_MODE, MANIFEST_NAME, temporaryName, type StoreLayout } from "./store-layout.js";

const LINE_FEED = 10;
/** How much of what was read last is compared before reading on. */
const COMPARED_BYTES = 256;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants as {
  O_APPEND: number;
  O_CREAT: number;
  O_NOFOLLOW?: number;
  O_WRONLY: number;
};
const APPEND_NO_LINK = O_WRONLY | O_APPEND | (O_NOFOLLOW ?? 0);

/**
 * The list of what a session holds, only ever appended to. Every entry begins with a line break
 * rather than ending with one: an entry that a full disk cut short cannot spoil the next.
 */
export class Manifest {
  readonly #path: string;
  #state = emptyState("");
  #reading: Promise<void> | undefined;
  #sessionId: string | undefined;
  /** Lines that this object appended and has not read back. */
  #written: readonly Buffer[] = [];

  constructor(
    readonly folder: string,
    readonly layout: StoreLayout,
  ) {
    this.#path = join(folder, MANIFEST_NAME);
    this.nameSession(basename(folder));
  }

  /** What the session is called; `undefined` while only a hash of it is known. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Whether there was a manifest when it was last looked for. */
  get exists(): boolean {
    return this.#state.file !== "";
  }

  get brokenLines(): number {
    return this.#state.brokenLines + (this.#state.torn ? 1 : 0);
  }

  /** Tells what the session is called, which counts if its folder is this one. */
  nameSession(sessionId: string): void {
    if (this.#sessionId !== undefined || this.layout.sessionFolder(sessionId) !== this.folder)
      return;
    this.#sessionId = sessionId;
    for (const [id, record] of this.#state.artifacts) {
      this.#state.artifacts.set(id, { ...record, sessionId });
    }
  }

  /** What the manifest says now, entries of other processes included. */
  async load(): Promise<SessionListing> {
    // Calls that come while one is reading share it only if it started after they did; chaining
    // keeps it simple and right.
    const before = this.#reading ?? Promise.resolve();
    const reading = before.then(() => this.#readOn());
    this.#reading = reading.catch(() => undefined);
    await reading;
    return this.contents;
  }

  /** What it said when it was last loaded. */
  get contents(): SessionListing {
    const { artifacts, removed, children } = this.#state;
    return { artifacts, removed, children };
  }

  /** To be called after `load`. */
  async append(entry: ManifestEntry): Promise<void> {
    if (!this.#state.hasHeader) await this.#begin();
    await this.#write(entry, APPEND_NO_LINK);
  }

  /** Makes the manifest whole with its header, so that nobody ever meets it without. */
  async #begin(): Promise<void> {
    const header: ManifestEntry = { session: this.#sessionId ?? "", layout: 1 };
    const temporary = join(this.folder, temporaryName(randomBytes(9).toString("hex")));
    try {
      await writeFile(temporary, JSON.stringify(header), { flag: "wx", mode: FILE_MODE });
      await link(temporary, this.#path);
      return;
    } catch (error) {
      if (hasCode(error, "ENOSPC", "EDQUOT")) throw error;
    } finally {
      await unlink(temporary).catch(() => undefined);
    }
    // It is there already, or there are no hard links here. A second header does no harm.
    await this.load();
    if (!this.#state.hasHeader) await this.#write(header, APPEND_NO_LINK | O_CREAT);
  }

  async #write(entry: ManifestEntry, flags: number): Promise<void> {
    const line = Buffer.from(`\n${JSON.stringify(entry)}`);
    const handle = await open(this.#path, flags, FILE_MODE);
    try {
      // By one call, so that no other process can write between two parts of it. What was cut
      // short is written again as a whole; that ends, since a full disk then says so.
      let cutShort = false;
      while ((await handle.write(line)).bytesWritten < line.length) cutShort = true;
      this.#written = cutShort ? [] : [...this.#written, line];
    } finally {
      closeSoon(handle);
    }
  }

  async #readOn(): Promise<void> {
    // Most loads find nothing new, and a look takes less than opening the file.
    if (this.exists && (await this.#isAsKnown())) return;
    this.#written = [];
    let handle: FileHandle;
    try {
      handle = await open(this.#path, READ_NO_LINK);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      this.#state = emptyState("");
      return;
    }
    try {
      const { dev, ino, size } = await handle.stat();
      const file = `${dev}:${ino}`;
      const { ending, bytes } = this.#state;
      const isKnown = file === this.#state.file;
      if (isKnown && size === bytes) return;
      const read = isKnown ? await readRange(handle, bytes - ending.length, size) : undefined;
      if (read?.subarray(0, ending.length).equals(ending)) {
        this.#take(read.subarray(ending.length));
      } else {
        // New to us; or somebody deleted it and it was begun anew, and nothing of what was known holds.
        this.#state = emptyState(file);
        this.#take(await readRange(handle, 0, size));
      }
    } finally {
      await handle.close();
    }
  }

  /** Whether nobody but this object has written since; its own lines are taken without reading them. */
  async #isAsKnown(): Promise<boolean> {
    const stats = await lstat(this.#path).catch(() => undefined);
    if (!stats || `${stats.dev}:${stats.ino}` !== this.#state.file) return false;
    if (stats.size === this.#state.bytes) return true;
    const written = Buffer.concat(this.#written);
    // The sizes add up only if no other process wrote between, before or after.
    if (this.#state.torn || stats.size !== this.#state.bytes + written.length) return false;
    this.#written = [];
    this.#take(written);
    return true;
  }

  #take(bytes: Buffer): void {
    const state = this.#state;
    let from = 0;
    for (let to = bytes.indexOf(LINE_FEED); to !== -1; to = bytes.indexOf(LINE_FEED, from)) {
      if (!this.#takeLine(bytes.toString("utf8", from, to))) state.brokenLines++;
      from = to + 1;
    }
    // The last line may still be being written by another process: it is read again next time,
    // unless it is whole already.
    state.torn = !this.#takeLine(bytes.toString("utf8", from));
    const taken = bytes.subarray(0, state.torn ? from : bytes.length);
    state.bytes += taken.length;
    const ending = Buffer.concat([state.ending, taken.subarray(-COMPARED_BYTES)]);
    state.ending = Buffer.from(ending.subarray(-COMPARED_BYTES));
  }

  /** @returns Whether the line is a whole entry, or blank. */
  #takeLine(line: string): boolean {
    if (line.trim() === "") return true;
    const entry = parseEntry(line);
    if (!entry) return false;
    const { artifacts, removed, children } = this.#state;
    if (entry.session !== undefined) {
      this.#state.hasHeader = true;
      this.nameSession(entry.session);
    }
    if (entry.child !== undefined) children.add(entry.child);
    if (entry.put) this.#takePut(entry.put);
    if (entry.removed !== undefined) {
      artifacts.delete(entry.removed);
      removed.add(entry.removed);
    }
    return true;
  }

  #takePut(record: ManifestRecord): void {
    const { artifactId } = record;
    const { artifacts, removed } = this.#state;
    // Two processes may have put the same content at once; whose line came first does not matter,
    // as long as all readers agree.
    if (artifacts.has(artifactId)) return;
    const location = join(this.folder, this.layout.fileName(artifactId));
    artifacts.set(artifactId, { ...record, sessionId: this.#sessionId ?? "", location });
    removed.delete(artifactId);
  }
}

async function readRange(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(end - start, 0));
  let filled = 0;
  while (filled < bytes.length) {
    const left = bytes.length - filled;
    const { bytesRead } = await handle.read(bytes, filled, left, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
