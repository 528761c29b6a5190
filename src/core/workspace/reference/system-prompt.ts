import type { NoticeOptions } from "./knowledge-list.js";
import { TOOL_NAMES, type ToolName } from "../reading/reading.js";

const LINES: Readonly<Record<ToolName, string>> = {
  get_tool_result_offload_info:
    "lists what is stored: artifact_id, tool, size and time of each result",
  grep_knowledge:
    "finds lines by a regular expression, or by a plain text with literal: true; start here when you know what you look for",
  get_knowledge_by_lines: "reads a range of lines, counted from 1, both ends included",
  query_knowledge:
    "reads a part of a JSON result by a JSON pointer such as /items/0/name; limit and fields keep it short",
  get_knowledge_by_id: "reads a result from its start, or a range of its characters",
};

/** What to put into an agent's system prompt, so that it knows what a reference is. */
export function systemPrompt({ readBy, toolNames }: NoticeOptions): string {
  const start =
    "Long tool results are stored outside of this conversation. In their place stands a " +
    "<knowledge_list> with the artifact_id, the size and a digest of each. A digest is made without " +
    "reading for meaning: it is no substitute for the content.";
  if (readBy === "none") return start;
  if (readBy === "path") {
    return `${start} The path in it names the file with the whole result; read only the part that you need.`;
  }
  const tools = TOOL_NAMES.flatMap((tool) => {
    const name = toolNames[tool] ?? tool;
    return name === false ? [] : [`- ${name}: ${LINES[tool]}`];
  });
  if (tools.length === 0) return start;
  return [
    `${start} Read only the part that you need:`,
    ...tools,
    "Every answer is capped and says what it left out and which call comes next. What these tools " +
      "answer is never stored again. When an answer says that a result is gone, run the tool again " +
      "instead of asking once more.",
  ].join("\n");
}
