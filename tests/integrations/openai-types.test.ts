import type OpenAI6 from "openai";
import type OpenAI7 from "openai-7";
import { offloadResponses, offloadTools } from "context-offload/openai";
import { describe, expectTypeOf, it } from "vitest";

const fetchLog = {
  type: "function" as const,
  function: {
    ...{ name: "fetch_log", description: "Fetches the log.", parameters: {} },
    parse: (text: string) => JSON.parse(text) as { service: string },
    function: ({ service }: { service: string }) => service,
  },
};

// Never called: that they compile is the test.
const withVersion6 = async (client: OpenAI6) => {
  const tools = offloadTools([fetchLog], { sessionId: "chat" });
  expectTypeOf(tools[0]).toEqualTypeOf<typeof fetchLog>();
  client.chat.completions.runTools({ model: "m", messages: [], tools: offloadTools([fetchLog]) });
  const offload = offloadResponses({ fetch_log: ({ service }: { service: string }) => service });
  const input: OpenAI6.Responses.ResponseInputItem[] = [];
  const response = await client.responses.create({ model: "m", input, tools: offload.tools });
  input.push(...(await offload.answer(response.output)));
  // @ts-expect-error tools are a list
  offloadTools({ fetchLog });
};

const withVersion7 = async (client: OpenAI7) => {
  client.chat.completions.runTools({ model: "m", messages: [], tools: offloadTools([fetchLog]) });
  const offload = offloadResponses({ fetch_log: ({ service }: { service: string }) => service });
  const input: OpenAI7.Responses.ResponseInputItem[] = [];
  const response = await client.responses.create({ model: "m", input, tools: offload.tools });
  input.push(...(await offload.answer(response.output)));
};

describe("the types of context-offload/openai", () => {
  it("fit those of versions 6 and 7", () => {
    expectTypeOf(withVersion6).toBeFunction();
    expectTypeOf(withVersion7).toBeFunction();
  });
});
