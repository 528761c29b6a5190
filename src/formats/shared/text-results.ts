import { asList, asRecord } from "./json-record.js";

/** The start of a user message that contains a tool's output: ReAct agents, Cline, SWE-agent. */
const TEXT_RESULT =
  /^\s*(?:<tool_response>|<returncode>|<observation>|observation:|\[[\w-]+(?: for [^\]\n]*)?\] Result:)/i;

/** The end of a shell's output in SWE-agent. */
const SHELL_PROMPT = /\n\(Current directory: [^\n]*\)\nbash-\$\s*$/;

/**
 * Detects conversations whose tool results are plain text in user messages, without the id of the
 * call that each answers: nothing could be restored there.
 */
export function findTextResults(messages: readonly unknown[]): string | undefined {
  let answers = 0;
  let results = 0;
  for (const [index, message] of messages.entries()) {
    const { role, tool_calls, content, message_type } = asRecord(message);
    if (role === "tool" || tool_calls !== undefined) return undefined;
    if (role !== "user" || asRecord(messages[index - 1])["role"] !== "assistant") continue;
    answers++;
    const text = firstText(content);
    const isResult = TEXT_RESULT.test(text) || SHELL_PROMPT.test(text);
    if (isResult || message_type === "observation") results++;
  }
  if (results === 0 || results * 2 < answers) return undefined;
  return (
    `its tool results (${results}) are plain text in user messages, ` +
    "without the id of the call that each one answers, so none could be put back into its place"
  );
}

function firstText(content: unknown): string {
  if (typeof content === "string") return content;
  const { type, text } = asRecord(asList(content)[0]);
  return type === "text" && typeof text === "string" ? text : "";
}
