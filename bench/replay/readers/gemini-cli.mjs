/**
 * A chat that Gemini CLI recorded: calls and their results stand together in the reply that made them.
 *
 * @param {any} value
 * @returns {import("../conversation.mjs").Item[] | undefined}
 */
export function readGeminiCli(value) {
  const messages = value?.messages;
  if (!Array.isArray(messages) || !messages.some(({ type }) => type === "gemini")) return undefined;
  return messages.flatMap(itemsOf);
}

/**
 * The messages of a chat that newer versions of Gemini CLI record line by line: one that changed is written again,
 * and what the user took back is named; `undefined` if it is something else.
 *
 * @param {string} text
 * @returns {any[] | undefined}
 */
export function readGeminiLines(text) {
  if (!text.includes('"gemini"')) return undefined;
  const lines = text.split("\n").flatMap(parseLine);
  if (!lines.some(({ type }) => type === "gemini")) return undefined;
  /** @type {Map<string, any>} */
  const messages = new Map();
  for (const line of lines) {
    const { id, type, $rewindTo: first, $set: changes } = line;
    if (typeof first === "string") {
      const ids = [...messages.keys()];
      for (const gone of ids.slice(ids.indexOf(first))) messages.delete(gone);
    }
    if (Array.isArray(changes?.messages)) {
      messages.clear();
      for (const message of changes.messages) messages.set(message.id, message);
    }
    if (typeof id === "string" && typeof type === "string") messages.set(id, line);
  }
  return [...messages.values()];
}

/** @param {string} line @returns {any[]} */
function parseLine(line) {
  try {
    const value = JSON.parse(line);
    return typeof value === "object" && value ? [value] : [];
  } catch {
    return [];
  }
}

/**
 * @param {any} message
 * @returns {import("../conversation.mjs").Item[]}
 */
function itemsOf({ type, content, toolCalls, timestamp }) {
  const at = Date.parse(timestamp) || undefined;
  const text = textOf(content);
  if (type !== "gemini") return [{ role: "user", text, at }];
  /** @type {any[]} */
  const made = Array.isArray(toolCalls) ? toolCalls : [];
  return [
    {
      role: "assistant",
      text,
      calls: made.map(({ id, name, args }) => ({ id, name, input: args })),
      at,
    },
    ...made.map(({ id, name, result, status }) => ({
      role: /** @type {const} */ ("result"),
      callId: id,
      toolName: name,
      text: textOf(result),
      isError: status === "error",
      at,
    })),
  ];
}

/**
 * @param {any} content
 * @returns {string}
 */
function textOf(content) {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(textOf).join("\n");
  if (typeof content?.text === "string") return content.text;
  const response = content?.functionResponse?.response;
  if (response === undefined) return "";
  return typeof response.output === "string" ? response.output : JSON.stringify(response);
}
