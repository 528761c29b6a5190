import {
  Agent,
  createHooks,
  createTool,
  InMemoryStorageAdapter,
  Memory,
  type AgentHooks,
  type Tool,
} from "@voltagent/core";
import { offloadAgent } from "context-offload/voltagent";
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
const CHAT = { userId: "user-1", conversationId: "chat-1" };

const fetchLog = createTool({
  ...{ name: "fetch_log", description: "Fetches the log.", parameters: z.object({}) },
  execute: () => Promise.resolve(LOG),
});

const storyModel = () => scriptedModel([FETCH], [GREP], answerFrom);
type Script = ReturnType<typeof scriptedModel>;

/** An agent as the host describes it, without offloading. */
function about({ model }: Script, tools: Tool<z.ZodObject>[] = [fetchLog]) {
  const memory = new Memory({ storage: new InMemoryStorageAdapter() });
  return { name: "Analyst", instructions: "Be brief.", model, tools, memory };
}

function expectShort({ prompts }: Script, requests: number): void {
  expect(prompts).toHaveLength(requests);
  expect(prompts.filter((prompt) => prompt.length > SHORT)).toEqual([]);
}

describe("offloadAgent", () => {
  it("plays the whole story, and the second turn is cheap", async () => {
    const { workspace } = await storyWorkspace();
    const script = storyModel();
    const settings = about(script);
    const agent = new Agent(offloadAgent(settings, { workspace }));
    const { text } = await agent.generateText(QUESTION, CHAT);
    expect(text).toBe(NEEDED);
    expectShort(script, 3);
    expect(script.offered[0]).toEqual(expect.arrayContaining(["fetch_log", SEARCH.name]));
    expect(script.prompts[0]).toMatch(/Be brief\..*Long tool results are stored/);
    expect(await workspace.getOriginal("call-1", { sessionId: "chat-1" })).toBe(LOG);

    // The memory has the reference.
    const saved = JSON.stringify(await settings.memory.getMessages("user-1", "chat-1"));
    expect(saved).toContain("<knowledge_list>");
    expect(saved.length).toBeLessThan(LOG.length / 10);

    await agent.generateText("Thank you.", CHAT);
    expectShort(script, 4);
    expect(script.prompts[3]).toContain("<knowledge_list>");
  });

  it("offloads what a memory held before", async () => {
    const { workspace } = await storyWorkspace();
    const script = scriptedModel([FETCH], answerFrom, [GREP], answerFrom);
    const settings = about(script);
    await new Agent(settings).generateText(QUESTION, CHAT);
    expect(script.prompts[1]?.length).toBeGreaterThan(LOG.length);
    const { text } = await new Agent(offloadAgent(settings, { workspace })).generateText(
      QUESTION,
      CHAT,
    );
    expect(text).toBe(NEEDED);
    expect(script.prompts[2]?.length).toBeLessThan(SHORT);
  });

  it("streams", async () => {
    const { workspace } = await storyWorkspace();
    const script = storyModel();
    const agent = new Agent(offloadAgent(about(script), { workspace }));
    const { textStream } = await agent.streamText(QUESTION, CHAT);
    let text = "";
    for await (const chunk of textStream) text += chunk;
    expect(text).toBe(NEEDED);
    expectShort(script, 3);
  });

  it("offloads the results of parallel calls, each under its own id", async () => {
    const { workspace } = await storyWorkspace();
    const calls = ["a", "b", "c"].map((toolCallId) => ({ ...FETCH, toolCallId }));
    const script = scriptedModel(calls, [GREP], answerFrom);
    const agent = new Agent(offloadAgent(about(script), { workspace }));
    expect((await agent.generateText(QUESTION, CHAT)).text).toBe(NEEDED);
    expectShort(script, 3);
    for (const { toolCallId } of calls) {
      expect(await workspace.getOriginal(toolCallId, { sessionId: "chat-1" })).toBe(LOG);
    }
  });

  it("goes on with the whole result if it cannot be stored", async () => {
    const { workspace, events } = await brokenWorkspace();
    const script = scriptedModel([FETCH], answerFrom);
    const agent = new Agent(offloadAgent(about(script), { workspace }));
    expect((await agent.generateText(QUESTION, CHAT)).text).toBe(NEEDED);
    expect(script.prompts[1]?.length).toBeGreaterThan(LOG.length);
    expect(events.map(({ event }) => event)).toContain("failure");
  });

  it("sends the reference of a long error, which the memory keeps", async () => {
    const { workspace } = await storyWorkspace();
    const failing = createTool({
      ...{ name: "fail", description: "Fails.", parameters: z.object({}) },
      execute: () => Promise.reject(new Error(LOG)),
    });
    const script = scriptedModel([{ ...FETCH, toolName: "fail" }], answerFrom, answerFrom);
    const agent = new Agent(offloadAgent(about(script, [failing]), { workspace }));
    await agent.generateText(QUESTION, CHAT);
    await agent.generateText(QUESTION, CHAT);
    expectShort(script, 3);
    expect(script.prompts[1]).toContain("<knowledge_list>");
    expect(script.prompts[2]).toContain("<knowledge_list>");
  });

  it("leaves short errors to VoltAgent, and results with a schema whole in its memory", async () => {
    const { workspace } = await storyWorkspace();
    const failing = createTool({
      ...{ name: "fail", description: "Fails.", parameters: z.object({}) },
      execute: () => Promise.reject(new Error("no such log")),
    });
    const typed = createTool({
      ...{ name: "typed", description: "Fetches.", parameters: z.object({}) },
      outputSchema: z.object({ log: z.string() }),
      execute: () => Promise.resolve({ log: LOG }),
    });
    const call = (toolName: string) => [{ ...FETCH, toolName, toolCallId: toolName }];
    const script = scriptedModel(call("fail"), call("typed"), answerFrom);
    const tools = [failing, typed as unknown as typeof failing];
    const settings = about(script, tools);
    await new Agent(offloadAgent(settings, { workspace })).generateText(QUESTION, CHAT);
    expect(script.prompts[1]).toContain("no such log");
    expectShort(script, 3);
    const saved = JSON.stringify(await settings.memory.getMessages("user-1", "chat-1"));
    expect(saved).toContain(JSON.stringify(LOG));
  });

  it("runs the host's own hooks first, and keeps its toolkits", async () => {
    const { workspace } = await storyWorkspace();
    const script = storyModel();
    const hooks = createHooks({
      onToolEnd: ({ tool }) =>
        tool.name === "fetch_log" ? { output: LOG.replaceAll("7731", "1234") } : undefined,
    });
    const own = createTool({ ...fetchLog, name: "own", description: "The host's." });
    const toolkits = [{ name: "own", tools: [own] }];
    let steps = 0;
    const prepareStep = () => {
      steps += 1;
      return {};
    };
    const settings = { ...about(script), hooks, toolkits, prepareStep };
    const agent = new Agent(offloadAgent(settings, { workspace }));
    expect((await agent.generateText(QUESTION, CHAT)).text).toContain("payment 1234");
    expect(steps).toBe(3);
    expect(script.offered[0]).toContain("own");
  });

  it("gives calls without a conversation one random session for each agent", async () => {
    const { workspace } = await storyWorkspace();
    for (const _ of [1, 2]) {
      const agent = new Agent(offloadAgent(about(storyModel()), { workspace }));
      expect((await agent.generateText(QUESTION)).text).toBe(NEEDED);
      await agent.generateText(QUESTION);
    }
    const sessions = (await workspace.sessions()).map(({ sessionId }) => sessionId);
    expect(sessions).toHaveLength(2);
    expect(sessions.join()).toMatch(/^session-[\w-]{36},session-[\w-]{36}$/);
  });

  it("rejects a tool that has the name of a reading tool, in a toolkit too", () => {
    const own = createTool({ ...fetchLog, name: SEARCH.name, description: "The host's." });
    const settings = about(storyModel());
    expect(() => offloadAgent({ ...settings, tools: [own] })).toThrow(/toolNames/);
    const toolkit = { name: "own", tools: [own] };
    expect(() => offloadAgent({ ...settings, toolkits: [toolkit] })).toThrow(/toolNames/);
    expect(() => offloadAgent({ ...settings, tools: [toolkit] })).toThrow(/toolNames/);
  });

  it("keeps conversations apart", async () => {
    const { workspace } = await storyWorkspace();
    const first = new Agent(offloadAgent(about(storyModel()), { workspace }));
    await first.generateText(QUESTION, CHAT);
    for (const [conversationId, found] of [
      ["chat-2", "Nothing found."],
      ["chat-1", NEEDED],
    ] as const) {
      const script = scriptedModel([GREP], answerFrom);
      const agent = new Agent(offloadAgent(about(script), { workspace }));
      expect((await agent.generateText(QUESTION, { ...CHAT, conversationId })).text).toBe(found);
    }
  });
});

// Never called: that it compiles is the test.
export const types = (hooks: AgentHooks) => {
  const { model } = scriptedModel();
  new Agent(offloadAgent({ name: "Analyst", instructions: "Be brief.", model, tools: [fetchLog] }));
  new Agent(
    offloadAgent({ name: "Analyst", instructions: "", model, hooks }, { root: ".offload" }),
  );
  // @ts-expect-error an agent has a name
  offloadAgent({ model });
};
