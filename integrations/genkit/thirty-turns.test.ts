import { offloadMiddleware } from "context-offload/genkit";
import { genkit, z, type MessageData } from "genkit";
import { testRequestDropIn } from "../../tests/support/drop-in-conformance.js";
import { playedModel } from "./scripted-model.mjs";

/** As the AI SDK has it: there is no format for Genkit, which has parallel results in the order in which they ended. */
const plain = ({ role, content }: MessageData) => ({
  role: role === "model" ? "assistant" : role,
  content: content
    .map(({ text, toolRequest, toolResponse }) => {
      const { ref: toolCallId = "", name: toolName } = toolRequest ?? toolResponse ?? {};
      const output = { type: "text", value: toolResponse?.output as unknown };
      if (toolResponse) return { type: "tool-result", toolCallId, toolName, output };
      if (toolRequest) return { type: "tool-call", toolCallId, toolName, input: toolRequest.input };
      return { type: "text", toolCallId, text };
    })
    .sort((one, other) => one.toolCallId.localeCompare(other.toolCallId)),
});

for (const keep of ["reference", "original"] as const) {
  testRequestDropIn(`offloadMiddleware with keep: "${keep}"`, {
    format: "ai-sdk",
    giantInMemory: keep,
    start({ offload, saved, reply, fetchLog }) {
      const ai = genkit({});
      const { model } = playedModel(ai, (messages) => {
        const move = reply(messages.filter(({ role }) => role !== "system").map(plain));
        return typeof move === "string"
          ? () => move
          : move.map(({ id, input }) => ({ ref: id, name: "fetch_log", input }));
      });
      const inputSchema = z.object({ day: z.number() });
      const fetchTool = ai.defineTool(
        { name: "fetch_log", description: "Fetches the log.", inputSchema },
        ({ day }) => Promise.resolve(fetchLog(day)),
      );
      let messages = structuredClone(saved) as MessageData[] | undefined;
      const use = offload ? [offloadMiddleware({ ...offload, keep })] : [];
      return {
        async ask(prompt) {
          const opening = messages ? { messages } : { system: "Be brief." };
          ({ messages } = await ai.generate({
            ...{ ...opening, model, prompt, tools: [fetchTool], use },
          }));
        },
        save: () => structuredClone(messages),
      };
    },
  });
}
