import type { Content } from "../core/engine/content.js";
import { DEFAULTS } from "../core/defaults.js";
import { InvalidArgumentError } from "../core/errors/invalid-argument-error.js";
import { offload } from "../core/engine/offload.js";
import { toolResultRules, type RuleReason } from "../core/policies/tool-result-rules.js";
import type { CountTokens } from "../core/lib/tokens/estimate-tokens.js";
import { isKnowledgeListFor } from "../core/workspace/reference/knowledge-list.js";
import { TOOL_NAMES } from "../core/workspace/reading/reading.js";
import { requireCount } from "../core/arguments.js";
import type { PutOutcome, Workspace } from "../core/workspace/workspace-types.js";
import { singleResultFormat, type ToolResultInput } from "../formats/single-result.js";

export interface ToolResultOffloadOptions {
  readonly workspace: Workspace;
  /** Tools whose results are always stored: `tool`, or one action of it as `tool:action`. */
  readonly whiteList?: readonly string[] | undefined;
  /** A result of more tokens than this is stored. Default 30,000. */
  readonly tokenThreshold?: number | undefined;
  /** A stored result shorter than this is still handed back as it is. Default 40,000. */
  readonly inlineChars?: number | undefined;
  /** Default: as the workspace counts. */
  readonly countTokens?: CountTokens | undefined;
}

/** Whose result it is. */
export interface ToolResultContext {
  readonly agentId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Lets this session, too, read the result. */
  readonly parentSessionId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OffloadDecision {
  /** Whether the content is in the workspace. */
  readonly offloaded: boolean;
  readonly reason: RuleReason;
  readonly artifactId?: string;
  /** Whether the content itself came back rather than a reference. */
  readonly inline: boolean;
}

export interface ToolResultOffload {
  /** Decides, stores, and returns what belongs into the context. */
  process(
    toolResult: ToolResultInput,
    context?: ToolResultContext,
  ): Promise<{ readonly content: Content; readonly decision: OffloadDecision }>;
}

/** Seed 004: a tool result goes into a workspace as one artifact, right after the tool ran. */
export function wireToolResultOffload(
  options: ToolResultOffloadOptions & { readonly countTokens: CountTokens },
): ToolResultOffload {
  const { workspace, countTokens } = options;
  const inlineChars = requireCount("inlineChars", options.inlineChars, DEFAULTS.inlineChars, 0);
  const policy = toolResultRules({
    whiteList: readNames("whiteList", options.whiteList),
    tokenThreshold: requireCount(
      "tokenThreshold",
      options.tokenThreshold,
      DEFAULTS.tokenThreshold,
      0,
    ),
    countTokens,
    readingTools: readingToolsOf(workspace),
  });

  return {
    async process(toolResult, context = {}) {
      const { plan, departures } = await offload<ToolResultInput, PutOutcome | null>([toolResult], {
        format: singleResultFormat,
        policy,
        reference: {
          render: (stored) => stored?.reference ?? "",
          resolve: ({ content, id }) => (isKnowledgeListFor(content, id) ? null : undefined),
        },
        openSink: () => ({ put: () => storeResult(workspace, toolResult, context) }),
        concurrency: 1,
      });
      const { content } = toolResult;
      const [departure] = departures;
      const stored = departure?.stored;
      if (!departure || !stored) {
        const reason = (plan.verdicts[0]?.reason ?? "none") as RuleReason;
        const [result] = plan.results;
        workspace.noteSkip({
          biz_id: result?.id ?? null,
          session_id: context.sessionId ?? null,
          tool_name: toolResult.toolName ?? null,
          chars: result?.chars ?? 0,
          reason,
        });
        return { content, decision: { offloaded: false, reason, inline: true } };
      }
      const { chars } = departure.result;
      // A reference that is no shorter than what it stands for helps nobody.
      const inline = chars < inlineChars || departure.text.length >= chars;
      return {
        content: inline ? content : departure.text,
        decision: {
          offloaded: true,
          reason: (plan.verdicts[0]?.reason ?? "none") as RuleReason,
          artifactId: stored.record.artifactId,
          inline,
        },
      };
    },
  };
}

function storeResult(
  workspace: Workspace,
  { toolCallId, toolName, actionName, content, metadata, isError }: ToolResultInput,
  { agentId, taskId, sessionId, parentSessionId, signal }: ToolResultContext,
): Promise<PutOutcome> {
  return workspace.put(
    {
      content,
      metadata: {
        ...metadata,
        ...(isError === undefined ? {} : { is_error: isError }),
        context_type: "tool_result",
        // Named even when they are not known: what a tool says of itself must not decide them.
        biz_id: null,
        session_id: null,
        agent_id: agentId ?? null,
        task_id: taskId ?? null,
        tool_name: toolName ?? null,
        action_name: actionName ?? null,
      },
    },
    { toolCallId: toolCallId || undefined, sessionId, parentSessionId, signal },
  );
}

function readNames(option: string, given: readonly string[] | undefined): readonly string[] {
  if (given === undefined) return [];
  if (Array.isArray(given) && given.every((name) => typeof name === "string")) return given;
  throw new InvalidArgumentError(option, given, "an array of names: tool, or tool:action");
}

function readingToolsOf({ notice: { toolNames } }: Workspace): ReadonlySet<string> {
  return new Set(TOOL_NAMES.map((tool) => toolNames[tool] || tool));
}
