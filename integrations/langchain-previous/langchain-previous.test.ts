import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { createReactAgent, ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { offloadTools } from "context-offload/langchain";
import { AgentExecutor, createToolCallingAgent } from "langchain/agents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  brokenWorkspace,
  LOG,
  NEEDED,
  SEARCH,
  SHORT,
  storyWorkspace,
} from "../../tests/support/framework-story.js";
import { ScriptedModel, textOf } from "./scripted-model.js";

const QUESTION = { messages: [new HumanMessage("Which payment was declined?")] };
const ON_THREAD = { configurable: { thread_id: "thread-1" } };

const fetchLog = tool(() => LOG, {
  ...{ name: "fetch_log", description: "Fetches the log.", schema: z.object({}) },
});

const calling = (name: string, args: Record<string, unknown>, id: string) => () =>
  new AIMessage({ content: "", tool_calls: [{ name, args, id }] });
const fetching = calling("fetch_log", {}, "call-1");
const grep = calling(SEARCH.name, SEARCH.input, "call-2");
/** Says what the last result says of the payment. */
const answer = (messages: readonly BaseMessage[]) =>
  new AIMessage(/ERROR payment[^"\n]*/.exec(textOf(last(messages)))?.[0] ?? "Nothing found.");
const thanks = () => new AIMessage("You are welcome.");

function last(messages: readonly BaseMessage[]): BaseMessage {
  return messages.at(-1) ?? new HumanMessage("");
}

function expectShort(model: ScriptedModel, requests: number): void {
  expect(model.sent).toHaveLength(requests);
  expect(model.sent.filter((sent) => sent.length > SHORT)).toEqual([]);
}

describe("offloadTools in createReactAgent", () => {
  it("gives the model a reference, saves it, and keeps the second turn cheap", async () => {
    const { workspace } = await storyWorkspace();
    const llm = new ScriptedModel([fetching, grep, answer, thanks]);
    const agent = createReactAgent({
      ...{ llm, checkpointer: new MemorySaver() },
      tools: offloadTools([fetchLog], { workspace }),
    });
    const { messages } = await agent.invoke(QUESTION, ON_THREAD);
    expect(textOf(last(messages))).toBe(NEEDED);
    expectShort(llm, 3);
    expect(llm.tools).toHaveLength(6);
    const saved = messages.find((message) => message.getType() === "tool");
    expect(saved).toMatchObject({ tool_call_id: "call-1", name: "fetch_log" });
    expect(saved?.content).toMatch(/^<knowledge_list>/);
    expect(await workspace.getOriginal("call-1", { sessionId: "thread-1" })).toBe(LOG);
    await agent.invoke({ messages: [new HumanMessage("Thank you.")] }, ON_THREAD);
    expectShort(llm, 4);
  });

  it("streams", async () => {
    const { workspace } = await storyWorkspace();
    const llm = new ScriptedModel([fetching, grep, answer]);
    const agent = createReactAgent({ llm, tools: offloadTools([fetchLog], { workspace }) });
    const chunks: string[] = [];
    for await (const chunk of await agent.stream(QUESTION, { streamMode: "messages" })) {
      chunks.push(JSON.stringify(chunk));
    }
    expect(chunks.join("")).toContain(NEEDED);
    expect(chunks.every((chunk) => chunk.length < 2 * SHORT)).toBe(true);
    expectShort(llm, 3);
  });

  it("offloads the results of parallel calls, each under its own id", async () => {
    const { workspace } = await storyWorkspace();
    const ids = ["a", "b", "c"];
    const all = () =>
      new AIMessage({
        content: "",
        tool_calls: ids.map((id) => ({ name: "fetch_log", args: {}, id })),
      });
    const llm = new ScriptedModel([all, grep, answer]);
    const agent = createReactAgent({ llm, tools: offloadTools([fetchLog], { workspace }) });
    await agent.invoke(QUESTION, ON_THREAD);
    expectShort(llm, 3);
    for (const id of ids) {
      expect(await workspace.getOriginal(id, { sessionId: "thread-1" })).toBe(LOG);
    }
  });

  it("goes on with the whole result if it cannot be stored", async () => {
    const { workspace, events } = await brokenWorkspace();
    const llm = new ScriptedModel([fetching, answer]);
    const agent = createReactAgent({ llm, tools: offloadTools([fetchLog], { workspace }) });
    const { messages } = await agent.invoke(QUESTION, ON_THREAD);
    expect(textOf(last(messages))).toBe(NEEDED);
    expect(llm.sent.at(-1)?.length).toBeGreaterThan(LOG.length);
    expect(events.map(({ event }) => event)).toContain("failure");
  });

  it("tells the model what a tool threw, and what was wrong with a reading call", async () => {
    const { workspace } = await storyWorkspace();
    const failing = tool(
      (): string => {
        throw new Error("no such log");
      },
      { name: "fail", schema: z.object({}) },
    );
    const wrong = calling("read_stored", { id: "none" }, "call-3");
    const llm = new ScriptedModel([calling("fail", {}, "call-2"), fetching, wrong, answer]);
    const tools = offloadTools([fetchLog, failing], { workspace });
    const { messages } = await createReactAgent({ llm, tools }).invoke(QUESTION, ON_THREAD);
    const results = messages.filter((message) => message.getType() === "tool") as ToolMessage[];
    expect(results.map(({ status }) => status)).toEqual(["error", "success", "error"]);
    expect(results[0]?.content).toContain("no such log");
    expect(results[2]?.content).toContain("call-1");
  });

  it("passes a Command through, and keeps threads apart", async () => {
    const { workspace } = await storyWorkspace();
    const update = { messages: [new ToolMessage({ content: LOG, tool_call_id: "call-1" })] };
    const commanding = tool(() => new Command({ update }), {
      ...{ name: "fetch_log", schema: z.object({}) },
    });
    const passing = createReactAgent({
      llm: new ScriptedModel([fetching, answer]),
      tools: offloadTools([commanding], { workspace }),
    });
    const passed = await passing.invoke(QUESTION, ON_THREAD);
    expect(passed.messages.at(-2)?.content).toBe(LOG);

    const tools = offloadTools([fetchLog], { workspace });
    const sentBack = async (script: ScriptedModel, thread_id: string) => {
      const agent = createReactAgent({ llm: script, tools });
      const { messages } = await agent.invoke(QUESTION, { configurable: { thread_id } });
      return textOf(last(messages));
    };
    expect(await sentBack(new ScriptedModel([fetching, grep, answer]), "thread-2")).toBe(NEEDED);
    expect(await sentBack(new ScriptedModel([grep, answer]), "thread-3")).toBe("Nothing found.");
    expect(await sentBack(new ScriptedModel([grep, answer]), "thread-2")).toBe(NEEDED);
  });

  it("takes references as arguments of tools on the list", async () => {
    const { workspace } = await storyWorkspace();
    const got: string[] = [];
    const save = tool(
      ({ text }) => {
        got.push(text);
        return "saved";
      },
      { name: "save", description: "Saves.", schema: z.object({ text: z.string() }) },
    );
    const llm = new ScriptedModel([
      fetching,
      calling("save", { text: "offload:call-1#lines=2346" }, "call-2"),
      calling("save", { text: "offload:elsewhere" }, "call-3"),
      thanks,
    ]);
    const tools = offloadTools([fetchLog, save], { workspace, acceptReferences: ["save"] });
    const { messages } = await createReactAgent({ llm, tools }).invoke(QUESTION, ON_THREAD);
    expect(got).toEqual([`2026-11-15T08:00:00Z ${NEEDED}`]);
    expect(messages.at(-2)).toMatchObject({ status: "error", tool_call_id: "call-3" });
    expect(tools[1]?.description).toContain("Saves. Instead of copying");
  });
});

describe("offloadTools elsewhere", () => {
  it("serves a ToolNode in your own graph", async () => {
    const { workspace } = await storyWorkspace();
    const tools = offloadTools([fetchLog], { workspace });
    const model = new ScriptedModel([fetching, grep, answer]).bindTools(tools);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("tools", new ToolNode(tools))
      .addEdge("__start__", "agent")
      .addConditionalEdges("agent", toolsCondition)
      .addEdge("tools", "agent")
      .compile();
    const { messages } = await graph.invoke(QUESTION, ON_THREAD);
    expect(textOf(last(messages))).toBe(NEEDED);
    expectShort(model, 3);
  });

  it.each([
    ["invoked", false],
    ["streamed", true],
  ])("serves an AgentExecutor, whose tools get arguments alone, %s", async (_, isStreamed) => {
    const { workspace } = await storyWorkspace();
    const tools = offloadTools([fetchLog], { workspace, sessionId: "chat" });
    const wrong = calling("read_stored", { id: "none" }, "call-3");
    const llm = new ScriptedModel([fetching, wrong, grep, answer]);
    const prompt = ChatPromptTemplate.fromMessages([
      ["human", "{input}"],
      ["placeholder", "{agent_scratchpad}"],
    ]);
    const agent = createToolCallingAgent({ llm, tools, prompt });
    const executor = new AgentExecutor({ agent, tools });
    const question = { input: "Which payment was declined?" };
    const chunks = isStreamed ? await executor.stream(question) : [await executor.invoke(question)];
    let last: Record<string, unknown> = {};
    for await (const chunk of chunks) last = chunk;
    expect(last["output"]).toBe(NEEDED);
    expectShort(llm, 4);
    // Of an error that is thrown, the executor would tell the model nothing.
    expect(llm.sent[2]).toMatch(/none.*unknown-/s);
    const { artifacts } = await workspace.getToolResultOffloadInfo({ sessionId: "chat" });
    expect(artifacts.map(({ tool_name }) => tool_name)).toEqual(["fetch_log"]);
  });

  it("rejects tools that have the name of a reading tool, and passes on those of a provider", () => {
    const own = tool(() => "", { name: SEARCH.name, schema: z.object({}) });
    expect(() => offloadTools([own])).toThrow(/toolNames/);
    const search = { type: "web_search_20250305", name: "web_search" };
    expect(offloadTools([search])[0]).toBe(search);
  });
});

// Never called: that it compiles is the test.
export const types = () => {
  const llm = new ScriptedModel([]);
  createReactAgent({ llm, tools: offloadTools([fetchLog]) });
  new ToolNode(offloadTools([fetchLog], { root: "x" }));
  // @ts-expect-error a list of tools, not a tool
  offloadTools(fetchLog);
};
