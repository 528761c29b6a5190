import { Agent, createTool, InMemoryStorageAdapter, Memory } from "@voltagent/core";
import { offloadAgent } from "context-offload/voltagent";
import { z } from "zod";
import { testRequestDropIn } from "../../tests/support/drop-in-conformance.js";
import { playedModel } from "./scripted-model.mjs";

testRequestDropIn("offloadAgent", {
  format: "ai-sdk",
  giantInMemory: "reference",
  start({ offload, saved, reply, fetchLog }) {
    const { model } = playedModel((prompt) => {
      const move = reply(prompt.filter(({ role }) => role !== "system"));
      return typeof move === "string"
        ? () => move
        : move.map(({ id, input }) => ({ toolCallId: id, toolName: "fetch_log", input }));
    });
    const memory =
      (saved as Memory | undefined) ?? new Memory({ storage: new InMemoryStorageAdapter() });
    const fetchTool = createTool({
      ...{ name: "fetch_log", description: "Fetches the log." },
      parameters: z.object({ day: z.number() }),
      execute: ({ day }) => Promise.resolve(fetchLog(day)),
    });
    const settings = {
      ...{ name: "Analyst", instructions: "Be brief.", model, tools: [fetchTool], memory },
    };
    const agent = new Agent(offload ? offloadAgent(settings, offload) : settings);
    return {
      ask: (question) =>
        agent.generateText(question, {
          ...{ userId: "user-1", conversationId: "chat-1", contextLimit: 1_000 },
        }),
      save: () => memory,
      remembered: () => memory.getMessages("user-1", "chat-1"),
    };
  },
});
