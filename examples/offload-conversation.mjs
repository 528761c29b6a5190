// Offloads the large tool results of a recorded conversation, in any format that the package takes,
// and shows what that saves, what the model sees instead, and how it continues to read.

import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath, URL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { createOffloader, parseConversation } from "context-offload";
import { bold, countOf, dim, printOffloaded, printTotals } from "./print-table.mjs";
import { showLargest } from "./show-largest.mjs";

const USAGE = "usage: npm start -- [conversation file, JSON or JSONL] [folder]";
const SAMPLE = fileURLToPath(new URL("conversations/checkout-outage.json", import.meta.url));

/** Something that the person at the terminal can fix. */
class InputError extends Error {}

// A reader such as `head` may close the pipe early.
process.stdout.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

try {
  await main(process.argv.slice(2));
} catch (error) {
  const text = describeError(error);
  if (text === undefined) throw error;
  console.error(text);
  process.exitCode = 1;
}

/** @param {readonly string[]} args */
async function main(args) {
  if (args.length > 2 || args[0]?.startsWith("-")) throw new InputError(USAGE);
  const input = args[0] ?? SAMPLE;
  const folder = resolve(args[1] ?? join(".offload", basename(input, extname(input))));
  const output = `${folder}.offloaded${extname(input) || ".json"}`;
  const { format, messages: before, stringify } = await readConversation(input);
  if (await isSameFile(input, output)) {
    throw new InputError(`${show(input)}: would be overwritten; please name another folder`);
  }

  const offloader = createOffloader({ root: folder, sessionId: "session-1", format });
  const { messages: after, report } = await offloader.offload(before);
  const changed = [...after.keys()].filter((at) => after[at] !== before[at]);
  const restored = await offloader.restore(changed.map((at) => after[at]));
  if (!changed.every((at, nth) => isDeepStrictEqual(restored[nth], before[at]))) {
    throw new Error("the restored messages differ from the original ones");
  }
  await mkdir(dirname(output), { recursive: true });
  await writeFile(output, stringify(after));

  const { results, totals } = report;
  const offloaded = results.filter(({ outcome }) => outcome === "offloaded");
  const found = `${countOf(before.length, "message")}, ${countOf(totals.results, "tool result")}`;
  const earlier = totals.references > 0 ? `${totals.references} offloaded before, ` : "";
  console.log(bold(show(input)));
  console.log(
    `format ${format}, ${found}: ${totals.offloaded} offloaded, ${earlier}${totals.kept} kept\n`,
  );
  if (offloaded.length > 0) printOffloaded(offloaded);
  else console.log(`Nothing was offloaded: ${explainKept(results)}.`);
  printTotals(before, after);
  if (offloaded.length > 0) await showLargest(offloader.workspace, "session-1", offloaded);

  console.log(`\n${dim("restored")}          every message, exactly as it was`);
  console.log(`${dim("new conversation")}  ${show(output)}`);
  if (offloaded.length > 0) console.log(`${dim("offloaded to")}      ${show(folder)}/`);
}

/** @param {string} path */
async function readConversation(path) {
  const text = await readFile(path, "utf8").catch((/** @type {unknown} */ cause) => {
    throw new InputError(`${show(path)}: cannot be read: ${describeError(cause)}`, { cause });
  });
  try {
    return parseMessageLines(text) ?? parseConversation(text);
  } catch (cause) {
    const why = describeError(cause);
    if (why === undefined) throw cause;
    throw new InputError(`${show(path)}: ${why}`, { cause });
  }
}

/**
 * A file with one message per line. Its lines are parsed here, since the package takes an array of
 * messages.
 *
 * @param {string} text
 */
function parseMessageLines(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const messages = lines.map(parseMessage);
  if (messages.length < 2 || messages.includes(undefined)) return undefined;
  return {
    ...parseConversation(messages),
    stringify: (/** @type {readonly unknown[]} */ list) =>
      list.map((message) => `${JSON.stringify(message)}\n`).join(""),
  };
}

/** @param {string} line @returns {unknown} */
function parseMessage(line) {
  try {
    const value = JSON.parse(line);
    return typeof value?.role === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether writing to one path would change the other: the same name, or a link to the same file. */
async function isSameFile(/** @type {string} */ one, /** @type {string} */ other) {
  const [first, second] = await Promise.all(
    [one, other].map((path) => stat(path, { bigint: true }).catch(() => undefined)),
  );
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

/** @param {readonly import("context-offload").ResultReport[]} results */
function explainKept(results) {
  if (results.length === 0) return "it has no tool results";
  const reasons = new Set(results.map(({ reason }) => reason));
  return `${results.length === 1 ? "the reason is" : "the reasons are"} ${[...reasons].join("; ")}`;
}

/** @param {unknown} error @returns {string | undefined} Its text, or nothing for a fault of this program. */
function describeError(error) {
  if (error instanceof InputError) return error.message;
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return;
  return error.message.startsWith(error.code) ? error.message : `${error.code}: ${error.message}`;
}

/** @param {string} path */
function show(path) {
  return relative("", path) || ".";
}
