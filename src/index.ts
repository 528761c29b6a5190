/**
 * Keeps large tool results out of an agent's context: the offloader, the workspace, and what they take and return.
 *
 * @module context-offload
 */
export { DEFAULTS } from "./core/defaults.js";
export { digestText } from "./core/digest-text.js";
export type { Content, ToolDescription } from "./core/engine/format.js";
export { ContextOffloadError } from "./core/errors/context-offload-error.js";
export { estimateTokens } from "./core/estimate-tokens.js";
export type { ContentKind, Digest, DigestHints, DigestOptions } from "./core/lib/digest/digest.js";
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
} from "./core/offloader/tool-result-offload.js";
export { redactSecrets } from "./core/secrets/redact-secrets.js";
export type { OpenStore, SessionSummary } from "./core/workspace/artifacts/artifact-store.js";
export type { ArtifactRecord, ContentSource } from "./core/workspace/artifacts/artifact.js";
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
export type { EventLogger, WorkspaceEvent } from "./core/workspace/events.js";
export type {
  GrepOptions,
  GrepSessionOptions,
  SessionReading,
} from "./core/workspace/reading/grep-knowledge.js";
export type { QueryOptions } from "./core/workspace/reading/query-knowledge.js";
export type { RangeOptions } from "./core/workspace/reading/read-knowledge.js";
export {
  TOOL_NAMES,
  type ArtifactCount,
  type NextCall,
  type Reading,
  type ReadingUnit,
  type ReadOptions,
  type Scope,
  type ToolName,
  type ToolNaming,
  type View,
} from "./core/workspace/reading/reading.js";
export { parseKnowledgeList, type ReadBy } from "./core/workspace/reference/knowledge-list.js";
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
  ToolsOptions,
  Workspace,
} from "./core/workspace/workspace-types.js";
export type { EncryptionOptions } from "./infrastructure/sealed-store/encryption-keys.js";
export {
  createOffloader,
  type OffloaderFor,
  type OffloaderOptions,
} from "./presets/create-offloader.js";
export { createWorkspace, type WorkspaceOptions } from "./presets/create-workspace.js";
export {
  offloadToolResult,
  type DirectOffloadOptions,
  type DirectOffloadResult,
} from "./presets/offload-tool-result.js";
export {
  offloadToolResults,
  type HistoryOffloadOptions,
  type HistoryOffloadResult,
} from "./presets/offload-tool-results.js";
export { fileStore, memoryStore } from "./presets/stores.js";
