import { parseInput, textOfBlocks, timeOf } from "./blocks.mjs";

/**
 * A session of the Copilot command line.
 *
 * @param {any[]} lines
 * @returns {import("../conversation.mjs").Item[][]}
 */
export function readCopilot(lines) {
  return [lines.flatMap(({ type, data, timestamp }) => readEvent(type, data, timeOf(timestamp)))];
}

/**
 * @param {string} type
 * @param {any} data
 * @param {number | undefined} at
 * @returns {import("../conversation.mjs").Item[]}
 */
function readEvent(type, data, at) {
  switch (type) {
    case "system.message":
    case "user.message":
      return [{ role: "user", text: data.content, at }];
    case "assistant.message": {
      const calls = (data.toolRequests ?? []).map((/** @type {any} */ request) => ({
        id: request.toolCallId,
        name: request.name,
        input: parseInput(request.arguments),
      }));
      return [{ role: "assistant", text: data.content ?? "", calls, at }];
    }
    case "tool.execution_complete": {
      const text = textOfBlocks(data.result?.content ?? data.error?.message);
      const isError = data.success === false;
      return [{ role: "result", callId: data.toolCallId, toolName: "", text, isError, at }];
    }
    default:
      return [];
  }
}
