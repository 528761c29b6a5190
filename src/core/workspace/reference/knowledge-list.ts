import type { Digest } from "../../lib/digest/digest.js";
import { requireString } from "../../arguments.js";
import { escapeAttribute, escapeMarkup, unescapeMarkup } from "./markup.js";
import { isIdFor, SHOWN_HASH_DIGITS } from "../artifacts/artifact.js";
import { nameTools, type ReadingToolChoice, type ToolNaming } from "../reading/reading.js";
import { READING_TOOLS } from "../tools/reading-tools.js";

/** What a reference says about one artifact. */
export interface KnowledgeEntry {
  readonly artifactId: string;
  /** The hash of the stored content; a reference shows its first digits. */
  readonly hash: string;
  /** Characters and lines of the readable view, which is what the tools number; if known. */
  readonly chars: number | undefined;
  readonly lines: number | undefined;
  /** Tokens of the result, as counted or estimated. */
  readonly tokens: number;
  readonly digest: Digest;
  /** How many equal results, or parts, came before the one that it stands for. Default 0. */
  readonly equalBefore?: number | undefined;
  /** Where the file is; shown when the agent reads by path. */
  readonly path: string;
  /** Shown to an agent whose tools may belong to another process, which does not know its session. */
  readonly sessionId?: string | undefined;
}

/**
 * How the agent reads what was offloaded: with the reading tools, by the file's path, with either (the tools
 * are those of a server that may be missing, and that does not know the session), or not at all.
 */
export type ReadBy = "tools" | "path" | "both" | "none";

/** Whether references name the file. */
export function namesPath(readBy: ReadBy): boolean {
  return readBy === "path" || readBy === "both";
}

/** How an agent reads, and what it calls the tools. */
export interface NoticeOptions {
  readonly readBy: ReadBy;
  readonly toolNames: ToolNaming;
  /** Which of the tools it is told of. Default `"five"`. */
  readonly readingTools?: ReadingToolChoice | "all" | undefined;
}

/** What a reference points to. */
export interface ReferenceTarget {
  readonly artifactId: string;
  /** The first digits of the content's hash; empty where there are none. */
  readonly hash: string;
  /** How many equal ones came before, as the reference says. */
  readonly equalBefore: number;
}

const LIST_START = "<knowledge_list>\n";
const LIST_END = "</knowledge_list>";
const ENTRY_START = "<knowledge ";
const ENTRY_END = "</knowledge>\n";
const ENTRY_TAG = /^<knowledge id="([^"<>]*)"(?: hash="([0-9a-f]{8})(?:\.(\d{1,6}))?")?[^<>]*>\n$/;

/** The reference of a workspace. Escaped, so that no content can end it early or imitate another one. */
export function renderKnowledgeList(
  entries: readonly KnowledgeEntry[],
  notice: NoticeOptions,
): string {
  const rendered = entries.map((entry) => renderEntry(entry, notice.readBy));
  return [LIST_START, ...rendered, ...renderNotice(notice, entries), LIST_END].join("");
}

/** The artifact ids in a text that is a `<knowledge_list>` and nothing else; `undefined` for any other text. */
export function parseKnowledgeList(text: string): readonly string[] | undefined {
  return parseTargets(requireString("text", text))?.map(({ artifactId }) => artifactId);
}

/** Whether a text begins like a reference, so that it is worth asking a store about it. */
export function looksLikeReference(text: string | undefined): boolean {
  return text?.startsWith(LIST_START) === true;
}

/**
 * What a text points to, if it is the reference of this tool call and nothing else. Only the store
 * knows whether there is such an artifact: tool output can lie.
 */
export function parseReference(
  text: string | undefined,
  toolCallId: string | undefined,
): ReferenceTarget | undefined {
  const target = parseSoleReference(text);
  return target && isIdFor(target.artifactId, toolCallId) ? target : undefined;
}

/** What a text points to, if it is one reference and nothing else. */
export function parseSoleReference(text: string | undefined): ReferenceTarget | undefined {
  if (text === undefined) return undefined;
  const [target, ...others] = parseTargets(text, 2) ?? [];
  return target && others.length === 0 && target.hash !== "" ? target : undefined;
}

/** Reads from tag to tag: inside entries, every "<" that begins one of our tags is escaped. */
function parseTargets(text: string, most = Infinity): ReferenceTarget[] | undefined {
  if (!looksLikeReference(text) || !text.endsWith(LIST_END)) return undefined;
  const targets: ReferenceTarget[] = [];
  let at = LIST_START.length;
  while (text.startsWith(ENTRY_START, at) && targets.length < most) {
    const tagEnd = text.indexOf("\n", at) + 1;
    const [tag, id, hash = "", equalBefore = "0"] = ENTRY_TAG.exec(text.slice(at, tagEnd)) ?? [];
    const end = findTag(text, tagEnd);
    if (tag === undefined || !text.startsWith(ENTRY_END, end)) return undefined;
    targets.push({ artifactId: unescapeMarkup(id ?? ""), hash, equalBefore: Number(equalBefore) });
    at = end + ENTRY_END.length;
  }
  const isWhole = findTag(text, at) === text.length - LIST_END.length;
  return targets.length === most || (targets.length > 0 && isWhole) ? targets : undefined;
}

/** Where the next of our tags begins; always at or before the end of the list. */
function findTag(text: string, from: number): number {
  const opening = text.indexOf("<knowledge", from);
  const closing = text.indexOf("</knowledge", from);
  return opening === -1 ? closing : Math.min(opening, closing);
}

function renderEntry(entry: KnowledgeEntry, readBy: ReadBy): string {
  const { equalBefore = 0 } = entry;
  const attributes = {
    id: entry.artifactId,
    hash: entry.hash.slice(0, SHOWN_HASH_DIGITS) + (equalBefore === 0 ? "" : `.${equalBefore}`),
    kind: entry.digest.kind,
    chars: entry.chars,
    lines: entry.lines,
    tokens: entry.tokens,
    session_id: readBy === "both" ? entry.sessionId : undefined,
    path: namesPath(readBy) ? entry.path : undefined,
  };
  const shown = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}="${escapeAttribute(String(value))}"`);
  const { text } = entry.digest;
  const body = text === "" ? "" : `${escapeMarkup(text)}\n`;
  return `${ENTRY_START}${shown.join(" ")}>\n${body}${ENTRY_END}`;
}

/** One short hint; the system prompt explains the rest once. */
function renderNotice(
  { readBy, toolNames, readingTools = "five" }: NoticeOptions,
  entries: readonly KnowledgeEntry[],
): string[] {
  if (readBy === "none") return [];
  const byPath = "Read the file at its path for the rest";
  if (readBy === "path") return [`${byPath}.\n`];
  const isJson = entries.every(({ digest }) => digest.kind === "json");
  const hints = nameTools(toolNames, readingTools)
    .flatMap(({ tool, name }) => {
      const { hint } = READING_TOOLS[tool];
      return hint && (isJson || !hint.isForJson) ? [{ name, place: hint.place }] : [];
    })
    .sort((one, other) => one.place - other.place)
    .slice(0, 2)
    .map(({ name }) => escapeAttribute(name));
  const tools = hints.join(", ");
  if (readBy === "both") return [tools === "" ? `${byPath}.\n` : `${byPath}; or: ${tools}\n`];
  return tools === "" ? [] : [`More: ${tools}\n`];
}
