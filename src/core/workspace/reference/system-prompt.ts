import { nameTools } from "../tools/tool-naming.js";
import type { NoticeOptions } from "./knowledge-list.js";

/**
 * The text for an agent's system prompt that explains references. It is part of every request, so it
 * says once what a reference need not repeat, and nothing that the tools' descriptions say. A
 * reference that is read by path explains itself.
 */
export function systemPrompt({ readBy, toolNames }: NoticeOptions): string {
  if (readBy === "path") return "";
  const start =
    "Long tool results are stored; a <knowledge_list> with artifact_id and digest replaces each. " +
    "A digest is an automatic preview: do not answer from it alone.";
  const tools = readBy === "tools" ? nameTools(toolNames) : [];
  const first = tools.find(({ tool }) => tool === "grep_knowledge") ?? tools[0];
  if (!first) return start;
  return `${start} Read only what you need, ${first.name} first. If a result is gone, run its tool again.`;
}
