import { nonEmptyText } from "../core/lib/text/plain-text.js";
import type {
  Format,
  FormatReadOptions,
  MessageVisitor,
  ToolInputSchema,
} from "../core/engine/format.js";
import {
  asList,
  asRecord,
  countJsonChars,
  isRecord,
  type JsonRecord,
} from "./shared/json-record.js";
import { describeParts, inputsIn, type PartPlace } from "./shared/message-parts.js";
import { firstMismatch } from "./shared/visitors.js";

/** A tool as a session of the Copilot SDK takes it. */
export type CopilotTool = {
  name: string;
  description: string;
  parameters: ToolInputSchema;
  handler: (
    input: unknown,
  ) => Promise<{ textResultForLlm: string; resultType: "success" | "failure" }>;
};

/** The answer to a call: the event that says how it went. */
export type CopilotToolAnswer = {
  type: "tool.execution_complete";
  data: { toolCallId: string } & (
    { success: true; result: { content: string } } | { success: false; error: { message: string } }
  );
};

/** Events that only a session of Copilot has. */
const OWN_EVENT =
  /^(?:session\.(?:start|resume)|(?:user|assistant|system)\.message|tool\.execution_\w+)$/;

/**
 * Events of a Copilot CLI session: requests for tools are part of an `assistant.message`, results are in
 * `tool.execution_complete`. `detailedContent` repeats a result for the screen and is kept.
 */
export const copilotCliFormat = {
  name: "copilot-cli" as const,

  mismatch(events) {
    const why = firstMismatch(events, ({ type, data, timestamp }) =>
      typeof type === "string" && isRecord(data) && typeof timestamp === "string"
        ? undefined
        : "is not an event with a type, data and a timestamp",
    );
    if (why !== undefined || events.length === 0 || events.some(isOwnEvent)) return why;
    return "message 0 and all others are not events of a Copilot session";
  },

  read(event, visitor, options) {
    const { type, data } = asRecord(event);
    const held = asRecord(data);
    const { content, transformedContent } = held;
    if (type === "tool.execution_complete") {
      readResult(held, visitor);
    } else if (type === "assistant.message") {
      visitor.modelMessage();
      readReply(held, visitor, options);
    } else if (type === "user.message" || type === "system.message") {
      visitor.other((nonEmptyText(transformedContent ?? content) ?? "").length);
    }
  },

  replace: (event, texts) => texts.reduce((copy, { text }) => withText(copy, text), event),

  restore: (event, contents) =>
    contents.reduce((copy, { content }) => withText(copy, content), event),

  describeTools: (tools): CopilotTool[] =>
    tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      parameters: tool.inputSchema,
      handler: async (input) => {
        const { text, isError } = await tool.execute(input);
        return { textResultForLlm: text, resultType: isError ? "failure" : "success" };
      },
    })),

  readCall(call) {
    const { toolCallId, name, toolName, arguments: input } = asRecord(call);
    const called = name ?? toolName;
    if (typeof toolCallId !== "string" || typeof called !== "string") return undefined;
    return { name: called, input };
  },

  answerCall(call, { text, isError }): CopilotToolAnswer {
    const toolCallId = nonEmptyText(asRecord(call)["toolCallId"]) ?? "";
    return {
      type: "tool.execution_complete",
      data: isError
        ? { toolCallId, success: false, error: { message: text } }
        : { toolCallId, success: true, result: { content: text } },
    };
  },

  parts: describeParts(({ type, data }): PartPlace[] => {
    const { toolRequests, toolCallId } = asRecord(data);
    if (type === "assistant.message") {
      return inputsIn(toolRequests, ["data", "toolRequests"], "toolCallId", "arguments");
    }
    if (type === "tool.execution_start") {
      return [{ kind: "toolInput", path: ["data", "arguments"], id: nonEmptyText(toolCallId) }];
    }
    if (type !== "user.message") return [];
    // What the user wrote, and what was sent for it.
    return ["content", "transformedContent"].map((key) => ({
      kind: "userMessage",
      path: ["data", key],
    }));
  }),
} satisfies Format;

function isOwnEvent(event: unknown): boolean {
  return OWN_EVENT.test(String(asRecord(event)["type"]));
}

function readReply(
  { content, toolRequests }: JsonRecord,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  visitor.other((nonEmptyText(content) ?? "").length);
  for (const request of asList(toolRequests).map(asRecord)) {
    const { toolCallId, name, arguments: input } = request;
    visitor.call(nonEmptyText(toolCallId), String(name), input);
    if (countOther) visitor.other(countJsonChars(input));
  }
}

function readResult(data: JsonRecord, visitor: MessageVisitor): void {
  const id = nonEmptyText(data["toolCallId"]);
  const [key, field] = fieldsOf(data);
  const text = asRecord(data[key])[field];
  if (typeof text !== "string") {
    visitor.answer?.(id);
    return;
  }
  const isError = data["success"] === false;
  visitor.result({ slot: 0, id, content: text, soleText: text, chars: text.length, isError });
}

/** Where the text for the model is: a failure may have a result as well as an error. */
function fieldsOf({ result }: JsonRecord): readonly [string, string] {
  return isRecord(result) ? ["result", "content"] : ["error", "message"];
}

function withText(event: unknown, text: unknown): JsonRecord {
  const data = asRecord(asRecord(event)["data"]);
  const [key, field] = fieldsOf(data);
  const changed = { ...data, [key]: { ...asRecord(data[key]), [field]: text } };
  return { ...asRecord(event), data: changed };
}
