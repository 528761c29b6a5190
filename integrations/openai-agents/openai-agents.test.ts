import {
  Agent,
  MemorySession,
  Runner,
  setTracingDisabled,
  tool,
  webSearchTool,
  type AgentInputItem,
} from "@openai/agents";
import {
  assistantMessage,
  functionCall,
  modelResponder,
  ScriptedModel,
  type RecordedModelCall,
} from "@openai/agents/testing";
import { offloadFilter, offloadTools, type OpenAIAgentsTool } from "context-offload/openai-agents";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  brokenWorkspace,
  LOG,
  NEEDED,
  SEARCH,
  SHORT,
  storyWorkspace,
} from "../../tests/support/framework-story.js";

setTracingDisabled(true);

const QUESTION = "Which payment was declined?";
const FETCH = functionCall("fetch_log", {}, { callId: "call-1" });
const GREP = functionCall(SEARCH.name, SEARCH.input, { callId: "call-2" });

const fetchLog = tool({
  ...{ name: "fetch_log", description: "Fetches the log.", parameters: z.object({}) },
  execute: () => LOG,
});

/** Says what the last result says of the payment. */
const answer = modelResponder(({ request }: RecordedModelCall) => {
  const last = JSON.stringify(request.input.at(-1));
  return [assistantMessage(/ERROR payment[^"\\]*/.exec(last)?.[0] ?? "Nothing found.")];
});

const storyModel = () => new ScriptedModel([[FETCH], [GREP], answer]);

const sentTo = (model: ScriptedModel) =>
  model.calls.map(({ request }) => JSON.stringify(request.input));

function expectShort(model: ScriptedModel, requests: number): void {
  const sent = sentTo(model);
  expect(sent).toHaveLength(requests);
  expect(sent.filter((input) => input.length > SHORT)).toEqual([]);
}

describe("offloadTools in an Agent", () => {
  it("gives the model a reference, and saves it", async () => {
    const { workspace } = await storyWorkspace();
    const model = new ScriptedModel([[FETCH], [GREP], answer, [assistantMessage("Welcome.")]]);
    const tools = offloadTools([fetchLog], { workspace, sessionId: "chat" });
    const agent = new Agent({ name: "Analyst", model, tools });
    const session = new MemorySession();
    const { finalOutput } = await new Runner().run(agent, QUESTION, { session });

    expect(finalOutput).toBe(NEEDED);
    expectShort(model, 3);
    expect(await workspace.getOriginal("call-1", { sessionId: "chat" })).toBe(LOG);
    const saved = JSON.stringify(await session.getItems());
    expect(saved.length).toBeLessThan(SHORT);
    expect(saved).toContain("<knowledge_list>");
    await new Runner().run(agent, "Thank you.", { session });
    expectShort(model, 4);
  });

  it("streams", async () => {
    const { workspace } = await storyWorkspace();
    const model = storyModel();
    const agent = new Agent({
      name: "Analyst",
      model,
      tools: offloadTools([fetchLog], { workspace }),
    });
    const result = await new Runner().run(agent, QUESTION, { stream: true });
    for await (const event of result) expect(JSON.stringify(event.type)).toBeTruthy();
    await result.completed;
    expect(result.finalOutput).toBe(NEEDED);
    expectShort(model, 3);
  });

  it("offloads the results of parallel calls, each under its own id", async () => {
    const { workspace } = await storyWorkspace();
    const calls = ["a", "b", "c"].map((callId) => functionCall("fetch_log", {}, { callId }));
    const model = new ScriptedModel([calls, [GREP], answer]);
    const tools = offloadTools([fetchLog], { workspace, sessionId: "chat" });
    await new Runner().run(new Agent({ name: "Analyst", model, tools }), QUESTION);
    expectShort(model, 3);
    for (const { callId } of calls) {
      expect(await workspace.getOriginal(callId, { sessionId: "chat" })).toBe(LOG);
    }
  });

  it("goes on with the whole result if it cannot be stored", async () => {
    const { workspace, events } = await brokenWorkspace();
    const model = new ScriptedModel([[FETCH], answer]);
    const tools = offloadTools([fetchLog], { workspace });
    const { finalOutput } = await new Runner().run(
      new Agent({ name: "A", model, tools }),
      QUESTION,
    );
    expect(finalOutput).toBe(NEEDED);
    expect(sentTo(model).at(-1)?.length).toBeGreaterThan(LOG.length);
    expect(events.map(({ event }) => event)).toContain("failure");
  });

  it("tells the model what a tool threw, as the SDK does without it", async () => {
    const { workspace } = await storyWorkspace();
    const failing = tool({
      ...{ name: "fetch_log", description: "", parameters: z.object({}) },
      execute: (): string => {
        throw new Error("no such log");
      },
    });
    const sentBack = async (tools: (typeof failing | OpenAIAgentsTool)[]) => {
      const model = new ScriptedModel([[FETCH], answer]);
      await new Runner().run(new Agent({ name: "A", model, tools }), QUESTION);
      return model.lastCall?.request.input.at(-1);
    };
    expect(await sentBack(offloadTools([failing], { workspace }))).toEqual(
      await sentBack([failing]),
    );
  });

  it("offloads what the host makes of an error, if it is as long as a log", async () => {
    const { workspace } = await storyWorkspace();
    const failing = tool({
      ...{ name: "fetch_log", description: "", parameters: z.object({}) },
      execute: (): string => {
        throw new Error(LOG);
      },
      errorFunction: (_, error) => String(error),
    });
    const model = new ScriptedModel([[FETCH], answer]);
    const tools = offloadTools([failing], { workspace });
    await new Runner().run(new Agent({ name: "A", model, tools }), QUESTION);
    expect(sentTo(model).at(-1)).toContain("<knowledge_list>");
    expect(sentTo(model).at(-1)?.length).toBeLessThan(SHORT);
  });

  it("offloads data as JSON, and text beside an image", async () => {
    const { workspace } = await storyWorkspace();
    const rows = { rows: LOG.split("\n") };
    const image = { type: "image" as const, image: "data:image/png;base64,aGVsbG8=" };
    for (const [output, kept] of [
      [rows, ""],
      [[{ type: "text" as const, text: LOG }, image], "aGVsbG8="],
      [{ type: "text" as const, text: LOG }, ""],
    ] as const) {
      const listing = tool({
        ...{ name: "fetch_log", description: "", parameters: z.object({}) },
        execute: () => output,
      });
      const model = storyModel();
      const tools = offloadTools([listing], { workspace });
      const { finalOutput } = await new Runner().run(
        new Agent({ name: "A", model, tools }),
        QUESTION,
      );
      expect(finalOutput).toContain(NEEDED);
      expectShort(model, 3);
      expect(sentTo(model)[1]).toContain(kept);
    }
  });

  it("wraps an agent that is a tool, and does not touch hosted tools", async () => {
    const { workspace } = await storyWorkspace();
    const inner = new ScriptedModel([[assistantMessage(LOG)]]);
    const expert = new Agent({ name: "Expert", model: inner }).asTool({
      ...{ toolName: "fetch_log", toolDescription: "Knows the log." },
      parameters: z.object({}),
    });
    const search = webSearchTool();
    const tools = offloadTools([expert, search], { workspace });
    expect(tools[1]).toBe(search);
    const model = storyModel();
    const { finalOutput } = await new Runner().run(
      new Agent({ name: "A", model, tools }),
      QUESTION,
    );
    expect(finalOutput).toBe(NEEDED);
    expectShort(model, 3);
  });

  it("keeps two users of one agent apart by the context of the run", async () => {
    const { workspace } = await storyWorkspace();
    const sessionId = ({ user }: { user: string }) => user;
    const tools = offloadTools([fetchLog], { workspace, sessionId });
    const run = async (model: ScriptedModel, user: string) => {
      const agent = new Agent<{ user: string }>({ name: "A", model, tools });
      return (await new Runner().run(agent, QUESTION, { context: { user } })).finalOutput;
    };
    expect(await run(storyModel(), "ann")).toBe(NEEDED);
    expect(await run(new ScriptedModel([[GREP], answer]), "ben")).toBe("Nothing found.");
    expect(await run(new ScriptedModel([[GREP], answer]), "ann")).toBe(NEEDED);
  });

  it("takes references as arguments of tools on the list", async () => {
    const { workspace } = await storyWorkspace();
    const got: string[] = [];
    const save = tool({
      ...{ name: "save", description: "Saves.", parameters: z.object({ text: z.string() }) },
      execute: ({ text }) => {
        got.push(text);
        return "saved";
      },
    });
    const passing = (text: string, callId: string) => [functionCall("save", { text }, { callId })];
    const model = new ScriptedModel([
      [FETCH],
      passing("offload:call-1#lines=2346", "call-2"),
      passing("offload:elsewhere", "call-3"),
      [assistantMessage("done")],
    ]);
    const tools = offloadTools([fetchLog, save], { workspace, acceptReferences: ["save"] });
    await new Runner().run(new Agent({ name: "A", model, tools }), QUESTION);
    expect(got).toEqual([`2026-11-15T08:00:00Z ${NEEDED}`]);
    expect(sentTo(model).at(-1)).toMatch(/Error: .*elsewhere/);
    expect(JSON.stringify(model.firstCall?.request.tools)).toContain("Saves. Instead of copying");
  });

  it("rejects tools that have the name of a reading tool", () => {
    expect(() => offloadTools([{ ...fetchLog, name: "grep_knowledge" }])).toThrow(/toolNames/);
  });
});

describe("offloadFilter in a Runner", () => {
  it("offloads the whole history of each request, and explains references", async () => {
    const { workspace } = await storyWorkspace();
    const model = new ScriptedModel([[FETCH], [GREP], answer, [assistantMessage("Welcome.")]]);
    const callModelInputFilter = offloadFilter({ workspace });
    const agent = new Agent({
      ...{ name: "Analyst", model, instructions: "Be brief." },
      tools: [fetchLog, ...callModelInputFilter.tools],
    });
    const runner = new Runner({ callModelInputFilter });
    const session = new MemorySession();
    expect((await runner.run(agent, QUESTION, { session })).finalOutput).toBe(NEEDED);
    expectShort(model, 3);
    expect(JSON.stringify(await session.getItems()).length).toBeGreaterThan(LOG.length);
    await runner.run(agent, "Thank you.", { session });
    expectShort(model, 4);
    const instructions = model.calls.map(({ request }) => request.systemInstructions);
    expect(instructions[0]).toMatch(/^Be brief\.\n\n.*read_stored/s);
    expect(new Set(instructions).size).toBe(1);
  });

  it("passes requests of an agent without the reading tools on whole", async () => {
    const { workspace } = await storyWorkspace();
    const model = new ScriptedModel([[FETCH], answer]);
    const runner = new Runner({ callModelInputFilter: offloadFilter({ workspace }) });
    await runner.run(new Agent({ name: "A", model, tools: [fetchLog] }), QUESTION);
    expect(sentTo(model).at(-1)?.length).toBeGreaterThan(LOG.length);
  });

  it("shares a session with offloadTools, for results from elsewhere", async () => {
    const { workspace } = await storyWorkspace();
    const history: AgentInputItem[] = [
      { role: "user", content: QUESTION },
      { ...FETCH },
      {
        type: "function_call_result",
        name: "fetch_log",
        callId: "call-1",
        status: "completed",
        output: { type: "text", text: LOG },
      },
    ];
    const model = new ScriptedModel([[GREP], answer]);
    const tools = offloadTools([fetchLog], { workspace, sessionId: "chat" });
    const callModelInputFilter = offloadFilter({ workspace, sessionId: "chat" });
    const runner = new Runner({ callModelInputFilter });
    const { finalOutput } = await runner.run(new Agent({ name: "A", model, tools }), history);
    expect(finalOutput).toBe(NEEDED);
    expectShort(model, 2);
  });

  it("streams, with parallel calls and a thrown error", async () => {
    const { workspace } = await storyWorkspace();
    const fail = tool({
      ...{ name: "fail", description: "Fails.", parameters: z.object({}) },
      execute: (): string => {
        throw new Error("no such log");
      },
    });
    const calls = ["a", "b"].map((callId) => functionCall("fetch_log", {}, { callId }));
    const failing = functionCall("fail", {}, { callId: "c" });
    const model = new ScriptedModel([[...calls, failing], [GREP], answer]);
    const callModelInputFilter = offloadFilter({ workspace, sessionId: "chat" });
    const tools = [fetchLog, fail, ...callModelInputFilter.tools];
    const runner = new Runner({ callModelInputFilter });
    const agent = new Agent({ name: "A", model, tools });
    const result = await runner.run(agent, QUESTION, { stream: true });
    let events = 0;
    for await (const event of result) events += event.type === "raw_model_stream_event" ? 1 : 0;
    expect(events).toBeGreaterThan(0);
    expect(result.finalOutput).toBe(NEEDED);
    expectShort(model, 3);
    for (const id of ["a", "b"]) {
      expect(await workspace.getOriginal(id, { sessionId: "chat" })).toBe(LOG);
    }
    // The SDK does not tell the model what was thrown, only that it was.
    const items = JSON.parse(sentTo(model)[1] ?? "[]") as { callId?: string; type?: string }[];
    const sentBack = items.find((item) => item.callId === "c" && item.type !== "function_call");
    expect(JSON.stringify(sentBack)).toMatch(/error/i);
  });

  it("goes on with whole results if they cannot be stored", async () => {
    const { workspace, events } = await brokenWorkspace();
    const model = new ScriptedModel([[FETCH], answer]);
    const callModelInputFilter = offloadFilter({ workspace });
    const tools = [fetchLog, ...callModelInputFilter.tools];
    const runner = new Runner({ callModelInputFilter });
    const { finalOutput } = await runner.run(new Agent({ name: "A", model, tools }), QUESTION);
    expect(finalOutput).toBe(NEEDED);
    expect(events.map(({ event }) => event)).toContain("failure");
  });
});

// Never called: that it compiles is the test.
export const types = () => {
  const tools = offloadTools([fetchLog, webSearchTool()]);
  expectTypeOf(tools[0]).toEqualTypeOf<typeof fetchLog>();
  new Agent({ name: "Analyst", tools: offloadTools([fetchLog]) });
  new Agent({ name: "Analyst", tools: offloadTools([fetchLog, webSearchTool()], { root: "x" }) });
  new Runner({ callModelInputFilter: offloadFilter() });
  // @ts-expect-error a session is found by the context, not by a number
  offloadTools([fetchLog], { sessionId: () => 1 });
};
