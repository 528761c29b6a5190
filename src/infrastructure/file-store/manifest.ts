import { appendFile, mkdir, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ArtifactRecord } from "../../core/workspace/artifact.js";
import type { SessionContents } from "../../core/workspace/artifact-store.js";
import { hasCode } from "../error-code.js";
import { FILE_MODE, FOLDER_MODE, MANIFEST_NAME } from "./store-layout.js";

/** An artifact as its line has it; where its file is follows from its id, whatever a line says. */
export type ManifestRecord = Omit<ArtifactRecord, "sessionId" | "location">;

/** One line of a manifest. */
export type ManifestEntry =
  | { readonly session: string; readonly layout: 1 }
  | { readonly put: ManifestRecord }
  | { readonly removed: string; readonly at: string }
  | { readonly child: string };

/**
 * The list of what a session holds, only ever appended to. Every entry begins with a line break
 * rather than ending with one: an entry that a full disk cut short cannot spoil the next.
 */
export class Manifest {
  readonly #path: string;
  readonly #artifacts = new Map<string, ArtifactRecord>();
  readonly #removed = new Set<string>();
  readonly #children = new Set<string>();
  #readBytes = 0;
  #reading: Promise<void> | undefined;
  #begun = false;
  /** The name that the session was begun with; the folder's may be a hashed one. */
  sessionId: string | undefined;
  brokenLines = 0;

  constructor(
    readonly folder: string,
    readonly fileName: (artifactId: string) => string,
    sessionId?: string,
  ) {
    this.#path = join(folder, MANIFEST_NAME);
    this.sessionId = sessionId;
  }

  /** What the manifest says now, entries of other processes included. */
  async load(): Promise<SessionContents> {
    // Calls that come while one is reading share it only if it started after they did; chaining
    // keeps it simple and right.
    const before = this.#reading ?? Promise.resolve();
    const reading = before.then(() => this.#readOn());
    this.#reading = reading.catch(() => undefined);
    await reading;
    return { artifacts: this.#artifacts, removed: this.#removed, children: this.#children };
  }

  async append(entry: ManifestEntry): Promise<void> {
    if (!this.#begun) await this.#begin();
    await appendFile(this.#path, `\n${JSON.stringify(entry)}`, { mode: FILE_MODE });
  }

  async #begin(): Promise<void> {
    const header: ManifestEntry = { session: this.sessionId ?? "", layout: 1 };
    await mkdir(this.folder, { recursive: true, mode: FOLDER_MODE });
    try {
      await writeFile(this.#path, JSON.stringify(header), { flag: "wx", mode: FILE_MODE });
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    }
    this.#begun = true;
  }

  async #readOn(): Promise<void> {
    let text: string;
    try {
      text = await this.#readNew();
    } catch (error) {
      if (hasCode(error, "ENOENT")) return;
      throw error;
    }
    if (text === "") return;
    const lines = text.split("\n");
    // The last line may still be being written by another process: it is read again next time,
    // unless it is whole already.
    const last = lines.pop() ?? "";
    for (const line of lines) {
      this.#readBytes += Buffer.byteLength(line) + 1;
      this.#take(line, true);
    }
    if (this.#take(last, false)) this.#readBytes += Buffer.byteLength(last);
  }

  async #readNew(): Promise<string> {
    const handle = await open(this.#path, "r");
    try {
      const { size } = await handle.stat();
      if (size <= this.#readBytes) return "";
      const bytes = Buffer.allocUnsafe(size - this.#readBytes);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, this.#readBytes);
      return bytes.toString("utf8", 0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  /** @returns Whether the line is a whole entry. */
  #take(line: string, ended: boolean): boolean {
    if (line === "") return false;
    const entry = parseEntry(line);
    if (!entry) {
      if (ended) this.brokenLines++;
      return false;
    }
    const { session, put, removed, child } = entry;
    if (typeof session === "string") this.sessionId ??= session;
    if (typeof child === "string") this.#children.add(child);
    if (typeof put === "object" && put !== null) this.#takePut(put as ManifestRecord);
    if (typeof removed === "string") {
      this.#artifacts.delete(removed);
      this.#removed.add(removed);
    }
    return true;
  }

  #takePut(record: ManifestRecord): void {
    const { artifactId } = record;
    // Two processes may have put the same content at once; whose line came first does not matter,
    // as long as all readers agree.
    if (this.#artifacts.has(artifactId)) return;
    const location = join(this.folder, this.fileName(artifactId));
    this.#artifacts.set(artifactId, { ...record, sessionId: this.sessionId ?? "", location });
    this.#removed.delete(artifactId);
  }
}

function parseEntry(line: string): RawEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A line as it may really be. */
interface RawEntry {
  readonly session?: unknown;
  readonly put?: unknown;
  readonly removed?: unknown;
  readonly child?: unknown;
}
