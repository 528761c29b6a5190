/**
 * A recorded conversation in a form of no vendor.
 *
 * @typedef {{ id: string, name: string, input: unknown }} Call
 * @typedef {{ role: "user", text: string, at?: number | undefined }} UserItem
 * @typedef {{ role: "assistant", text: string, calls: Call[], at?: number | undefined, isReading?: boolean }} AssistantItem
 * @typedef {object} ResultItem
 * @property {"result"} role
 * @property {string} callId
 * @property {string} toolName
 * @property {string} text
 * @property {boolean} isError
 * @property {number | undefined} [at]
 * @property {string} [found] of the answer of a reading tool, what it brought back
 * @typedef {UserItem | AssistantItem | ResultItem} Item
 *
 * @typedef {object} Conversation
 * @property {string} source the folder that it is from
 * @property {string} name
 * @property {Item[]} items
 */

/**
 * What an item says; of a call, the values of its arguments.
 *
 * @param {Item} item
 */
export function textOf(item) {
  if (item.role !== "assistant") return item.text;
  return [item.text, ...item.calls.flatMap(({ input }) => valuesOf(input))].join("\n");
}

/**
 * @param {unknown} value
 * @returns {string[]}
 */
function valuesOf(value) {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(valuesOf);
}

/**
 * Valid for every vendor: no empty items, and only results of calls that were made before.
 *
 * @param {readonly Item[]} items
 * @returns {Item[]}
 */
export function tidy(items) {
  /** @type {Map<string, string>} */
  const names = new Map();
  /** @type {Item[]} */
  const kept = [];
  for (const item of items) {
    if (item.role === "assistant") {
      for (const { id, name } of item.calls) names.set(id, name);
      if (item.text.trim() !== "" || item.calls.length > 0) kept.push(item);
    } else if (item.role === "user") {
      if (item.text.trim() !== "") kept.push(item);
    } else if (names.has(item.callId)) {
      kept.push({ ...item, toolName: names.get(item.callId) ?? item.toolName });
    } else kept.push({ role: "user", text: item.text, at: item.at });
  }
  return kept;
}
