import { Agent } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { RequestContext } from "@mastra/core/request-context";
import { createTool } from "@mastra/core/tools";
import { offloadProcessor, type OffloadProcessor } from "context-offload/mastra";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  answerFrom,
  brokenWorkspace,
  LOG,
  NEEDED,
  QUESTION,
  SEARCH,
  SHORT,
  storyWorkspace,
} from "../../tests/support/framework-story.js";
import { scriptedModel } from "./scripted-model.mjs";

const FETCH = { toolCallId: "call-1", toolName: "fetch_log", input: {} };
const GREP = { toolCallId: "call-2", toolName: SEARCH.name, input: SEARCH.input };
const ON_THREAD = { memory: { thread: "thread-1", resource: "user-1" } };

const fetchLog = createTool({
  ...{ id: "fetch_log", description: "Fetches the log.", inputSchema: z.object({}) },
  execute: () => Promise.resolve(LOG),
});

type Script = ReturnType<typeof scriptedModel>;
const storyModel = () => scriptedModel([FETCH], [GREP], answerFrom);

function createAgent(
  { model }: Script,
  inputProcessors: OffloadProcessor[],
  outputProcessors: OffloadProcessor[] = [],
  tools: Record<string, typeof fetchLog> = { fetch_log: fetchLog },
  memory = new MockMemory(),
) {
  const about = { id: "analyst", name: "Analyst", instructions: "Be brief." };
  return new Agent({ ...about, model, tools, memory, inputProcessors, outputProcessors });
}

function expectShort({ prompts }: Script, requests: number): void {
  expect(prompts).toHaveLength(requests);
  expect(prompts.filter((prompt) => prompt.length > SHORT)).toEqual([]);
}

describe("offloadProcessor", () => {
  it.each(["original", "reference"] as const)("saves the %s", async (saved) => {
    const { workspace } = await storyWorkspace();
    const script = storyModel();
    const processor = offloadProcessor({ workspace });
    const memory = new MockMemory();
    const output = saved === "reference" ? [processor] : [];
    const agent = createAgent(script, [processor], output, undefined, memory);
    const { text } = await agent.generate(QUESTION, ON_THREAD);

    expect(text).toBe(NEEDED);
    expectShort(script, 3);
    expect(script.offered[0]).toEqual(expect.arrayContaining(["fetch_log", SEARCH.name]));
    expect(await workspace.getOriginal("call-1", { sessionId: "thread-1" })).toBe(LOG);
    const recalled = JSON.stringify(await memory.recall({ threadId: "thread-1" }));
    expect(recalled.includes("<knowledge_list>")).toBe(saved === "reference");
    expect(recalled.includes(JSON.stringify(LOG))).toBe(saved === "original");

    // The second turn is cheap, and begins with the same system prompt.
    await agent.generate("Thank you.", ON_THREAD);
    expectShort(script, 4);
    expect(script.prompts[3]).toContain("<knowledge_list>");
    const systems = script.prompts.map((prompt) => /^\[\{.*?\}/.exec(prompt)?.[0]);
    expect(systems[0]).toMatch(/Be brief\.\\n\\n.*read_stored/);
    expect(new Set(systems).size).toBe(1);
  });

  it("streams: the client gets what is saved", async () => {
    const { workspace } = await storyWorkspace();
    for (const saved of ["original", "reference"]) {
      const script = storyModel();
      const processor = offloadProcessor({ workspace });
      const agent = createAgent(script, [processor], saved === "reference" ? [processor] : []);
      const { fullStream, text } = await agent.stream(QUESTION, ON_THREAD);
      const results: unknown[] = [];
      for await (const chunk of fullStream) {
        if (chunk.type === "tool-result") results.push(chunk.payload.result);
      }
      expect(await text).toBe(NEEDED);
      expectShort(script, 3);
      if (saved === "original") expect(results[0]).toBe(LOG);
      else expect(results[0]).toMatch(/^<knowledge_list>/);
    }
  });

  it("offloads the results of parallel calls, each under its own id", async () => {
    const { workspace } = await storyWorkspace();
    const calls = ["a", "b", "c"].map((toolCallId) => ({ ...FETCH, toolCallId }));
    const script = scriptedModel(calls, [GREP], answerFrom);
    const processor = offloadProcessor({ workspace });
    await createAgent(script, [processor], [processor]).generate(QUESTION, ON_THREAD);
    expectShort(script, 3);
    for (const { toolCallId } of calls) {
      expect(await workspace.getOriginal(toolCallId, { sessionId: "thread-1" })).toBe(LOG);
    }
  });

  it("goes on with the whole result if it cannot be stored", async () => {
    const { workspace, events } = await brokenWorkspace();
    for (const saved of ["original", "reference"]) {
      const script = scriptedModel([FETCH], answerFrom);
      const processor = offloadProcessor({ workspace });
      const agent = createAgent(script, [processor], saved === "reference" ? [processor] : []);
      const { text } = await agent.generate(QUESTION, ON_THREAD);
      expect(text).toBe(NEEDED);
      expect(script.prompts[1]?.length).toBeGreaterThan(LOG.length);
      expect(events.splice(0).map(({ event }) => event)).toContain("failure");
    }
  });

  it("tells the model what a tool threw, as the framework does without it", async () => {
    const { workspace } = await storyWorkspace();
    const failing = createTool({
      ...{ id: "fetch_log", description: "Fetches the log.", inputSchema: z.object({}) },
      execute: () => Promise.reject(new Error("no such log")),
    });
    const sentBack = async (processors: OffloadProcessor[]) => {
      const script = scriptedModel([FETCH], answerFrom);
      const agent = createAgent(script, processors, processors, { fetch_log: failing });
      await agent.generate(QUESTION, ON_THREAD);
      const prompt = JSON.parse(script.prompts[1] ?? "") as { role: string }[];
      return prompt.filter(({ role }) => role === "tool");
    };
    const plain = await sentBack([]);
    expect(JSON.stringify(plain)).toContain("no such log");
    expect(await sentBack([offloadProcessor({ workspace })])).toEqual(plain);
  });

  it("offloads what a tool threw if it is as long as a log, still as an error", async () => {
    const { workspace } = await storyWorkspace();
    const failing = createTool({
      ...{ id: "fetch_log", description: "Fetches the log.", inputSchema: z.object({}) },
      execute: () => Promise.reject(new Error(LOG)),
    });
    const script = scriptedModel([FETCH], answerFrom);
    const processor = offloadProcessor({ workspace });
    const agent = createAgent(script, [processor], [processor], { fetch_log: failing });
    await agent.generate(QUESTION, ON_THREAD);
    expectShort(script, 2);
    expect(script.prompts[1]).toMatch(/"type":"error-\w+","value":[^}]*<knowledge_list>/);
  });

  it("stores objects as JSON that can be queried", async () => {
    const { workspace } = await storyWorkspace();
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, state: "paid" }));
    const list = createTool({
      ...{ id: "fetch_log", description: "Lists.", inputSchema: z.object({}) },
      execute: () => Promise.resolve({ rows }),
    });
    const query = {
      toolCallId: "call-2",
      toolName: "read_stored",
      input: { id: "call-1", pointer: "/rows/1234" },
    };
    const script = scriptedModel([FETCH], [query], (last) => last);
    const processor = offloadProcessor({ workspace });
    const agent = createAgent(script, [processor], [processor], { fetch_log: list });
    expect((await agent.generate(QUESTION, ON_THREAD)).text).toContain("1234");
    expectShort(script, 3);
    expect(await workspace.getOriginal("call-1", { sessionId: "thread-1" })).toEqual({ rows });
  });

  it("does not save references if nothing could read them", async () => {
    const { workspace, events } = await storyWorkspace();
    const script = scriptedModel([FETCH], answerFrom);
    const agent = createAgent(script, [], [offloadProcessor({ workspace })]);
    expect((await agent.generate(QUESTION, ON_THREAD)).text).toBe(NEEDED);
    expect(script.prompts[1]?.length).toBeGreaterThan(LOG.length);
    expect(events).toEqual([]);
  });

  it("rejects a tool that has the name of a reading tool", async () => {
    const { workspace } = await storyWorkspace();
    const tools = { [SEARCH.name]: fetchLog };
    const agent = createAgent(storyModel(), [offloadProcessor({ workspace })], [], tools);
    await expect(agent.generate(QUESTION, ON_THREAD)).rejects.toThrow(/toolNames/);
  });

  it("offers the reading tools beside those that a run is limited to", async () => {
    const { workspace } = await storyWorkspace();
    const script = storyModel();
    const agent = createAgent(script, [offloadProcessor({ workspace })]);
    const { text } = await agent.generate(QUESTION, { ...ON_THREAD, activeTools: ["fetch_log"] });
    expect(text).toBe(NEEDED);
    expect(script.offered[0]).toContain(SEARCH.name);
  });
});

describe("the session", () => {
  const found = async (processor: OffloadProcessor, options: object) => {
    const script = scriptedModel([GREP], answerFrom);
    const agent = createAgent(script, [processor]);
    return (await agent.generate(QUESTION, options)).text;
  };

  it("is the thread, without memory too", async () => {
    const { workspace } = await storyWorkspace();
    const processor = offloadProcessor({ workspace });
    const { model } = storyModel();
    const agent = new Agent({
      ...{ id: "analyst", name: "Analyst", instructions: "Be brief.", model },
      ...{ tools: { fetch_log: fetchLog }, inputProcessors: [processor] },
    });
    await agent.generate(QUESTION, ON_THREAD);
    expect(await workspace.getOriginal("call-1", { sessionId: "thread-1" })).toBe(LOG);
    expect(await found(processor, ON_THREAD)).toBe(NEEDED);
    const other = { memory: { thread: "thread-2", resource: "user-1" } };
    expect(await found(processor, other)).toBe("Nothing found.");
    expect(await found(processor, {})).toBe("Nothing found.");
  });

  it("is random for each processor where there is no thread", async () => {
    const { workspace } = await storyWorkspace();
    const processor = offloadProcessor({ workspace });
    await createAgent(storyModel(), [processor]).generate(QUESTION);
    expect(await found(processor, {})).toBe(NEEDED);
    expect(await found(offloadProcessor({ workspace }), {})).toBe("Nothing found.");
  });

  it("can be found by the request context, so that two users of one agent are kept apart", async () => {
    const { workspace } = await storyWorkspace();
    const processor = offloadProcessor({
      workspace,
      sessionId: (requestContext) => String(requestContext.get("chatId")),
    });
    const of = (chatId: string) => ({ requestContext: new RequestContext([["chatId", chatId]]) });
    await createAgent(storyModel(), [processor]).generate(QUESTION, of("chat-1"));
    expect(await workspace.getOriginal("call-1", { sessionId: "chat-1" })).toBe(LOG);
    expect(await found(processor, of("chat-1"))).toBe(NEEDED);
    expect(await found(processor, of("chat-2"))).toBe("Nothing found.");
  });
});

// Never called: that it compiles is the test.
export const types = () => {
  const about = {
    id: "analyst",
    name: "Analyst",
    instructions: "Be brief.",
    model: "openai/gpt-5",
  };
  new Agent({ ...about, inputProcessors: [offloadProcessor()] });
  const processor = offloadProcessor({ root: ".offload", sessionId: "chat" });
  new Agent({ ...about, inputProcessors: [processor], outputProcessors: [processor] });
  // @ts-expect-error where the processor stands says what is saved
  offloadProcessor({ keep: "original" });
};
