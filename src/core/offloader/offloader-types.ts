import type { Content } from "../engine/content.js";
import type { Format, MediaRule } from "../engine/format.js";
import type { Policy } from "../engine/policy.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { Workspace } from "../workspace/workspace-types.js";
import type { OffloadReport, ResultReport } from "./report.js";

/** A result, as a host is asked about it. */
export interface FlaggedResult {
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
}

/** How an offloader works, whatever it works on. */
export interface OffloaderSettings {
  /** Whose results these are; one per conversation. */
  readonly sessionId: string;
  readonly agentId?: string | undefined;
  readonly taskId?: string | undefined;
  /** Gives this session, too, access to what is offloaded here. */
  readonly parentSessionId?: string | undefined;
  /** Which results to offload. Replaces the default: at least 1,000 tokens, errors kept. */
  readonly policy?: Policy | undefined;
  /** `keep`, the default, keeps images, audio and documents in the message while text is offloaded. */
  readonly media?: MediaRule | undefined;
  /** `throw`, the default, or `keep`: what cannot be stored is kept, and the report says why. */
  readonly onError?: "throw" | "keep" | undefined;
  /** What the host wishes for a result, for the policy `flagged`: `true` to offload it, `false` to keep it. */
  readonly shouldOffload?: ((result: FlaggedResult) => boolean | undefined) | undefined;
  /** Default: as the workspace counts. */
  readonly countTokens?: CountTokens | undefined;
}

export interface OffloadOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface RestoreOptions extends OffloadOptions {
  /** Told of each reference that the session holds no artifact for; it is kept as it is. */
  readonly onUnknown?: ((reference: UnknownReference) => void) | undefined;
}

/** A text that looks like a reference of its tool call, and is none of this session. */
export interface UnknownReference {
  readonly messageIndex: number;
  readonly toolCallId: string | undefined;
  readonly artifactId: string;
}

/** Where a result that has just arrived comes from. */
export interface ArrivedResult extends OffloadOptions {
  readonly toolCallId?: string | undefined;
  readonly toolName?: string | undefined;
  readonly isError?: boolean | undefined;
}

/**
 * One object that keeps a conversation short.
 *
 * @typeParam Tools - The reading tools in the shape of the conversation's format.
 * @typeParam Answer - The answer to a call of one of them.
 * @typeParam ToolsByFormat - The same tools by the name of a format.
 */
export interface Offloader<
  Tools = unknown,
  Answer = unknown,
  ToolsByFormat = Record<string, unknown>,
> {
  /** The workspace that holds what was offloaded. */
  readonly workspace: Workspace;
  /** Any format in, the same format out. Call it every turn with the whole history. */
  offload<M>(
    history: readonly M[],
    options?: OffloadOptions,
  ): Promise<{ readonly messages: M[]; readonly report: OffloadReport }>;
  /** Exactly what went in, for messages that `offload` returned. */
  restore<M>(messages: readonly M[], options?: RestoreOptions): Promise<M[]>;
  /** Dry run: what would be offloaded, and how much it saves. Writes nothing. */
  estimate(history: readonly unknown[], options?: OffloadOptions): Promise<OffloadReport>;
  /** One result at arrival, by the same policy as the history: what to put into the conversation. */
  result<C extends Content>(
    content: C,
    options?: ArrivedResult,
  ): Promise<{ readonly content: C | string; readonly report: ResultReport }>;
  /** The reading tools in the shape of the conversation's format, or of the one that is named. */
  tools(): Tools;
  tools<Name extends keyof ToolsByFormat>(format: Name): ToolsByFormat[Name];
  /** Whether a call is one of a reading tool, and so one for `handleToolCall`. */
  handles(call: unknown): boolean;
  /** Runs a call of one of the reading tools and answers in the format's own shape. */
  handleToolCall(call: unknown, options?: OffloadOptions): Promise<Answer>;
  /** A text for the agent's system prompt. */
  systemPrompt(): string;
}

/** Finds the format of messages; throws an error that says why none fits. */
export type PickFormat = (messages: readonly unknown[]) => Format;
