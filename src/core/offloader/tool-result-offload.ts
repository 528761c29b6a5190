import {
  type OptionNames,
  requireCount,
  requireObject,
  requireOptions,
  rejectMisspelled,
  checkedCounter,
} from "../arguments.js";
import { DEFAULTS } from "../defaults.js";
import { type ToolResult, countContentChars, type Content } from "../engine/format.js";
import { InvalidArgumentError } from "../errors/argument-errors.js";
import { once } from "../lib/concurrency.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { tokensOf } from "../policies/by-size.js";
import { createDraft } from "../workspace/artifacts/draft.js";
import { looksLikeReference } from "../workspace/reference/knowledge-list.js";
import { coreOf } from "../workspace/workspace-core.js";
import type { Workspace } from "../workspace/workspace-types.js";
import { createReadingCalls, findReadingAnswers } from "./reads.js";
import { savesEnough } from "./result-storage.js";
import { EMPTY_SESSION, findReferenced } from "./session-index.js";

export interface ToolResultRules {
  /** Tools whose results are always offloaded: `tool`, or one action of it as `tool:action`. */
  readonly whiteList: readonly string[];
  /** Results of more tokens than this are offloaded. */
  readonly tokenThreshold: number;
}

/** Decides about one result, in this order: reading tools, `offload: false`, the white list, `offload: true`, tokens. */
export function judgeByRules(
  { whiteList, tokenThreshold }: ToolResultRules,
  result: ToolResult,
): { readonly offload: boolean; readonly reason: OffloadDecision["reason"] } {
  const { toolName, actionName, offloadFlag, isReadingAnswer } = result;
  if (isReadingAnswer) return { offload: false, reason: "none" };
  if (offloadFlag === false) return { offload: false, reason: "metadata" };
  const isListed =
    toolName !== undefined &&
    (whiteList.includes(toolName) || whiteList.includes(`${toolName}:${actionName ?? ""}`));
  if (isListed) return { offload: true, reason: "white_list" };
  if (offloadFlag === true) return { offload: true, reason: "metadata" };
  return tokensOf(result) > tokenThreshold
    ? { offload: true, reason: "tokens" }
    : { offload: false, reason: "none" };
}

/** What one tool call returned, independent of any message format. */
export interface ToolResultInput {
  /** The id of the call. Default: made from the hash of the content. */
  readonly toolCallId?: string | undefined;
  /** The name of the tool, for the white list and the metadata. */
  readonly toolName?: string | undefined;
  /** The action of the tool, for tools that have several. */
  readonly actionName?: string | undefined;
  /** The input of the call, to tell answers of the reading tools from results of other tools of the same name. */
  readonly input?: unknown;
  /** What the tool returned: text, or blocks. */
  readonly content: Content;
  /** `offload: true` or `false` forces the decision; everything else is stored with the artifact. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the tool failed. Default false. */
  readonly isError?: boolean | undefined;
}

/** Options of `createToolResultOffload`. */
export interface ToolResultOffloadOptions {
  /** Where results are stored, from `createWorkspace`. */
  readonly workspace: Workspace;
  /** Tools whose results are always stored: `tool`, or one action of it as `tool:action`. Default none. */
  readonly whiteList?: readonly string[] | undefined;
  /** Results of more tokens than this are stored. Default 30,000. */
  readonly tokenThreshold?: number | undefined;
  /** A stored result shorter than this, in characters, is still returned whole. Default 40,000. */
  readonly inlineChars?: number | undefined;
  /** Counts tokens. Default: the workspace's own counter. */
  readonly countTokens?: CountTokens | undefined;
}

const OPTIONS: OptionNames<ToolResultOffloadOptions> = {
  workspace: true,
  whiteList: true,
  tokenThreshold: true,
  inlineChars: true,
  countTokens: true,
};

/** Whom a result belongs to. */
export interface ToolResultContext {
  /** Stored as metadata `agent_id`. */
  readonly agentId?: string | undefined;
  /** Stored as metadata `task_id`. */
  readonly taskId?: string | undefined;
  /** The session that the result belongs to. Default `"default"`. */
  readonly sessionId?: string | undefined;
  /** Gives this session access to the result, too. */
  readonly parentSessionId?: string | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** What became of one result, and why. */
export interface OffloadDecision {
  /** Whether the content is in the workspace. */
  readonly offloaded: boolean;
  /** The rule that decided. */
  readonly reason: "white_list" | "metadata" | "tokens" | "none";
  readonly artifactId?: string;
  /** Whether the content itself was returned rather than a reference. */
  readonly inline: boolean;
}

/** Decides on single results when they arrive. */
export interface ToolResultOffload {
  /** Decides, stores, and returns what to put into the context. */
  process(
    toolResult: ToolResultInput,
    context?: ToolResultContext,
  ): Promise<{ readonly content: Content; readonly decision: OffloadDecision }>;
}

/** The verdict for a result that is already a reference. */
const NOT_AGAIN = { offload: false, reason: "none" } as const;

/**
 * Decides for each tool result, right after the tool ran, whether to store it in the workspace, and
 * returns what to put into the context: the content itself, or a `<knowledge_list>`.
 *
 * @example
 * const op = createToolResultOffload({ workspace, whiteList: ["browser:snapshot"] });
 * const { content, decision } = await op.process(toolResult, { sessionId: "s1" });
 */
export function createToolResultOffload(options: ToolResultOffloadOptions): ToolResultOffload {
  requireObject("options", options, "an object with a workspace");
  rejectMisspelled(options, OPTIONS);
  const core = coreOf(options.workspace);
  const { storedId = (id: string) => id } = core;
  const ownCounter = options.countTokens ? checkedCounter(options.countTokens) : undefined;
  const countTokens = ownCounter ?? core.countTokens;
  const inlineChars = requireCount("inlineChars", options.inlineChars, DEFAULTS.inlineChars, 0);
  const readingCalls = createReadingCalls(core.toolNames);
  const rules = {
    whiteList: readNames("whiteList", options.whiteList),
    tokenThreshold: requireCount(
      "tokenThreshold",
      options.tokenThreshold,
      DEFAULTS.toolResultTokenThreshold,
      0,
    ),
  };

  return {
    async process(toolResult, given) {
      const context = requireOptions(given);
      context.signal?.throwIfAborted();
      const named = requireToolResult(toolResult);
      const result = named.id === undefined ? named : { ...named, id: storedId(named.id) };
      const { content } = toolResult;
      const { id, chars, toolName } = result;
      const draft = createDraft(
        core.drafting,
        { content, metadata: metadataOf(toolResult, context) },
        { ...context, toolCallId: id, countTokens },
      );
      const reading = readingCalls.guess(toolName, toolResult.input);
      const session =
        reading || looksLikeReference(result.soleText)
          ? await core.listSession(context.sessionId ?? DEFAULTS.session)
          : EMPTY_SESSION;
      const listSession = (child: string) => core.listSession(child);
      const asked = [{ ...result, reading }];
      const answers = await findReadingAnswers(asked, session, listSession, core.readChars);
      const tokens = once(() => (ownCounter ? tokensOf(result, ownCounter) : draft.tokens));
      const candidate: ToolResult = Object.defineProperty(
        { ...result, isReadingAnswer: answers.size > 0 },
        "tokens",
        { get: tokens },
      );
      const isReference = findReferenced(session, result) !== undefined;
      const verdict = isReference ? NOT_AGAIN : judgeByRules(rules, candidate);
      const { reason } = verdict;
      if (!verdict.offload) {
        core.note("skip", "process", {
          biz_id: id ?? null,
          session_id: context.sessionId ?? null,
          tool_name: toolName ?? null,
          chars,
          reason,
        });
        return { content, decision: { offloaded: false, reason, inline: true } };
      }
      const stored = await core.store(draft);
      const { record, reference } = stored;
      // A reference that saves too little is not worth it.
      const isShorter = reference.length < chars && savesEnough(stored.referenceTokens, tokens());
      const inline = chars < inlineChars || !isShorter;
      return {
        content: inline ? content : reference,
        decision: { offloaded: true, reason, artifactId: record.artifactId, inline },
      };
    },
  };
}

function requireToolResult(toolResult: ToolResultInput): ToolResult {
  requireObject("toolResult", toolResult, "an object with toolCallId, toolName and content");
  const { content, metadata, isError = false } = toolResult;
  if (typeof content !== "string" && !Array.isArray(content)) {
    const expected = "a string or an array of content blocks";
    throw new InvalidArgumentError("toolResult.content", content, expected);
  }
  const flag = metadata?.["offload"];
  return {
    messageIndex: 0,
    slot: 0,
    id: readText("toolCallId", toolResult.toolCallId),
    content,
    soleText: typeof content === "string" ? content : undefined,
    chars: countContentChars(content),
    toolName: readText("toolName", toolResult.toolName),
    actionName: readText("actionName", toolResult.actionName),
    offloadFlag: typeof flag === "boolean" ? flag : undefined,
    isError,
  };
}

function metadataOf(
  { toolName, actionName, metadata, isError }: ToolResultInput,
  { agentId, taskId }: ToolResultContext,
): Readonly<Record<string, unknown>> {
  return {
    ...metadata,
    ...(isError === undefined ? {} : { is_error: isError }),
    context_type: "tool_result",
    // Set even when unknown: a tool's own metadata must not set them.
    biz_id: null,
    session_id: null,
    agent_id: agentId ?? null,
    task_id: taskId ?? null,
    tool_name: toolName ?? null,
    action_name: actionName ?? null,
  };
}

function readText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw new InvalidArgumentError(`toolResult.${name}`, value, "a string");
}

function readNames(option: string, given: readonly string[] | undefined): readonly string[] {
  if (given === undefined) return [];
  if (Array.isArray(given) && given.every((name) => typeof name === "string")) return given;
  throw new InvalidArgumentError(option, given, "an array of names: tool, or tool:action");
}
