import type { Format, MediaRule } from "../engine/format.js";
import type { Policy } from "../engine/policy.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { Workspace } from "../workspace/workspace-types.js";
import type { OffloadReport } from "./report.js";

/** A result, as a host is asked about it. */
export interface FlaggedResult {
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
}

export interface OffloaderSettings {
  readonly workspace: Workspace;
  readonly sessionId: string;
  readonly agentId?: string | undefined;
  readonly taskId?: string | undefined;
  /** Lets this session, too, read what leaves here. */
  readonly parentSessionId?: string | undefined;
  /** Which results leave. Replaces the default altogether: at least 1,000 tokens, errors kept. */
  readonly policy?: Policy | undefined;
  /** The dialect of the messages: a name, one of your own, or `auto`, the default. */
  readonly format?: string | Format | undefined;
  /** `keep`, the default, leaves pictures, sound and documents in the message while text leaves. */
  readonly media?: MediaRule | undefined;
  /** `throw`, the default, or `keep`: what cannot be stored stays, and the report says why. */
  readonly onError?: "throw" | "keep" | undefined;
  /** What the host wishes for a result, for the policy `flagged`: `true` to leave, `false` to stay. */
  readonly shouldOffload?: ((result: FlaggedResult) => boolean | undefined) | undefined;
  /** Other names under which the reading tools are known; their answers never leave. */
  readonly toolAliases?: readonly string[] | undefined;
  readonly countTokens?: CountTokens | undefined;
}

export interface OffloadOptions {
  readonly signal?: AbortSignal | undefined;
}

/** One object that keeps a conversation short. */
export interface Offloader {
  /** Any dialect in, the same dialect out. Call it every turn with the whole history. */
  offload<M>(
    history: readonly M[],
    options?: OffloadOptions,
  ): Promise<{ readonly messages: M[]; readonly report: OffloadReport }>;
  /** Exactly what went in, for messages that `offload` gave. */
  restore<M>(messages: readonly M[], options?: OffloadOptions): Promise<M[]>;
  /** What would leave and what it would save. Writes nothing. */
  estimate(history: readonly unknown[], options?: OffloadOptions): Promise<OffloadReport>;
  /** The reading tools in a dialect's own shape. */
  tools(format?: string): unknown;
  /** Whether a call is one of a reading tool, and so one for `handleToolCall`. */
  handles(call: unknown): boolean;
  /** Runs a call of one of the reading tools and answers in the dialect's own shape. */
  handleToolCall(call: unknown, options?: OffloadOptions): Promise<unknown>;
}
