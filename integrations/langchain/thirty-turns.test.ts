import { MemorySaver } from "@langchain/langgraph";
import { AIMessage, createAgent, fakeModel, HumanMessage, tool, type BaseMessage } from "langchain";
import { offloadMiddleware } from "context-offload/langchain";
import { z } from "zod";
import { testRequestDropIn } from "../../tests/support/drop-in-conformance.js";

/** Without the ids that the framework gives its messages. */
const plain = (message: BaseMessage) => {
  const { type, content, name, tool_calls, tool_call_id } = message as BaseMessage & {
    tool_calls?: { id?: string; name: string; args: unknown }[];
    tool_call_id?: string;
  };
  return { type, content, name, tool_calls, tool_call_id };
};

for (const keep of ["reference", "original"] as const) {
  testRequestDropIn(`offloadMiddleware with keep: "${keep}"`, {
    format: "langchain",
    giantInMemory: keep,
    start({ offload, saved, reply, fetchLog }) {
      const model = fakeModel();
      const respond = (messages: BaseMessage[]) => {
        const move = reply(messages.filter(({ type }) => type !== "system").map(plain));
        return typeof move === "string"
          ? new AIMessage(move)
          : new AIMessage({
              content: "",
              tool_calls: move.map(({ id, input }) => ({ id, name: "fetch_log", args: input })),
            });
      };
      const schema = z.object({ day: z.number() });
      const fetchTool = tool(({ day }) => fetchLog(day), { name: "fetch_log", schema });
      const checkpointer = (saved as MemorySaver | undefined) ?? new MemorySaver();
      const agent = createAgent({
        ...{ model, checkpointer, systemPrompt: "Be brief." },
        tools: [fetchTool],
        middleware: offload ? [offloadMiddleware({ ...offload, keep })] : [],
      });
      const thread = { configurable: { thread_id: "thread-1" } };
      return {
        async ask(question) {
          for (let request = 0; request < 3; request++) model.respond(respond);
          await agent.invoke({ messages: [new HumanMessage(question)] }, thread);
        },
        save: () => checkpointer,
        remembered: async () => ((await agent.getState(thread)) as { values: unknown }).values,
      };
    },
  });
}
