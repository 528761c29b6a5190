import { Agent } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { createTool } from "@mastra/core/tools";
import { offloadProcessor } from "context-offload/mastra";
import { z } from "zod";
import { testRequestDropIn } from "../../tests/support/drop-in-conformance.js";
import { playedModel } from "./scripted-model.mjs";

/** Mastra notes in a request when each message was made. */
const withoutTimes = (messages: readonly object[]) =>
  JSON.parse(
    JSON.stringify(messages, (key, value: unknown) => (key === "createdAt" ? 0 : value)),
  ) as object[];

for (const kept of ["reference", "original"] as const) {
  testRequestDropIn(`offloadProcessor that saves the ${kept} of a giant`, {
    format: "ai-sdk",
    giantInMemory: kept,
    start({ offload, saved, reply, fetchLog }) {
      const { model } = playedModel((prompt) => {
        const move = reply(withoutTimes(prompt.filter(({ role }) => role !== "system")));
        return typeof move === "string"
          ? () => move
          : move.map(({ id, input }) => ({ toolCallId: id, toolName: "fetch_log", input }));
      });
      const memory =
        (saved as MockMemory | undefined) ?? new MockMemory({ options: { lastMessages: 1_000 } });
      const processors = offload ? [offloadProcessor(offload)] : [];
      const agent = new Agent({
        ...{ id: "analyst", name: "Analyst", instructions: "Be brief.", model, memory },
        tools: {
          fetch_log: createTool({
            ...{ id: "fetch_log", description: "Fetches the log." },
            inputSchema: z.object({ day: z.number() }),
            execute: ({ day }) => Promise.resolve(fetchLog(day)),
          }),
        },
        inputProcessors: processors,
        outputProcessors: kept === "reference" ? processors : [],
      });
      return {
        ask: (question) =>
          agent.generate(question, { memory: { thread: "thread-1", resource: "user-1" } }),
        save: () => memory,
        remembered: () => memory.recall({ threadId: "thread-1", perPage: false }),
      };
    },
  });
}
