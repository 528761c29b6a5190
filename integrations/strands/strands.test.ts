import * as strands from "@strands-agents/sdk";
import {
  AfterToolCallEvent,
  Agent,
  BeforeToolCallEvent,
  ImageBlock,
  SessionManager,
  TextBlock,
  tool,
  ToolResultEvent,
  type Message,
} from "@strands-agents/sdk";
import { InMemoryStorage } from "@strands-agents/sdk/storage";
import type { Workspace } from "context-offload";
import { offloadPlugin, type StrandsOptions } from "context-offload/strands";
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
import { ScriptedModel } from "./scripted-model.mjs";

const QUESTION = "Which payment was declined?";
const FETCH = { toolUseId: "call-1", name: "fetch_log", input: {} };
const GREP = { toolUseId: "call-2", name: SEARCH.name, input: SEARCH.input };

const makeTool = (callback: () => unknown, name = "fetch_log") =>
  tool({
    ...{ name, description: "Fetches the log.", inputSchema: z.object({}) },
    callback: () => callback() as string,
  });
const fetchLog = makeTool(() => LOG);

/** Says what the last result says of the payment. */
const answer = (last: string) => /ERROR payment[\w :]*/.exec(last)?.[0] ?? "Nothing found.";
const storyModel = () => new ScriptedModel([FETCH], [GREP], answer);

type Settings = NonNullable<ConstructorParameters<typeof Agent>[0]>;
const QUIET = { printer: false, systemPrompt: "Be brief." };

function createAgent(model: ScriptedModel, options: StrandsOptions, settings: Settings = {}) {
  const plugins = [offloadPlugin(strands, options)];
  return new Agent({ ...QUIET, model, tools: [fetchLog], plugins, ...settings });
}

/** A session manager that keeps a conversation under this id. */
const managerOf = (sessionId: string, storage = new InMemoryStorage()) =>
  new SessionManager({ sessionId, storage });

const textOf = ({ lastMessage }: { lastMessage: Message }) =>
  lastMessage.content.map((block) => (block.type === "textBlock" ? block.text : "")).join("");

function expectShort({ prompts }: ScriptedModel, requests: number): void {
  expect(prompts).toHaveLength(requests);
  expect(prompts.filter((prompt) => prompt.length > SHORT)).toEqual([]);
}

describe("offloadPlugin", () => {
  it.each(["reference", "original"] as const)("saves the %s", async (keep) => {
    const { workspace } = await storyWorkspace();
    const model = storyModel();
    const storage = new InMemoryStorage();
    const sessionManager = managerOf("chat-1", storage);
    const agent = createAgent(model, { workspace, keep }, { sessionManager });
    expect(textOf(await agent.invoke(QUESTION))).toBe(NEEDED);
    expectShort(model, 3);
    expect(model.offered[0]).toEqual(expect.arrayContaining(["fetch_log", SEARCH.name]));
    expect(await workspace.getOriginal("call-1", { sessionId: "chat-1" })).toBe(LOG);

    const saved = JSON.stringify(agent.messages);
    expect(saved.includes("<knowledge_list>")).toBe(keep === "reference");
    expect(saved.includes(JSON.stringify(LOG))).toBe(keep === "original");
    // The notice is in every request, and in none of what is saved.
    expect(model.prompts[0]).toMatch(/Be brief\.\\n\\n.*read_stored/);
    expect(agent.systemPrompt).toBe("Be brief.");

    // The second turn is cheap, in another process too.
    const later = new ScriptedModel([GREP], answer);
    const resumed = createAgent(
      later,
      { workspace, keep },
      { sessionManager: managerOf("chat-1", storage) },
    );
    expect(textOf(await resumed.invoke("Say it again."))).toBe(NEEDED);
    expect(resumed.messages.length).toBeGreaterThan(6);
    expectShort(later, 2);
    expect(later.prompts[0]).toContain("<knowledge_list>");
    expect(JSON.stringify(resumed.messages).includes(JSON.stringify(LOG))).toBe(
      keep === "original",
    );
  });

  it("offloads what the host had in its messages before", async () => {
    const { workspace } = await storyWorkspace();
    const plain = new Agent({
      ...QUIET,
      model: new ScriptedModel([FETCH], answer),
      tools: [fetchLog],
    });
    await plain.invoke(QUESTION);
    const model = new ScriptedModel([GREP], answer);
    const agent = createAgent(model, { workspace }, { messages: plain.messages });
    expect(textOf(await agent.invoke(QUESTION))).toBe(NEEDED);
    expectShort(model, 2);
  });

  it("streams references", async () => {
    const { workspace } = await storyWorkspace();
    const model = storyModel();
    const results: string[] = [];
    let text = "";
    for await (const event of createAgent(model, { workspace }).stream(QUESTION)) {
      if (event instanceof ToolResultEvent) results.push(JSON.stringify(event.result));
      if (event.type !== "modelStreamUpdateEvent") continue;
      const { event: update } = event;
      if (update.type === "modelContentBlockDeltaEvent" && update.delta.type === "textDelta") {
        text += update.delta.text;
      }
    }
    expect(text).toBe(NEEDED);
    expect(results[0]).toContain("<knowledge_list>");
    expectShort(model, 3);
  });

  it.each(["concurrent", "sequential"] as const)(
    "offloads the results of %s calls, each under its own id",
    async (toolExecutor) => {
      const { workspace } = await storyWorkspace();
      const calls = ["a", "b", "c"].map((toolUseId) => ({ ...FETCH, toolUseId }));
      const model = new ScriptedModel(calls, [GREP], answer);
      const agent = createAgent(model, { workspace, sessionId: "chat-1" }, { toolExecutor });
      expect(textOf(await agent.invoke(QUESTION))).toBe(NEEDED);
      expectShort(model, 3);
      for (const { toolUseId } of calls) {
        expect(await workspace.getOriginal(toolUseId, { sessionId: "chat-1" })).toBe(LOG);
      }
    },
  );

  it.each(["reference", "original"] as const)(
    "goes on with the whole result if it cannot be stored, saving the %s",
    async (keep) => {
      const { workspace, events } = await brokenWorkspace();
      const model = new ScriptedModel([FETCH], answer);
      const agent = createAgent(model, { workspace, keep });
      expect(textOf(await agent.invoke(QUESTION))).toBe(NEEDED);
      expect(model.prompts[1]?.length).toBeGreaterThan(LOG.length);
      expect(events.map(({ event }) => event)).toContain("failure");
    },
  );

  it("ends the run if it cannot be stored and the host wants that", async () => {
    const { workspace } = await brokenWorkspace();
    const model = new ScriptedModel([FETCH], answer);
    const agent = createAgent(model, { workspace, onError: "throw" });
    await expect(agent.invoke(QUESTION)).rejects.toThrow();
  });

  it("tells the model what a tool threw, as Strands does without it", async () => {
    const { workspace, events } = await storyWorkspace();
    const plain = await toldAbout("no such log");
    expect(plain).toContain("no such log");
    expect(plain).toContain('"status":"error"');
    expect(await toldAbout("no such log", workspace)).toBe(plain);
    expect(events.filter(({ event }) => event !== "request")).toEqual([]);
  });

  it("offloads what a tool threw if it is as long as a log, still as an error", async () => {
    const { workspace } = await storyWorkspace();
    const sentBack = await toldAbout(`no such log\n${LOG}`, workspace);
    expect(sentBack).toContain('"status":"error"');
    expect(sentBack).toContain("knowledge_list");
    expect(sentBack).toContain("no such log");
    expect(sentBack.length).toBeLessThan(LOG.length / 20);
  });

  it.each(["reference", "original"] as const)(
    "gives the model long readings whole, and errors of readings, saving the %s",
    async (keep) => {
      const { workspace } = await storyWorkspace();
      const read = (id: string, toolUseId: string) => ({
        ...{ toolUseId, name: "read_stored" },
        input: { id, lines: "1-100" },
      });
      const model = new ScriptedModel([FETCH], [read("call-1", "call-2")], [read("no", "call-3")]);
      const agent = createAgent(model, { workspace, keep });
      await agent.invoke(QUESTION);
      expect(model.prompts[2]).toContain("INFO request 50 took");
      expect(model.prompts[3]).toMatch(/"toolUseId":"call-3","status":"error".*call-1/);
    },
  );

  it("stores objects as JSON that can be queried", async () => {
    const { workspace } = await storyWorkspace();
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, state: "paid" }));
    const query = {
      ...{ toolUseId: "call-2", name: "read_stored" },
      input: { id: "call-1", pointer: "/rows/1234" },
    };
    const model = new ScriptedModel([FETCH], [query], (last) => last);
    const tools = [makeTool(() => ({ rows }))];
    const agent = createAgent(model, { workspace, sessionId: "chat-1" }, { tools });
    expect(textOf(await agent.invoke(QUESTION))).toContain("1234");
    expectShort(model, 3);
    expect(await workspace.getOriginal("call-1", { sessionId: "chat-1" })).toEqual({ rows });
  });

  it.each(["reference", "original"] as const)("keeps pictures, saving the %s", async (keep) => {
    const { workspace } = await storyWorkspace();
    const image = new ImageBlock({ format: "png", source: { bytes: new Uint8Array([1, 2, 3]) } });
    const tools = [makeTool(() => [new TextBlock(LOG), image])];
    const model = new ScriptedModel([FETCH], [GREP], answer);
    const agent = createAgent(model, { workspace, keep }, { tools });
    expect(textOf(await agent.invoke(QUESTION))).toBe(NEEDED);
    expectShort(model, 3);
    expect(model.prompts[1]).toContain('"image":{"format":"png","source":{"bytes":"AQID"}}');
  });

  it("passes references on as arguments, for the tools that the host named", async () => {
    const { workspace } = await storyWorkspace();
    const got: string[] = [];
    const seen: unknown[] = [];
    const write = tool({
      ...{ name: "write", description: "Writes.", inputSchema: z.object({ content: z.string() }) },
      callback: ({ content }) => {
        got.push(content);
        return "written";
      },
    });
    const call = (content: string, toolUseId: string) => [
      { toolUseId, name: "write", input: { content } },
    ];
    const model = new ScriptedModel(
      [FETCH],
      call("offload:call-1", "call-2"),
      call("offload:call-1#lines=2346", "call-3"),
      call("offload:missing", "call-4"),
      answer,
    );
    const acceptReferences = ["write"];
    const agent = createAgent(model, { workspace, acceptReferences }, { tools: [fetchLog, write] });
    agent.addHook(BeforeToolCallEvent, ({ toolUse }) => {
      seen.push(toolUse.input);
    });
    await agent.invoke(QUESTION);
    expect(got).toEqual([LOG, expect.stringContaining(NEEDED) as string]);
    // The host's hooks see what the tool gets; the conversation keeps what the model wrote.
    expect(seen[1]).toEqual({ content: LOG });
    expect(JSON.stringify(agent.messages[3])).toContain("offload:call-1");
    expect(model.prompts[4]).toMatch(/missing.*call-1/);
    expectShort(model, 5);

    got.length = 0;
    const other = new ScriptedModel([FETCH], call("offload:call-1", "call-2"), answer);
    await createAgent(other, { workspace }, { tools: [fetchLog, write] }).invoke(QUESTION);
    expect(got).toEqual(["offload:call-1"]);
  });

  it("runs after the host's own hooks, and again after a retry", async () => {
    const { workspace, events } = await storyWorkspace();
    const model = storyModel();
    const agent = createAgent(model, { workspace, sessionId: "chat-1" });
    let attempts = 0;
    agent.addHook(AfterToolCallEvent, (event) => {
      if (event.toolUse.name !== "fetch_log") return;
      attempts += 1;
      event.retry = attempts === 1;
      const secret = LOG.replaceAll("7731", attempts === 1 ? "0000" : "1234");
      event.result = new strands.ToolResultBlock({
        ...event.result,
        content: [new TextBlock(secret)],
      });
    });
    expect(textOf(await agent.invoke(QUESTION))).toContain("payment 1234");
    expect(await workspace.getOriginal("call-1", { sessionId: "chat-1" })).toBe(
      LOG.replaceAll("7731", "1234"),
    );
    expect(events.filter(({ event }) => event === "offload")).toHaveLength(1);
  });

  it("keeps the answer of an agent that the user's question was delegated to", async () => {
    const { workspace, events } = await storyWorkspace();
    const inner = new Agent({ ...QUIET, name: "expert", model: new ScriptedModel(() => LOG) });
    const call = { toolUseId: "call-1", name: "expert", input: { input: QUESTION } };
    const model = new ScriptedModel([call]);
    const tools = [inner.asTool({ delegate: true })];
    const result = await createAgent(model, { workspace }, { tools }).invoke(QUESTION);
    expect(textOf(result)).toContain(LOG);
    expect(events.filter(({ event }) => event !== "request")).toEqual([]);
  });

  it("keeps a system prompt that is made of blocks", async () => {
    const { workspace } = await storyWorkspace();
    const model = storyModel();
    const systemPrompt = [{ text: "Be brief." }, { cachePoint: { cacheType: "default" as const } }];
    await createAgent(model, { workspace }, { systemPrompt }).invoke(QUESTION);
    expect(model.prompts[0]).toMatch(
      /^\{"systemPrompt":\[\{"text":"Be brief."\},\{"cachePoint":\{"cacheType":"default"\}\},\{"text":"[^"]*read_stored/,
    );
  });

  it("says which argument is wrong", () => {
    const { Agent: _, ...rest } = { Agent, InvokeModelStage: strands.InvokeModelStage };
    expect(() => offloadPlugin(rest as unknown as typeof strands)).toThrow(
      /strands must be the SDK: import \* as strands/,
    );
    expect(() => offloadPlugin(strands, { keep: "both" as "original" })).toThrow(
      /keep must be "reference" or "original"/,
    );
  });
});

describe("the session", () => {
  it("is that of the session manager", async () => {
    const { workspace } = await storyWorkspace();
    await createAgent(storyModel(), { workspace }, { sessionManager: managerOf("chat-1") }).invoke(
      QUESTION,
    );
    for (const [id, found] of [
      ["chat-2", "Nothing found."],
      ["chat-1", NEEDED],
    ] as const) {
      const model = new ScriptedModel([GREP], answer);
      const agent = createAgent(model, { workspace }, { sessionManager: managerOf(id) });
      expect(textOf(await agent.invoke(QUESTION))).toBe(found);
    }
  });

  it("cannot be shared with a tool that has the name of a reading tool", async () => {
    const { workspace } = await storyWorkspace();
    const tools = [makeTool(() => LOG, SEARCH.name)];
    const asked = async () => createAgent(storyModel(), { workspace }, { tools }).invoke(QUESTION);
    await expect(asked()).rejects.toThrow(/toolNames/);
  });

  it("is random for each agent where there is none, even if they share the plugin", async () => {
    const { workspace } = await storyWorkspace();
    const plugins = [offloadPlugin(strands, { workspace })];
    const first = createAgent(storyModel(), {}, { plugins });
    expect(textOf(await first.invoke(QUESTION))).toBe(NEEDED);
    const [{ sessionId } = { sessionId: "" }, ...others] = await workspace.sessions();
    expect(sessionId).toMatch(/^session-[\w-]{36}$/);
    expect(others).toEqual([]);
    const second = createAgent(new ScriptedModel([GREP], answer), {}, { plugins });
    expect(textOf(await second.invoke(QUESTION))).toBe("Nothing found.");
  });
});

// Never called: that it compiles is the test.
export const types = () => {
  const model = storyModel();
  new Agent({ model, tools: [fetchLog], plugins: [offloadPlugin(strands)] });
  new Agent({ model, plugins: [offloadPlugin(strands, { root: ".offload", keep: "original" })] });
  // @ts-expect-error the SDK has to be passed
  offloadPlugin();
  // @ts-expect-error the events are missing
  offloadPlugin({ Agent });
  // @ts-expect-error only these two can be kept
  offloadPlugin(strands, { keep: "both" });
};

/** What the model is told of a tool that throws this, with our plugin or without it. */
async function toldAbout(message: string, workspace?: Workspace): Promise<string> {
  const failing = makeTool(() => {
    throw new Error(message);
  });
  const model = new ScriptedModel([FETCH], answer);
  const plugins = workspace === undefined ? [] : [offloadPlugin(strands, { workspace })];
  const agent = new Agent({ ...QUIET, model, tools: [failing], plugins });
  await agent.invoke(QUESTION);
  return JSON.stringify(agent.messages[2]?.content[0]);
}
