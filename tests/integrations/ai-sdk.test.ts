import { createOffloader, type Workspace } from "context-offload";
import { readLedger } from "context-offload/ledger";
import { offloadMiddleware, offloadStep, offloadTools } from "context-offload/ai-sdk";
import { describe, expect, it } from "vitest";
import {
  brokenWorkspace,
  LOG,
  NEEDED,
  QUESTION,
  SHORT,
  storyWorkspace,
} from "../support/framework-story.js";
import {
  investigate,
  messagesOf,
  scriptModel,
  SDKS,
  type Move,
} from "../support/scripted-ai-sdk.js";

const FETCH = { toolName: "fetch_log", input: { service: "checkout" } };

describe.each(SDKS)("offloading with $name", ({ sdk, Model }) => {
  const { generateText, streamText, ToolLoopAgent, tool, jsonSchema } = sdk;
  const stopWhen = sdk.stepCountIs(10);
  const inputSchema = jsonSchema<Record<string, string>>({ type: "object", properties: {} });
  const fetchLog = tool({ inputSchema, execute: () => Promise.resolve(LOG) });
  const tools = { fetch_log: fetchLog };
  const storyModel = () => scriptModel(Model, investigate([FETCH]));
  const sentTo = (model: ReturnType<typeof storyModel>) =>
    [...model.doGenerateCalls, ...model.doStreamCalls].map(({ prompt }) => JSON.stringify(prompt));
  const expectShort = (model: ReturnType<typeof storyModel>, requests: number) => {
    const sent = sentTo(model);
    expect(sent).toHaveLength(requests);
    expect(sent.filter((prompt) => prompt.length > SHORT)).toEqual([]);
  };

  describe("offloadTools", () => {
    it("gives the model a reference, and the host the original", async () => {
      const { workspace } = await storyWorkspace();
      const model = storyModel();
      const offloading = offloadTools(tools, { workspace, sessionId: "chat" });
      const result = await generateText({ model, tools: offloading, prompt: QUESTION, stopWhen });

      expect(result.text).toContain(NEEDED);
      expectShort(model, 3);
      expect(result.steps[0]?.toolResults[0]?.output).toBe(LOG);
      expect(await workspace.getOriginal("call-1", { sessionId: "chat" })).toBe(LOG);

      const messages = [
        { role: "user" as const, content: QUESTION },
        ...(await messagesOf(result)),
        { role: "user" as const, content: "Thank you." },
      ];
      const second = scriptModel(Model, () => "You are welcome.");
      await generateText({ model: second, tools: offloading, messages });
      expectShort(second, 1);
    });

    it("streams the original to the UI, and converts what was saved there to references", async () => {
      const { workspace } = await storyWorkspace();
      const model = storyModel();
      const offloading = offloadTools(tools, { workspace, sessionId: "chat" });
      const result = streamText({ model, tools: offloading, prompt: QUESTION, stopWhen });
      const saved: Parameters<typeof sdk.convertToModelMessages>[0] = [];
      for await (const message of sdk.readUIMessageStream({ stream: result.toUIMessageStream() })) {
        saved.splice(0, 1, message);
      }

      expect(await result.text).toContain(NEEDED);
      expectShort(model, 3);
      expect(saved[0]?.parts).toContainEqual(
        expect.objectContaining({ type: "tool-fetch_log", output: LOG }),
      );
      const again = offloadTools(tools, { workspace, sessionId: "chat" });
      const converted = await sdk.convertToModelMessages(saved, { tools: again });
      expect(JSON.stringify(converted).length).toBeLessThan(SHORT);
      expect(converted).toEqual(
        (await messagesOf(result)).map((message) => expect.objectContaining(message) as object),
      );
    });

    it("works in a ToolLoopAgent", async () => {
      const { workspace } = await storyWorkspace();
      const model = storyModel();
      const agent = new ToolLoopAgent({ model, tools: offloadTools(tools, { workspace }) });
      const result = await agent.generate({ prompt: QUESTION });
      expect(result.text).toContain(NEEDED);
      expect(result.steps[0]?.toolResults[0]?.output).toBe(LOG);
      expectShort(model, 3);
    });

    it("streams from a ToolLoopAgent", async () => {
      const { workspace } = await storyWorkspace();
      const model = storyModel();
      const agent = new ToolLoopAgent({ model, tools: offloadTools(tools, { workspace }) });
      const result = await agent.stream({ prompt: QUESTION });
      let text = "";
      for await (const piece of result.textStream) text += piece;
      expect(text).toContain(NEEDED);
      expect((await result.steps)[0]?.toolResults[0]?.output).toBe(LOG);
      expect(model.doStreamCalls).toHaveLength(3);
      expectShort(model, 3);
    });

    it("offloads the results of parallel calls, each under its own id", async () => {
      const { workspace } = await storyWorkspace();
      for (const given of [
        { workspace, sessionId: "own" },
        { offloader: offloaderOf(workspace) },
      ]) {
        const model = scriptModel(Model, investigate([FETCH, FETCH, FETCH]));
        const { text } = await generateText({
          ...{ model, prompt: QUESTION, stopWhen },
          tools: offloadTools(tools, given),
        });
        expect(text).toContain(NEEDED);
        expectShort(model, 3);
        const sessionId = given.sessionId ?? "offloader's";
        for (const id of ["call-1", "call-2", "call-3"]) {
          expect(await workspace.getOriginal(id, { sessionId })).toBe(LOG);
        }
      }
    });

    it("goes on with the whole result if it cannot be stored, and an event says so", async () => {
      const { workspace, events } = await brokenWorkspace();
      const model = storyModel();
      const { text } = await generateText({
        ...{ model, prompt: QUESTION, stopWhen },
        tools: offloadTools(tools, { workspace }),
      });
      expect(text).toContain(NEEDED);
      expect(sentTo(model).at(-1)?.length).toBeGreaterThan(LOG.length);
      expect(events.map(({ event }) => event)).toContain("failure");
    });

    it("stops the step with onError throw if the result cannot be stored", async () => {
      const { workspace } = await brokenWorkspace();
      const offloading = offloadTools(tools, { workspace, onError: "throw" });
      const story = generateText({
        model: storyModel(),
        tools: offloading,
        prompt: QUESTION,
        stopWhen,
      });
      await expect(story).rejects.toThrow(/not-a-folder/);
    });

    it("keeps what a tool threw", async () => {
      const { workspace } = await storyWorkspace();
      const failing = tool({
        inputSchema,
        execute: (): Promise<string> => Promise.reject(new Error(LOG)),
      });
      const model = storyModel();
      await generateText({
        ...{ model, prompt: QUESTION, stopWhen },
        tools: offloadTools({ fetch_log: failing }, { workspace }),
      });
      expect(sentTo(model).at(-1)).toContain('"error-text"');
      expect(sentTo(model).at(-1)?.length).toBeGreaterThan(LOG.length);
    });

    it("offloads what a tool's own toModelOutput makes, and keeps its images", async () => {
      const { workspace } = await storyWorkspace();
      const image = { type: "image-data" as const, data: "aGVsbG8=", mediaType: "image/png" };
      const drawing = tool({
        inputSchema,
        execute: () => Promise.resolve({ title: LOG }),
        toModelOutput: ({ output }) => ({
          type: "content" as const,
          value: [{ type: "text" as const, text: output.title }, image],
        }),
      });
      const model = storyModel();
      const { steps } = await generateText({
        ...{ model, prompt: QUESTION, stopWhen },
        tools: offloadTools({ fetch_log: drawing }, { workspace }),
      });
      expect(steps[0]?.toolResults[0]?.output).toEqual({ title: LOG });
      expectShort(model, 3);
      expect(sentTo(model)[1]).toContain("aGVsbG8=");
    });

    it("offloads values that are not text as JSON", async () => {
      const { workspace } = await storyWorkspace();
      const rows = LOG.split("\n").map((line, at) => ({ at, line }));
      const model = storyModel();
      const listing = tool({ inputSchema, execute: () => Promise.resolve(rows) });
      await generateText({
        ...{ model, prompt: QUESTION, stopWhen },
        tools: offloadTools({ fetch_log: listing }, { workspace, sessionId: "chat" }),
      });
      expectShort(model, 3);
      expect(await workspace.getOriginal("call-1", { sessionId: "chat" })).toEqual(rows);
    });

    it("does not touch tools that the provider runs", () => {
      const search = { type: "provider", id: "vendor.search", args: {}, inputSchema } as const;
      const run = { ...search, execute: () => Promise.resolve(LOG) };
      const offloading = offloadTools({ search, run });
      expect(offloading.search).toBe(search);
      expect(offloading.run).not.toBe(run);
    });

    it("rejects tools that have the name of a reading tool", () => {
      expect(() => offloadTools({ grep_knowledge: fetchLog })).toThrow(/toolNames/);
    });

    it("has a random session for each call, unless the host names one", async () => {
      const { workspace } = await storyWorkspace();
      const first = offloadTools(tools, { workspace });
      const model = storyModel();
      await generateText({ model, tools: first, prompt: QUESTION, stopWhen });
      const other = offloadTools(tools, { workspace });
      expect(await other.read_stored.execute({})).not.toContain("call-1");
      expect(await first.read_stored.execute({})).toContain("call-1");
    });
  });

  describe("references as arguments", () => {
    /** A tool that takes text, called with each of these inputs; what it got. */
    async function pass(inputs: object[], names: string[], execute?: "generator") {
      const { workspace } = await storyWorkspace();
      await workspace.put({ artifactId: "secret", content: LOG }, { sessionId: "other" });
      await workspace.put({ artifactId: "a/b#c %", content: "odd" }, { sessionId: "chat" });
      const got: Record<string, string>[] = [];
      const seen: unknown[] = [];
      const take = (input: Record<string, string>): string => {
        got.push(input);
        return "taken";
      };
      const save = tool({
        ...{ inputSchema, description: "Saves a text." },
        execute:
          execute === "generator"
            ? async function* (input: Record<string, string>) {
                yield await Promise.resolve("begun");
                yield take(input);
              }
            : (input) => Promise.resolve(take(input)),
      });
      const moves: Move[] = [[FETCH], inputs.map((input) => ({ toolName: "save", input })), "done"];
      const model = scriptModel(Model, () => moves.shift() ?? "done");
      const result = streamText({
        ...{ model, prompt: QUESTION, stopWhen },
        tools: offloadTools(
          { ...tools, save },
          { workspace, sessionId: "chat", acceptReferences: names },
        ),
      });
      for await (const part of result.fullStream) {
        if (part.type === "tool-result" && part.toolName === "save") seen.push(part.output);
      }
      return { got, seen, model, steps: await result.steps };
    }

    it("become the stored text, whole or by lines", async () => {
      const lines = LOG.split("\n");
      const { got, steps, model } = await pass(
        [
          { text: "offload:call-1", name: "log.txt" },
          { text: "offload:call-1#lines=10-12" },
          { text: "offload:a%2Fb%23c%20%25" },
          { text: "see offload:call-1" },
        ],
        ["save"],
      );
      // Calls of one step run at once.
      expect(new Set(got)).toEqual(
        new Set([
          { text: LOG, name: "log.txt" },
          { text: lines.slice(9, 12).join("\n") },
          { text: "odd" },
          { text: "see offload:call-1" },
        ]),
      );
      // What is saved of the call is what the model wrote.
      expect(steps[1]?.toolCalls[0]?.input).toEqual({ text: "offload:call-1", name: "log.txt" });
      const described = JSON.stringify(model.doStreamCalls[0]?.tools);
      expect(described).toContain("Saves a text. Instead of copying stored text");
    });

    it("are explained by a tool that makes its description for each call", () => {
      const given = { description: ({ who }: { who: string }) => `Saves for ${who}.` };
      const save = { inputSchema, ...given, execute: () => "saved" };
      const options = { acceptReferences: ["save"] };
      const { description } = offloadTools({ save }, options).save;
      expect(description({ who: "Ann" })).toMatch(/^Saves for Ann\. Instead of .*offload:</);
      expect(offloadTools({ save }).save.description).toBe(given.description);
    });

    it("reach a tool that streams its results", async () => {
      const { got, seen } = await pass([{ text: "offload:call-1" }], ["save"], "generator");
      expect(got).toEqual([{ text: LOG }]);
      expect(seen).toEqual(["begun", "taken", "taken"]);
    });

    it("are rejected for what another session stored", async () => {
      const { got, model } = await pass([{ text: "offload:secret" }], ["save"]);
      expect(got).toEqual([]);
      expect(sentTo(model).at(-1)).toMatch(/error-text.*secret/);
    });

    it("are only text for a tool that is not on the list", async () => {
      const { got, model } = await pass([{ text: "offload:call-1" }], []);
      expect(got).toEqual([{ text: "offload:call-1" }]);
      expect(JSON.stringify(model.doStreamCalls[0]?.tools)).not.toContain("offload:");
    });
  });

  describe.each(["offloadStep", "offloadMiddleware"] as const)("%s", (way) => {
    const offloading = (
      model: ReturnType<typeof storyModel>,
      { workspace }: { workspace: Workspace },
    ) => {
      const settings = { workspace, sessionId: "chat" };
      if (way === "offloadStep") {
        const prepareStep = offloadStep(settings);
        return { model, prepareStep, reading: prepareStep.tools };
      }
      const middleware = offloadMiddleware(settings);
      return { model: sdk.wrapLanguageModel({ model, middleware }), reading: middleware.tools };
    };

    it("keeps the originals in the messages to save, and a second turn is cheap", async () => {
      const story = await storyWorkspace();
      const { reading, ...first } = offloading(storyModel(), story);
      const all = { ...tools, ...reading };
      const result = await generateText({ ...first, prompt: QUESTION, stopWhen, tools: all });
      const saved = await messagesOf(result);
      expect(JSON.stringify(saved).length).toBeGreaterThan(LOG.length);

      const next = scriptModel(Model, () => "You are welcome.");
      // As in another process, which has only what was saved.
      const { reading: again, ...second } = offloading(next, story);
      const messages = [
        { role: "user" as const, content: QUESTION },
        ...saved,
        { role: "user" as const, content: "Thank you." },
      ];
      await generateText({ ...second, messages, tools: { ...tools, ...again } });
      expectShort(next, 1);
      expect(sentTo(next)[0]).toContain("<knowledge ");
    });

    it("offloads the results of parallel calls", async () => {
      const story = await storyWorkspace();
      const model = scriptModel(Model, investigate([FETCH, FETCH, FETCH]));
      const { reading, ...rest } = offloading(model, story);
      const all = { ...tools, ...reading };
      const { text } = await generateText({ ...rest, prompt: QUESTION, stopWhen, tools: all });
      expect(text).toContain(NEEDED);
      expectShort(model, 3);
      for (const id of ["call-1", "call-2", "call-3"]) {
        expect(await story.workspace.getOriginal(id, { sessionId: "chat" })).toBe(LOG);
      }
    });

    it.each([
      ["keeps a short error of a tool", "no such service", /no such service/],
      ["offloads a long error of a tool, which is still one", LOG, /<knowledge /],
    ])("%s", async (_, message, expected) => {
      const story = await storyWorkspace();
      const failing = tool({
        inputSchema,
        execute: (): Promise<string> => Promise.reject(new Error(message)),
      });
      const model = storyModel();
      const { reading, ...rest } = offloading(model, story);
      const all = { fetch_log: failing, ...reading };
      const { text } = await generateText({ ...rest, prompt: QUESTION, stopWhen, tools: all });
      expect(text).toMatch(message === LOG ? NEEDED : "I found nothing.");
      expect(sentTo(model)[1]).toMatch(expected);
      expect(sentTo(model)[1]).toContain('"error-text"');
      expectShort(model, message === LOG ? 3 : 2);
    });
  });

  describe("offloadStep", () => {
    it("offloads results of the whole history, of tools from elsewhere too", async () => {
      const { workspace } = await storyWorkspace();
      const model = storyModel();
      const prepareStep = offloadStep({ workspace });
      const { text, steps } = await generateText({
        ...{ model, prompt: QUESTION, stopWhen, prepareStep },
        tools: { ...tools, ...prepareStep.tools },
      });
      expect(text).toContain(NEEDED);
      expect(steps[0]?.toolResults[0]?.output).toBe(LOG);
      expectShort(model, 3);
    });

    it("takes an offloader, and streams", async () => {
      const { workspace } = await storyWorkspace();
      const offloader = offloaderOf(workspace);
      const model = storyModel();
      const result = streamText({
        ...{ model, prompt: QUESTION, stopWhen, prepareStep: offloadStep({ offloader }) },
        tools: { ...tools, ...offloader.tools() },
      });
      expect(await result.text).toContain(NEEDED);
      expectShort(model, 3);
    });

    it("does not stop the agent if nothing can be stored", async () => {
      const { workspace, events } = await brokenWorkspace();
      const prepareStep = offloadStep({ workspace });
      const { text } = await generateText({
        ...{ model: storyModel(), prompt: QUESTION, stopWhen, prepareStep },
        tools: { ...tools, ...prepareStep.tools },
      });
      expect(text).toContain(NEEDED);
      expect(events.map(({ event }) => event)).toContain("failure");
    });
  });

  describe("offloadMiddleware", () => {
    it("offloads in requests that offer its tools, explains references, and saves originals", async () => {
      const { workspace } = await storyWorkspace();
      for (const ask of [generateText, streamText]) {
        const model = storyModel();
        const middleware = offloadMiddleware({ workspace });
        const result = await ask({
          model: sdk.wrapLanguageModel({ model, middleware }),
          ...{ prompt: QUESTION, stopWhen, system: "Be brief." },
          tools: { ...tools, ...middleware.tools },
        });
        expect(await result.text).toContain(NEEDED);
        const messages = JSON.stringify(await messagesOf(result));
        expect(messages.length).toBeGreaterThan(LOG.length);
        expectShort(model, 3);
        const [first, second] = sentTo(model).map((prompt) => JSON.parse(prompt) as unknown[]);
        expect(first?.[0]).toMatchObject({ role: "system" });
        expect(JSON.stringify(first?.[0])).toMatch(/Be brief\..*read_stored/);
        expect(second?.[0]).toEqual(first?.[0]);
      }
    });

    it("passes a request on whole if it does not offer the tools", async () => {
      const { workspace } = await storyWorkspace();
      const model = storyModel();
      const wrapped = sdk.wrapLanguageModel({
        model,
        middleware: offloadMiddleware({ workspace }),
      });
      const { text } = await generateText({ model: wrapped, tools, prompt: QUESTION, stopWhen });
      expect(text).toContain(NEEDED);
      const { sessions } = await readLedger(workspace);
      const requests = sentTo(model).length;
      expect(sessions[0]?.usage).toMatchObject({ requests, inputTokens: requests });
      expect(Object.keys(sessions[0]?.keptLarge ?? {})).toHaveLength(LOG.length > 25_600 ? 1 : 0);
      expect(sentTo(model).at(-1)?.length).toBeGreaterThan(LOG.length);
    });

    it("does not stop the agent if nothing can be stored", async () => {
      const { workspace, events } = await brokenWorkspace();
      const middleware = offloadMiddleware({ workspace });
      const { text } = await generateText({
        model: sdk.wrapLanguageModel({ model: storyModel(), middleware }),
        ...{ prompt: QUESTION, stopWhen, tools: { ...tools, ...middleware.tools } },
      });
      expect(text).toContain(NEEDED);
      expect(events.map(({ event }) => event)).toContain("failure");
    });
  });
});

function offloaderOf(workspace: Awaited<ReturnType<typeof storyWorkspace>>["workspace"]) {
  return createOffloader({ workspace, sessionId: "offloader's", format: "ai-sdk" });
}
