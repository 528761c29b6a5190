import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import type { BaseMessage } from "@langchain/core/messages";
import { offloadMiddleware } from "context-offload/langchain";
import { readLedger } from "context-offload/ledger";
import { createDeepAgent } from "deepagents";
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

type Model = ReturnType<typeof storyModel>;
/** What each request held; the fake model repeats in its own messages what it got. */
const sentTo = (model: Model) =>
  model.calls.map(({ messages }) =>
    messages.map((message) => (AIMessage.isInstance(message) ? "" : message.text)).join("\n"),
  );

function expectShort(model: Model, requests: number): void {
  const sent = sentTo(model);
  expect(sent).toHaveLength(requests);
  expect(sent.filter((messages) => messages.length > SHORT)).toEqual([]);
}

describe("offloadMiddleware in createAgent", () => {
  it.each(["reference", "original"] as const)("saves the %s", async (keep) => {
    const { workspace } = await storyWorkspace();
    const model = storyModel().respond(new AIMessage("You are welcome."));
    const agent = createAgent({
      model,
      tools: [fetchLog],
      systemPrompt: "Be brief.",
      middleware: [offloadMiddleware({ workspace, keep })],
      checkpointer: new MemorySaver(),
    });
    const { messages } = await agent.invoke(QUESTION, ON_THREAD);

    expect(messages.at(-1)?.text).toBe(NEEDED);
    expectShort(model, 3);
    expect(await workspace.getOriginal("call-1", { sessionId: "thread-1" })).toBe(LOG);
    const saved = messages.find((message) => ToolMessage.isInstance(message));
    expect(saved).toMatchObject({ tool_call_id: "call-1", name: "fetch_log" });
    if (keep === "original") expect(saved?.content).toBe(LOG);
    else expect(saved?.text).toMatch(/^<knowledge_list>/);

    // The second turn is cheap, and begins with the same system prompt.
    await agent.invoke({ messages: [new HumanMessage("Thank you.")] }, ON_THREAD);
    expectShort(model, 4);
    const prompts = model.calls.map((call) => call.messages[0]?.text);
    expect(prompts[0]).toMatch(/^Be brief\.\n\n.*read_stored/s);
    expect(new Set(prompts).size).toBe(1);
  });

  it("notes the usage that the provider reports, what came from a cache apart", async () => {
    const { workspace } = await storyWorkspace();
    const said = { input_tokens: 100, output_tokens: 7, total_tokens: 107 };
    const usage_metadata = { ...said, input_token_details: { cache_read: 60, cache_creation: 30 } };
    const model = fakeModel().respond(Object.assign(new AIMessage("Done."), { usage_metadata }));
    const middleware = [offloadMiddleware({ workspace })];
    const agent = createAgent({ model, tools: [fetchLog], middleware });
    await agent.invoke(QUESTION, ON_THREAD);
    const { sessions } = await readLedger(workspace);
    expect(sessions.map(({ usage }) => usage)).toEqual([
      {
        ...{ requests: 1, inputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 30 },
        outputTokens: 7,
      },
    ]);
  });

  it("streams", async () => {
    const { workspace } = await storyWorkspace();
    const model = storyModel();
    const middleware = [offloadMiddleware({ workspace })];
    const agent = createAgent({ model, tools: [fetchLog], middleware });
    const chunks: string[] = [];
    for await (const chunk of await agent.stream(QUESTION, { streamMode: "updates" })) {
      chunks.push(JSON.stringify(chunk));
    }
    expect(chunks.at(-1)).toContain(NEEDED);
    expect(chunks.every((chunk) => chunk.length < SHORT)).toBe(true);
    expectShort(model, 3);
  });

  it("offloads the results of parallel calls, each under its own id", async () => {
    const { workspace } = await storyWorkspace();
    const calls = ["a", "b", "c"].map((id) => ({ ...FETCH, id }));
    const model = fakeModel().respondWithTools(calls).respondWithTools([GREP]).respond(answer);
    const middleware = [offloadMiddleware({ workspace })];
    await createAgent({ model, tools: [fetchLog], middleware }).invoke(QUESTION, ON_THREAD);
    expectShort(model, 3);
    for (const { id } of calls) {
      expect(await workspace.getOriginal(id, { sessionId: "thread-1" })).toBe(LOG);
    }
  });

  it.each(["reference", "original"] as const)(
    "goes on with the whole result if it cannot be stored (%s)",
    async (keep) => {
      const { workspace, events } = await brokenWorkspace();
      const model = fakeModel().respondWithTools([FETCH]).respond(answer);
      const middleware = [offloadMiddleware({ workspace, keep })];
      const agent = createAgent({ model, tools: [fetchLog], middleware });
      const { messages } = await agent.invoke(QUESTION, ON_THREAD);
      expect(messages.at(-1)?.text).toBe(NEEDED);
      expect(sentTo(model).at(-1)?.length).toBeGreaterThan(LOG.length);
      expect(events.map(({ event }) => event)).toContain("failure");
    },
  );

  it("tells the model what a tool threw, as the framework does without it", async () => {
    const { workspace } = await storyWorkspace();
    const failing = tool(
      (): string => {
        throw new Error("no such log");
      },
      { name: "fetch_log", schema: z.object({}) },
    );
    const sentBack = async (middleware: ReturnType<typeof offloadMiddleware>[]) => {
      const model = fakeModel().respondWithTools([FETCH]).respond(answer);
      const agent = createAgent({ model, tools: [failing], middleware });
      const { content, status } = (await agent.invoke(QUESTION)).messages.at(-2) as ToolMessage;
      return { content, status };
    };
    expect(await sentBack([offloadMiddleware({ workspace })])).toEqual(await sentBack([]));
  });

  it.each(["reference", "original"] as const)(
    "offloads errors as long as a log, still as errors, saving the %s",
    async (keep) => {
      const { workspace } = await storyWorkspace();
      const failing = tool(
        () => new ToolMessage({ content: LOG, tool_call_id: "call-1", status: "error" }),
        { name: "fetch_log", schema: z.object({}) },
      );
      const model = fakeModel().respondWithTools([FETCH]).respond(answer);
      const middleware = [offloadMiddleware({ workspace, keep })];
      const agent = createAgent({ model, tools: [failing], middleware });
      await agent.invoke(QUESTION);
      const sentBack = model.calls.at(-1)?.messages.at(-1);
      expect(sentBack).toMatchObject({ status: "error" });
      expect(sentBack?.text).toContain("<knowledge_list>");
    },
  );

  it("leaves interrupts and rejected arguments to the framework", async () => {
    const { workspace } = await storyWorkspace();
    const schema = z.object({ day: z.string() });
    const asking = tool(() => String(interrupt("Really?")), { name: "fetch_log", schema });
    const model = fakeModel()
      .respondWithTools([FETCH])
      .respondWithTools([{ ...FETCH, args: { day: "today" } }])
      .respond(answer);
    const agent = createAgent({
      ...{ model, tools: [asking], checkpointer: new MemorySaver() },
      middleware: [offloadMiddleware({ workspace })],
    });
    const result = await agent.invoke(QUESTION, ON_THREAD);
    expect(result.messages.at(-2)?.text).toMatch(/Error invoking tool 'fetch_log'.*schema/s);
    expect(result).toMatchObject({ __interrupt__: [{ value: "Really?" }] });
    const { messages } = await agent.invoke(new Command({ resume: LOG }), ON_THREAD);
    expect(messages.at(-1)?.text).toBe(NEEDED);
    expect(messages.at(-2)?.text).toMatch(/^<knowledge_list>/);
  });

  it("passes a Command through, and sends references for what it put into the state", async () => {
    const { workspace } = await storyWorkspace();
    const commanding = tool(
      () => new Command({ update: { messages: [new ToolMessage(LOG, FETCH.id)] } }),
      { name: "fetch_log", schema: z.object({}) },
    );
    const model = fakeModel().respondWithTools([FETCH]).respond(answer);
    const middleware = [offloadMiddleware({ workspace })];
    const agent = createAgent({ model, tools: [commanding], middleware });
    const { messages } = await agent.invoke(QUESTION, ON_THREAD);
    expect(messages.at(-2)?.content).toBe(LOG);
    expectShort(model, 2);
  });

  it("answers a wrong call of a reading tool with an error that the model can use", async () => {
    const { workspace } = await storyWorkspace();
    const wrong = { name: "read_stored", args: { id: "none" }, id: "call-3" };
    const model = fakeModel().respondWithTools([FETCH]).respondWithTools([wrong]).respond(answer);
    const middleware = [offloadMiddleware({ workspace })];
    const agent = createAgent({ model, tools: [fetchLog], middleware });
    const { messages } = await agent.invoke(QUESTION, ON_THREAD);
    expect(messages.at(-2)).toMatchObject({ status: "error", tool_call_id: "call-3" });
    expect(messages.at(-2)?.text).toContain("call-1");
  });

  it("keeps threads apart, and has a random session without one", async () => {
    const { workspace } = await storyWorkspace();
    const middleware = [offloadMiddleware({ workspace })];
    await createAgent({ model: storyModel(), tools: [fetchLog], middleware }).invoke(
      QUESTION,
      ON_THREAD,
    );
    for (const configurable of [{ thread_id: "thread-2" }, {}]) {
      const model = fakeModel().respondWithTools([GREP]).respond(answer);
      const agent = createAgent({ model, tools: [fetchLog], middleware });
      const { messages } = await agent.invoke(QUESTION, { configurable });
      expect(messages.at(-1)?.text).toBe("Nothing found.");
    }
  });

  it("rejects a tool that has the name of a reading tool", async () => {
    const { workspace } = await storyWorkspace();
    const own = tool(() => LOG, { name: SEARCH.name, schema: z.object({}) });
    const middleware = [offloadMiddleware({ workspace })];
    const agent = createAgent({ model: storyModel(), tools: [own], middleware });
    await expect(agent.invoke(QUESTION, ON_THREAD)).rejects.toThrow(/toolNames/);
  });

  it("takes references as arguments of tools on the list", async () => {
    const { workspace } = await storyWorkspace();
    const got: string[] = [];
    const schema = z.object({ text: z.string() });
    const save = tool(
      ({ text }) => {
        got.push(text);
        return "saved";
      },
      { name: "save", schema },
    );
    const passing = (text: string, id: string) => [{ name: "save", args: { text }, id }];
    const model = fakeModel()
      .respondWithTools([FETCH])
      .respondWithTools(passing("offload:call-1#lines=2346", "call-2"))
      .respondWithTools(passing("offload:elsewhere", "call-3"))
      .respond(answer);
    const middleware = [offloadMiddleware({ workspace, acceptReferences: ["save"] })];
    const agent = createAgent({ model, tools: [fetchLog, save], middleware });
    const { messages } = await agent.invoke(QUESTION, ON_THREAD);
    expect(got).toEqual([`2026-11-15T08:00:00Z ${NEEDED}`]);
    expect(messages.at(-2)).toMatchObject({ status: "error", tool_call_id: "call-3" });
    expect(model.calls[0]?.messages[0]?.text).toContain("argument of save");
  });
});

describe("subagents", () => {
  it("have their own session, and their parent has access to it", async () => {
    const { workspace } = await storyWorkspace();
    const inner = createAgent({
      model: storyModel(),
      tools: [fetchLog],
      middleware: [offloadMiddleware({ workspace })],
    });
    const ask = tool(async () => (await inner.invoke(QUESTION)).messages.at(-1)?.text ?? "", {
      name: "ask",
      schema: z.object({}),
    });
    const model = fakeModel()
      .respondWithTools([{ name: "fetch_log", args: {}, id: "outer-1" }])
      .respondWithTools([{ name: "ask", args: {}, id: "outer-2" }])
      .respondWithTools([{ name: "read_stored", args: {}, id: "outer-3" }])
      .respond(answer);
    const outer = createAgent({
      model,
      tools: [fetchLog, ask],
      middleware: [offloadMiddleware({ workspace })],
      checkpointer: new MemorySaver(),
    });
    const { messages } = await outer.invoke(QUESTION, ON_THREAD);

    expect(messages.find((message) => message.name === "ask")?.text).toBe(NEEDED);
    const { artifacts } = await workspace.getToolResultOffloadInfo({ sessionId: "thread-1" });
    expect(artifacts.map(({ artifact_id }) => artifact_id).sort()).toEqual(["call-1", "outer-1"]);
    const sessionId =
      artifacts.find(({ artifact_id }) => artifact_id === "call-1")?.session_id ?? "";
    expect(sessionId).not.toBe("thread-1");
    expect(await workspace.getOriginal("call-1", { sessionId: "thread-1" })).toBe(LOG);
    await expect(workspace.getOriginal("outer-1", { sessionId })).rejects.toThrow(/outer-1/);
  });
});

describe("offloadMiddleware in createDeepAgent", () => {
  it("comes before its own eviction", async () => {
    const { workspace } = await storyWorkspace();
    const model = storyModel();
    const agent = createDeepAgent({
      model,
      tools: [fetchLog],
      middleware: [offloadMiddleware({ workspace })],
    });
    const result = await agent.invoke(QUESTION, ON_THREAD);
    expect(result.messages.at(-1)?.text).toBe(NEEDED);
    expect(result.messages.find(({ name }) => name === "fetch_log")?.text).toMatch(
      /^<knowledge_list>/,
    );
    expect(result.files ?? {}).toEqual({});
    expect(await workspace.getOriginal("call-1", { sessionId: "thread-1" })).toBe(LOG);
  });

  it("gives its subagents their own session, with the parent's", async () => {
    const { workspace } = await storyWorkspace();
    const middleware = [offloadMiddleware({ workspace })];
    const task = { description: QUESTION.messages[0]?.text, subagent_type: "reader" };
    const model = fakeModel()
      .respondWithTools([{ name: "task", args: task, id: "outer-1" }])
      .respond(answer);
    const agent = createDeepAgent({
      model,
      tools: [],
      middleware,
      subagents: [
        {
          ...{ name: "reader", description: "Reads logs.", systemPrompt: "Read the log." },
          ...{ model: storyModel(), tools: [fetchLog], middleware },
        },
      ],
    });
    const { messages } = await agent.invoke(QUESTION, ON_THREAD);
    expect(messages.at(-1)?.text).toBe(NEEDED);
    const { artifacts } = await workspace.getToolResultOffloadInfo({ sessionId: "thread-1" });
    expect(artifacts).toMatchObject([{ artifact_id: "call-1" }]);
    expect(artifacts[0]?.session_id).toMatch(/^thread-1\|tools:/);
  });
});

describe("subagents of a run without a thread", () => {
  it.each([
    ["share a middleware: the parent reads what they stored", true],
    ["have one of their own: nobody else reads what they stored", false],
  ])("%s", async (_, isShared) => {
    const { workspace } = await storyWorkspace();
    const shared = offloadMiddleware({ workspace });
    const inner = isShared ? shared : offloadMiddleware({ workspace });
    const task = { description: "Read the log.", subagent_type: "reader" };
    const list = { name: "read_stored", args: {}, id: "outer-2" };
    const model = fakeModel()
      .respondWithTools([{ name: "task", args: task, id: "outer-1" }])
      .respondWithTools([list])
      .respond(answer);
    const agent = createDeepAgent({
      ...{ model, tools: [], middleware: [shared] },
      subagents: [
        {
          ...{ name: "reader", description: "Reads logs.", systemPrompt: "Read the log." },
          ...{ model: storyModel(), tools: [fetchLog], middleware: [inner] },
        },
      ],
    });
    const { messages } = await agent.invoke(QUESTION);
    const listed = messages.find((message) => message.name === list.name)?.text ?? "";
    expect(listed.includes("call-1")).toBe(isShared);
    const { artifacts } = await workspace.getToolResultOffloadInfo();
    expect(artifacts.map(({ artifact_id }) => artifact_id)).toEqual(["call-1"]);
  });
});

// Never called: that it compiles is the test.
export const types = () => {
  const model = fakeModel();
  createAgent({ model, tools: [fetchLog], middleware: [offloadMiddleware()] });
  createDeepAgent({ model, middleware: [offloadMiddleware({ keep: "original" })] });
  // @ts-expect-error there are two kinds of copies to keep
  offloadMiddleware({ keep: "both" });
};
