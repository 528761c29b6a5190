import type { ReplayCall, Item } from "./conversation.js";
import { asRecord, parseJson } from "./json.js";
import { parseInput } from "./read-messages.js";

const REACT_CALL = /<tool_call>\s*([\s\S]*?)\s*<\/tool_call>/;
const BASH_CALL = /```bash\n([\s\S]*?)\n?```/;
const RESULT = /^<(?:tool_response|returncode)>/;

interface TextMessage {
  readonly role: string;
  readonly content: string;
}

/**
 * Agents that write their calls into the text, ReAct and mini-SWE-agent, which no format can take:
 * the calls and results get ids of their own, as if they had been real ones. `undefined` for any
 * other text.
 */
export function parseTextResults(text: string): Item[] | undefined {
  const value = parseJson(text);
  const { messages, traj, history } = asRecord(value);
  const list: unknown = Array.isArray(value) ? value : (messages ?? traj ?? history);
  if (!Array.isArray(list) || !list.every(isTextMessage) || !list.slice(1).some(isResult)) {
    return undefined;
  }
  let callId = "";
  let toolName = "";
  return list.map(({ role, content }, index): Item => {
    if (role === "assistant") {
      const call = parseCall(content, `call_${index}`);
      callId = call?.id ?? "";
      toolName = call?.name ?? "";
      const said = content.replace(REACT_CALL, "").replace(BASH_CALL, "").trim();
      return { role: "assistant", text: said, calls: call ? [call] : [] };
    }
    if (callId === "") return { role: "user", text: content };
    const shown = content.replace(/^<tool_response>\n?|\n?<\/tool_response>\s*$/g, "");
    return { role: "result", callId, toolName, text: shown, isError: false };
  });
}

function isTextMessage(message: unknown): message is TextMessage {
  const { role, content } = asRecord(message);
  return typeof role === "string" && typeof content === "string";
}

function isResult({ role, content }: TextMessage): boolean {
  return role === "user" && RESULT.test(content);
}

function parseCall(content: string, id: string): ReplayCall | undefined {
  const react = REACT_CALL.exec(content)?.[1];
  if (react !== undefined) {
    const { name, arguments: args, input } = asRecord(parseInput(react));
    return { id, name: typeof name === "string" ? name : "tool", input: args ?? input };
  }
  const command = BASH_CALL.exec(content)?.[1];
  return command === undefined ? undefined : { id, name: "bash", input: { command } };
}
