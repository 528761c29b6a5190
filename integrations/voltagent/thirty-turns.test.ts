import { setTimeout } from "node:timers/promises";
import { Agent, createTool, InMemoryStorageAdapter, Memory } from "@voltagent/core";
import { offloadAgent } from "context-offload/voltagent";
import { z } from "zod";
import { testRequestDropIn } from "../../tests/support/drop-in-conformance.js";
import { playedModel } from "./scripted-model.mjs";

const withoutField = (prompt: readonly { role: string }[], field: string) =>
  JSON.parse(
    JSON.stringify(prompt, (key, value: unknown) => (key === field ? undefined : value)),
  ) as { role: string }[];

/** VoltAgent itself sends the AI SDK's description of a result as JSON from the second call on. */
const asFirstSent = (message: object) =>
  JSON.parse(
    JSON.stringify(message, (_, value: { type?: string; value?: { type?: string } } | null) =>
      value?.type === "json" && value.value?.type === "text" ? value.value : value,
    ),
  ) as object;

testRequestDropIn("offloadAgent", {
  format: "ai-sdk",
  giantInMemory: "reference",
  start({ offload, saved, reply, fetchLog }) {
    const { model } = playedModel((prompt) => {
      // From the second call on, calls have this field; providers do not send it.
      const messages = withoutField(prompt, "providerExecuted").filter(
        ({ role }) => role !== "system",
      );
      const move = reply(offload ? messages : messages.map(asFirstSent));
      return typeof move === "string"
        ? () => move
        : move.map(({ id, input }) => ({ toolCallId: id, toolName: "fetch_log", input }));
    });
    const memory =
      (saved as Memory | undefined) ?? new Memory({ storage: new InMemoryStorageAdapter() });
    let asked = "";
    const remembered = async () => JSON.stringify(await memory.getMessages("user-1", "chat-1"));
    const fetchTool = createTool({
      ...{ name: "fetch_log", description: "Fetches the log." },
      parameters: z.object({ day: z.number() }),
      async execute({ day }) {
        // The question is saved meanwhile, and messages are sorted by the time at which they were.
        while (!(await remembered()).includes(asked)) await setTimeout(1);
        return fetchLog(day);
      },
    });
    const settings = {
      ...{ name: "Analyst", instructions: "Be brief.", model, tools: [fetchTool], memory },
    };
    const agent = new Agent(offload ? offloadAgent(settings, offload) : settings);
    return {
      ask(question) {
        asked = question;
        const chat = { userId: "user-1", conversationId: "chat-1", contextLimit: 1_000 };
        return agent.generateText(question, chat);
      },
      save: () => memory,
      remembered: async () => JSON.parse(await remembered()) as unknown,
    };
  },
});
