import { requireObject } from "../../core/arguments.js";
import type { MetadataStore, OpenStore } from "../../core/workspace/artifacts/artifact-store.js";
import { joinStores } from "../joined-store/join-stores.js";
import type { RetryOptions } from "../joined-store/retry.js";
import type { SqliteSource } from "./sqlite-client.js";
import { sqliteContentIn } from "./sqlite-content.js";
import { SqliteDatabase } from "./sqlite-database.js";
import { sqliteMetadataIn, sqliteTogether } from "./sqlite-metadata.js";

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions extends RetryOptions {
  /** What the database is called in errors. Default `"the SQLite database"`. */
  readonly name?: string | undefined;
}

const NAME = "the SQLite database";
const EXPECTED = "an object with name or limits, or omitted";

/**
 * A store in a SQLite database, with content in chunks. Its tables begin with `context_offload_`, so it
 * can share a database with others.
 *
 * @param client - A connection of `better-sqlite3`, `libsql` or `node:sqlite`.
 * @example
 * const workspace = createWorkspace({ store: sqliteStore(new Database("offload.db")) });
 */
export function sqliteStore(client: SqliteSource, options: SqliteStoreOptions = {}): OpenStore {
  requireObject("options", options, EXPECTED);
  const { name = NAME } = options;
  const database = new SqliteDatabase(client, name, options);
  return (namespace) =>
    joinStores(
      sqliteMetadataIn(database, namespace),
      sqliteContentIn(database, namespace),
      name,
      sqliteTogether(database, namespace),
    );
}

/** The metadata half alone, for `objectStore`. */
export function sqliteMetadata(
  client: SqliteSource,
  options: SqliteStoreOptions = {},
): (namespace: string) => MetadataStore {
  requireObject("options", options, EXPECTED);
  const database = new SqliteDatabase(client, options.name ?? NAME, options);
  return (namespace) => sqliteMetadataIn(database, namespace);
}
