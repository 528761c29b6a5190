import type { Digest } from "../../lib/digest/digest.js";
import { isIdFor } from "../artifacts/artifact-id.js";
import { escapeAttribute, escapeMarkup, unescapeMarkup } from "./markup.js";
import { TOOL_NAMES, type ToolName } from "../reading/reading.js";

/** What a reference tells of one artifact. */
export interface KnowledgeEntry {
  readonly artifactId: string;
  readonly tool: string | undefined;
  readonly chars: number;
  /** Lines of the readable view, where they are known. */
  readonly lines: number | undefined;
  readonly tokens: number;
  readonly digest: Digest;
  /** Where the file is; shown when the agent reads by path. */
  readonly path: string;
}

/** How this agent can read what left: by its tools, by the file's path, or not at all. */
export type ReadBy = "tools" | "path" | "none";

/** The agent's own name of each reading tool; `false` for one that it does not have. */
export type ToolNaming = Partial<Record<ToolName, string | false>>;

export interface NoticeOptions {
  readonly readBy: ReadBy;
  readonly toolNames: ToolNaming;
}

/** The reference of a workspace. No content can end it early or pose as another. */
export function renderKnowledgeList(
  entries: readonly KnowledgeEntry[],
  notice: NoticeOptions,
): string {
  const rendered = entries.map((entry) => renderEntry(entry, notice.readBy));
  return ["<knowledge_list>", ...rendered, ...renderNotice(notice), "</knowledge_list>"].join("\n");
}

/** The ids in a text that is a `<knowledge_list>` as a whole. */
export function parseKnowledgeList(text: string): readonly string[] | undefined {
  if (!text.startsWith("<knowledge_list>\n") || !text.endsWith("</knowledge_list>"))
    return undefined;
  // Inside of entries every "<" is escaped, so that this finds each entry and nothing else.
  const whole =
    /^<knowledge_list>\n(?:<knowledge id="[^"<>]*"[^<>]*>\n[^<]*<\/knowledge>\n)+[^<]*<\/knowledge_list>$/;
  if (!whole.test(text)) return undefined;
  return [...text.matchAll(/^<knowledge id="([^"]*)"/gm)].map(([, id]) => unescapeMarkup(id ?? ""));
}

/** Whether a content is, as a whole, the reference of this very tool call. */
export function isKnowledgeListFor(content: unknown, toolCallId: string | undefined): boolean {
  if (typeof content !== "string") return false;
  const ids = parseKnowledgeList(content);
  return ids?.length === 1 && isIdFor(ids[0] ?? "", toolCallId);
}

function renderEntry(entry: KnowledgeEntry, readBy: ReadBy): string {
  const attributes = {
    id: entry.artifactId,
    tool: entry.tool,
    kind: entry.digest.kind,
    chars: entry.chars,
    lines: entry.lines,
    tokens: entry.tokens,
    path: readBy === "path" ? entry.path : undefined,
  };
  const shown = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}="${escapeAttribute(String(value))}"`);
  return `<knowledge ${shown.join(" ")}>\n${escapeMarkup(entry.digest.text)}\n</knowledge>`;
}

const HOW_TO: Readonly<Record<ToolName, string>> = {
  get_knowledge_by_id: "(artifact_id) reads it from the start",
  get_knowledge_by_lines: "(artifact_id, start_line, end_line) reads lines",
  grep_knowledge: "(artifact_id, pattern) searches it",
  query_knowledge: "(artifact_id, pointer) reads a part of JSON",
  get_tool_result_offload_info: "() lists everything that was stored",
};

function renderNotice({ readBy, toolNames }: NoticeOptions): string[] {
  if (readBy === "none") return [];
  const start = "This is a digest; the whole result is stored.";
  if (readBy === "path") return [`${start} Read the file at its path for the rest.`];
  const tools = TOOL_NAMES.flatMap((tool) => {
    const name = toolNames[tool] ?? tool;
    return name === false ? [] : [`${escapeMarkup(name)}${HOW_TO[tool]}`];
  });
  return tools.length === 0 ? [start] : [`${start} ${tools.join("; ")}.`];
}
