export { DEFAULTS } from "./core/defaults.js";
export { digestText } from "./core/digest-text.js";
export type { Content } from "./core/engine/content.js";
export type {
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
} from "./core/engine/format.js";
export {
  AmbiguousArtifactError,
  ArtifactDamagedError,
  ArtifactGoneError,
  UnknownArtifactError,
} from "./core/errors/artifact-errors.js";
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
} from "./core/errors/argument-errors.js";
export {
  InvalidPatternError,
  SearchFailedError,
  SearchTimeoutError,
} from "./core/errors/search-errors.js";
export { NotJsonError, PointerNotFoundError } from "./core/errors/json-errors.js";
export { parseFileReference, type ParsedFileReference } from "./core/files/file-reference.js";
export type {
  FileWriter,
  FolderFile,
  FolderWrite,
  FolderWriteOutcome,
  FolderWriter,
} from "./core/files/file-writer.js";
export type { ContentKind, Digest, DigestOptions } from "./core/lib/digest/digest.js";
export { redactSecrets, SECRET_PATTERNS, type SecretPattern } from "./core/lib/secrets.js";
export { estimateTokens, type CountTokens } from "./core/lib/tokens/estimate-tokens.js";
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
export type { PartKind } from "./core/offloader/large-parts.js";
export type {
  OffloadEstimate,
  OffloadReport,
  OffloadTotals,
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
export type { Conversation, Policy, Verdict } from "./core/engine/policy.js";
export type { ToolResult } from "./core/engine/tool-result.js";
export type { RuleReason } from "./core/policies/tool-result-rules.js";
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
} from "./core/workspace/artifacts/artifact-store.js";
export type {
  ArtifactMetadata,
  ArtifactRecord,
  ArtifactType,
  TextSize,
} from "./core/workspace/artifacts/artifact.js";
export type { ArtifactPage } from "./core/workspace/artifacts/list-artifacts.js";
export type {
  ContentStore,
  MetadataStore,
  NewRecord,
} from "./core/workspace/artifacts/store-halves.js";
export type { Redact, RedactContext } from "./core/workspace/artifacts/redact-content.js";
export type {
  PruneOptions,
  PruneReport,
  Retention,
  RetentionLimits,
} from "./core/workspace/artifacts/retention.js";
export type { ContentSource } from "./core/workspace/artifacts/prepare-content.js";
export {
  copyWorkspace,
  type CopyOptions,
  type CopyReport,
} from "./core/workspace/copy-workspace.js";
export type { EventLogger, WorkspaceEvent } from "./core/workspace/events.js";
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
} from "./core/workspace/reading/reading.js";
export { parseKnowledgeList, type ReadBy } from "./core/workspace/reference/knowledge-list.js";
export type { ToolNaming } from "./core/workspace/tools/tool-naming.js";
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
export { aiSdkFormat, type AiSdkToolAnswer } from "./formats/ai-sdk.js";
export { aiSdkUiFormat, type AiSdkUiToolAnswer } from "./formats/ai-sdk-ui.js";
export { anthropicFormat } from "./formats/anthropic.js";
export type {
  AnthropicContentBlock,
  AnthropicImageBlock,
  AnthropicMessage,
  AnthropicMessageLike,
  AnthropicTextBlock,
  AnthropicTool,
  AnthropicToolAnswer,
  AnthropicToolResultBlock,
  AnthropicToolUseBlock,
} from "./formats/anthropic-types.js";
export { bedrockFormat, type BedrockTool, type BedrockToolAnswer } from "./formats/bedrock.js";
export { claudeCodeFormat } from "./formats/claude-code.js";
export { codexFormat } from "./formats/codex.js";
export {
  copilotCliFormat,
  type CopilotTool,
  type CopilotToolAnswer,
} from "./formats/copilot-cli.js";
export type { AnswerOf, FormatName, FormatNamed, ToolsOf } from "./formats/formats.js";
export { geminiCliFormat } from "./formats/gemini-cli.js";
export { geminiFormat, type GeminiTool, type GeminiToolAnswer } from "./formats/gemini.js";
export {
  langchainFormat,
  type LangchainTool,
  type LangchainToolAnswer,
} from "./formats/langchain.js";
export { mcpFormat, type McpTool } from "./formats/mcp.js";
export {
  openaiChatFormat,
  type OpenAIChatTool,
  type OpenAIChatToolAnswer,
} from "./formats/openai-chat.js";
export {
  openaiResponsesFormat,
  type OpenAIResponsesTool,
  type OpenAIResponsesToolAnswer,
} from "./formats/openai-responses.js";
export type { AiSdkInputSchema, AiSdkTool } from "./formats/shared/ai-sdk-tool.js";
export {
  openaiAgentsFormat,
  type OpenAIAgentsTool,
  type OpenAIAgentsToolAnswer,
} from "./formats/openai-agents.js";
export { qwenCodeFormat } from "./formats/qwen-code.js";
export { messageLines, type MessageLines } from "./formats/shared/message-lines.js";
export { parseConversation, type ParsedConversation } from "./formats/parse-conversation.js";
export { piFormat, type PiTool, type PiToolAnswer } from "./formats/pi.js";
export type { RefusedRange } from "./core/lib/text/text-range.js";
export type { PointerReach } from "./core/lib/json/json-errors.js";
export { joinStores } from "./infrastructure/joined-store/join-stores.js";
export type { RetryOptions } from "./infrastructure/joined-store/retry.js";
export type { ObjectClient, ObjectSource } from "./infrastructure/object-store/object-client.js";
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
export { candidateIds } from "./core/workspace/artifacts/artifact.js";
export { NodeFileWriter, readOffloadedFile } from "./infrastructure/file-writer.js";
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
export { openTelemetry, type OpenTelemetryOptions } from "./infrastructure/open-telemetry.js";
export type { EncryptionOptions } from "./infrastructure/sealed-store/encryption-keys.js";
