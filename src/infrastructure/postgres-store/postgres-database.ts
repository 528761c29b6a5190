import { onceResolved } from "../../core/lib/concurrency.js";
import { CauseError } from "../cause-error.js";
import { createRetry, type Retry, type RetryOptions } from "../joined-store/retry.js";
import { sha256 } from "../hash.js";
import {
  isPostgresTransient,
  isUnprepared,
  type PostgresClient,
  type PostgresConnection,
  type PostgresPool,
  type PostgresSource,
} from "./postgres-client.js";
import { migratePostgres } from "./postgres-schema.js";

type PostgresRow = Readonly<Record<string, unknown>>;

/** A database with its tables, reached when it is first used. A server that is away is waited for, within the deadline. */
export class PostgresDatabase {
  readonly #retry: Retry;
  readonly #pool: () => Promise<PostgresPool>;
  #canPrepare = true;

  constructor(source: PostgresSource, name: string, options: RetryOptions) {
    this.#pool = onceResolved(() => openPool(source));
    this.#retry = createRetry(name, isPostgresTransient, options);
  }

  /** The same for a statement that is run often: it is parsed and planned once for each connection, where that is possible. */
  async runOften(sql: string, values: readonly unknown[]): Promise<readonly PostgresRow[]> {
    if (!this.#canPrepare) return this.run(sql, values);
    try {
      return await this.run(sql, values, nameOf(sql));
    } catch (error) {
      if (!isUnprepared(error)) throw error;
      this.#canPrepare = false;
      return this.run(sql, values);
    }
  }

  /**
   * Runs one statement. It may run twice if its answer is lost, so running it twice must do the same
   * as running it once.
   */
  async run(
    sql: string,
    values: readonly unknown[],
    name?: string,
  ): Promise<readonly PostgresRow[]> {
    let waiting: Waiting | undefined;
    try {
      return await this.#retry(async (signal, begin) => {
        const pool = await this.#pool();
        signal.throwIfAborted();
        // An attempt that timed out in the queue has its place there still. If there is no queue, it
        // was the connection that could not be made.
        if (!waiting?.isQueued) {
          waiting?.leave();
          waiting = new Waiting(pool);
        }
        const connection = await waiting.take(signal);
        waiting = undefined;
        if (!signal.aborted) begin();
        return withConnection(connection, signal, async (client) => {
          const { rows } =
            name === undefined
              ? await client.query(sql, values)
              : await client.query({ name, text: sql, values: [...values] });
          return rows as readonly PostgresRow[];
        });
      });
    } finally {
      waiting?.leave();
    }
  }
}

const names = new Map<string, string>();

/** A name that no other statement has, also of another version of this package on the same connection. */
function nameOf(sql: string): string {
  const name = names.get(sql) ?? `context_offload_${sha256(sql).slice(0, 16)}`;
  names.set(sql, name);
  return name;
}

async function openPool(source: PostgresSource): Promise<PostgresPool> {
  const pool = typeof source === "function" ? await source() : source;
  ignoreIdleErrors(pool);
  await withConnection(await new Waiting(pool).connection, undefined, migratePostgres);
  return pool;
}

interface Connection {
  readonly client: PostgresClient;
  readonly release: (destroy?: Error) => void;
}

/** A place in the queue of a pool. */
class Waiting {
  readonly connection: Promise<Connection>;
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
    this.connection = new Promise((resolve, reject) => {
      pool.connect((error, client, release) => {
        if (!client) {
          reject(error ?? new CauseError("the pool gave no connection"));
          return;
        }
        // Before this function returns: the server may end a connection as soon as it is ready.
        ignoreIdleErrors(client);
        resolve({ client, release });
      });
    });
    this.connection.catch(() => undefined);
  }

  /** The connection, unless the attempt ends before: then the next one takes it. */
  take(signal: AbortSignal): Promise<Connection> {
    return new Promise((resolve, reject: (reason: Error) => void) => {
      const abort = () => {
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", abort, { once: true });
      this.connection.then(resolve, reject);
    });
  }

  get isQueued(): boolean {
    return (this.#pool.waitingCount ?? 0) > 0;
  }

  /** Whatever it gets is given back unused, for the next one in the queue. */
  leave(): void {
    this.connection.then(
      ({ release }) => {
        release();
      },
      () => undefined,
    );
  }
}

/** A connection for the time of some work; one that failed or took too long is not used again. */
async function withConnection<T>(
  { client, release }: Connection,
  signal: AbortSignal | undefined,
  work: (client: PostgresConnection) => Promise<T>,
): Promise<T> {
  let isReleased = false;
  const releaseOnce = (error?: Error) => {
    if (isReleased) return;
    isReleased = true;
    release(error);
  };
  // It came in time for nobody.
  if (signal?.aborted) {
    releaseOnce();
    signal.throwIfAborted();
  }
  const abort = () => {
    releaseOnce(new CauseError("the statement took too long"));
  };
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const outcome = await work(client);
    releaseOnce();
    return outcome;
  } catch (error) {
    releaseOnce(isPostgresTransient(error) ? (error as Error) : undefined);
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** Pools and clients that have a listener; several stores may share a pool. */
const listenedTo = new WeakSet<object>();

/** A connection that is cut while it is idle would end the process if nobody listened. */
function ignoreIdleErrors(emitter: PostgresPool | PostgresClient): void {
  if (listenedTo.has(emitter)) return;
  listenedTo.add(emitter);
  emitter.on?.("error", () => undefined);
}
