import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createSdkMcpServer,
  query,
  tool,
  type HookCallback,
  type Options,
} from "@anthropic-ai/claude-agent-sdk";
import * as previous from "claude-agent-0.2";
import { createWorkspace, type WorkspaceEvent } from "context-offload";
import { offloadQuery, claudeToolNames } from "context-offload/claude-agent";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  anthropicApi,
  resultsOf,
  toolUse,
  type ApiBlock,
  type ApiModel,
} from "../../tests/support/anthropic-api.js";
import { LOG, NEEDED } from "../../tests/support/framework-story.js";
import { serveFetch } from "../../tests/support/serve-fetch.js";
import { makeTempFolder } from "../../tests/support/temp-folder.js";

const GREP = claudeToolNames.read_stored;
const say = (text: string): ApiBlock => ({ type: "text", text });
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Claude Code itself, with a scripted model. */
async function runClaude(
  model: ApiModel,
  options: Options = {},
  prompt = "Why was 7731 declined?",
  start: typeof query = query,
) {
  const { cwd = await makeTempFolder() } = options;
  await writeFile(join(cwd, "log.txt"), LOG);
  const api = anthropicApi((messages) => model(messages), { isStrict: false });
  const server = await serveFetch((url, init) =>
    // Claude Code also asks whether anybody is there, without a body.
    init?.body ? api.fetch(url, init) : Promise.resolve(new Response(null, { status: 404 })),
  );
  closing.push(() => server.close());
  let answer = "";
  const messages: unknown[] = [];
  const run = start({
    prompt,
    options: {
      settingSources: [],
      allowedTools: ["Bash", "Task", "Agent", "mcp__logs"],
      ...options,
      cwd,
      env: {
        PATH: process.env["PATH"],
        HOME: cwd,
        CLAUDE_CONFIG_DIR: join(cwd, ".claude"),
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: "none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        ...options.env,
      },
    },
  });
  for await (const message of run) {
    messages.push(message);
    if (message.type === "result" && message.subtype === "success") answer = message.result;
  }
  return { answer, messages, requests: api.requests, cwd };
}

async function storyOf() {
  const events: WorkspaceEvent[] = [];
  const workspace = createWorkspace({
    root: await makeTempFolder(),
    toolNames: claudeToolNames,
    logger: (event) => events.push(event),
  });
  return { workspace, events };
}

function lastResult(messages: Parameters<ApiModel>[0]): string {
  const result = resultsOf(messages).at(-1)?.["content"];
  return typeof result === "string" ? result : JSON.stringify(result);
}

/** Calls a tool, searches the reference, and answers from what it read. */
const investigate =
  (name: string, input: object): ApiModel =>
  (messages) => {
    const results = resultsOf(messages);
    const text = lastResult(messages);
    const id = /<knowledge id=\\?"([^"\\]+)/.exec(text)?.[1] ?? "none";
    if (results.length === 0) return [toolUse(name, input)];
    if (results.length === 1) return [toolUse(GREP, { id, pattern: "ERROR" })];
    return [say(`Read: ${text}`)];
  };

const bash = { command: "sed -n 2200,2500p log.txt", description: "Show the log" };

const logs = () =>
  createSdkMcpServer({
    name: "logs",
    tools: [
      tool("fetch_log", "Returns the log", {}, () =>
        Promise.resolve({ content: [{ type: "text", text: LOG }] }),
      ),
    ],
  });

describe("offloadQuery in Claude Code", () => {
  it("replaces the output of a built-in tool in its own shape, and answers the search", async () => {
    const { workspace } = await storyOf();
    const { answer, requests, messages } = await runClaude(investigate("Bash", bash), {
      ...offloadQuery({ workspace }),
    });
    expect(answer).toContain(NEEDED);
    const sent = resultsOf(requests.at(-1)?.messages ?? [])[0]?.["content"];
    expect(sent).toContain("<knowledge_list");
    expect(sent).toContain(GREP);
    expect(String(sent).length).toBeLessThan(6_000);
    const { session_id } = messages[0] as { session_id: string };
    const page = await workspace.getToolResultOffloadInfo({ sessionId: session_id });
    expect(page.artifacts.map(({ tool_name, lines }) => [tool_name, lines])).toEqual([
      ["Bash", 301],
    ]);
  });

  it("does so in the previous version of the SDK too", async () => {
    const { workspace } = await storyOf();
    const { answer, requests } = await runClaude(
      investigate("Bash", bash),
      { ...offloadQuery({ workspace }) },
      "Why was 7731 declined?",
      previous.query as unknown as typeof query,
    );
    expect(answer).toContain(NEEDED);
    const sent = resultsOf(requests.at(-1)?.messages ?? [])[0]?.["content"];
    expect(sent).toContain("<knowledge_list");
    const options: previous.Options = { ...offloadQuery({ workspace }) };
    expect(options.mcpServers).toHaveProperty("offload");
  });

  it("streams, and keeps a second turn cheap", async () => {
    const { workspace } = await storyOf();
    const cwd = await makeTempFolder();
    const first = await runClaude(investigate("Bash", bash), {
      ...offloadQuery({ workspace }),
      ...{ cwd, includePartialMessages: true },
    });
    const pieces = first.messages.flatMap((message) => {
      const { type, event } = message as { type: string; event?: { delta?: { text?: string } } };
      return type === "stream_event" ? [event?.delta?.text ?? ""] : [];
    });
    expect(pieces.join("")).toContain(NEEDED);
    const { session_id: resume } = first.messages[0] as { session_id: string };
    const second = await runClaude(
      () => [say("You are welcome.")],
      { ...offloadQuery({ workspace }), cwd, resume },
      "Thank you.",
    );
    expect(second.answer).toBe("You are welcome.");
    const results = resultsOf(second.requests.at(-1)?.messages ?? []);
    expect(results).toHaveLength(2);
    expect(results.every(({ content }) => JSON.stringify(content).length < 6_000)).toBe(true);
  });

  it("replaces the 200 kB of an MCP server, unless Claude Code has stored them itself", async () => {
    const { workspace } = await storyOf();
    const offload = offloadQuery({ workspace });
    const options = { ...offload, mcpServers: { ...offload.mcpServers, logs: logs() } };
    const model = investigate("mcp__logs__fetch_log", {});
    const env = { MAX_MCP_OUTPUT_TOKENS: "1000000" };
    const { answer, requests } = await runClaude(model, { ...options, env });
    expect(answer).toContain(NEEDED);
    expect(JSON.stringify(requests.at(-1)?.messages.slice(-3)).length).toBeLessThan(20_000);

    const again = offloadQuery({ workspace });
    const { requests: stored } = await runClaude(model, {
      ...again,
      mcpServers: { ...again.mcpServers, logs: logs() },
    });
    expect(resultsOf(stored.at(-1)?.messages ?? [])[0]?.["content"]).toContain("has been saved to");
  });

  it("gives a subagent its own session, which its parent can read", async () => {
    const { workspace } = await storyOf();
    const model: ApiModel = (messages) => {
      const isSubagent = JSON.stringify(messages[0]).includes("SUBAGENT");
      if (isSubagent) return investigate("Bash", bash)(messages);
      const results = resultsOf(messages).length;
      const task = { description: "Look", prompt: "SUBAGENT", subagent_type: "general-purpose" };
      if (results === 0) return [toolUse("Task", { ...task, run_in_background: false })];
      if (results === 1) return [toolUse(claudeToolNames.read_stored, {})];
      return [say(lastResult(messages))];
    };
    const { messages, answer } = await runClaude(model, { ...offloadQuery({ workspace }) });
    const { session_id } = messages[0] as { session_id: string };
    const { artifacts } = await workspace.getToolResultOffloadInfo();
    const ofCommand = artifacts.filter(({ tool_name }) => tool_name === "Bash");
    expect(ofCommand).toHaveLength(1);
    expect(ofCommand[0]?.session_id).toMatch(new RegExp(`^${session_id}-.+`));
    expect(answer).toContain(ofCommand[0]?.artifact_id);
  });

  it("keeps two queries through one offloadQuery apart", async () => {
    const { workspace } = await storyOf();
    const shared = offloadQuery({ workspace });
    const command = (name: string): ApiBlock =>
      toolUse("Bash", { ...bash, command: `echo the secret of ${name}; ${bash.command}` });
    const first = new Map(["ann", "bob"].map((name) => [name, command(name)]));
    const idOf = (name: string): string => String(first.get(name)?.["id"]);
    /** Looks for what both have stored, by id and by pattern. */
    const model =
      (name: string, other: string): ApiModel =>
      (messages) => {
        const results = resultsOf(messages).map(({ content }) => JSON.stringify(content));
        const pattern = "secret of";
        const moves = [
          first.get(name) ?? say(""),
          toolUse(GREP, { pattern, id: idOf(name) }),
          toolUse(GREP, { pattern, id: idOf(other) }),
          toolUse(GREP, { pattern }),
        ];
        return [moves[results.length] ?? say(results.slice(1).join("\n"))];
      };
    const run = (name: string, other: string) => runClaude(model(name, other), { ...shared });
    const [ann, bob] = await Promise.all([run("ann", "bob"), run("bob", "ann")]);
    for (const [{ answer }, name, other] of [
      [ann, "ann", "bob"],
      [bob, "bob", "ann"],
    ] as const) {
      const [own, foreign, everywhere] = answer.split("\n");
      expect(own).toContain(`the secret of ${name}`);
      expect(foreign).toContain(idOf(name));
      expect(everywhere).toContain(`the secret of ${name}`);
      expect(answer).not.toContain(`the secret of ${other}`);
    }
  });

  it("reads nothing for a call that no hook has announced", async () => {
    const { workspace } = await storyOf();
    const { hooks, mcpServers } = offloadQuery({ workspace });
    const store = hooks.PostToolUse[0]?.hooks[0];
    const event = {
      ...{ hook_event_name: "PostToolUse", session_id: "ann", tool_use_id: "toolu_1" },
      ...{ tool_name: "mcp__logs__fetch_log", tool_response: [{ type: "text", text: LOG }] },
    };
    await store?.(event, "toolu_1", { signal: new AbortController().signal });
    const announce = hooks.PreToolUse[0]?.hooks[0];
    const reading = { hook_event_name: "PreToolUse", session_id: "ann", tool_use_id: "toolu_2" };
    await announce?.(reading, "toolu_2", { signal: new AbortController().signal });

    const server: { connect(transport: object): Promise<void> } = mcpServers.offload.instance;
    const sent: { result: { isError?: boolean } }[] = [];
    const transport = {
      onmessage: undefined as ((message: object) => void) | undefined,
      start: () => Promise.resolve(),
      close: () => Promise.resolve(),
      send: (message: (typeof sent)[number]) => Promise.resolve(void sent.push(message)),
    };
    await server.connect(transport);
    const params = { name: "read_stored", arguments: { pattern: "ERROR" } };
    for (const id of [undefined, "toolu_9", "toolu_2"]) {
      const _meta = { "claudecode/toolUseId": id };
      const before = sent.length;
      transport.onmessage?.({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { ...params, _meta },
      });
      await vi.waitUntil(() => sent.length > before);
    }
    expect(sent.map(({ result }) => result.isError === true)).toEqual([true, true, false]);
    expect(JSON.stringify(sent.slice(0, 2))).not.toContain(NEEDED);
    expect(JSON.stringify(sent[2])).toContain(NEEDED);
    expect(JSON.stringify(sent[0])).toContain("hooks");
  });

  it("goes on when nothing can be stored, and says so", async () => {
    const events: WorkspaceEvent[] = [];
    const root = join(await makeTempFolder(), "not-a-folder");
    await writeFile(root, "");
    const workspace = createWorkspace({
      ...{ root, toolNames: claudeToolNames, logger: (event) => events.push(event) },
    });
    const { requests } = await runClaude(investigate("Bash", bash), {
      ...offloadQuery({ workspace }),
    });
    expect(resultsOf(requests.at(-1)?.messages ?? [])[0]?.["content"]).toContain(NEEDED);
    expect(events.map(({ event }) => event)).toContain("failure");
  });

  it("answers parallel calls, and keeps what failed and what is excluded", async () => {
    const { workspace } = await storyOf();
    const model: ApiModel = (messages) =>
      resultsOf(messages).length > 0
        ? [say("Done.")]
        : [
            toolUse("Bash", bash),
            toolUse("Bash", { ...bash, command: "sed -n 2300,2600p log.txt" }),
            toolUse("Bash", { ...bash, command: "sed -n 2200,2500p log.txt; exit 3" }),
          ];
    const { requests } = await runClaude(model, { ...offloadQuery({ workspace }) });
    const results = resultsOf(requests.at(-1)?.messages ?? []);
    expect(results.map(({ is_error }) => is_error === true)).toEqual([false, false, true]);
    const references = results.map(({ content }) => String(content).includes("<knowledge_list"));
    expect(references).toEqual([true, true, false]);

    const excluded = offloadQuery({ workspace, excludeTools: ["Bash"] });
    const second = await runClaude(investigate("Bash", bash), { ...excluded });
    expect(resultsOf(second.requests[1]?.messages ?? [])[0]?.["content"]).toContain(NEEDED);
  });

  it("needs no cast, and a workspace with Claude's names", async () => {
    const options: Options = { ...offloadQuery() };
    const hook: HookCallback | undefined = options.hooks?.PostToolUse?.[0]?.hooks[0];
    expect(hook).toBeTypeOf("function");
    const workspace = createWorkspace({ root: await makeTempFolder() });
    expect(() => offloadQuery({ workspace })).toThrow(/claudeToolNames/);
    // @ts-expect-error: the session is a string
    expect(() => offloadQuery({ sessionId: 1 })).toThrow(/sessionId/);
  });
});
