/**
 * Stores on SQLite, PostgreSQL and objects, and the ports for your own store.
 *
 * @module stores
 */
export type { ByteSource } from "./core/lib/text/byte-source.js";
export type {
  ArtifactQuery,
  ArtifactStore,
  ContentStore,
  FoundArtifacts,
  IdQuery,
  KeptLimits,
  ListedArtifact,
  MetadataStore,
  NewArtifact,
  NewRecord,
  OpenContent,
  OpenStore,
  QueryPage,
  Removal,
  RemovalLimits,
  SearchFilter,
  SessionListing,
  SessionSummary,
  SummaryQuery,
  VerifyOptions,
  VerifyReport,
} from "./core/workspace/artifacts/artifact-store.js";
export {
  candidateIds,
  tombstoneOf,
  type ArtifactMetadata,
  type ArtifactRecord,
  type ArtifactType,
  type TextSize,
  type Tombstone,
} from "./core/workspace/artifacts/artifact.js";
export type { StoreCall } from "./core/workspace/events.js";
export {
  joinStores,
  type FoundContent,
  type OneDatabase,
} from "./infrastructure/joined-store/join-stores.js";
export type { RetryOptions } from "./infrastructure/joined-store/retry.js";
export type {
  ObjectCallOptions,
  ObjectClient,
  ObjectFailure,
  ObjectLocation,
  ObjectSource,
  ObjectUpload,
} from "./infrastructure/object-store/object-client.js";
export {
  objectStore,
  type ObjectStoreOptions,
} from "./infrastructure/object-store/object-store.js";
export type {
  PostgresClient,
  PostgresConnection,
  PostgresPool,
  PostgresRelease,
  PostgresResult,
  PostgresSource,
  PostgresStatement,
} from "./infrastructure/postgres-store/postgres-client.js";
export {
  postgresMetadata,
  postgresStore,
  type PostgresStoreOptions,
} from "./infrastructure/postgres-store/postgres-store.js";
export type {
  SqliteClient,
  SqliteSource,
  SqliteStatement,
  SqliteValue,
} from "./infrastructure/sqlite-store/sqlite-client.js";
export {
  sqliteMetadata,
  sqliteStore,
  type SqliteStoreOptions,
} from "./infrastructure/sqlite-store/sqlite-store.js";
export { readLedgerFiles, type LedgerFilesOptions } from "./presets/read-ledger-files.js";
