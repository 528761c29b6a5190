/** An object whose fields are unknown. */
export type JsonRecord = Readonly<Record<string, unknown>>;

const EMPTY: JsonRecord = Object.freeze({});

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, otherwise an empty object, so that its fields read as missing. */
export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : EMPTY;
}

/** The value if it is an array, otherwise an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The length of the value as JSON; 0 if it cannot be serialized. */
export function countJsonChars(value: unknown): number {
  try {
    return (JSON.stringify(value) as string | undefined)?.length ?? 0;
  } catch {
    return 0;
  }
}

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
