import { READING_TOOLS } from "../tools/reading-tools.js";
import { nameTools } from "../tools/tool-naming.js";
import type { NoticeOptions } from "./knowledge-list.js";

/**
 * The text for an agent's system prompt that explains references. It is part of every request, so it
 * says once what a reference need not repeat, and little that the tools' descriptions say. A
 * reference that is read by path explains itself.
 */
export function systemPrompt({ readBy, toolNames }: NoticeOptions): string {
  if (readBy === "path") return "";
  const start =
    "Long tool results are stored; a <knowledge_list> with artifact_id and digest replaces each. " +
    "A digest is an automatic preview: do not answer from it alone.";
  if (readBy === "none") return start;
  const uses = nameTools(toolNames).flatMap(({ tool, name }) => {
    const { use } = READING_TOOLS[tool];
    return use === undefined ? [] : [`${name} ${use}`];
  });
  return uses.length === 0 ? start : `${start} Read only what you need: ${uses.join(", ")}.`;
}
