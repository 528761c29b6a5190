import { Agent, type AgentMessage, type AgentTool } from "@mariozechner/pi-agent-core";
import { fauxAssistantMessage, fauxToolCall, registerFauxProvider } from "@mariozechner/pi-ai";
import { offloadAgent } from "context-offload/pi";
import { piRecordFormat } from "../../src/formats/pi.js";
import { testRequestDropIn } from "../../tests/support/drop-in-conformance.js";

for (const keep of ["reference", "original"] as const) {
  testRequestDropIn(`offloadAgent with keep: "${keep}"`, {
    format: piRecordFormat,
    giantInMemory: keep,
    start({ offload, saved = [], reply, fetchLog }) {
      const faux = registerFauxProvider();
      const fetchTool: AgentTool = {
        ...{ name: "fetch_log", label: "Fetch", description: "Fetches the log." },
        parameters: { type: "object", properties: {} },
        execute: (_, input) => {
          const text = fetchLog((input as { day: number }).day);
          return Promise.resolve({ content: [{ type: "text", text }], details: {} });
        },
      };
      const initialState = {
        ...{ systemPrompt: "Be brief.", model: faux.getModel(), tools: [fetchTool] },
        messages: structuredClone(saved) as AgentMessage[],
      };
      const settings = { initialState };
      const agent = new Agent(offload ? offloadAgent(settings, { ...offload, keep }) : settings);
      return {
        async ask(question) {
          faux.appendResponses(
            Array.from({ length: 3 }, () => ({ messages }) => {
              // Without times and usage, which differ from run to run.
              const move = reply(
                messages.map(({ timestamp: _, ...message }) =>
                  message.role === "assistant"
                    ? { role: message.role, content: message.content }
                    : message,
                ),
              );
              return typeof move === "string"
                ? fauxAssistantMessage(move)
                : fauxAssistantMessage(
                    move.map(({ id, input }) => fauxToolCall("fetch_log", input, { id })),
                    { stopReason: "toolUse" },
                  );
            }),
          );
          await agent.prompt(question);
        },
        save: () => structuredClone(agent.state.messages),
      };
    },
  });
}
