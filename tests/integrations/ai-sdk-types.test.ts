import * as ai6 from "ai";
import * as ai7 from "ai-7";
import { createOffloader } from "context-offload";
import {
  offloadMiddleware,
  offloadStep,
  offloadTools,
  type ReadingTools,
} from "context-offload/ai-sdk";
import { describe, expectTypeOf, it } from "vitest";

// Never called: that they compile is the test.
const withVersion6 = async (model: ReturnType<typeof ai6.wrapLanguageModel>) => {
  const inputSchema = ai6.jsonSchema<{ service: string }>({ type: "object" });
  const tools = {
    fetch_log: ai6.tool({ inputSchema, execute: ({ service }) => Promise.resolve({ service }) }),
  };
  const { toolResults } = await ai6.generateText({ model, tools: offloadTools(tools), prompt: "" });
  for (const result of toolResults) {
    if (result.dynamic === true || result.toolName !== "fetch_log") continue;
    expectTypeOf(result.output).toEqualTypeOf<{ service: string }>();
  }
  ai6.streamText({ model, tools: offloadTools(tools, { sessionId: "chat" }), prompt: "" });
  new ai6.ToolLoopAgent({ model, tools: offloadTools(tools, { root: ".offload" }) });
  await ai6.convertToModelMessages([], { tools: offloadTools(tools) });
  const prepareStep = offloadStep();
  await ai6.generateText({
    ...{ model, prepareStep, prompt: "" },
    tools: { ...tools, ...prepareStep.tools },
  });
  const offloader = createOffloader({ sessionId: "chat", format: "ai-sdk" });
  const middleware = offloadMiddleware({ offloader });
  ai6.wrapLanguageModel({ model, middleware: [middleware] });
  // @ts-expect-error a tool set is an object
  offloadTools("fetch_log");
  // @ts-expect-error the SDK keeps the original here, whatever one asks for
  offloadTools(tools, { keep: "reference" });
  return { tools, offloading: offloadTools(tools) };
};

const withVersion7 = async (model: ReturnType<typeof ai7.wrapLanguageModel>) => {
  const inputSchema = ai7.jsonSchema<{ service: string }>({ type: "object" });
  const tools = {
    fetch_log: ai7.tool({ inputSchema, execute: ({ service }) => Promise.resolve({ service }) }),
  };
  const { toolResults } = await ai7.generateText({ model, tools: offloadTools(tools), prompt: "" });
  for (const result of toolResults) {
    if (result.dynamic === true || result.toolName !== "fetch_log") continue;
    expectTypeOf(result.output).toEqualTypeOf<{ service: string }>();
  }
  ai7.streamText({ model, tools: offloadTools(tools, { sessionId: "chat" }), prompt: "" });
  new ai7.ToolLoopAgent({ model, tools: offloadTools(tools, { root: ".offload" }) });
  await ai7.convertToModelMessages([], { tools: offloadTools(tools) });
  const prepareStep = offloadStep();
  await ai7.generateText({
    ...{ model, prepareStep, prompt: "" },
    tools: { ...tools, ...prepareStep.tools },
  });
  ai7.wrapLanguageModel({ model, middleware: offloadMiddleware() });
  return { tools, offloading: offloadTools(tools) };
};

describe("the types of context-offload/ai-sdk", () => {
  it("keep those of the tools in version 6", () => {
    type Types = Awaited<ReturnType<typeof withVersion6>>;
    expectTypeOf(withVersion6).toBeFunction();
    expectTypeOf<Types["offloading"]>().toEqualTypeOf<Types["tools"] & ReadingTools>();
  });

  it("keep those of the tools in version 7", () => {
    type Types = Awaited<ReturnType<typeof withVersion7>>;
    expectTypeOf(withVersion7).toBeFunction();
    expectTypeOf<Types["offloading"]>().toEqualTypeOf<Types["tools"] & ReadingTools>();
  });
});
