/**
 * The text of content that is a string or a list of blocks; media have none.
 *
 * @param {unknown} content
 * @returns {string}
 */
export function textOfBlocks(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block) => (typeof block === "string" ? block : block?.text))
    .filter((text) => typeof text === "string")
    .join("\n");
}

/**
 * Arguments of a call, which some vendors write as JSON text.
 *
 * @param {unknown} input
 */
export function parseInput(input) {
  if (typeof input !== "string") return input ?? {};
  try {
    return JSON.parse(input);
  } catch {
    return { input };
  }
}

/**
 * @param {unknown} timestamp
 * @returns {number | undefined} in milliseconds
 */
export function timeOf(timestamp) {
  const at = typeof timestamp === "number" ? timestamp : Date.parse(String(timestamp));
  return Number.isFinite(at) ? at : undefined;
}
