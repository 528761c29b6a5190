import type { Content, Format, MediaRule } from "../engine/format.js";
import type { PolicyLike } from "../engine/policy.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { Workspace } from "../workspace/workspace-types.js";
import type { OffloadEstimate, OffloadReport, PartKind, ResultReport } from "./report.js";

/** A result, as it is passed to `shouldOffload`. */
export interface FlaggedResult {
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
}

/** The settings of an offloader. */
export interface OffloaderSettings {
  /** The session that the results belong to; one per conversation. */
  readonly sessionId: string;
  /** Stored as metadata `agent_id`. */
  readonly agentId?: string | undefined;
  /** Stored as metadata `task_id`. */
  readonly taskId?: string | undefined;
  /** Gives this session access to what is offloaded here, too. */
  readonly parentSessionId?: string | undefined;
  /**
   * Which results to offload: a policy, or a function that returns `true` for each result to offload.
   * Default: `freshAndStale()`: very large ones when they arrive, others once they are stale, in steps.
   */
  readonly policy?: PolicyLike | undefined;
  /** `"keep"` keeps images, audio and documents in the message when text is offloaded. Default `"keep"`. */
  readonly media?: MediaRule | undefined;
  /** With `"keep"`, a result that cannot be stored is kept, and the report says why. Default `"throw"`. */
  readonly onError?: "throw" | "keep" | undefined;
  /** Flags a result for the policy `flagged`: `true` to offload it, `false` to keep it. */
  readonly shouldOffload?: ((result: FlaggedResult) => boolean | undefined) | undefined;
  /**
   * What is offloaded: besides results also large messages of users and large strings in the inputs of
   * calls, once they are stale, in the same steps. Default: `["results"]`.
   */
  readonly parts?: readonly PartKind[] | undefined;
  /**
   * Which reading tools the model is told of: `"one"` is `read_stored`, `"five"` those for one task each.
   * Calls of all of them are answered. Default `"one"`.
   */
  readonly readingTools?: "one" | "five" | undefined;
  /** Counts tokens. Default: the workspace's own counter. */
  readonly countTokens?: CountTokens | undefined;
}

/** Options of one pass over a conversation. */
export interface OffloadOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** What is offloaded; pass the same in every turn. Default: the offloader's own `parts`. */
  readonly parts?: readonly PartKind[] | undefined;
  /**
   * Whether the messages are only a call and its result that has just arrived, and not a whole request: the
   * ledger then counts a result, and no request. Default false.
   */
  readonly isArrival?: boolean | undefined;
}

/** Options of `restore`. */
export interface RestoreOptions extends Pick<OffloadOptions, "signal"> {
  /** Called for each text that looks like the reference of its place and was not put back; it is kept as it is. */
  readonly onUnknown?: ((reference: UnknownReference) => void) | undefined;
  /** Called for each result and each large part that came back without what was redacted before it was stored. */
  readonly onRedacted?: ((result: RedactedResult) => void) | undefined;
}

/** A result that could not come back as it was. */
export interface RedactedResult extends UnknownReference {
  /** How much was redacted. */
  readonly redactions: number;
}

/** A text that looks like the reference of its tool call, but whose artifact the session does not hold. */
export interface UnknownReference {
  readonly messageIndex: number;
  readonly toolCallId: string | undefined;
  readonly artifactId: string;
}

/** What is known of a result that has just arrived. */
export interface ArrivedResult extends Pick<OffloadOptions, "signal"> {
  /** The id of the call. Default: made from the hash of the content. */
  readonly toolCallId?: string | undefined;
  readonly toolName?: string | undefined;
  /** The input of the call, to tell answers of the reading tools from results of other tools of the same name. */
  readonly input?: unknown;
  /** Whether the tool failed. Default false. */
  readonly isError?: boolean | undefined;
}

/**
 * Keeps one conversation short: offloads its large tool results, and answers the reading tools.
 *
 * @typeParam Tools - The reading tools in the shape of the conversation's format.
 * @typeParam Answer - The answer to a call of one of them.
 * @typeParam ToolsByFormat - The same tools, by name of the format.
 */
export interface Offloader<
  Tools = unknown,
  Answer = unknown,
  ToolsByFormat = Record<string, unknown>,
> {
  /** The workspace that holds what was offloaded. */
  readonly workspace: Workspace;
  /** The session that the results belong to. */
  readonly sessionId: string;
  /** Which reading tools the model is told of. */
  readonly readingTools: "one" | "five";
  /** Offloads results of the history, in any format; call it every turn with the whole history. */
  offload<M>(
    history: readonly M[],
    options?: OffloadOptions,
  ): Promise<{ readonly messages: M[]; readonly report: OffloadReport }>;
  /** Puts the original content back: for messages that `offload` returned, exactly what was passed in. */
  restore<M>(messages: readonly M[], options?: RestoreOptions): Promise<M[]>;
  /** Dry run: what would be offloaded now and at the next step, and how much it saves after what is added. Writes nothing. */
  estimate(
    history: readonly unknown[],
    options?: Pick<OffloadOptions, "signal">,
  ): Promise<OffloadEstimate>;
  /**
   * Handles one result at arrival and returns what to put into the conversation. By the default policy
   * only very large ones are replaced: to let others grow old, pass the history to `offload`.
   */
  result<C extends Content>(
    content: C,
    options?: ArrivedResult,
  ): Promise<{ readonly content: C | string; readonly report: ResultReport }>;
  /** The reading tools in the shape of the conversation's format, or of the named one. */
  tools(): Tools;
  tools<Name extends keyof ToolsByFormat>(format: Name): ToolsByFormat[Name];
  /** Whether this is a call of a reading tool, to be passed to `handleToolCall`. */
  handles(call: unknown): boolean;
  /** Runs a call of one of the reading tools and answers in the format's own shape. */
  handleToolCall(call: unknown, options?: Pick<OffloadOptions, "signal">): Promise<Answer>;
  /** A text for the agent's system prompt. */
  systemPrompt(): string;
}

/**
 * Finds the format of messages, or checks the chosen one; throws an error that says why no format fits.
 * By their shape alone, it may find one that then reads no results, or nothing but blocks that it does
 * not know.
 */
export type PickFormat = (
  messages: readonly unknown[],
  chosen: Format | undefined,
  how: "by shape" | "by reading",
) => Format;
