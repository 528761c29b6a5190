import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * A session that OpenCode recorded, by the folder of its messages: each message is a file, and so is each of its
 * parts, in another folder.
 *
 * @param {string} folder `storage/message/<session>`
 * @returns {Promise<import("../conversation.mjs").Item[] | undefined>}
 */
export async function readOpenCode(folder) {
  if (basename(dirname(folder)) !== "message") return undefined;
  const storage = dirname(dirname(folder));
  const messages = await readAll(folder);
  messages.sort((a, b) => (a.time?.created ?? 0) - (b.time?.created ?? 0));
  const whole = messages.map(async (message) => ({
    ...message,
    parts: await readAll(join(storage, "part", String(message.id))),
  }));
  return itemsOfOpenCode(await Promise.all(whole));
}

/**
 * @param {readonly any[]} messages each with its parts
 * @returns {import("../conversation.mjs").Item[]}
 */
export function itemsOfOpenCode(messages) {
  /** @type {import("../conversation.mjs").Item[]} */
  const items = [];
  for (const { role, time, parts } of messages) {
    const at = time?.created;
    const text = parts
      .flatMap((/** @type {any} */ part) => (part.type === "text" ? [part.text] : []))
      .join("\n");
    if (role !== "assistant") {
      items.push({ role: "user", text, at });
      continue;
    }
    /** @type {any[]} */
    const tools = parts.filter((/** @type {any} */ { type }) => type === "tool");
    const calls = tools.map(({ callID, tool, state }) => ({
      ...{ id: callID, name: tool, input: state?.input },
    }));
    items.push({ role: "assistant", text, calls, at });
    for (const { callID, tool, state } of tools) {
      items.push({
        ...{ role: "result", callId: callID, toolName: tool, at },
        ...{ text: state?.output ?? state?.error ?? "", isError: state?.status === "error" },
      });
    }
  }
  return items;
}

/**
 * The objects in a folder, in the order of their names, which is that of their making.
 *
 * @param {string} folder
 * @returns {Promise<any[]>}
 */
async function readAll(folder) {
  const names = await readdir(folder).catch(() => []);
  const json = names.filter((name) => name.endsWith(".json")).sort();
  return Promise.all(
    json.map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8"))),
  );
}
