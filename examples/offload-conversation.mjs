// Moves the big tool results of a recorded conversation into files and shows what that saves.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath, URL } from "node:url";
import { offloadToolResults, parseFileReference } from "context-offload";
import { bold, dim, printDepartures, printTotals } from "./print-table.mjs";

/**
 * @typedef {import("context-offload").MessageLike} Message
 * @typedef {{ position: string, tool: string, content: unknown }} ToolResult
 *
 * @typedef {object} Conversation
 * @property {Message[]} messages
 * @property {".json" | ".jsonl"} ending
 * @property {(messages: readonly Message[]) => string} serialize Puts messages into the file's own shape.
 */

const USAGE = "usage: node examples/offload-conversation.mjs [conversation-file] [folder]";
const SAMPLE = fileURLToPath(new URL("conversations/checkout-outage.json", import.meta.url));

/** Something that the person at the terminal can put right. */
class InputError extends Error {}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const line = describeError(error);
  if (line === undefined) throw error;
  console.error(line);
  process.exitCode = 1;
}

/** @param {readonly string[]} args */
async function main(args) {
  if (args.length > 2 || args[0]?.startsWith("-")) throw new InputError(USAGE);
  const input = args[0] ?? SAMPLE;
  const folder = resolve(args[1] ?? join(".offload", basename(input, extname(input))));
  const { messages: before, ending, serialize } = await readConversation(input);
  const output = `${folder}.offloaded${ending}`;
  if (output === resolve(input)) {
    throw new InputError(`${show(input)}: would be overwritten, please name another folder`);
  }

  const { messages: after } = await offloadToolResults(before, { outputDir: folder });
  await mkdir(dirname(output), { recursive: true });
  await writeFile(output, serialize(after));

  const results = listToolResults(before);
  const departures = findDepartures(results, listToolResults(after));
  console.log(`${bold(show(input))}\n`);
  if (departures.length > 0) printDepartures(departures);
  else console.log(`Nothing left the conversation: ${explainStay(results)}.`);
  console.log();
  printTotals({
    messages: before.length,
    left: departures.length,
    stayed: results.length - departures.length,
    charsBefore: JSON.stringify(before).length,
    charsAfter: JSON.stringify(after).length,
  });

  console.log(`\n${dim("new conversation")}  ${show(output)}`);
  const [biggest] = [...departures].sort((one, other) => other.chars - one.chars);
  if (biggest === undefined) return;
  const file = join(folder, parseFileReference(biggest.reference)?.path ?? "");
  const pager = process.platform === "win32" ? "more" : "less";
  console.log(`${dim("what left it")}      ${show(folder)}/`);
  console.log(`${dim("look at one")}       ${pager} "${show(file)}"`);
}

/** @param {string} path @returns {Promise<Conversation>} */
async function readConversation(path) {
  const bytes = await readFile(path).catch((/** @type {unknown} */ cause) => {
    throw new InputError(`${show(path)}: cannot be read: ${describeError(cause)}`, { cause });
  });
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const lines = text.split("\n");
  // One message per line is known by its first line, whatever the file is called.
  const first = parseJson(lines[0] ?? "");
  if (/\.(jsonl|ndjson)$/i.test(path) || isMessage(first)) return parseLines(path, lines);

  const value = parseJson(text);
  if (value instanceof SyntaxError) {
    throw new InputError(`${show(path)}: not JSON: ${oneLine(value.message)}`);
  }
  const indent = (/** @type {unknown} */ json) => `${JSON.stringify(json, null, 1)}\n`;
  if (isList(value)) return { messages: value, ending: ".json", serialize: indent };
  if (isRecord(value) && isList(value["messages"])) {
    const serialize = (/** @type {unknown} */ messages) => indent({ ...value, messages });
    return { messages: value["messages"], ending: ".json", serialize };
  }
  const expected = "an array of messages, an object with `messages`, or one message per line";
  throw new InputError(`${show(path)}: wrong shape, expected ${expected}`);
}

/** @param {string} path @param {readonly string[]} lines @returns {Conversation} */
function parseLines(path, lines) {
  const messages = lines.flatMap((line, at) => {
    if (line.trim() === "") return [];
    const value = parseJson(line);
    if (isMessage(value)) return [value];
    const broken = value instanceof SyntaxError && `not JSON: ${oneLine(value.message)}`;
    throw new InputError(`${show(path)}, line ${at + 1}: ${broken || "not a message"}`);
  });
  return {
    messages,
    ending: ".jsonl",
    serialize: (list) => list.map((message) => `${JSON.stringify(message)}\n`).join(""),
  };
}

/** @param {readonly Message[]} messages @returns {ToolResult[]} */
function listToolResults(messages) {
  const blocks = messages.map((message) => {
    if (typeof message.content !== "string") return message.content;
    return message.role === "tool" ? [{ ...message, type: "tool_result" }] : [];
  });
  /** @type {Map<unknown, string>} */
  const names = new Map();
  for (const block of blocks.flat()) {
    if (block.type !== "tool_use" || !("id" in block) || !("name" in block)) continue;
    if (typeof block.name === "string") names.set(block.id, block.name);
  }
  return blocks.flatMap((list, at) => {
    const results = list.filter(({ type }) => type === "tool_result");
    return results.map((result, nth) => ({
      position: `${at + 1}${results.length > 1 ? `.${nth + 1}` : ""}`,
      tool: ("tool_use_id" in result && names.get(result.tool_use_id)) || "unknown",
      content: "content" in result ? result.content : undefined,
    }));
  });
}

/** @param {readonly ToolResult[]} before @param {readonly ToolResult[]} after */
function findDepartures(before, after) {
  return before.flatMap(({ position, tool, content }, at) => {
    const reference = after[at]?.content;
    if (typeof reference !== "string" || reference === content) return [];
    const chars = typeof content === "string" ? content.length : JSON.stringify(content).length;
    return [{ position, tool, chars, reference }];
  });
}

/** @param {readonly ToolResult[]} results */
function explainStay(results) {
  if (results.length === 0) return "it holds no tool results";
  const isReference = (/** @type {unknown} */ content) =>
    typeof content === "string" && parseFileReference(content) !== undefined;
  if (results.some(({ content }) => isReference(content))) return "what was long has left before";
  return "its tool results are too short, or too small a part of the whole";
}

/** @param {unknown} error @returns {string | undefined} One line, or nothing for a fault of ours. */
function describeError(error) {
  if (error instanceof InputError) return error.message;
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return;
  const { code, message } = error;
  return oneLine(message.startsWith(code) ? message : `${code}: ${message}`);
}

/** @param {string} text @returns {unknown} The value, or the error that says why there is none. */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

/** @param {unknown} value @returns {value is Message[]} Its members are for the library to check. */
function isList(value) {
  return Array.isArray(value);
}

/** @param {unknown} value @returns {value is Message} What it holds is for the library to check. */
function isMessage(value) {
  return isRecord(value) && "role" in value;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/\s+/g, " ");
}

/** @param {string} path */
function show(path) {
  return relative("", path) || ".";
}
