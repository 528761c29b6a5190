import { DEFAULTS } from "../../defaults.js";
import type { ToolInputSchema } from "../../engine/format.js";
import type { NextCall, ToolName, View } from "../reading/reading.js";
import type { Workspace } from "../workspace-types.js";
import { renderInfo, renderReading } from "./render-answer.js";
import type { ToolInput } from "./tool-input.js";
import type { ToolNaming } from "./tool-naming.js";

/** One call of a reading tool. */
export interface ReadingToolCall {
  readonly workspace: Workspace;
  readonly input: ToolInput;
  readonly naming: ToolNaming;
  /** What the next call must repeat. */
  readonly kept: NextCall["input"];
  readonly scope: {
    readonly sessionId: string | undefined;
    readonly signal: AbortSignal | undefined;
  };
}

/** A reading tool: what is said of it, and what it does. */
interface ReadingToolSpec {
  /** The tool's description for the model. */
  readonly description: string;
  /** How a reference mentions it, after its name. */
  readonly hint: string;
  /** What the system prompt says about it. */
  readonly prompt: string;
  readonly inputSchema: ToolInputSchema;
  /** Parameters, besides `session_id`, that the next call must repeat. */
  readonly repeats?: readonly string[];
  readonly run: (call: ReadingToolCall) => Promise<string>;
}

const artifact_id = {
  type: "string",
  description: "The id of the stored result, as its reference gives it.",
};
const session_id = {
  type: "string",
  description: "The session that holds it; only needed when several hold this id.",
};
const view = {
  type: "string",
  enum: ["readable", "raw"],
  description:
    "readable (default): JSON indented, text blocks unescaped. raw: the stored text itself.",
};
const fromOne = (description: string) => ({ type: "integer", minimum: 1, description });
const fromZero = (description: string) => ({ type: "integer", minimum: 0, description });
const cursor = { type: "string", description: "The cursor of an earlier answer, to continue." };

function schema(
  properties: ToolInputSchema["properties"],
  required: string[] = ["artifact_id"],
): ToolInputSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The five reading tools. */
export const READING_TOOLS: Readonly<Record<ToolName, ReadingToolSpec>> = {
  get_knowledge_by_id: {
    description:
      "Reads a stored tool result from its start, as much as fits into one answer, or a range of its characters.",
    hint: "(artifact_id) reads it from the start",
    prompt: "reads a result from its start, or a range of its characters",
    inputSchema: schema({
      artifact_id,
      start_char: fromOne("First character to read, counted from 1."),
      end_char: fromOne("Last character to read, inclusive."),
      view,
      session_id,
    }),
    run: async ({ workspace, input, scope, naming, kept }) =>
      renderReading(
        await workspace.getKnowledgeById(input.requiredText("artifact_id"), {
          ...scope,
          ...readCharRange(input),
          view: readView(input),
        }),
        naming,
        kept,
      ),
  },

  get_knowledge_by_lines: {
    description:
      "Reads lines of a stored tool result, counted from 1, both ends inclusive. Continue a line that is too long for one answer with start_char.",
    hint: "(artifact_id, start_line, end_line) reads lines",
    prompt: "reads a range of lines, counted from 1, both ends inclusive",
    inputSchema: schema(
      {
        artifact_id,
        start_line: fromOne("First line."),
        end_line: fromOne("Last line, inclusive."),
        start_char: fromOne("First character to read of start_line, counted from 1."),
        end_char: fromOne(
          "Last character to read of the line, inclusive, when start_line equals end_line.",
        ),
        view,
        session_id,
      },
      ["artifact_id", "start_line", "end_line"],
    ),
    run: async ({ workspace, input, scope, naming, kept }) =>
      renderReading(
        await workspace.getKnowledgeByLines(
          input.requiredText("artifact_id"),
          input.requiredCount("start_line"),
          input.requiredCount("end_line"),
          { ...scope, ...readCharRange(input), view: readView(input) },
        ),
        naming,
        kept,
      ),
  },

  grep_knowledge: {
    description:
      "Finds the lines of a stored tool result that match a JavaScript regular expression, or contain plain text with literal: true. Answers with line numbers.",
    hint: "(artifact_id, pattern) searches it",
    prompt:
      "finds lines by a regular expression, or by plain text with literal: true; start here when you know what you are looking for",
    inputSchema: schema(
      {
        artifact_id,
        pattern: { type: "string", description: "The regular expression, or the plain text." },
        ignore_case: { type: "boolean", description: "Match case-insensitively." },
        literal: { type: "boolean", description: "Treat the pattern as plain text." },
        context_before: fromZero("Lines to show before each match."),
        context_after: fromZero("Lines to show after each match."),
        max_results: fromOne("Maximum number of matches. Default 50."),
        start_line: fromOne("The line to search from. Default 1."),
        view,
        session_id,
      },
      ["artifact_id", "pattern"],
    ),
    run: async ({ workspace, input, scope, naming, kept }) =>
      renderReading(
        await workspace.grepKnowledge(
          input.requiredText("artifact_id"),
          input.requiredText("pattern"),
          {
            ...scope,
            view: readView(input),
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
  },

  query_knowledge: {
    description:
      "Reads part of a stored tool result that is JSON, by a JSON pointer such as /items/0/name. Without a pointer, the whole value, abbreviated.",
    hint: "(artifact_id, pointer) reads a part of JSON",
    prompt:
      "reads a part of a JSON result by a JSON pointer such as /items/0/name; limit and fields keep it short",
    inputSchema: schema({
      artifact_id,
      pointer: { type: "string", description: "An RFC 6901 JSON pointer." },
      fields: {
        type: "array",
        items: { type: "string" },
        description: "Only these keys of the object, or of each object of the array.",
      },
      limit: fromOne("Maximum number of elements of an array. Default 20."),
      cursor,
      session_id,
    }),
    run: async ({ workspace, input, scope, naming, kept }) =>
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
  },

  get_tool_result_offload_info: {
    description: "Lists the stored tool results: id, tool, size and time of each.",
    hint: "() lists everything that was stored",
    prompt: "lists what is stored: artifact_id, tool, size and time of each result",
    inputSchema: schema(
      {
        namespace: { type: "string", description: "The namespace; there is only one." },
        task_id: { type: "string", description: "Only results of this task." },
        session_id: {
          type: "string",
          description: "Only results of this session and of its children.",
        },
        limit: fromOne("Maximum number of results. Default 50."),
        cursor,
      },
      [],
    ),
    repeats: ["namespace", "task_id", "limit"],
    run: async ({ workspace, input, scope, naming, kept }) =>
      renderInfo(
        await workspace.getToolResultOffloadInfo({
          ...scope,
          namespace: input.text("namespace"),
          taskId: input.text("task_id"),
          limit: input.count("limit"),
          cursor: input.text("cursor"),
          maxChars: DEFAULTS.readChars,
        }),
        naming,
        kept,
      ),
  },
};

function readCharRange(input: ToolInput): {
  startChar: number | undefined;
  endChar: number | undefined;
} {
  return { startChar: input.count("start_char"), endChar: input.count("end_char") };
}

function readView(input: ToolInput): View | undefined {
  return input.choice("view", ["readable", "raw"]);
}
