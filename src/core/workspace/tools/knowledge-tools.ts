import { ContextOffloadError } from "../../errors/context-offload-error.js";
import { messageOf } from "../../errors/message-of.js";
import { InvalidArgumentError } from "../../errors/invalid-argument-error.js";
import type { KnowledgeTool, ToolsOptions } from "./knowledge-tool.js";
import type { ToolNaming } from "../reference/knowledge-list.js";
import { TOOL_NAMES, type NextCall, type Reading, type ToolName } from "../reading/reading.js";
import { renderInfo, renderReading } from "./render-answer.js";
import { ToolInput } from "./tool-input.js";
import { TOOL_DEFINITIONS } from "./tool-schemas.js";
import type { Workspace } from "../workspace-types.js";

interface Call {
  readonly workspace: Workspace;
  readonly input: ToolInput;
  readonly naming: ToolNaming;
  /** What the next call must say again. */
  readonly kept: NextCall["input"];
  readonly scope: {
    readonly sessionId: string | undefined;
    readonly signal: AbortSignal | undefined;
  };
}

const RUN: Readonly<Record<ToolName, (call: Call) => Promise<string>>> = {
  get_knowledge_by_id: async ({ workspace, input, scope, naming, kept }) =>
    renderReading(
      await workspace.getKnowledgeById(input.requiredText("artifact_id"), {
        ...scope,
        ...columnsOf(input),
        view: viewOf(input),
      }),
      naming,
      kept,
    ),

  get_knowledge_by_lines: async ({ workspace, input, scope, naming, kept }) =>
    renderReading(
      await workspace.getKnowledgeByLines(
        input.requiredText("artifact_id"),
        input.requiredCount("start_line"),
        input.requiredCount("end_line"),
        { ...scope, ...columnsOf(input), view: viewOf(input) },
      ),
      naming,
      kept,
    ),

  grep_knowledge: async ({ workspace, input, scope, naming, kept }) =>
    renderReading(
      await workspace.grepKnowledge(
        input.requiredText("artifact_id"),
        input.requiredText("pattern"),
        {
          ...scope,
          view: viewOf(input),
          ignoreCase: input.flag("ignore_case"),
          literal: input.flag("literal"),
          contextBefore: input.count("context_before"),
          contextAfter: input.count("context_after"),
          maxResults: input.count("max_results"),
          startLine: input.count("start_line"),
        },
      ),
      naming,
      kept,
    ),

  query_knowledge: async ({ workspace, input, scope, naming, kept }) =>
    renderReading(
      await workspace.queryKnowledge(input.requiredText("artifact_id"), {
        ...scope,
        pointer: input.text("pointer"),
        fields: input.list("fields"),
        limit: input.count("limit"),
        cursor: input.text("cursor"),
      }),
      naming,
      kept,
    ),

  get_tool_result_offload_info: async ({ workspace, input, scope, naming, kept }) =>
    renderInfo(
      await workspace.getToolResultOffloadInfo({
        ...scope,
        namespace: input.text("namespace"),
        taskId: input.text("task_id"),
        limit: input.count("limit"),
        cursor: input.text("cursor"),
      }),
      naming,
      kept,
    ),
};

/** The five reading tools, under the agent's own names for them. */
export function createKnowledgeTools(
  workspace: Workspace,
  { sessionId }: ToolsOptions,
): readonly KnowledgeTool[] {
  const naming = workspace.notice.toolNames;
  return TOOL_NAMES.flatMap((tool) => {
    const name = naming[tool] ?? tool;
    if (name === false) return [];
    const { description, inputSchema } = TOOL_DEFINITIONS[tool];
    const execute: KnowledgeTool["execute"] = async (raw, options = {}) => {
      try {
        const input = new ToolInput(raw, Object.keys(inputSchema.properties));
        const asked = await narrowSession(workspace, sessionId, input);
        const scope = { sessionId: asked, signal: options.signal };
        const kept = keptOf(tool, input);
        return { text: await RUN[tool]({ workspace, input, naming, kept, scope }), isError: false };
      } catch (error) {
        return { text: explain(error), isError: true };
      }
    };
    return [{ name, description, inputSchema, execute }];
  });
}

/** A model may name a session among those that it may see; any other does not exist for it. */
async function narrowSession(
  workspace: Workspace,
  bound: string | undefined,
  input: ToolInput,
): Promise<string | undefined> {
  const asked = input.text("session_id");
  if (asked === undefined || bound === undefined || asked === bound) return asked ?? bound;
  const seen = await workspace.queryArtifacts(
    { session_id: asked },
    { sessionId: bound, limit: 1 },
  );
  if (seen.artifacts.length > 0) return asked;
  const expected = "left out, or a session whose results can be read from here";
  throw new InvalidArgumentError("session_id", asked, expected);
}

function keptOf(tool: ToolName, input: ToolInput): NextCall["input"] {
  const names = ["session_id", ...(tool === "get_tool_result_offload_info" ? LISTED_BY : [])];
  const given = names.map((name) => [name, input.text(name)] as const);
  return Object.fromEntries(given.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

const LISTED_BY = ["namespace", "task_id", "limit"];

function columnsOf(input: ToolInput): {
  startChar: number | undefined;
  endChar: number | undefined;
} {
  return { startChar: input.count("start_char"), endChar: input.count("end_char") };
}

function viewOf(input: ToolInput): Reading["view"] | undefined {
  return input.choice("view", ["readable", "raw"]);
}

/** Errors speak of the options of the verbs; a model knows the parameters of the tools. */
function explain(error: unknown): string {
  const code = ContextOffloadError.isInstance(error) ? error.code : "FAILED";
  const message = messageOf(error).replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (name) =>
    PARAMETERS.has(snakeCase(name)) ? snakeCase(name) : name,
  );
  return `${code}: ${message}`;
}

const PARAMETERS: ReadonlySet<string> = new Set(
  Object.values(TOOL_DEFINITIONS).flatMap(({ inputSchema }) => Object.keys(inputSchema.properties)),
);

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
