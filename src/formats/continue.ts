import { OPENAI_PARTS } from "./shared/openai-parts.js";
import { asList, asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { inputsIn, textsOf } from "./shared/message-parts.js";
import { createRecordFormat, type RecordedCall } from "./shared/record-format.js";
import { firstMismatch } from "./shared/visitors.js";

/** The answer to a call: a separate item. */
export type ContinueToolAnswer = {
  message: { role: "tool"; toolCallId: string; content: string };
  contextItems: [];
};

const ROLES: readonly unknown[] = ["system", "user", "assistant", "thinking", "tool"];

/**
 * Continue sessions: a result is an item of role `tool`, the output in the state of a call, or both.
 * An output is a list of items, each of which has its own content.
 */
export const continueFormat = createRecordFormat({
  name: "continue",
  blocks: OPENAI_PARTS,

  mismatch: (items) =>
    firstMismatch(items, ({ message, contextItems }) => {
      if (!isRecord(message) || !Array.isArray(contextItems))
        return "has no message and contextItems";
      const { role } = message;
      return ROLES.includes(role) ? undefined : `has the role ${JSON.stringify(role)}`;
    }),

  read({ message, toolCallStates }, reader) {
    const { role, content, toolCalls, toolCallId } = asRecord(message);
    if (role === "assistant" || role === "thinking") reader.model();
    if (role === "tool") {
      reader.result(["message", "content"], { id: toolCallId });
    } else {
      const parts = typeof content === "string" ? [content] : asList(content);
      for (const part of parts) reader.other(asRecord(part)["text"] ?? part);
    }
    const states = asList(toolCallStates).map(asRecord);
    const calls = Array.isArray(toolCalls) ? toolCalls : states.map(({ toolCall }) => toolCall);
    for (const call of calls) reader.call(readToolCall(asRecord(call)));
    for (const [index, { toolCallId: id, status, output }] of states.entries()) {
      for (const at of asList(output).keys()) {
        const path = ["toolCallStates", index, "output", at, "content"];
        reader.result(path, { id, isError: status === "errored" });
      }
    }
  },

  /** The state of a call repeats its input, as text and as an object. */
  parts({ message, toolCallStates }) {
    const { role, content, toolCalls } = asRecord(message);
    if (role === "user") return textsOf(content, ["message", "content"], /^text$/);
    const states = ["toolCallStates"];
    const argumentsPath = ["function", "arguments"];
    return [
      ...inputsIn(toolCalls, ["message", "toolCalls"], "id", ...argumentsPath),
      ...inputsIn(toolCallStates, states, "toolCallId", "toolCall", ...argumentsPath),
      ...inputsIn(toolCallStates, states, "toolCallId", "parsedArgs"),
    ];
  },

  readCall: readToolCall,

  answerCall: ({ id }, { text }): ContinueToolAnswer => ({
    message: { role: "tool", toolCallId: id, content: text },
    contextItems: [],
  }),
});

function readToolCall({ id, function: called }: JsonRecord): RecordedCall {
  const { name, arguments: input } = asRecord(called);
  return { id, name, input: input };
}
