import { BaseLlm, FunctionTool, InMemorySessionService, LlmAgent, Runner } from "@google/adk";
import { offloadPlugin } from "context-offload/google";
import { testRequestDropIn } from "../../tests/support/drop-in-conformance.js";

const CHAT = { appName: "app", userId: "ann", sessionId: "s1" };

for (const keep of ["reference", "original"] as const) {
  testRequestDropIn(`offloadPlugin of ADK with keep: "${keep}"`, {
    format: "gemini",
    giantInMemory: keep,
    async start({ offload, saved, reply, fetchLog }) {
      class ScriptedLlm extends BaseLlm {
        override async *generateContentAsync({
          contents,
        }: Parameters<BaseLlm["generateContentAsync"]>[0]) {
          await Promise.resolve();
          const move = reply(contents);
          const parts =
            typeof move === "string"
              ? [{ text: move }]
              : move.map(({ id, input }) => ({
                  functionCall: { id, name: "fetch_log", args: { ...input } },
                }));
          yield { content: { role: "model", parts } };
        }
        override connect(): never {
          throw new Error("not live");
        }
      }
      const agent = new LlmAgent({
        ...{ name: "agent", model: new ScriptedLlm({ model: "scripted" }) },
        tools: [
          new FunctionTool({
            ...{ name: "fetch_log", description: "Fetches the log." },
            execute: (input) => fetchLog((input as unknown as { day: number }).day),
          }),
        ],
      });
      const sessionService =
        (saved as InMemorySessionService | undefined) ?? new InMemorySessionService();
      if (!saved) await sessionService.createSession(CHAT);
      const plugins = offload ? [offloadPlugin({ ...offload, keep })] : [];
      const runner = new Runner({ appName: "app", agent, sessionService, plugins });
      return {
        async ask(question) {
          const newMessage = { role: "user", parts: [{ text: question }] };
          for await (const { errorMessage } of runner.runAsync({ ...CHAT, newMessage })) {
            if (errorMessage !== undefined) throw new Error(errorMessage);
          }
        },
        save: () => sessionService,
        remembered: async () => (await sessionService.getSession(CHAT))?.events,
      };
    },
  });
}
