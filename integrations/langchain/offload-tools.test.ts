import { MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { createReactAgent, ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import type { BaseMessage } from "@langchain/core/messages";
import { offloadTools } from "context-offload/langchain";
import { AIMessage, createAgent, fakeModel, HumanMessage, tool, ToolMessage } from "langchain";
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

const QUESTION = { messages: [new HumanMessage("Which payment was declined?")] };
const FETCH = { name: "fetch_log", args: {}, id: "call-1" };
const GREP = { name: SEARCH.name, args: SEARCH.input, id: "call-2" };
const ON_THREAD = { configurable: { thread_id: "thread-1" } };

const fetchLog = tool(() => LOG, { name: "fetch_log", schema: z.object({}) });

/** Says what the last result says of the payment. */
const answer = (messages: BaseMessage[]) =>
  new AIMessage(/ERROR payment.*/.exec(messages.at(-1)?.text ?? "")?.[0] ?? "Nothing found.");

const storyModel = () =>
  fakeModel().respondWithTools([FETCH]).respondWithTools([GREP]).respond(answer);

/** What became of the log in the state of a graph that answered the question. */
function expectReference(messages: BaseMessage[]): void {
  expect(messages.at(-1)?.text).toBe(NEEDED);
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  expect(results[0]?.text).toMatch(/^<knowledge_list>/);
  expect(results.every(({ text }) => text.length < SHORT)).toBe(true);
}

// The previous major is tested with all the rest in ../langchain-previous.
describe("offloadTools in LangGraph 1", () => {
  it("serves createReactAgent, and reads in the session of its thread", async () => {
    const { workspace } = await storyWorkspace();
    const agent = createReactAgent({
      ...{ llm: storyModel(), checkpointer: new MemorySaver() },
      tools: offloadTools([fetchLog], { workspace }),
    });
    expectReference((await agent.invoke(QUESTION, ON_THREAD)).messages);
    expect(await workspace.getOriginal("call-1", { sessionId: "thread-1" })).toBe(LOG);
  });

  it("serves a ToolNode in your own graph", async () => {
    const { workspace } = await storyWorkspace();
    const tools = offloadTools([fetchLog], { workspace });
    const model = storyModel().bindTools(tools);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("tools", new ToolNode(tools))
      .addEdge("__start__", "agent")
      .addConditionalEdges("agent", toolsCondition)
      .addEdge("tools", "agent")
      .compile();
    expectReference((await graph.invoke(QUESTION, ON_THREAD)).messages);
  });

  it("serves createAgent without middleware", async () => {
    const { workspace } = await storyWorkspace();
    const tools = offloadTools([fetchLog], { workspace });
    expectReference(
      (await createAgent({ model: storyModel(), tools }).invoke(QUESTION, ON_THREAD)).messages,
    );
  });

  it("goes on with the whole result if it cannot be stored", async () => {
    const { workspace, events } = await brokenWorkspace();
    const llm = fakeModel().respondWithTools([FETCH]).respond(answer);
    const agent = createReactAgent({ llm, tools: offloadTools([fetchLog], { workspace }) });
    const { messages } = await agent.invoke(QUESTION, ON_THREAD);
    expect(messages.at(-1)?.text).toBe(NEEDED);
    expect(events.map(({ event }) => event)).toContain("failure");
  });
});
