import { LINE_FEED } from "../../core/lib/text/scan-bytes.js";
import type { SessionListing } from "../../core/workspace/artifacts/artifact-store.js";
import { writeOnce } from "./file-calls.js";
import { KeptFile } from "./kept-file.js";
import type { ManifestEntry } from "./manifest-entry.js";
import { ManifestReader } from "./manifest-reader.js";
import type { CheckedFolder, StoreLayout } from "./store-layout.js";

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
