export type { Content } from "./core/engine/content.js";
export { DEFAULTS } from "./core/defaults.js";
export { digestText, type ContentKind, type Digest } from "./core/lib/digest/digest.js";
export { AmbiguousArtifactError } from "./core/errors/ambiguous-artifact-error.js";
export { ArtifactGoneError } from "./core/errors/artifact-gone-error.js";
export { ContentNotSerializableError } from "./core/errors/content-not-serializable-error.js";
export { ContextOffloadError, type ErrorCode } from "./core/errors/context-offload-error.js";
export { InvalidArgumentError } from "./core/errors/invalid-argument-error.js";
export { InvalidEnvironmentError } from "./core/errors/invalid-environment-error.js";
export { InvalidPatternError } from "./core/errors/invalid-pattern-error.js";
export { NoToolResultError } from "./core/errors/no-tool-result-error.js";
export { NotJsonError } from "./core/errors/not-json-error.js";
export { OutOfRangeError } from "./core/errors/out-of-range-error.js";
export { PointerNotFoundError } from "./core/errors/pointer-not-found-error.js";
export { ReadFailedError } from "./core/errors/read-failed-error.js";
export { SearchFailedError } from "./core/errors/search-failed-error.js";
export { SearchTimeoutError } from "./core/errors/search-timeout-error.js";
export { UnknownArtifactError } from "./core/errors/unknown-artifact-error.js";
export { UnsafePathError } from "./core/errors/unsafe-path-error.js";
export { WriteFailedError } from "./core/errors/write-failed-error.js";
export { parseFileReference, type ParsedFileReference } from "./core/files/file-reference.js";
export type { FileWriter } from "./core/files/file-writer.js";
export { estimateTokens, type CountTokens } from "./core/lib/tokens/estimate-tokens.js";
export type { VerifyOptions, VerifyReport } from "./core/workspace/artifacts/artifact-store.js";
export type {
  ArtifactMetadata,
  ArtifactRecord,
  ArtifactType,
} from "./core/workspace/artifacts/artifact.js";
export type { EventLogger, WorkspaceEvent } from "./core/workspace/events.js";
export type { GrepOptions } from "./core/workspace/reading/grep-knowledge.js";
export {
  parseKnowledgeList,
  type ReadBy,
  type ToolNaming,
} from "./core/workspace/reference/knowledge-list.js";
export type {
  KnowledgeTool,
  ToolAnswer,
  ToolsOptions,
} from "./core/workspace/tools/knowledge-tool.js";
export type { ArtifactPage, SearchFilter } from "./core/workspace/artifacts/list-artifacts.js";
export type { QueryOptions } from "./core/workspace/reading/query-knowledge.js";
export type { ByIdOptions, ByLinesOptions } from "./core/workspace/reading/read-knowledge.js";
export {
  TOOL_NAMES,
  type NextCall,
  type Reading,
  type Scope,
  type ToolName,
} from "./core/workspace/reading/reading.js";
export type { JsonSchema } from "./core/workspace/tools/tool-schemas.js";
export type {
  ArtifactInput,
  OffloadByWorkspaceOptions,
  OffloadInfo,
  OffloadInfoOptions,
  Original,
  PutOptions,
  PutOutcome,
  Workspace,
} from "./core/workspace/workspace-types.js";
export type {
  ContentBlock,
  ImageBlock,
  Message,
  MessageLike,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "./formats/anthropic-types.js";
export type { ToolResultInput } from "./formats/single-result.js";
export { NodeFileWriter } from "./infrastructure/file-writer.js";
export { readOffloadedFile } from "./infrastructure/read-offloaded-file.js";
export type { DirectOffloadResult } from "./presets/direct.js";
export type { HistoryOffloadResult, HistoryThresholds } from "./presets/history.js";
export type {
  OffloadDecision,
  ToolResultContext,
  ToolResultOffload,
  ToolResultOffloadOptions,
} from "./presets/tool-result.js";
export {
  createToolResultOffload,
  createWorkspace,
  type WorkspaceOptions,
} from "./presets/create-workspace.js";
export {
  offloadToolResult,
  offloadToolResults,
  offloadToolResultsWithWriter,
  offloadToolResultWithWriter,
  type DirectOffloadOptions,
  type HistoryOffloadOptions,
} from "./presets/offload-to-files.js";
export { createOffloader, type OffloaderOptions } from "./presets/create-offloader.js";
export type { FlaggedResult, Offloader, OffloadOptions } from "./core/offloader/offloader-types.js";
export type { OffloadReport, OffloadTotals, ResultReport } from "./core/offloader/report.js";
export { UnknownFormatError } from "./core/errors/unknown-format-error.js";
export type {
  Format,
  FormatCall,
  FormatOptions,
  FormatResult,
  MediaRule,
  MessageReading,
  ReadCall,
  SlotContent,
  SlotText,
  ToolDescription,
} from "./core/engine/format.js";
export type { Conversation, Policy, Verdict } from "./core/engine/policy.js";
export type { ToolResult } from "./core/engine/tool-result.js";
export { afterTurns } from "./core/policies/after-turns.js";
export { all } from "./core/policies/all.js";
export { any } from "./core/policies/any.js";
export { budget, type BudgetOptions } from "./core/policies/budget.js";
export { cacheAware, type CacheAwareOptions } from "./core/policies/cache-aware.js";
export { flagged } from "./core/policies/flagged.js";
export { keepErrors } from "./core/policies/keep-errors.js";
export { keepRecent } from "./core/policies/keep-recent.js";
export { minChars } from "./core/policies/min-chars.js";
export { minRatio } from "./core/policies/min-ratio.js";
export { minTokens } from "./core/policies/min-tokens.js";
export { not } from "./core/policies/not.js";
export { tools, type ToolsPolicyOptions } from "./core/policies/tools.js";
export { openConversation } from "./formats/parse-conversation.js";
