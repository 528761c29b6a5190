import type { ToolName } from "../reading/reading.js";

/** The part of JSON Schema that tool definitions need. */
export interface JsonSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
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
const count = (description: string) => ({ type: "integer", minimum: 1, description });
const some = (description: string) => ({ type: "integer", minimum: 0, description });
const cursor = { type: "string", description: "The cursor that an earlier answer gave, to go on." };

function schema(
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = ["artifact_id"],
): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

/** What each tool says of itself to a model. */
export const TOOL_DEFINITIONS: Readonly<
  Record<ToolName, { readonly description: string; readonly inputSchema: JsonSchema }>
> = {
  get_knowledge_by_id: {
    description:
      "Reads a stored tool result from its start, as much as fits into one answer, or a range of its characters.",
    inputSchema: schema({
      artifact_id,
      start_char: count("First character to read, counted from 1."),
      end_char: count("Last character to read, included."),
      view,
      session_id,
    }),
  },
  get_knowledge_by_lines: {
    description:
      "Reads lines of a stored tool result, counted from 1, both ends included. A line that is too long for one answer is read on with start_char.",
    inputSchema: schema(
      {
        artifact_id,
        start_line: count("First line."),
        end_line: count("Last line, included."),
        start_char: count("First character to read of start_line, counted from 1."),
        end_char: count(
          "Last character to read of the line, included, when start_line equals end_line.",
        ),
        view,
        session_id,
      },
      ["artifact_id", "start_line", "end_line"],
    ),
  },
  grep_knowledge: {
    description:
      "Finds the lines of a stored tool result that match a JavaScript regular expression, or hold a plain text with literal: true. Answers with line numbers.",
    inputSchema: schema(
      {
        artifact_id,
        pattern: { type: "string", description: "The regular expression, or the plain text." },
        ignore_case: {
          type: "boolean",
          description: "Whether capital letters count as small ones.",
        },
        literal: { type: "boolean", description: "Takes the pattern as it stands." },
        context_before: some("Lines to show before each match."),
        context_after: some("Lines to show after each match."),
        max_results: count("The most matches to show. Default 50."),
        start_line: count("The line to search from. Default 1."),
        view,
        session_id,
      },
      ["artifact_id", "pattern"],
    ),
  },
  query_knowledge: {
    description:
      "Reads a part of a stored tool result that is JSON, by a JSON pointer such as /items/0/name. Without a pointer, the whole value abbreviated.",
    inputSchema: schema({
      artifact_id,
      pointer: { type: "string", description: "An RFC 6901 JSON pointer." },
      fields: {
        type: "array",
        items: { type: "string" },
        description: "Only these keys of the object, or of each object of the array.",
      },
      limit: count("The most elements of an array. Default 20."),
      cursor,
      session_id,
    }),
  },
  get_tool_result_offload_info: {
    description: "Lists the stored tool results: id, tool, size and time of each.",
    inputSchema: schema(
      {
        namespace: { type: "string", description: "The namespace; there is only one to see." },
        task_id: { type: "string", description: "Only results of this task." },
        session_id: {
          type: "string",
          description: "Only results of this session and of its children.",
        },
        limit: count("The most results to list. Default 50."),
        cursor,
      },
      [],
    ),
  },
};
