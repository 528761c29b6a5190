import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import * as zlib from "node:zlib";
import { parseConversation } from "context-offload/formats";
import { tidy, type RecordedConversation, type Item } from "./conversation.js";
import { readOpenCodeDatabase, readOpenCodeFolder } from "./opencode-storage.js";
import { formatNamed, readMessages } from "./read-messages.js";
import { splitRecording } from "./recorded-lines.js";
import { parseTextResults } from "./text-results.js";
import { UnreadableHereError } from "./unreadable-here-error.js";

const FILES = [".json", ".jsonl", ".traj"];

/** Recordings that are counted together. */
export interface Source {
  /** The folder, or the file. */
  readonly name: string;
  readonly files: readonly string[];
}

/** What a recording holds. */
export interface RecordedSession {
  /** Those that have a reply. A compaction starts a new one. */
  readonly conversations: readonly RecordedConversation[];
  /** Whether no format takes it, since its results are text: it can be replayed, but not offloaded. */
  readonly isRejected: boolean;
}

/**
 * The folders below these that hold files of conversations, each a source of its own; a file that is
 * named by itself is one, too.
 */
export async function findSources(paths: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const path of paths) {
    if (!(await stat(path)).isDirectory()) {
      sources.push({ name: basename(path), files: [path] });
      continue;
    }
    const entries = await readdir(path, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const files = entries.filter((entry) => entry.isFile() && FILES.includes(extname(entry.name)));
    if (files.length > 0) {
      sources.push({ name: basename(path), files: files.map(({ name }) => join(path, name)) });
    }
    const folders = entries.filter((entry) => entry.isDirectory());
    sources.push(...(await findSources(folders.map(({ name }) => join(path, name)))));
  }
  return sources;
}

/**
 * Reads a file, a folder in which OpenCode keeps a session, or its database; `undefined` if there is
 * no conversation in a form that is known.
 *
 * @throws {UnreadableHereError} if something on this computer is missing for it.
 */
export async function readSession(path: string): Promise<RecordedSession | undefined> {
  if ((await stat(path)).isDirectory()) {
    const items = await readOpenCodeFolder(path);
    return items && { conversations: conversationsOf(path, [items]), isRejected: false };
  }
  if (path.endsWith(".db")) {
    const sessions = await readOpenCodeDatabase(path);
    const conversations = sessions.flatMap(({ name, items }) => conversationsOf(name, [items]));
    return { conversations, isRejected: false };
  }
  return readSessionText(await readText(path), path);
}

/** The same for a text that was read from there. */
export function readSessionText(text: string, path: string): RecordedSession | undefined {
  const parsed = parse(text);
  if (parsed) {
    const format = formatNamed(parsed.format);
    const parts = splitRecording(parsed.format, parsed.messages);
    const items = parts.map((messages) => readMessages(format, messages));
    return { conversations: conversationsOf(path, items), isRejected: false };
  }
  const items = parseTextResults(text);
  return items && { conversations: conversationsOf(path, [items]), isRejected: true };
}

function parse(text: string) {
  try {
    return parseConversation(text);
  } catch {
    // It is no conversation, or one that cannot be offloaded.
    return undefined;
  }
}

function conversationsOf(
  path: string,
  parts: readonly (readonly Item[])[],
): RecordedConversation[] {
  return parts
    .map((items, index) => ({
      source: basename(dirname(path)),
      name: parts.length === 1 ? basename(path) : `${basename(path)}#${index + 1}`,
      items: tidy(items),
    }))
    .filter(({ items }) => items.some(({ role }) => role === "assistant"));
}

/** Codex compresses sessions that have not been used for a week. */
async function readText(path: string): Promise<string> {
  if (!path.endsWith(".zst")) return readFile(path, "utf8");
  // Older versions of Node, and of its types, do not have it.
  const { zstdDecompressSync } = zlib as {
    zstdDecompressSync?: (bytes: Uint8Array) => Buffer;
  };
  if (!zstdDecompressSync) {
    throw new UnreadableHereError(
      "Codex compresses older sessions; to read them, use Node 22.15 or later",
    );
  }
  return zstdDecompressSync(await readFile(path)).toString("utf8");
}
