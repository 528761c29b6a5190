import { onceResolved } from "../../core/lib/concurrency.js";
import { CauseError } from "../cause-error.js";
import { createRetry, type Retry, type RetryOptions } from "../joined-store/retry.js";
import {
  isPostgresTransient,
  type PostgresClient,
  type PostgresPool,
  type PostgresSource,
} from "./postgres-client.js";
import { migratePostgres } from "./postgres-schema.js";

type PostgresRow = Readonly<Record<string, unknown>>;

/** A database with its tables, reached when it is first used. A server that is away is waited for, within the deadline. */
export class PostgresDatabase {
  readonly #retry: Retry;
  readonly #pool: () => Promise<PostgresPool>;

  constructor(source: PostgresSource, name: string, options: RetryOptions) {
    this.#pool = onceResolved(() => openPool(source));
    this.#retry = createRetry(name, isPostgresTransient, options);
  }

  /**
   * Runs one statement. It may run twice if its answer is lost, so running it twice must do the same
   * as running it once.
   */
  run(sql: string, values: readonly unknown[]): Promise<readonly PostgresRow[]> {
    return this.#retry(async (signal) => {
      const pool = await this.#pool();
      signal.throwIfAborted();
      return withClient(pool, signal, async (client) => {
        const { rows } = await client.query(sql, values);
        return rows as readonly PostgresRow[];
      });
    });
  }
}

async function openPool(source: PostgresSource): Promise<PostgresPool> {
  const pool = typeof source === "function" ? await source() : source;
  ignoreIdleErrors(pool);
  await withClient(pool, undefined, migratePostgres);
  return pool;
}

/** A connection for the time of some work; one that failed or took too long is not used again. */
async function withClient<T>(
  pool: PostgresPool,
  signal: AbortSignal | undefined,
  work: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  ignoreIdleErrors(client);
  let isReleased = false;
  const release = (error?: Error) => {
    if (isReleased) return;
    isReleased = true;
    client.release(error);
  };
  const abort = () => {
    release(new CauseError("the statement took too long"));
  };
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const outcome = await work(client);
    release();
    return outcome;
  } catch (error) {
    release(isPostgresTransient(error) ? (error as Error) : undefined);
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
