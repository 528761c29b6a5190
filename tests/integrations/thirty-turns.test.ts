import Anthropic from "@anthropic-ai/sdk";
import { offloadMiddleware, offloadStep } from "context-offload/ai-sdk";
import { offloadRequests } from "context-offload/anthropic";
import { offloadResponses } from "context-offload/openai";
import OpenAI from "openai";
import { anthropicApi, type ApiMessage } from "../support/anthropic-api.js";
import { testRequestDropIn } from "../support/drop-in-conformance.js";
import { scriptOpenAI } from "../support/scripted-openai.js";
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

testRequestDropIn("offloadResponses of the OpenAI SDK", {
  format: "openai-responses",
  giantInMemory: "reference",
  start({ offload, saved = [], reply, fetchLog }) {
    type Item = OpenAI.Responses.ResponseInputItem;
    const input = structuredClone(saved) as Item[];
    const { fetch } = scriptOpenAI((body) => {
      const move = reply(body.input ?? []);
      return typeof move === "string" ? move : move.map((c) => ({ name: "fetch_log", ...c }));
    });
    const client = new OpenAI({ apiKey: "none", fetch });
    const responses =
      offload &&
      offloadResponses({ fetch_log: ({ day }: { day: number }) => fetchLog(day) }, offload);
    const answer = ({ call_id, arguments: args }: OpenAI.Responses.ResponseFunctionToolCall) => {
      const { day } = JSON.parse(args) as { day: number };
      return { type: "function_call_output" as const, call_id, output: fetchLog(day) };
    };
    return {
      async ask(question) {
        input.push({ role: "user", content: question });
        for (;;) {
          const { output } = await client.responses.create({
            model: "scripted",
            input: (await responses?.input(input)) ?? input,
            tools: responses?.tools ?? [],
          });
          const calls = output.filter((item) => item.type === "function_call");
          input.push(
            ...(output as Item[]),
            ...((await responses?.answer(output)) ?? calls.map(answer)),
          );
          if (calls.length === 0) return;
        }
      },
      save: () => structuredClone(input),
    };
  },
});
