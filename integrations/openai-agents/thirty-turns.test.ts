import { Agent, MemorySession, Runner, setTracingDisabled, tool } from "@openai/agents";
import {
  assistantMessage,
  functionCall,
  modelResponder,
  ScriptedModel,
} from "@openai/agents/testing";
import { offloadFilter } from "context-offload/openai-agents";
import { z } from "zod";
import { testRequestDropIn } from "../../tests/support/drop-in-conformance.js";

setTracingDisabled(true);

testRequestDropIn("offloadFilter", {
  format: "openai-agents",
  giantInMemory: "original",
  start({ offload, saved, reply, fetchLog }) {
    const session = (saved as MemorySession | undefined) ?? new MemorySession();
    const respond = modelResponder(({ request }) => {
      // The SDK drops the ids of calls from the second turn on; their call ids are kept.
      const items = request.input as { id?: string }[];
      const move = reply(items.map(({ id: _, ...item }) => item));
      return typeof move === "string"
        ? [assistantMessage(move)]
        : move.map(({ id, input }) => functionCall("fetch_log", { ...input }, { callId: id }));
    });
    const model = new ScriptedModel(Array.from({ length: 100 }, () => respond));
    const callModelInputFilter = offload && offloadFilter(offload);
    const fetchTool = tool({
      ...{ name: "fetch_log", description: "Fetches the log." },
      parameters: z.object({ day: z.number() }),
      execute: ({ day }) => fetchLog(day),
    });
    const agent = new Agent({
      ...{ name: "Analyst", model, instructions: "Be brief." },
      tools: [fetchTool, ...(callModelInputFilter?.tools ?? [])],
    });
    const runner = new Runner(callModelInputFilter ? { callModelInputFilter } : {});
    return {
      ask: (question) => runner.run(agent, question, { session }),
      save: () => session,
      remembered: () => session.getItems(),
    };
  },
});
