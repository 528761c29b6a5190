import { approveAll, type SessionConfig, type Tool } from "@github/copilot-sdk";
import { offloadSession, type CopilotOptions } from "context-offload/copilot";
import { describe, expect, it, onTestFinished } from "vitest";
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
import { makeTempFolder } from "../../tests/support/temp-folder.js";
import { startClient } from "./start-client.mjs";

const ASKED = { prompt: QUESTION };
const FETCH = { name: "fetch_log", input: {}, id: "call-1" };
const GREP = { name: SEARCH.name, input: SEARCH.input, id: "call-2" };

const fetchLog: Tool = {
  ...{ name: "fetch_log", description: "Fetches the log." },
  parameters: { type: "object", properties: {} },
  handler: () => LOG,
};

type PostToolUse = NonNullable<NonNullable<SessionConfig["hooks"]>["onPostToolUse"]>;
type Script = Parameters<typeof startClient>[1];

const answer = (results: readonly string[]) => ({ say: answerFrom(results.at(-1)) });
const story: Script = (results) =>
  results.length === 0 ? [FETCH] : results.length === 1 ? [GREP] : answer(results);

async function start(script: Script) {
  const { client, about, requests } = await startClient(await makeTempFolder(), script);
  onTestFinished(async () => {
    await client.stop();
  });
  const open = (options: CopilotOptions, sessionId: string, config: Partial<SessionConfig> = {}) =>
    client.createSession(
      offloadSession(
        { ...about, sessionId, tools: [fetchLog], onPermissionRequest: approveAll, ...config },
        options,
      ),
    );
  return { open, requests };
}

const ask = async (session: Awaited<ReturnType<Awaited<ReturnType<typeof start>>["open"]>>) =>
  (await session.sendAndWait(ASKED))?.data.content;

/** The results in a request. */
const resultsIn = (body = "{}") =>
  (JSON.parse(body) as { messages: { role: string; content: string }[] }).messages
    .filter(({ role }) => role === "tool")
    .map(({ content }) => content);
const longestIn = (body?: string) => Math.max(0, ...resultsIn(body).map(({ length }) => length));

describe("offloadSession", () => {
  it("plays the whole story, and the second turn is cheap", async () => {
    const { workspace } = await storyWorkspace();
    const { open, requests } = await start(story);
    const session = await open({ workspace }, "chat-1", {
      systemMessage: { mode: "append", content: "Be brief." },
    });
    expect(await ask(session)).toBe(NEEDED);
    expect(requests).toHaveLength(3);
    expect(Math.max(...requests.map(({ body }) => longestIn(body)))).toBeLessThan(SHORT);
    expect(resultsIn(requests[1]?.body)[0]).toMatch(/^<knowledge_list>/);
    expect(requests[0]?.body).toMatch(/Be brief\.\\n\\n[^"]*read_stored/);

    const { artifacts } = await workspace.getToolResultOffloadInfo({ sessionId: "chat-1" });
    expect(artifacts).toMatchObject([{ tool_name: "fetch_log" }]);
    const id = artifacts[0]?.artifact_id ?? "";
    expect(await workspace.getOriginal(id, { sessionId: "chat-1" })).toBe(LOG);

    await ask(session);
    expect(longestIn(requests.at(-1)?.body)).toBeLessThan(SHORT);
    // What Copilot saves is the reference.
    const events = await session.getEvents();
    const done = events.find(({ type }) => type === "tool.execution_complete");
    expect(JSON.stringify(done)).toContain("<knowledge_list>");
  });

  it("streams", async () => {
    const { workspace } = await storyWorkspace();
    const { open, requests } = await start(story);
    const session = await open({ workspace }, "chat-1", { streaming: true });
    const deltas: string[] = [];
    session.on("assistant.message_delta", ({ data }) => deltas.push(data.deltaContent));
    expect(await ask(session)).toBe(NEEDED);
    expect(deltas.join("")).toContain(NEEDED);
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({ stream: true });
  });

  it("keeps two sessions of one client apart", async () => {
    const { workspace } = await storyWorkspace();
    const { open } = await start(story);
    expect(await ask(await open({ workspace }, "chat-1"))).toBe(NEEDED);
    const other = await start((results) => (results.length === 0 ? [GREP] : answer(results)));
    expect(await ask(await other.open({ workspace }, "chat-2"))).toBe("Nothing found.");
    expect(await ask(await other.open({ workspace }, "chat-1"))).toBe(NEEDED);
  });

  it("offloads the results of parallel calls", async () => {
    const { workspace } = await storyWorkspace();
    const services = ["a", "b", "c"];
    const { open, requests } = await start((results) =>
      results.length === 0
        ? services.map((service) => ({ name: "fetch_log", input: { service }, id: service }))
        : answer(results),
    );
    const tool: Tool<{ service: string }> = {
      ...fetchLog,
      parameters: { type: "object", properties: { service: { type: "string" } } },
      handler: ({ service }) => `${service}\n${LOG}`,
    };
    await ask(await open({ workspace }, "chat-1", { tools: [tool] }));
    expect(resultsIn(requests[1]?.body)).toHaveLength(3);
    expect(longestIn(requests[1]?.body)).toBeLessThan(SHORT);
    const { artifacts } = await workspace.getToolResultOffloadInfo({ sessionId: "chat-1" });
    expect(artifacts).toHaveLength(3);
  });

  it("goes on with the whole result if it cannot be stored", async () => {
    const { workspace, events } = await brokenWorkspace();
    const { open, requests } = await start((results) =>
      results.length === 0 ? [FETCH] : answer(results),
    );
    expect(await ask(await open({ workspace }, "chat-1"))).toBe(NEEDED);
    expect(resultsIn(requests[1]?.body)).toEqual([LOG]);
    expect(events.map(({ event }) => event)).toContain("failure");
  });

  it("leaves what a tool threw to Copilot, and runs the host's own hooks first", async () => {
    const { workspace } = await storyWorkspace();
    const failing: Tool = {
      ...fetchLog,
      name: "fail",
      handler: () => {
        throw new Error("no such log");
      },
    };
    const seen: string[] = [];
    const onPostToolUse: PostToolUse = ({ toolName, toolResult }) => {
      seen.push(toolName);
      if (toolName !== "fetch_log") return;
      const textResultForLlm = toolResult.textResultForLlm.replaceAll("7731", "****");
      return { modifiedResult: { ...toolResult, textResultForLlm } };
    };
    const { open, requests } = await start((results) =>
      results.length === 0
        ? [{ name: "fail", input: {}, id: "call-0" }]
        : results.length === 1
          ? [FETCH]
          : results.length === 2
            ? [GREP]
            : answer(results),
    );
    const config = { tools: [fetchLog, failing], hooks: { onPostToolUse } };
    expect(await ask(await open({ workspace }, "chat-1", config))).toContain("payment ****");
    expect(resultsIn(requests[1]?.body)[0]).toContain("Failed to execute `fail`");
    expect(seen).toContain("fetch_log");
  });

  it("keeps results of excluded tools, and rejects tools with the names of its own", async () => {
    const { workspace, events } = await storyWorkspace();
    const { open } = await start((results) => (results.length === 0 ? [FETCH] : answer(results)));
    expect(await ask(await open({ workspace, excludeTools: ["fetch_log"] }, "chat-1"))).toBe(
      NEEDED,
    );
    expect(events).toEqual([]);
    expect(() => offloadSession({ tools: [{ name: SEARCH.name }] }, { workspace })).toThrow(
      /toolNames/,
    );
  });
});

// Never called: that it compiles is the test.
export const types = () => {
  offloadSession({ onPermissionRequest: approveAll }) satisfies SessionConfig;
  const config: SessionConfig = offloadSession({ model: "gpt-5", tools: [fetchLog] });
  const again: SessionConfig = offloadSession(config, { root: ".offload" });
  // @ts-expect-error tools are named in a list
  offloadSession(config, { excludeTools: "view" });
  return again;
};
