import type { Content, ToolDescription } from "../engine/format.js";
import type { ArtifactRecord, ContentSource } from "./artifacts/artifact.js";
import type {
  SearchFilter,
  SessionSummary,
  VerifyOptions,
  VerifyReport,
} from "./artifacts/artifact-store.js";
import type { ArtifactPage } from "./artifacts/list-artifacts.js";
import type { PruneOptions, PruneReport } from "./artifacts/retention.js";
import type { GrepOptions, GrepSessionOptions, SessionReading } from "./reading/grep-knowledge.js";
import type { QueryOptions } from "./reading/query-knowledge.js";
import type { RangeOptions } from "./reading/read-knowledge.js";
import type { Reading, Scope } from "./reading/reading.js";

/** Only what `createWorkspace` returned has it: a look-alike would fail at run time. */
declare const OURS: unique symbol;

/** A workspace before it has its internal side. */
export type PlainWorkspace = Omit<Workspace, typeof OURS>;

/** Content to store, with its metadata. */
export interface ArtifactInput {
  /** The id that it should have; a hash is added if this id already holds other content. Default: the `toolCallId`. */
  readonly artifactId?: string | undefined;
  /** What to store: text, blocks, or a stream of bytes. */
  readonly content: ContentSource;
  /** Any of the named metadata fields, and anything else to be stored along with the content. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of `put`. */
export interface PutOptions extends Pick<Scope, "signal"> {
  /** The session that the artifact belongs to. */
  readonly sessionId: string;
  /** The id of the tool call. Default: `metadata.biz_id`, or none. */
  readonly toolCallId?: string | undefined;
  /** Gives this session access to what is stored here, too; never the other way around. */
  readonly parentSessionId?: string | undefined;
}

/** Options of every way to store: only `put` demands a session, and the offloader has checked its own. */
export type StoreOptions = Omit<OffloadByWorkspaceOptions, "inlineChars">;

/** A stored artifact and its reference. */
export interface PutOutcome {
  readonly record: ArtifactRecord;
  /** The `<knowledge_list>` of this artifact alone. */
  readonly reference: string;
}

/** Options of `offloadByWorkspace`. */
export interface OffloadByWorkspaceOptions extends Omit<PutOptions, "sessionId"> {
  /** The session that the artifacts belong to. Default: `metadata.session_id` of each, or `"default"`. */
  readonly sessionId?: string | undefined;
  /** If the content of all artifacts together is shorter than this, in characters, it is returned whole. Default 40,000. */
  readonly inlineChars?: number | undefined;
}

/** Which page of a listing to return. */
export interface ListOptions {
  /** Maximum number of artifacts to return. Default 50. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

/** Options of `getToolResultOffloadInfo`. */
export interface OffloadInfoOptions extends Scope, ListOptions {
  /** Must be the namespace of this workspace, if given. */
  readonly namespace?: string | undefined;
  /** Only results of this task. Default: all tasks. */
  readonly taskId?: string | undefined;
  /** Maximum length of the entries together, as JSON, in characters. Default: no limit. */
  readonly maxChars?: number | undefined;
}

/** A page of the listing of stored tool results. */
export interface OffloadInfoPage {
  readonly artifacts: readonly OffloadInfo[];
  /** Pass it as `cursor` to get the next page; `undefined` on the last one. */
  readonly nextCursor: string | undefined;
  /** How many results come after this page; only counted if `maxChars` was given. */
  readonly leftOut: number | undefined;
}

/** One stored result in a listing; fields are named like the metadata. */
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

/** What `getOriginal` returns: the content as it was stored, or its bytes if they do not fit into a string or are not text. */
export type Original = Content | AsyncIterable<Uint8Array>;

/** Options of `tools`. */
export interface ToolsOptions {
  /** Limits the tools to what this session may see: its own artifacts and its children's. Default: all sessions. */
  readonly sessionId?: string | undefined;
  /** Maximum length of an answer's text, in characters. Default: the workspace's `readChars`. */
  readonly readChars?: number | undefined;
  /**
   * The compact tool `read_stored`, the five tools for one task each, or all whose calls are answered.
   * Default `"five"`.
   */
  readonly readingTools?: "one" | "five" | "all" | undefined;
}

/** Stored tool results and the methods to read them, within one namespace. */
export interface Workspace {
  readonly [OURS]: true;
  readonly namespace: string;
  /** Stores one artifact. Once it has resolved, a fresh process can read the content. */
  put(artifact: ArtifactInput, options: PutOptions): Promise<PutOutcome>;
  /** The record of an artifact, without its content. */
  getArtifact(artifactId: string, options?: Scope): Promise<ArtifactRecord>;
  /** Stores one or more artifacts and returns the text for the context: the content itself, or a reference. */
  offloadByWorkspace(
    artifacts: ArtifactInput | readonly ArtifactInput[],
    options?: OffloadByWorkspaceOptions,
  ): Promise<string>;
  /** Reads as much as fits from the start, or a range of characters. */
  getKnowledgeById(artifactId: string, options?: RangeOptions): Promise<Reading>;
  /**
   * Reads a range of lines, counted from 1, both ends inclusive. Without `endLine`, to the end of the
   * function, section or record that begins there or that the line is in; where there is none, a
   * passage of about 2,000 characters.
   */
  getKnowledgeByLines(
    artifactId: string,
    startLine: number,
    endLine?: number,
    options?: RangeOptions,
  ): Promise<Reading>;
  /** Finds the lines that match a JavaScript regular expression, or contain plain text with `literal`. */
  grepKnowledge(artifactId: string, pattern: string, options?: GrepOptions): Promise<Reading>;
  /** The same for all artifacts that the session may read, newest first. */
  grepSession(pattern: string, options?: GrepSessionOptions): Promise<SessionReading>;
  /** Reads part of a JSON artifact, by a JSON pointer. */
  queryKnowledge(artifactId: string, options?: QueryOptions): Promise<Reading>;
  /** Lists artifacts by their metadata, in the order in which they were stored. */
  queryArtifacts(filter?: SearchFilter, options?: Scope & ListOptions): Promise<ArtifactPage>;
  /** Lists the stored tool results of a session or a task. */
  getToolResultOffloadInfo(options?: OffloadInfoOptions): Promise<OffloadInfoPage>;
  /** Exactly what was stored: the same string, or an equal value. */
  getOriginal(artifactId: string, options?: Scope): Promise<Original>;
  /** Removes an artifact and its content. */
  remove(artifactId: string, options?: Scope): Promise<void>;
  /** The sessions that hold something. */
  sessions(
    options?: Pick<Scope, "signal"> & {
      /** Maximum number of sessions. Default: all. */
      readonly limit?: number | undefined;
      /** Continue after this session, the last one of an earlier list. */
      readonly after?: string | undefined;
    },
  ): Promise<SessionSummary[]>;
  /** Removes all artifacts of a session. That they were there is known for a while. */
  removeSession(
    sessionId: string,
    options?: Pick<Scope, "signal">,
  ): Promise<{ readonly artifacts: number }>;
  /**
   * Removes a session or the whole namespace without a trace: artifacts, names, and what is known of
   * artifacts that were removed. References to them are then unknown ones.
   */
  purge(
    options: Pick<Scope, "signal"> &
      (
        | { readonly sessionId: string; readonly wholeNamespace?: undefined }
        | { readonly sessionId?: undefined; readonly wholeNamespace: true }
      ),
  ): Promise<{ readonly artifacts: number }>;
  /**
   * Removes the oldest artifacts, beyond these limits or the workspace's `retention`; with `dryRun`,
   * says what it would remove.
   */
  prune(options?: PruneOptions): Promise<PruneReport>;
  /** Checks that all stored content is intact, and finds orphaned content. */
  verify(options?: VerifyOptions): Promise<VerifyReport>;
  /** The reading tools for a model; with a `sessionId`, limited to what that session may see. */
  tools(options?: ToolsOptions): ToolDescription[];
  /** A text for the agent's system prompt; pass the same `readingTools` as to `tools`. */
  systemPrompt(options?: Pick<ToolsOptions, "readingTools">): string;
  /** Ends the search worker, writes the ledger and closes open files. Optional: nothing of it keeps a process alive. */
  close(): Promise<void>;
}
