/** What the command `context-offload replay` needs of the replay; the build bundles it. */
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { tidy } from "./conversation.mjs";
import { conversationsIn } from "./conversations.mjs";
import { readAnthropic } from "./readers/anthropic.mjs";
import { readGeminiCli, readGeminiLines } from "./readers/gemini-cli.mjs";
import { readOpenCode } from "./readers/opencode.mjs";
import { readOpenCodeDatabase } from "./readers/opencode-database.mjs";
import { readSessionText } from "./readers/session-text.mjs";

export { renderPicture } from "./picture.mjs";
export { addOutcomes } from "./replay-file.mjs";
export { DEFAULT_SETTINGS } from "./replay-sources.mjs";
export { replayConversation } from "./replay.mjs";
export { createReport } from "./report.mjs";
export { everything } from "./systems/everything.mjs";
export { ours } from "./systems/ours.mjs";

/**
 * The conversations of a file, of a folder in which OpenCode keeps a session, or of its database; `undefined` if there
 * are none in a form that is known.
 *
 * @param {string} path
 * @returns {Promise<import("./conversation.mjs").Conversation[] | undefined>}
 * @throws {import("./readers/unreadable-here-error.mjs").UnreadableHereError}
 */
export async function readSession(path) {
  if ((await stat(path)).isDirectory()) return asOne(await readOpenCode(path), path);
  if (path.endsWith(".db")) {
    const sessions = await readOpenCodeDatabase(path);
    return sessions.flatMap(({ name, items }) => asOne(items, name) ?? []);
  }
  const text = await readSessionText(path);
  const value = parseJson(text);
  const messages = Array.isArray(value) ? value : (value?.messages ?? readGeminiLines(text));
  if (!isMessages(messages)) return conversationsIn(text, path);
  const items = readGeminiCli({ messages }) ?? readAnthropic(messages);
  if (items) return asOne(items, path);
  // Calls and results that stand in blocks of another vendor would be overlooked.
  return messages.some(hasUnknownCalls) ? undefined : conversationsIn(text, path);
}

/** @param {unknown} messages @returns {messages is any[]} */
function isMessages(messages) {
  return Array.isArray(messages) && messages.every((each) => typeof each === "object" && each);
}

/** @param {any} message */
function hasUnknownCalls({ parts, content }) {
  const blocks = [parts, content].flat().filter(Boolean);
  return blocks.some(({ type, functionCall }) => functionCall || /^tool[-_]/.test(type ?? ""));
}

/**
 * @param {import("./conversation.mjs").Item[] | undefined} items
 * @param {string} path
 */
function asOne(items, path) {
  if (!items?.some(({ role }) => role === "assistant")) return undefined;
  return [{ source: "", name: basename(path), items: tidy(items) }];
}

/** @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
