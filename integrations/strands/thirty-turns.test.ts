import * as strands from "@strands-agents/sdk";
import {
  Agent,
  NullConversationManager,
  SessionManager,
  tool,
  type Message,
} from "@strands-agents/sdk";
import { InMemoryStorage } from "@strands-agents/sdk/storage";
import { offloadPlugin } from "context-offload/strands";
import { z } from "zod";
import { testRequestDropIn } from "../../tests/support/drop-in-conformance.js";
import { ScriptedModel } from "./scripted-model.mjs";

for (const keep of ["reference", "original"] as const) {
  testRequestDropIn(`offloadPlugin with keep: "${keep}"`, {
    format: "bedrock",
    giantInMemory: keep,
    start({ offload, saved, reply, fetchLog }) {
      class Played extends ScriptedModel {
        override next(messages: Message[]) {
          const move = reply(messages.map(({ role, content }) => ({ role, content })));
          return typeof move === "string"
            ? () => move
            : move.map(({ id, input }) => ({ toolUseId: id, name: "fetch_log", input }));
        }
      }
      const storage = (saved as InMemoryStorage | undefined) ?? new InMemoryStorage();
      const agent = new Agent({
        ...{ printer: false, systemPrompt: "Be brief.", model: new Played() },
        sessionManager: new SessionManager({ sessionId: "chat-1", storage }),
        conversationManager: new NullConversationManager(),
        tools: [
          tool({
            ...{ name: "fetch_log", description: "Fetches the log." },
            inputSchema: z.object({ day: z.number() }),
            callback: ({ day }) => fetchLog(day),
          }),
        ],
        plugins: offload ? [offloadPlugin(strands, { ...offload, keep })] : [],
      });
      return {
        ask: (question) => agent.invoke(question),
        save: () => storage,
        remembered: () => agent.messages,
      };
    },
  });
}
