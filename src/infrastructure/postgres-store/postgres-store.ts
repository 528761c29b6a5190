import { requireObject } from "../../core/arguments.js";
import type { OpenStore } from "../../core/workspace/artifacts/artifact-store.js";
import type { MetadataStore } from "../../core/workspace/artifacts/store-halves.js";
import { joinStores } from "../joined-store/join-stores.js";
import type { RetryOptions } from "../joined-store/retry.js";
import { postgresContent } from "./postgres-content.js";
import { PostgresDatabase } from "./postgres-database.js";
import { postgresMetadataIn } from "./postgres-metadata.js";
import type { PostgresSource } from "./postgres-pool.js";

/** Options of `postgresStore`. */
export interface PostgresStoreOptions extends RetryOptions {
  /** What the database is called in errors. Default `"PostgreSQL"`. */
  readonly name?: string | undefined;
}

const NAME = "PostgreSQL";
const EXPECTED = "an object with name or limits, or omitted";

/**
 * A store in a PostgreSQL database, for agents on many hosts. Its tables begin with
 * `context_offload_` and are created on first use.
 *
 * @param pool - A `Pool` of `pg`. It is not closed by the store.
 * @example
 * const workspace = createWorkspace({ store: postgresStore(new Pool({ connectionString })) });
 */
export function postgresStore(pool: PostgresSource, options: PostgresStoreOptions = {}): OpenStore {
  requireObject("options", options, EXPECTED);
  const { name = NAME } = options;
  const database = new PostgresDatabase(pool, name, options);
  return (namespace) =>
    joinStores(postgresMetadataIn(database, namespace), postgresContent(database, namespace), name);
}

/** The metadata half alone, for `objectStore`. */
export function postgresMetadata(
  pool: PostgresSource,
  options: PostgresStoreOptions = {},
): (namespace: string) => MetadataStore {
  requireObject("options", options, EXPECTED);
  const database = new PostgresDatabase(pool, options.name ?? NAME, options);
  return (namespace) => postgresMetadataIn(database, namespace);
}
