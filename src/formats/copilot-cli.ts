import type { Format, ToolInputSchema } from "../core/engine/format.js";
import { nonEmptyText } from "../core/lib/json/plain-json.js";
import { asList, asRecord, isRecord } from "./shared/json-record.js";
import { inputsIn, type PartPlace } from "./shared/message-parts.js";
import { createRecordFormat } from "./shared/record-format.js";
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

const EVENTS = createRecordFormat({
  name: "copilot-cli",

  mismatch(events) {
    const why = firstMismatch(events, ({ type, data, timestamp }) =>
      typeof type === "string" && isRecord(data) && typeof timestamp === "string"
        ? undefined
        : "is not an event with a type, data and a timestamp",
    );
    if (why !== undefined || events.length === 0 || events.some(isOwnEvent)) return why;
    return "message 0 and all others are not events of a Copilot session";
  },

  read({ type, data }, reader) {
    const { content, transformedContent, toolRequests, ...held } = asRecord(data);
    if (type === "tool.execution_complete") {
      // A failure may have a result as well as an error.
      const path = isRecord(held["result"]) ? ["result", "content"] : ["error", "message"];
      const about = { id: held["toolCallId"], isError: held["success"] === false };
      reader.result(["data", ...path], about);
    } else if (type === "assistant.message") {
      reader.model();
      reader.other(nonEmptyText(content));
      for (const { toolCallId: id, name, arguments: input } of asList(toolRequests).map(asRecord)) {
        reader.call({ id, name, input });
      }
    } else if (type === "user.message" || type === "system.message") {
      reader.other(nonEmptyText(transformedContent ?? content));
    }
  },

  parts({ type, data }): PartPlace[] {
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
  },

  readCall: ({ toolCallId: id, name, toolName, arguments: input }) =>
    typeof id === "string" ? { id, name: name ?? toolName, input } : undefined,

  answerCall: ({ id: toolCallId }, { text, isError }): CopilotToolAnswer => ({
    type: "tool.execution_complete",
    data: isError
      ? { toolCallId, success: false, error: { message: text } }
      : { toolCallId, success: true, result: { content: text } },
  }),
});

/**
 * Events of a Copilot CLI session: requests for tools are part of an `assistant.message`, results are in
 * `tool.execution_complete`. `detailedContent` repeats a result for the screen and is kept.
 */
export const copilotCliFormat = {
  ...EVENTS,
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
} satisfies Format;

function isOwnEvent(event: unknown): boolean {
  return OWN_EVENT.test(String(asRecord(event)["type"]));
}
