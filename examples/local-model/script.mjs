// Plays the model: its next move depends only on the conversation.

/**
 * @typedef {{ tool: string, text: string }} ToolAnswer What a tool answered, as the model sees it.
 * @typedef {{ call: string, input: object } | { say: string }} Move
 * @typedef {(answers: readonly ToolAnswer[]) => Move} Script
 */

/**
 * Fetches a log, searches it if only a reference arrived, and answers from what it read.
 *
 * @type {Script}
 */
export function investigate(answers) {
  const last = answers.at(-1);
  if (last === undefined) return { call: "fetch_log", input: { service: "checkout-api" } };

  // Only a reference has an id; without one, the log itself must be there.
  const artifactId = /<knowledge id="([^"]+)"/.exec(last.text)?.[1];
  if (artifactId !== undefined) {
    return { call: "read_stored", input: { id: artifactId, pattern: "\\bERROR\\b" } };
  }
  const found = /ERROR .*?request_id=(\S+) (.*)/.exec(last.text);
  if (!found) return { say: "I found no failed request." };
  return { say: `Request ${found[1]} failed: ${found[2]}.` };
}
