import Anthropic, { type Middleware } from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { offloadRequests, offloadTools } from "context-offload/anthropic";
import { describe, expect, it } from "vitest";
import {
  anthropicApi,
  resultsOf,
  storyModel,
  toolUse,
  type ApiModel,
} from "../support/anthropic-api.js";
import { brokenWorkspace, LOG, NEEDED, SHORT, storyWorkspace } from "../support/framework-story.js";

const PARAMS = { model: "claude-opus-5", max_tokens: 1_000 };
const schema = { type: "object", properties: { service: { type: "string" } } } as const;

const fetchLog = betaTool({
  name: "fetch_log",
  description: "Returns the log of a service",
  inputSchema: schema,
  run: () => LOG,
});

const LOG_TOOL = { name: "fetch_log", description: "Returns a log", input_schema: schema };

function clientOf(api: ReturnType<typeof anthropicApi>, middleware: Middleware[] = []) {
  return new Anthropic({ apiKey: "none", fetch: api.fetch, maxRetries: 0, middleware });
}

function textOf(content: readonly { type: string }[]): string {
  return content.map((block) => ("text" in block ? String(block.text) : "")).join(" ");
}

describe("offloadTools for toolRunner", () => {
  it.each([
    ["a thread on the server", {}],
    ["the whole history each time", { thread: false } as const],
  ])("the model greps and answers, with %s", async (_, thread) => {
    const { workspace } = await storyWorkspace();
    const api = anthropicApi(storyModel);
    const runner = clientOf(api).beta.messages.toolRunner({
      ...PARAMS,
      ...thread,
      messages: [{ role: "user", content: "Why was 7731 declined?" }],
      tools: offloadTools([fetchLog], { workspace, sessionId: "s1" }),
    });
    const { content } = await runner;
    expect(textOf(content)).toContain(NEEDED);
    expect(api.requests.map(({ body }) => body.messages.length)).toEqual(
      "thread" in thread ? [1, 3, 5] : [1, 1, 1],
    );
    expect(Math.max(...api.requests.map(({ text }) => text.length))).toBeLessThan(12_000);
    // What the host saves is the reference, and it is the original that comes back.
    expect(JSON.stringify(runner.params.messages).length).toBeLessThan(SHORT);
    const { artifacts } = await workspace.getToolResultOffloadInfo({ sessionId: "s1" });
    expect(artifacts.map(({ tool_name }) => tool_name)).toEqual(["fetch_log"]);
    expect(await workspace.getOriginal(artifacts[0]?.artifact_id ?? "", { sessionId: "s1" })).toBe(
      LOG,
    );
  });

  it("works while replies are streamed", async () => {
    const { workspace } = await storyWorkspace();
    const api = anthropicApi(storyModel);
    const runner = clientOf(api).beta.messages.toolRunner({
      ...PARAMS,
      stream: true,
      messages: [{ role: "user", content: "Why was 7731 declined?" }],
      tools: offloadTools([fetchLog], { workspace }),
    });
    let text = "";
    for await (const stream of runner) {
      stream.on("text", (part) => (text += part));
      await stream.finalMessage();
    }
    expect(text).toContain(NEEDED);
  });

  it("answers parallel calls, thrown errors and pictures", async () => {
    const { workspace } = await storyWorkspace();
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "AAAA" },
    } as const;
    const api = anthropicApi((messages) =>
      resultsOf(messages).length > 0
        ? [{ type: "text", text: "Done." }]
        : [
            toolUse("fetch_log", {}),
            toolUse("fetch_log", {}),
            toolUse("fail", {}),
            toolUse("screenshot", {}),
          ],
    );
    const fail = betaTool({
      ...{ name: "fail", description: "Fails", inputSchema: schema },
      run: () => {
        throw new Error("no such service");
      },
    });
    const screenshot = betaTool({
      ...{ name: "screenshot", description: "Takes a picture", inputSchema: schema },
      run: () => [{ type: "text", text: LOG }, image],
    });
    await clientOf(api).beta.messages.toolRunner({
      ...PARAMS,
      messages: [{ role: "user", content: "Go" }],
      tools: offloadTools([fetchLog, fail, screenshot], { workspace }),
    });
    const [first, second, failed, picture] = resultsOf(api.requests[1]?.messages ?? []);
    expect(first?.["content"]).toContain("<knowledge_list");
    expect(second?.["content"]).toContain("<knowledge_list");
    expect(failed).toMatchObject({ is_error: true, content: "Error: no such service" });
    expect(JSON.stringify(picture).length).toBeLessThan(SHORT);
    expect(picture?.["content"]).toContainEqual(image);
  });

  it("goes on when nothing can be stored, and says so", async () => {
    const { workspace, events } = await brokenWorkspace();
    const api = anthropicApi(storyModel);
    const { content } = await clientOf(api).beta.messages.toolRunner({
      ...PARAMS,
      messages: [{ role: "user", content: "Why?" }],
      tools: offloadTools([fetchLog], { workspace }),
    });
    expect(textOf(content)).toContain("Got: ");
    expect(resultsOf(api.requests[1]?.messages ?? [])[0]?.["content"]).toBe(LOG);
    expect(events.map(({ event }) => event)).toContain("failure");
  });

  it("passes stored text to a tool that takes references", async () => {
    const { workspace } = await storyWorkspace();
    await workspace.put({ content: LOG }, { toolCallId: "toolu/1", sessionId: "s1" });
    const received: unknown[] = [];
    const save = betaTool({
      ...{ name: "save", description: "Saves text" },
      inputSchema: {
        type: "object",
        properties: { content: { type: "string" } },
        required: ["content"],
      } as const,
      run: ({ content }) => {
        received.push(content);
        return "saved";
      },
    });
    const api = anthropicApi((messages) =>
      resultsOf(messages).length > 0
        ? [{ type: "text", text: "Done." }]
        : [toolUse("save", { content: "offload:toolu%2F1" })],
    );
    const run = (acceptReferences: string[]) =>
      clientOf(api).beta.messages.toolRunner({
        ...PARAMS,
        messages: [{ role: "user", content: "Go" }],
        tools: offloadTools([save], { workspace, sessionId: "s1", acceptReferences }),
      });
    await run(["save"]);
    await run([]);
    expect(received).toEqual([LOG, "offload:toolu%2F1"]);
    expect(api.requests[0]?.text).toContain("offload:<artifact_id>");
    expect(api.requests[2]?.text).not.toContain("offload:<artifact_id>");
  });

  it("keeps the caller's types", () => {
    const tools = offloadTools([fetchLog]);
    const params = { ...PARAMS, messages: [], tools };
    params satisfies Parameters<Anthropic["beta"]["messages"]["toolRunner"]>[0];
    // @ts-expect-error: a list of tools, not a tool
    expect(() => offloadTools(fetchLog)).toThrow();
    expect(() => offloadTools([{ ...fetchLog, name: "grep_knowledge" }])).toThrow(/toolNames/);
  });
});

/** An agent's loop that knows nothing of offloading. */
async function runAgent(
  client: Anthropic,
  { stream = false, question = "Why was 7731 declined?", options = {} } = {},
) {
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: question }];
  const heard: string[] = [];
  for (;;) {
    const params = { ...PARAMS, messages, tools: [LOG_TOOL] };
    const reply = stream
      ? await client.messages
          .stream(params, options)
          .on("text", (text) => heard.push(text))
          .finalMessage()
      : await client.messages.create(params, options);
    messages.push({ role: "assistant", content: reply.content });
    const calls = reply.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return { reply, messages, heard };
    messages.push({
      role: "user",
      content: calls.map(({ id, name }) => ({
        ...{ type: "tool_result", tool_use_id: id },
        content: name === "fetch_log" ? LOG : `no tool ${name}`,
      })),
    });
  }
}

describe("offloadRequests for a client", () => {
  it.each([
    ["whole", false],
    ["streamed", true],
  ])("answers the reading calls itself, with %s replies", async (_, stream) => {
    const { workspace } = await storyWorkspace();
    const api = anthropicApi(storyModel);
    const client = clientOf(api, [offloadRequests({ workspace })]);
    const { reply, messages, heard } = await runAgent(client, { stream });
    expect(textOf(reply.content)).toBe(`Let me look. Found: ${NEEDED}`);
    expect(api.requests).toHaveLength(3);
    expect(Math.max(...api.requests.map(({ text }) => text.length))).toBeLessThan(12_000);
    // The host keeps its own history: no call that it did not offer, and the original result.
    expect(JSON.stringify(messages)).not.toContain("read_stored");
    expect(resultsOf(messages as never)[0]?.["content"]).toBe(LOG);
    expect(reply.usage.output_tokens).toBe(20);
    if (stream) expect(heard.join("")).toBe(`Let me look.Found: ${NEEDED}`);

    // The next turn is cheap, and the API's history only grows, so that its cache is of use.
    messages.push({ role: "user", content: "Thanks." });
    await client.messages.create({ ...PARAMS, messages, tools: [LOG_TOOL] });
    const before = api.requests[2]?.messages ?? [];
    const after = api.requests[3]?.messages ?? [];
    expect(api.requests[3]?.text.length).toBeLessThan(12_000);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length)).toHaveLength(2);
  });

  it.each([
    ["whole", false],
    ["streamed", true],
  ])(
    "answers a reply that calls a tool of the host as well, with %s replies",
    async (_, stream) => {
      const { workspace } = await storyWorkspace();
      const model: ApiModel = (messages) => {
        const results = resultsOf(messages);
        const id = /<knowledge id="([^"]+)"/.exec(String(results[0]?.["content"]))?.[1] ?? "";
        if (results.length === 0) return [toolUse("fetch_log", {})];
        if (results.length > 1) return [{ type: "text", text: `${results.length} results` }];
        const search = toolUse("read_stored", { id, pattern: "ERROR" });
        return [search, toolUse("fetch_log", { service: "other" })];
      };
      const api = anthropicApi(model);
      const { reply, messages } = await runAgent(clientOf(api, [offloadRequests({ workspace })]), {
        stream,
      });
      expect(textOf(reply.content)).toBe("3 results");
      expect(JSON.stringify(messages)).not.toContain("read_stored");
      const results = resultsOf(api.requests.at(-1)?.messages ?? []).map(({ content }) => content);
      expect(results.map((text) => String(text).includes("<knowledge_list"))).toEqual([
        ...[true, true, false],
      ]);
      expect(results[2]).toContain(NEEDED);
    },
  );

  it("reaches the replies of a thread that the server holds", async () => {
    const { workspace } = await storyWorkspace();
    for (const isStreamed of [false, true]) {
      const api = anthropicApi(storyModel);
      const client = clientOf(api, [offloadRequests({ workspace })]);
      const thread = client.beta.messages.thread({ ...PARAMS, tools: [LOG_TOOL] });
      const send = (content: string | Anthropic.Beta.BetaContentBlockParam[]) =>
        isStreamed
          ? thread.stream({ role: "user", content }).finalMessage()
          : thread.send({ role: "user", content });
      const asked = await send("Why was 7731 declined?");
      const [call] = asked.content.filter((block) => block.type === "tool_use");
      const log = { type: "tool_result", tool_use_id: call?.id ?? "", content: LOG } as const;
      const { content } = await send([log]);
      expect(textOf(content)).toBe(`Let me look. Found: ${NEEDED}`);
      await send("Thanks.");
      const continued = api.requests.map(({ body }) => body.thread?.previous_message_id);
      expect(continued).toEqual([undefined, "msg_1", "msg_2", "msg_3"]);
      const [first, ...others] = api.requests.map(({ text }) => text.length);
      expect(first).toBeGreaterThan(Math.max(...others));
    }
  });

  it("answers a mixed reply of a thread, and passes on a thread that it does not know", async () => {
    const { workspace } = await storyWorkspace();
    const api = anthropicApi((messages) =>
      resultsOf(messages).length > 0
        ? [{ type: "text", text: `${resultsOf(messages).length} results` }]
        : [toolUse("read_stored", {}), toolUse("fetch_log", {})],
    );
    const client = clientOf(api, [offloadRequests({ workspace })]);
    const params = { ...PARAMS, tools: [LOG_TOOL] };
    const first = await client.beta.messages.create({
      ...{ ...params, thread: { type: "create" } },
      messages: [{ role: "user", content: "Go" }],
    });
    expect(first.content).toHaveLength(1);
    const [call] = first.content.filter((block) => block.type === "tool_use");
    const next = {
      ...PARAMS,
      thread: { type: "continue" as const, previous_message_id: first.id },
      messages: [
        {
          role: "user" as const,
          content: [{ type: "tool_result" as const, tool_use_id: call?.id ?? "", content: LOG }],
        },
      ],
    };
    const stranger = clientOf(api, [offloadRequests({ workspace })]);
    await expect(stranger.beta.messages.create(next)).rejects.toThrow(/without `tool_result`/);
    const { content } = await client.beta.messages.create(next);
    expect(textOf(content)).toBe("2 results");
  });

  it("keeps the sessions of two users of one client apart", async () => {
    const { workspace } = await storyWorkspace();
    const api = anthropicApi(storyModel);
    const client = clientOf(api, [offloadRequests({ workspace })]);
    await Promise.all([runAgent(client), runAgent(client)]);
    const { artifacts } = await workspace.getToolResultOffloadInfo();
    const sessions = new Set(artifacts.map(({ session_id }) => session_id));
    expect(artifacts).toHaveLength(2);
    expect(sessions.size).toBe(2);

    const named = clientOf(api, [
      offloadRequests({ workspace, sessionId: ({ headers }) => headers.get("x-chat") ?? "" }),
    ]);
    await runAgent(named, { options: { headers: { "x-chat": "ann" } } });
    await runAgent(named, { options: { headers: { "x-chat": "bob" } } });
    for (const sessionId of ["ann", "bob"]) {
      const page = await workspace.getToolResultOffloadInfo({ sessionId });
      expect(page.artifacts).toHaveLength(1);
    }
    // No name is not a name that all share.
    await expect(runAgent(named)).rejects.toThrow(/sessionId must return a non-empty string/);
    expect((await workspace.getToolResultOffloadInfo()).artifacts).toHaveLength(4);
  });

  it("passes on what it need not change byte for byte", async () => {
    const sent: string[] = [];
    const spy: Middleware = (request, next) => {
      sent.push(request.body as string);
      return next(request);
    };
    const { workspace } = await storyWorkspace();
    const api = anthropicApi(() => [{ type: "text", text: "Hello." }]);
    const client = clientOf(api, [spy, offloadRequests({ workspace })]);
    const params = { ...PARAMS, messages: [{ role: "user" as const, content: "Hi" }] };
    await client.messages.create(params);
    const stream = await client.messages.create({ ...params, stream: true });
    for await (const event of stream) expect(event.type).toBeTruthy();
    expect(api.requests.map(({ text }) => text)).toEqual(sent);
  });

  it("lets the host answer if it has the reading tools itself", async () => {
    const { workspace } = await storyWorkspace();
    const api = anthropicApi(storyModel);
    const options = { workspace, sessionId: () => "s1" };
    const runner = clientOf(api, [offloadRequests(options)]).beta.messages.toolRunner({
      ...PARAMS,
      messages: [{ role: "user", content: "Why?" }],
      tools: offloadTools([fetchLog], { workspace, sessionId: "s1" }),
    });
    expect(textOf((await runner).content)).toContain(NEEDED);
    expect(JSON.stringify(runner.params.messages)).toContain("read_stored");
  });

  it("goes on when nothing can be stored, and when the API fails", async () => {
    const { workspace, events } = await brokenWorkspace();
    const api = anthropicApi(storyModel);
    const { reply } = await runAgent(clientOf(api, [offloadRequests({ workspace })]));
    expect(textOf(reply.content)).toContain("Got: ");
    expect(events.map(({ event }) => event)).toContain("failure");

    const bad = clientOf(api, [offloadRequests({ workspace })]).messages.create({
      ...PARAMS,
      messages: [],
      tools: [LOG_TOOL],
    });
    await expect(bad).rejects.toThrow(/400/);
  });

  it("offloads two results of one message, one of them an error, and can throw instead of keeping", async () => {
    const { workspace } = await storyWorkspace();
    const api = anthropicApi(() => [{ type: "text", text: "Seen." }]);
    const content = ["a", "b"].map((id) => ({ ...toolUse("fetch_log", {}), id: `toolu_${id}` }));
    const messages = [
      { role: "user" as const, content: "Why?" },
      { role: "assistant" as const, content: content as never[] },
      {
        role: "user" as const,
        content: content.map(({ id }, at) => ({
          ...{ type: "tool_result" as const, tool_use_id: id },
          ...{ content: LOG, is_error: at === 1 },
        })),
      },
    ];
    const ask = (middleware: ReturnType<typeof offloadRequests>) =>
      clientOf(api, [middleware]).messages.create({ ...PARAMS, messages, tools: [LOG_TOOL] });
    await ask(offloadRequests({ workspace }));
    const sent = resultsOf(api.requests[0]?.messages ?? []);
    expect(sent.map(({ is_error }) => is_error)).toEqual([false, true]);
    for (const result of sent)
      expect(JSON.stringify(result["content"])).toContain("<knowledge_list");
    const { workspace: broken } = await brokenWorkspace();
    const thrown = ask(offloadRequests({ workspace: broken, onError: "throw" }));
    await expect(thrown).rejects.toThrow();
    expect(api.requests).toHaveLength(1);
  });

  it("stops a model that only reads", async () => {
    const { workspace } = await storyWorkspace();
    const api = anthropicApi((messages) =>
      resultsOf(messages).length < 50
        ? [toolUse("read_stored", {})]
        : [{ type: "text", text: "I give up." }],
    );
    const { reply } = await runAgent(clientOf(api, [offloadRequests({ workspace })]));
    expect(textOf(reply.content)).toBe("I give up.");
    expect(api.requests.at(-1)?.body).toMatchObject({ tool_choice: { type: "none" } });
  });

  it.each([
    ["whole", false],
    ["streamed", true],
  ])("gives up when nothing ends the reading, with %s replies, and says so", async (_, stream) => {
    const { workspace } = await storyWorkspace();
    let isHeeded = false;
    const look = { type: "text", text: "Let me look." };
    // An endpoint that knows nothing of tool_choice; it ends at some time, so that this test does, too.
    const api = anthropicApi((messages) =>
      isHeeded || messages.length > 300
        ? [{ type: "text", text: "Done." }]
        : [look, toolUse("read_stored", {})],
    );
    const client = new Anthropic({
      ...{ apiKey: "none", fetch: api.fetch, maxRetries: 2 },
      middleware: [offloadRequests({ workspace })],
    });
    const error: unknown = await runAgent(client, { stream }).catch((thrown: unknown) => thrown);
    expect(JSON.stringify([error, (error as Error).cause])).toContain("TOO_MANY_READS");
    expect(String(error)).toContain("tool_choice");
    // As many as are allowed, and the one that asks for an answer: an error is not tried again.
    expect(api.requests).toHaveLength(51);
    isHeeded = true;
    // The host's messages are as they were, so that the conversation can go on.
    const { reply } = await runAgent(client, { stream });
    expect(textOf(reply.content)).toBe("Done.");
  });
});
