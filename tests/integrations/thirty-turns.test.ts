import Anthropic from "@anthropic-ai/sdk";
import { offloadMiddleware, offloadStep } from "context-offload/ai-sdk";
import { offloadRequests } from "context-offload/anthropic";
import { anthropicApi, type ApiMessage } from "../support/anthropic-api.js";
import { testRequestDropIn } from "../support/drop-in-conformance.js";
import { messagesOf, scriptModel, SDKS } from "../support/scripted-ai-sdk.js";

for (const { name, sdk, Model } of SDKS) {
  type Messages = NonNullable<Parameters<typeof sdk.generateText>[0]["messages"]>;
  const inputSchema = sdk.jsonSchema<{ day: number }>({ type: "object", properties: {} });

  for (const hook of ["offloadStep", "offloadMiddleware"] as const) {
    testRequestDropIn(`${hook} of ${name}`, {
      format: "ai-sdk",
      giantInMemory: "original",
      start({ offload, saved = [], reply, fetchLog }) {
        const messages = structuredClone(saved) as Messages;
        const scripted = scriptModel(Model, (prompt) => {
          const move = reply(prompt.filter(({ role }) => role !== "system"));
          return typeof move === "string"
            ? move
            : move.map((call) => ({ ...call, toolName: "fetch_log" }));
        });
        const prepareStep = offload && hook === "offloadStep" ? offloadStep(offload) : undefined;
        const middleware = offload && !prepareStep ? offloadMiddleware(offload) : undefined;
        const model = middleware
          ? sdk.wrapLanguageModel({ model: scripted, middleware })
          : scripted;
        const tools = {
          fetch_log: sdk.tool({ inputSchema, execute: ({ day }) => fetchLog(day) }),
          ...(prepareStep ?? middleware)?.tools,
        };
        return {
          async ask(question) {
            messages.push({ role: "user", content: question });
            const result = await sdk.generateText({
              ...{ model, tools, messages, system: "Be brief.", stopWhen: sdk.stepCountIs(5) },
              ...(prepareStep ? { prepareStep } : {}),
            });
            messages.push(...(await messagesOf(result)));
          },
          save: () => structuredClone(messages),
        };
      },
    });
  }
}

testRequestDropIn("offloadRequests of the Anthropic SDK", {
  format: "anthropic",
  giantInMemory: "original",
  start({ offload, saved = [], reply, fetchLog }) {
    const messages = structuredClone(saved) as ApiMessage[];
    const { fetch } = anthropicApi((sent) => {
      const move = reply(sent);
      return typeof move === "string"
        ? [{ type: "text", text: move }]
        : move.map((call) => ({ type: "tool_use", name: "fetch_log", ...call }));
    });
    const middleware = offload ? [offloadRequests(offload)] : [];
    const client = new Anthropic({ apiKey: "none", fetch, middleware });
    const tool = { name: "fetch_log", input_schema: { type: "object" as const } };
    const answer = ({ id, input }: Anthropic.ToolUseBlock) => {
      const content = fetchLog((input as { day: number }).day);
      return { type: "tool_result", tool_use_id: id, content };
    };
    return {
      async ask(question) {
        messages.push({ role: "user", content: question });
        for (;;) {
          const { content, stop_reason } = await client.messages.create({
            ...{ model: "claude", max_tokens: 1_000, tools: [tool] },
            messages: messages as Anthropic.MessageParam[],
          });
          messages.push({ role: "assistant", content: content as never });
          if (stop_reason !== "tool_use") return;
          const calls = content.filter((block) => block.type === "tool_use");
          messages.push({ role: "user", content: calls.map(answer) });
        }
      },
      save: () => structuredClone(messages),
    };
  },
});
