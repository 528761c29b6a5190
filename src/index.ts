export { DEFAULTS } from "./core/defaults.js";
export { digestText } from "./core/digest-text.js";
export type {
  Content,
  Format,
  FormatOptions,
  FormatParts,
  FormatReadOptions,
  FormatResult,
  JsonValue,
  MediaRule,
  MessagePart,
  MessageVisitor,
  PartPath,
  ReadCall,
  SlotContent,
  SlotText,
  ToolAnswer,
  ToolDescription,
  ToolInputSchema,
  ToolResult,
} from "./core/engine/format.js";
export {
  AmbiguousArtifactError,
  ArtifactDamagedError,
  ArtifactGoneError,
  UnknownArtifactError,
  InvalidPatternError,
  SearchFailedError,
  SearchTimeoutError,
  NotJsonError,
  PointerNotFoundError,
} from "./core/errors/reading-errors.js";
export {
  CallerFailedError,
  ContentNotSerializableError,
  KeyMissingError,
  PackageMissingError,
  ReadFailedError,
  StoreUnreachableError,
  UnsafePathError,
  WriteFailedError,
} from "./core/errors/storage-errors.js";
export { ContextOffloadError, type ErrorCode } from "./core/errors/context-offload-error.js";
export {
  type FormatMismatch,
  InvalidArgumentError,
  InvalidEnvironmentError,
  NoToolResultError,
  OutOfRangeError,
  UnknownFormatError,
  VersionMismatchError,
} from "./core/errors/argument-errors.js";
export {
  parseFileReference,
  type ParsedFileReference,
  type FileWriter,
  type FolderFile,
  type FolderWrite,
  type FolderWriteOutcome,
  type FolderWriter,
} from "./core/files/file-sink.js";
export type { ContentKind, Digest, DigestHints, DigestOptions } from "./core/lib/digest/digest.js";
export { SECRET_PATTERNS, type SecretPattern } from "./core/lib/secrets.js";
export type { CountTokens } from "./core/lib/tokens/estimate-tokens.js";
export type {
  ArrivedResult,
  FlaggedResult,
  Offloader,
  OffloaderSettings,
  OffloadOptions,
  RedactedResult,
  RestoreOptions,
  UnknownReference,
} from "./core/offloader/offloader-types.js";
export type {
  OffloadEstimate,
  OffloadReport,
  OffloadTotals,
  PartKind,
  PartReport,
  ResultReport,
} from "./core/offloader/report.js";
export {
  createToolResultOffload,
  type OffloadDecision,
  type ToolResultContext,
  type ToolResultInput,
  type ToolResultOffload,
  type ToolResultOffloadOptions,
  type RuleReason,
} from "./core/offloader/tool-result-offload.js";
export type { Conversation, Policy, Verdict } from "./core/engine/policy.js";
export type {
  ArtifactQuery,
  ArtifactStore,
  ListedArtifact,
  NewArtifact,
  OpenContent,
  OpenStore,
  QueryPage,
  SearchFilter,
  SessionListing,
  VerifyOptions,
  VerifyReport,
  ContentStore,
  MetadataStore,
  NewRecord,
} from "./core/workspace/artifacts/artifact-store.js";
export {
  type ArtifactMetadata,
  type ArtifactRecord,
  type ArtifactType,
  type ContentSource,
  type TextSize,
  candidateIds,
} from "./core/workspace/artifacts/artifact.js";
export type { ArtifactPage } from "./core/workspace/artifacts/list-artifacts.js";
export type { Redact, RedactContext } from "./core/workspace/artifacts/redaction.js";
export type {
  PruneOptions,
  PruneReport,
  Retention,
  RetentionLimits,
} from "./core/workspace/artifacts/retention.js";
export {
  copyWorkspace,
  type CopyOptions,
  type CopyReport,
} from "./core/workspace/copy-workspace.js";
export type { EventLogger, StoreCall, WorkspaceEvent } from "./core/workspace/events.js";
export type { GrepOptions } from "./core/workspace/reading/grep-knowledge.js";
export type { GrepSessionOptions, SessionReading } from "./core/workspace/reading/grep-session.js";
export type { QueryOptions } from "./core/workspace/reading/query-knowledge.js";
export type {
  ByIdOptions,
  ByLinesOptions,
  CharRange,
} from "./core/workspace/reading/read-knowledge.js";
export {
  TOOL_NAMES,
  type ArtifactCount,
  type NextCall,
  type Reading,
  type ReadingUnit,
  type ReadOptions,
  type Scope,
  type ToolName,
  type View,
  type ToolNaming,
} from "./core/workspace/reading/reading.js";
export type { ReadBy } from "./core/workspace/reference/knowledge-list.js";
export type {
  ArtifactInput,
  ListOptions,
  OffloadByWorkspaceOptions,
  OffloadInfo,
  OffloadInfoOptions,
  OffloadInfoPage,
  Original,
  PutOptions,
  PutOutcome,
  SessionSummary,
  ToolsOptions,
  Workspace,
} from "./core/workspace/workspace-types.js";
export type { ByteSource } from "./core/lib/text/byte-source.js";
export type { RefusedRange } from "./core/lib/text/text-range.js";
export type { PointerReach } from "./core/lib/json/json-pointer.js";
export { joinStores } from "./infrastructure/joined-store/join-stores.js";
export type { RetryOptions } from "./infrastructure/joined-store/retry.js";
export type {
  ObjectCallOptions,
  ObjectClient,
  ObjectPlace,
  ObjectSource,
  ObjectUpload,
} from "./infrastructure/object-store/object-client.js";
export {
  objectStore,
  type ObjectStoreOptions,
} from "./infrastructure/object-store/object-store.js";
export type {
  PostgresClient,
  PostgresPool,
  PostgresResult,
  PostgresSource,
} from "./infrastructure/postgres-store/postgres-pool.js";
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
export { fileStore, memoryStore } from "./presets/stores.js";
export { NodeFileWriter, readOffloadedFile } from "./infrastructure/file-writer.js";
export {
  estimateTokens,
  messageLines,
  parseConversation,
  parseKnowledgeList,
  redactSecrets,
} from "./presets/checked-functions.js";
export {
  createOffloader,
  type FormatChoice,
  type OffloaderFor,
  type OffloaderOptions,
  type ToolsByFormat,
} from "./presets/create-offloader.js";
export { createWorkspace, type WorkspaceOptions } from "./presets/create-workspace.js";
export {
  offloadToolResult,
  offloadToolResultWithWriter,
  type DirectOffloadOptions,
  type DirectOffloadResult,
} from "./presets/offload-tool-result.js";
export {
  offloadToolResults,
  offloadToolResultsWithWriter,
  type HistoryOffloadOptions,
  type HistoryOffloadResult,
  type HistoryThresholds,
} from "./presets/offload-tool-results.js";
export {
  openTelemetry,
  type OpenTelemetryOptions,
  type TelemetryMeter,
  type TelemetryTracer,
} from "./infrastructure/open-telemetry.js";
export type { EncryptionOptions } from "./infrastructure/sealed-store/encryption-keys.js";
export * from "./formats/index.js";
