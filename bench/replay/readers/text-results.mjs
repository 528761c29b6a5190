import { parseInput } from "./blocks.mjs";

const REACT_CALL = /<tool_call>\s*([\s\S]*?)\s*<\/tool_call>/;
const BASH_CALL = /```bash\n([\s\S]*?)\n?```/;

/** @param {any[]} messages whether their results are texts in user messages */
export function hasTextResults(messages) {
  return messages.slice(1).some(({ role, content }) => role === "user" && isResult(content));
}

/** @param {unknown} content */
function isResult(content) {
  return typeof content === "string" && /^<(?:tool_response|returncode)>/.test(content);
}

/**
 * Agents that write their calls into the text, ReAct and mini-SWE-agent: the calls and results get ids
 * of their own, as if they had been real ones.
 *
 * @param {any[]} messages
 * @returns {import("../conversation.mjs").Item[]}
 */
export function readTextResults(messages) {
  let callId = "";
  let toolName = "";
  return messages.map(({ role, content }, index) => {
    if (role === "assistant") {
      const call = readCall(content, `call_${index}`);
      callId = call?.id ?? "";
      toolName = call?.name ?? "";
      const text = content.replace(REACT_CALL, "").replace(BASH_CALL, "").trim();
      return { role: "assistant", text, calls: call ? [call] : [] };
    }
    if (callId === "") return { role: "user", text: content };
    const text = content.replace(/^<tool_response>\n?|\n?<\/tool_response>\s*$/g, "");
    return { role: "result", callId, toolName, text, isError: false };
  });
}

/**
 * @param {string} content
 * @param {string} id
 * @returns {import("../conversation.mjs").Call | undefined}
 */
function readCall(content, id) {
  const react = REACT_CALL.exec(content)?.[1];
  if (react !== undefined) {
    const call = parseInput(react);
    return { id, name: call.name ?? "tool", input: call.arguments ?? call.input };
  }
  const command = BASH_CALL.exec(content)?.[1];
  return command === undefined ? undefined : { id, name: "bash", input: { command } };
}
