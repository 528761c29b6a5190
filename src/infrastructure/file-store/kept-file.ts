import { constants } from "node:fs";
import { closeSoon, openFile, statOpen } from "./file-calls.js";
import { FILE_MODE } from "./store-layout.js";

/** How many files the whole process keeps open between two appends. */
const MAX_KEPT = 32;
/** An unused file is closed after this, so that its disk can be unmounted and its folder deleted. */
const IDLE_MS = 2_000;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants as Partial<
  Record<string, number>
> & { O_APPEND: number; O_CREAT: number; O_RDWR: number };
const FLAGS = O_RDWR | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

/** In order of use, the least recently used first. */
const kept = new Set<KeptFile>();

/** A file that is kept open between appends; it does not keep the process alive. */
export class KeptFile {
  #users = 0;
  #isOpen = true;
  readonly #idle: NodeJS.Timeout;

  private constructor(
    readonly fd: number,
    /** The device and inode numbers of the file. */
    readonly identity: string,
  ) {
    this.#idle = setTimeout(() => {
      this.close();
    }, IDLE_MS);
    this.#idle.unref();
  }

  /** Opens a file for appending and reading, and creates it if it is missing. */
  static async open(path: string): Promise<KeptFile> {
    const fd = await openFile(path, FLAGS, FILE_MODE);
    try {
      const stats = await statOpen(fd);
      if (!stats.isFile()) throw new Error(`${path} is not a plain file`);
      return new KeptFile(fd, identityOf(stats));
    } catch (error) {
      closeSoon(fd);
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Runs `work` with the file, which is not closed meanwhile. */
  async use<T>(work: (fd: number) => Promise<T>): Promise<T> {
    if (!this.#isOpen) throw new Error("the file was closed; open it again");
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
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#idle);
    kept.delete(this);
    this.#settle();
  }

  #settle(): void {
    if (!this.#isOpen) {
      if (this.#users === 0) closeSoon(this.fd);
      return;
    }
    this.#idle.refresh();
    kept.delete(this);
    kept.add(this);
    const [oldest] = kept;
    if (kept.size > MAX_KEPT) oldest?.close();
  }
}

/** Tells two files of a disk apart, whatever their names. */
export function identityOf({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev}:${ino}`;
}
