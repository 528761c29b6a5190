import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { tidy } from "./conversation.mjs";
import { readChat } from "./readers/chat.mjs";
import { readClaudeCode } from "./readers/claude-code.mjs";
import { readCodex } from "./readers/codex.mjs";
import { readCopilot } from "./readers/copilot.mjs";
import { readPi } from "./readers/pi.mjs";
import { hasTextResults, readTextResults } from "./readers/text-results.mjs";

const FILES = [".json", ".jsonl", ".traj"];

/**
 * @typedef {object} Source
 * @property {string} name the folder, or the file
 * @property {string[]} files
 */

/**
 * The folders below these that hold files of conversations, each a source of its own; a file that is
 * named by itself is one, too.
 *
 * @param {readonly string[]} paths
 * @returns {Promise<Source[]>}
 */
export async function findSources(paths) {
  /** @type {Source[]} */
  const sources = [];
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
 * The conversations of a file that have a reply; a compaction starts a new one. Resolves to
 * `undefined` if the file is not a conversation in a known form.
 *
 * @param {string} path
 * @returns {Promise<import("./conversation.mjs").Conversation[] | undefined>}
 */
export async function readConversations(path) {
  return conversationsIn(await readFile(path, "utf8"), path);
}

/**
 * The same for a text that was read from there.
 *
 * @param {string} text
 * @param {string} path
 * @returns {import("./conversation.mjs").Conversation[] | undefined}
 */
export function conversationsIn(text, path) {
  const read = parseConversations(text);
  const source = basename(dirname(path));
  return read
    ?.map((items, index) => ({
      source,
      name: read.length === 1 ? basename(path) : `${basename(path)}#${index + 1}`,
      items: tidy(items),
    }))
    .filter(({ items }) => items.some(({ role }) => role === "assistant"));
}

/**
 * @param {string} text
 * @returns {import("./conversation.mjs").Item[][] | undefined}
 */
export function parseConversations(text) {
  const value = parseJson(text);
  const messages = Array.isArray(value)
    ? value
    : (value?.messages ?? value?.traj ?? value?.history ?? undefined);
  if (Array.isArray(messages)) {
    if (!messages.every((message) => typeof message?.role === "string")) return undefined;
    return [hasTextResults(messages) ? readTextResults(messages) : readChat(messages)];
  }
  const lines = text.split("\n").map(parseJson).filter(Boolean);
  const types = new Set(lines.map(({ type }) => type));
  if (types.has("response_item")) return readCodex(lines);
  if (types.has("assistant.message")) return readCopilot(lines);
  if (types.has("session") && types.has("message")) return readPi(lines);
  const isClaude = lines.some(({ type, message }) => type === "assistant" && message?.content);
  return isClaude ? readClaudeCode(lines) : undefined;
}

/** @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
