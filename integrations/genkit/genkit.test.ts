import { offloadMiddleware, type GenkitOptions } from "context-offload/genkit";
import { generateMiddleware, z, type MessageData } from "genkit";
import { genkit, InMemorySessionStore } from "genkit/beta";
import { describe, expect, it } from "vitest";
import {
  brokenWorkspace,
  LOG,
  NEEDED,
  SEARCH,
  SHORT,
  storyWorkspace,
} from "../../tests/support/framework-story.js";
import { scriptedModel } from "./scripted-model.mjs";

const QUESTION = "Which payment was declined?";
const SYSTEM = "Be brief.";
const FETCH = { ref: "call-1", name: "fetch_log", input: {} };
const GREP = { ref: "call-2", name: SEARCH.name, input: SEARCH.input };

const ai = genkit({});
const defineTool = (name: string, fn: () => unknown) =>
  ai.defineTool({ name, description: "Fetches the log.", inputSchema: z.object({}) }, () =>
    Promise.resolve().then(fn),
  );
const fetchLog = defineTool("fetch_log", () => LOG);

/** Says what the last result says of the payment. */
const answer = (last: string) => /ERROR payment[\w :]*/.exec(last)?.[0] ?? "Nothing found.";
const storyModel = () => scriptedModel(ai, [FETCH], [GREP], answer);
type Script = ReturnType<typeof scriptedModel>;

/** One run, as a host writes it. */
const ask = ({ model }: Script, options: GenkitOptions, settings = {}) =>
  ai.generate({
    ...{ model, system: SYSTEM, prompt: QUESTION, tools: [fetchLog] },
    use: [offloadMiddleware(options)],
    ...settings,
  });

function expectShort({ prompts }: Script, requests: number): void {
  expect(prompts).toHaveLength(requests);
  expect(prompts.filter((prompt) => prompt.length > SHORT)).toEqual([]);
}

describe("offloadMiddleware", () => {
  it.each(["reference", "original"] as const)("saves the %s", async (keep) => {
    const { workspace } = await storyWorkspace();
    const options = { workspace, keep, sessionId: "chat-1" };
    const script = storyModel();
    const { text, messages } = await ask(script, options);
    expect(text).toBe(NEEDED);
    expectShort(script, 3);
    expect(script.offered[0]).toEqual(expect.arrayContaining(["fetch_log", SEARCH.name]));
    expect(await workspace.getOriginal("call-1", { sessionId: "chat-1" })).toBe(LOG);

    const saved = JSON.stringify(messages);
    expect(saved.includes("<knowledge_list>")).toBe(keep === "reference");
    expect(saved.includes(JSON.stringify(LOG))).toBe(keep === "original");
    // The notice is in every request, and in none of what is saved.
    expect(script.prompts[0]).toMatch(/Be brief\..*read_stored/);
    expect(saved).not.toContain(workspace.systemPrompt({ readingTools: "one" }));

    // The second turn is cheap.
    const later = scriptedModel(ai, [GREP], answer);
    const again = await ask(later, options, { system: undefined, messages });
    expect(again.text).toBe(NEEDED);
    expectShort(later, 2);
    expect(later.prompts[0]).toContain("<knowledge_list>");
    expect(JSON.stringify(again.messages).includes(JSON.stringify(LOG))).toBe(keep === "original");
  });

  it("streams references", async () => {
    const { workspace } = await storyWorkspace();
    const script = storyModel();
    const { stream, response } = ai.generateStream({
      ...{ model: script.model, prompt: QUESTION, tools: [fetchLog] },
      use: [offloadMiddleware({ workspace })],
    });
    let text = "";
    const results: string[] = [];
    for await (const chunk of stream) {
      text += chunk.text;
      if (chunk.role === "tool") results.push(JSON.stringify(chunk.content));
    }
    expect(text).toBe(NEEDED);
    expect((await response).text).toBe(NEEDED);
    expect(results[0]).toContain("<knowledge_list>");
    expectShort(script, 3);
  });

  it("offloads the results of parallel calls, each under its own id", async () => {
    const { workspace } = await storyWorkspace();
    const calls = ["a", "b", "c"].map((ref) => ({ ...FETCH, ref }));
    const script = scriptedModel(ai, calls, [GREP], answer);
    expect((await ask(script, { workspace, sessionId: "chat-1" })).text).toBe(NEEDED);
    expectShort(script, 3);
    for (const { ref } of calls) {
      expect(await workspace.getOriginal(ref, { sessionId: "chat-1" })).toBe(LOG);
    }
  });

  it("offloads the results of calls without an id", async () => {
    const { workspace } = await storyWorkspace();
    const { ref: _, ...call } = FETCH;
    const script = scriptedModel(ai, [call, call], [GREP], answer);
    expect((await ask(script, { workspace })).text).toBe(NEEDED);
    expectShort(script, 3);
  });

  it.each(["reference", "original"] as const)(
    "goes on with the whole result if it cannot be stored, saving the %s",
    async (keep) => {
      const { workspace, events } = await brokenWorkspace();
      const script = scriptedModel(ai, [FETCH], answer);
      expect((await ask(script, { workspace, keep })).text).toBe(NEEDED);
      expect(script.prompts[1]?.length).toBeGreaterThan(LOG.length);
      expect(events.map(({ event }) => event)).toContain("failure");
    },
  );

  it("ends the run if it cannot be stored and the host wants that", async () => {
    const { workspace } = await brokenWorkspace();
    const script = scriptedModel(ai, [FETCH], answer);
    await expect(ask(script, { workspace, onError: "throw" })).rejects.toThrow();
  });

  it("passes on what a tool throws, which ends the run as without it", async () => {
    const { workspace, events } = await storyWorkspace();
    const tools = [
      defineTool("fail", () => {
        throw new Error("no such log");
      }),
    ];
    const run = (use: object[]) => {
      const script = scriptedModel(ai, [{ ...FETCH, name: "fail" }], answer);
      return ask(script, {}, { tools, use });
    };
    await expect(run([])).rejects.toThrow("no such log");
    await expect(run([offloadMiddleware({ workspace })])).rejects.toThrow("no such log");
    expect(events.filter(({ event }) => event !== "request")).toEqual([]);
  });

  it("answers a reading that fails, so that the model can correct it", async () => {
    const { workspace } = await storyWorkspace();
    const wrong = {
      ...{ ref: "call-2", name: "read_stored" },
      input: { id: "wrong", lines: "1-2" },
    };
    const script = scriptedModel(ai, [FETCH], [wrong], [GREP], answer);
    expect((await ask(script, { workspace })).text).toBe(NEEDED);
    expect(script.prompts[2]).toMatch(/Error: .*call-1/);
  });

  it.each(["reference", "original"] as const)(
    "gives the model long readings whole, saving the %s",
    async (keep) => {
      const { workspace } = await storyWorkspace();
      const read = {
        ...{ ref: "call-2", name: "read_stored" },
        input: { id: "call-1", lines: "1-100" },
      };
      const script = scriptedModel(ai, [FETCH], [read], answer);
      await ask(script, { workspace, keep });
      expect(script.prompts[2]).toContain("INFO request 50 took");
    },
  );

  it("stores objects as JSON that can be queried", async () => {
    const { workspace } = await storyWorkspace();
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, state: "paid" }));
    const query = {
      ...{ ref: "call-2", name: "read_stored" },
      input: { id: "call-1", pointer: "/rows/1234" },
    };
    const script = scriptedModel(ai, [{ ...FETCH, name: "list" }], [query], (last) => last);
    const tools = [defineTool("list", () => ({ rows }))];
    const { text } = await ask(script, { workspace, sessionId: "chat-1" }, { tools });
    expect(text).toContain("1234");
    expectShort(script, 3);
    expect(await workspace.getOriginal("call-1", { sessionId: "chat-1" })).toEqual({ rows });
  });

  it("keeps the other parts of a result", async () => {
    const { workspace } = await storyWorkspace();
    const media = { url: "data:image/png;base64,AQID", contentType: "image/png" };
    const shot = ai.defineTool(
      { name: "shot", description: "Fetches.", inputSchema: z.object({}), multipart: true },
      () => Promise.resolve({ output: LOG, content: [{ media }], metadata: { page: 1 } }),
    );
    const script = scriptedModel(ai, [{ ...FETCH, name: "shot" }], [GREP], answer);
    const { text, messages } = await ask(script, { workspace }, { tools: [shot] });
    expect(text).toBe(NEEDED);
    expectShort(script, 3);
    expect(messages.find(({ role }) => role === "tool")?.content[0]).toMatchObject({
      toolResponse: { ref: "call-1", content: [{ media }] },
      metadata: { page: 1 },
    });
  });

  it("passes references on as arguments, for the tools that the host named", async () => {
    const { workspace } = await storyWorkspace();
    const got: string[] = [];
    const write = ai.defineTool(
      { name: "write", description: "Writes.", inputSchema: z.object({ content: z.string() }) },
      ({ content }) => {
        got.push(content);
        return Promise.resolve("written");
      },
    );
    const tools = [fetchLog, write];
    const call = (content: string, ref: string) => [{ ref, name: "write", input: { content } }];
    const script = scriptedModel(
      ai,
      [FETCH],
      call("offload:call-1", "call-2"),
      call("offload:call-1#lines=2346", "call-3"),
      call("offload:missing", "call-4"),
      answer,
    );
    const options = { workspace, acceptReferences: ["write"] };
    const { messages } = await ask(script, options, { tools });
    expect(got).toEqual([LOG, expect.stringContaining(NEEDED) as string]);
    expect(JSON.stringify(messages)).toContain("offload:call-1");
    expect(script.prompts[4]).toMatch(/missing.*call-1/);
    expectShort(script, 5);

    got.length = 0;
    const other = scriptedModel(ai, [FETCH], call("offload:call-1", "call-2"), answer);
    await ask(other, { workspace }, { tools });
    expect(got).toEqual(["offload:call-1"]);
  });

  it("says which option is wrong", () => {
    expect(() => offloadMiddleware({ keep: "both" as "original" })).toThrow(
      /keep must be "reference" or "original"/,
    );
  });

  it("works in a prompt", async () => {
    const { workspace } = await storyWorkspace();
    const script = storyModel();
    const prompt = ai.definePrompt({
      ...{ name: "analyst", model: script.model, prompt: QUESTION, tools: [fetchLog] },
      use: [offloadMiddleware({ workspace })],
    });
    expect((await prompt()).text).toBe(NEEDED);
    expectShort(script, 3);
  });

  it("works as a registered middleware", async () => {
    const { workspace } = await storyWorkspace();
    const offload = generateMiddleware(
      { name: "offload" },
      offloadMiddleware({ workspace }).instantiate,
    );
    const plugged = genkit({ plugins: [offload.plugin()] });
    plugged.defineTool(
      { name: "fetch_log", description: "Fetches.", inputSchema: z.object({}) },
      () => Promise.resolve(LOG),
    );
    const script = scriptedModel(plugged, [FETCH], [GREP], answer);
    const { text } = await plugged.generate({
      ...{ model: script.model, prompt: QUESTION, tools: ["fetch_log"], use: [offload()] },
    });
    expect(text).toBe(NEEDED);
    expectShort(script, 3);
  });
});

describe("the session", () => {
  it("is that of an agent", async () => {
    const { workspace } = await storyWorkspace();
    const script = scriptedModel(ai, [FETCH], [GREP], answer, [GREP], answer, [GREP], answer);
    const store = new InMemorySessionStore();
    const agent = ai.defineAgent({
      ...{ name: "analyst-agent", model: script.model, system: SYSTEM, tools: [fetchLog], store },
      use: [offloadMiddleware({ workspace })],
    });
    const chat = agent.chat({ sessionId: "chat-1" });
    expect((await chat.send(QUESTION)).text).toBe(NEEDED);
    expect(await workspace.getOriginal("call-1", { sessionId: "chat-1" })).toBe(LOG);
    const snapshot = await store.getSnapshot({ sessionId: "chat-1" });
    expect(JSON.stringify(snapshot)).toContain("<knowledge_list>");
    expect(JSON.stringify(snapshot).length).toBeLessThan(LOG.length / 10);

    expect((await agent.chat({ sessionId: "chat-1" }).send(QUESTION)).text).toBe(NEEDED);
    expect((await agent.chat({ sessionId: "chat-2" }).send(QUESTION)).text).toBe("Nothing found.");
    expectShort(script, 7);
  });

  it("cannot be shared with a tool that has the name of a reading tool: Genkit rejects it", async () => {
    const { workspace } = await storyWorkspace();
    const own = ai.dynamicTool(
      { name: SEARCH.name, description: "The host's.", inputSchema: z.object({}) },
      () => Promise.resolve(LOG),
    );
    const asked = ask(storyModel(), { workspace }, { tools: [fetchLog, own] });
    await expect(asked).rejects.toThrow(/two tools with the same name/);
  });

  it("is random for each middleware where there is none", async () => {
    const { workspace } = await storyWorkspace();
    const use = [offloadMiddleware({ workspace })];
    await ask(storyModel(), {}, { use });
    const found = async (used: object[]) =>
      (await ask(scriptedModel(ai, [GREP], answer), {}, { use: used })).text;
    expect(await found(use)).toBe(NEEDED);
    expect(await found([offloadMiddleware({ workspace })])).toBe("Nothing found.");
  });

  it("can be found by the context, so that two users of one middleware are kept apart", async () => {
    const { workspace } = await storyWorkspace();
    const use = [
      offloadMiddleware({ workspace, sessionId: (context: { chatId: string }) => context.chatId }),
    ];
    const of = (chatId: string) => ({ use, context: { chatId } });
    await ask(storyModel(), {}, of("chat-1"));
    expect(await workspace.getOriginal("call-1", { sessionId: "chat-1" })).toBe(LOG);
    const found = async (chatId: string) =>
      (await ask(scriptedModel(ai, [GREP], answer), {}, of(chatId))).text;
    expect(await found("chat-1")).toBe(NEEDED);
    expect(await found("chat-2")).toBe("Nothing found.");
  });
});

// Never called: that it compiles is the test.
export const types = async (messages: MessageData[]) => {
  const { text } = await ai.generate({ messages, tools: [fetchLog], use: [offloadMiddleware()] });
  generateMiddleware({ name: "offload" }, offloadMiddleware({ root: ".offload" }).instantiate);
  offloadMiddleware({ sessionId: (context: { chatId: string }) => context.chatId });
  // @ts-expect-error only these two can be kept
  offloadMiddleware({ keep: "both" });
  // @ts-expect-error a session has a name
  offloadMiddleware({ sessionId: () => 1 });
  return text;
};
