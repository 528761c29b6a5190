// What the validators share: reading a request's fields, or rejecting the request.

/** @typedef {Record<string, unknown>} JsonObject */

/** A request that the vendor would answer with status 400. */
export class Refusal extends Error {
  /**
   * @param {string} message
   * @param {string} path Where in the request, such as `messages.2.content.0`.
   */
  constructor(message, path) {
    super(message);
    this.path = path;
  }
}

/** @param {unknown} value @param {string} path @returns {JsonObject} */
export function readObject(value, path) {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return /** @type {JsonObject} */ (value);
  }
  throw new Refusal(`${path}: expected an object, got ${kindOf(value)}`, path);
}

/** @param {unknown} value @param {string} path @returns {unknown[]} */
export function readList(value, path) {
  if (!Array.isArray(value)) {
    throw new Refusal(`${path}: expected an array, got ${kindOf(value)}`, path);
  }
  if (value.length === 0) throw new Refusal(`${path}: expected at least one item`, path);
  return value;
}

/** @param {unknown} value @param {string} path */
export function readString(value, path) {
  if (typeof value === "string") return value;
  throw new Refusal(`${path}: expected a string, got ${kindOf(value)}`, path);
}

/** @param {unknown} value @param {string} path @param {RegExp} pattern */
export function readMatching(value, path, pattern) {
  const text = readString(value, path);
  if (pattern.test(text)) return text;
  throw new Refusal(`${path}: ${JSON.stringify(text)} does not match ${pattern.source}`, path);
}

/**
 * @template {string} Choice
 * @param {unknown} value
 * @param {string} path
 * @param {readonly Choice[]} choices
 * @returns {Choice}
 */
export function readChoice(value, path, choices) {
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  const got = JSON.stringify(value) ?? "nothing";
  throw new Refusal(`${path}: got ${got}, expected one of ${choices.join(", ")}`, path);
}

/** @param {JsonObject} object @param {string} path @param {readonly string[]} keys */
export function allowOnly(object, path, keys) {
  const extra = Object.keys(object).find((key) => !keys.includes(key));
  if (extra === undefined) return;
  throw new Refusal(`${path}.${extra}: extra inputs are not permitted`, `${path}.${extra}`);
}

/** @param {readonly string[]} names @param {string} path */
export function rejectRepeated(names, path) {
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) throw new Refusal(`${path}: ${repeated} is there twice`, path);
}

/** @param {unknown} value */
function kindOf(value) {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}
