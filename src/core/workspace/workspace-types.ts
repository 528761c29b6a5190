import type { Content } from "../engine/content.js";
import type { ToolDescription } from "../engine/format.js";
import type { ArtifactRecord } from "./artifacts/artifact.js";
import type { VerifyOptions, VerifyReport } from "./artifacts/artifact-store.js";
import type { GrepOptions } from "./reading/grep-knowledge.js";
import type { ContentSource } from "./artifacts/prepare-content.js";
import type { ArtifactPage, SearchFilter } from "./artifacts/list-artifacts.js";
import type { QueryOptions } from "./reading/query-knowledge.js";
import type { ByIdOptions, ByLinesOptions } from "./reading/read-knowledge.js";
import type { Reading, Scope } from "./reading/reading.js";

/** Content to store, with what is known of it. */
export interface ArtifactInput {
  /** The id that it should have. Default: the `toolCallId`. */
  readonly artifactId?: string | undefined;
  readonly content: ContentSource;
  /** Any of the named metadata, and whatever else should be kept with it. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface PutOptions extends Scope {
  /** The id of the tool call. */
  readonly toolCallId?: string | undefined;
  /** Lets this session, too, read what is stored here; never the other way round. */
  readonly parentSessionId?: string | undefined;
}

/** A stored artifact, and its reference as this workspace writes it. */
export interface PutOutcome {
  readonly record: ArtifactRecord;
  /** The `<knowledge_list>` of this artifact alone. */
  readonly reference: string;
}

export interface OffloadByWorkspaceOptions extends PutOptions {
  /** Content shorter than this, all artifacts together, comes back as it is. Default 40,000. */
  readonly inlineChars?: number | undefined;
}

export interface ListOptions {
  /** How many artifacts to return at most. Default 50. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

export interface OffloadInfoOptions extends Scope, ListOptions {
  readonly namespace?: string | undefined;
  readonly taskId?: string | undefined;
}

/** One line of the list of what is stored, in the names of the metadata. */
export interface OffloadInfo {
  readonly artifact_id: string;
  readonly biz_id: string | null;
  readonly tool_name: string | null;
  readonly action_name: string | null;
  readonly session_id: string;
  readonly task_id: string | null;
  readonly chars: number;
  readonly lines: number;
  readonly tokens: number;
  readonly created_at: string;
}

/** What `getOriginal` returns: the content as it was stored, or its bytes where a string cannot hold it. */
export type Original = Content | AsyncIterable<Uint8Array>;

export interface ToolsOptions {
  /** Binds the tools to what this session may see: its own artifacts and its children's. */
  readonly sessionId?: string | undefined;
}

/** Stored tool results and the verbs to read them, within one namespace. */
export interface Workspace {
  readonly namespace: string;
  put(artifact: ArtifactInput, options?: PutOptions): Promise<PutOutcome>;
  /** What is known of an artifact, without its content. */
  getArtifact(artifactId: string, options?: Scope): Promise<ArtifactRecord>;
  /** Stores one artifact or more and returns the text for the context. */
  offloadByWorkspace(
    artifacts: ArtifactInput | readonly ArtifactInput[],
    options?: OffloadByWorkspaceOptions,
  ): Promise<string>;
  /** From the start as much as fits, or a range of characters. */
  getKnowledgeById(artifactId: string, options?: ByIdOptions): Promise<Reading>;
  /** Lines are counted from 1, both ends included. */
  getKnowledgeByLines(
    artifactId: string,
    startLine: number,
    endLine: number,
    options?: ByLinesOptions,
  ): Promise<Reading>;
  grepKnowledge(artifactId: string, pattern: string, options?: GrepOptions): Promise<Reading>;
  queryKnowledge(artifactId: string, options?: QueryOptions): Promise<Reading>;
  queryArtifacts(filter?: SearchFilter, options?: Scope & ListOptions): Promise<ArtifactPage>;
  getToolResultOffloadInfo(options?: OffloadInfoOptions): Promise<{
    readonly artifacts: readonly OffloadInfo[];
    readonly nextCursor: string | undefined;
  }>;
  /** Exactly what was stored: the same string, the same value. */
  getOriginal(artifactId: string, options?: Scope): Promise<Original>;
  remove(artifactId: string, options?: Scope): Promise<void>;
  verify(options?: VerifyOptions): Promise<VerifyReport>;
  /** The reading tools for a model, bound to what one session may see when it is named. */
  tools(options?: ToolsOptions): ToolDescription[];
  /** A text for the agent's system prompt. */
  systemPrompt(): string;
  /** Ends the search worker. Nothing needs it to end: it never keeps a process alive. */
  close(): Promise<void>;
}
