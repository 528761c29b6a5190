import { READING_TOOLS } from "../tools/reading-tools.js";
import { nameTools } from "../tools/tool-naming.js";
import type { NoticeOptions } from "./knowledge-list.js";

/** The text for an agent's system prompt that explains references. */
export function systemPrompt({ readBy, toolNames }: NoticeOptions): string {
  const start =
    "Long tool results are stored outside of this conversation. Each is replaced by a " +
    "<knowledge_list> with its artifact_id, its size and a digest. A digest is an automatic " +
    "preview; do not answer from it alone.";
  if (readBy === "none") return start;
  if (readBy === "path") {
    return `${start} Its path is the file with the whole result; read only the part that you need.`;
  }
  const tools = nameTools(toolNames).map(
    ({ tool, name }) => `- ${name}: ${READING_TOOLS[tool].prompt}`,
  );
  if (tools.length === 0) return start;
  return [
    `${start} Read only the part that you need:`,
    ...tools,
    "Every answer is capped, and says what it left out and which call comes next. Results of these " +
      "tools are never offloaded. When an answer says that a result is gone, run the original tool " +
      "again; retrying will not help.",
  ].join("\n");
}
