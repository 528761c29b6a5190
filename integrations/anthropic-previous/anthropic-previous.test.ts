import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import Anthropic70 from "anthropic-0.70";
import { betaTool as betaTool70 } from "anthropic-0.70/helpers/beta/json-schema";
import Anthropic90 from "anthropic-0.90";
import { betaTool as betaTool90 } from "anthropic-0.90/helpers/beta/json-schema";
import { offloadRequests, offloadTools, type IntegrationOptions } from "context-offload/anthropic";
import { describe, expect, it } from "vitest";
import {
  anthropicApi,
  resultsOf,
  storyModel,
  toolUse,
  type ApiModel,
} from "../../tests/support/anthropic-api.js";
import {
  brokenWorkspace,
  LOG,
  NEEDED,
  SHORT,
  storyWorkspace,
} from "../../tests/support/framework-story.js";

const PARAMS = { model: "claude-opus-5", max_tokens: 1_000 };
const QUESTION = { role: "user", content: "Why was 7731 declined?" } as const;
const schema = { type: "object", properties: { service: { type: "string" } } } as const;
const LOG_TOOL = { name: "fetch_log", description: "Returns a log", inputSchema: schema };
const FAILING = { name: "fail", description: "Fails", inputSchema: schema };
const fail = (): string => {
  throw new Error("no such service");
};

type Api = ReturnType<typeof anthropicApi>;
const clientOptions = ({ fetch }: Api) => ({ apiKey: "none", fetch, maxRetries: 0 });

/** The tool runner of each version, with tools of its own types. */
const RUNNERS: Record<string, (api: Api, options: IntegrationOptions) => Promise<unknown>> = {
  "0.137": async (api, options) => {
    const tools = [betaTool({ ...LOG_TOOL, run: () => LOG }), betaTool({ ...FAILING, run: fail })];
    return new Anthropic(clientOptions(api)).beta.messages.toolRunner({
      ...{ ...PARAMS, messages: [QUESTION] },
      tools: offloadTools(tools, options),
    });
  },
  "0.90": async (api, options) => {
    const tools = [
      betaTool90({ ...LOG_TOOL, run: () => LOG }),
      betaTool90({ ...FAILING, run: fail }),
    ];
    return new Anthropic90(clientOptions(api)).beta.messages.toolRunner({
      ...{ ...PARAMS, messages: [QUESTION] },
      tools: offloadTools(tools, options),
    });
  },
  "0.70": async (api, options) => {
    const tools = [
      betaTool70({ ...LOG_TOOL, run: () => LOG }),
      betaTool70({ ...FAILING, run: fail }),
    ];
    return new Anthropic70(clientOptions(api)).beta.messages.toolRunner({
      ...{ ...PARAMS, messages: [QUESTION] },
      tools: offloadTools(tools, options),
    });
  },
};

describe.each(Object.entries(RUNNERS))("offloadTools for toolRunner of %s", (version, run) => {
  it("the model greps and answers", async () => {
    const { workspace } = await storyWorkspace();
    const api = anthropicApi(storyModel);
    const reply = await run(api, { workspace, sessionId: "s1" });
    expect(JSON.stringify(reply)).toContain(NEEDED);
    expect(api.requests).toHaveLength(3);
    expect(Math.max(...api.requests.map(({ text }) => text.length))).toBeLessThan(12_000);
    const [call] = resultsOf(api.requests[1]?.messages ?? []);
    const { artifacts } = await workspace.getToolResultOffloadInfo({ sessionId: "s1" });
    expect(artifacts).toHaveLength(1);
    const id = artifacts[0]?.artifact_id ?? "";
    expect(await workspace.getOriginal(id, { sessionId: "s1" })).toBe(LOG);
    // The oldest one does not tell its tools which call they answer.
    if (version === "0.70") expect(id).toMatch(/^unknown-/);
    else expect(id).toBe(call?.["tool_use_id"]);
  });

  it("answers parallel calls and a thrown error", async () => {
    const { workspace } = await storyWorkspace();
    const model: ApiModel = (messages) =>
      resultsOf(messages).length > 0
        ? [{ type: "text", text: "Done." }]
        : [toolUse("fetch_log", {}), toolUse("fetch_log", {}), toolUse("fail", {})];
    const api = anthropicApi(model);
    await run(api, { workspace });
    const [first, second, failed] = resultsOf(api.requests[1]?.messages ?? []);
    expect(first?.["content"]).toContain("<knowledge_list");
    expect(second?.["content"]).toContain("<knowledge_list");
    expect(failed).toMatchObject({ is_error: true, content: "Error: no such service" });
  });

  it("goes on when nothing can be stored, and says so", async () => {
    const { workspace, events } = await brokenWorkspace();
    const api = anthropicApi(storyModel);
    const reply = await run(api, { workspace });
    expect(JSON.stringify(reply)).toContain("Got: ");
    expect(resultsOf(api.requests[1]?.messages ?? [])[0]?.["content"]).toBe(LOG);
    expect(events.map(({ event }) => event)).toContain("failure");
  });
});

describe("offloadRequests for a client of 0.137", () => {
  it.each([false, true])("answers the reading calls itself (streamed: %s)", async (isStreamed) => {
    const { workspace } = await storyWorkspace();
    const api = anthropicApi(storyModel);
    const client = new Anthropic({
      ...clientOptions(api),
      middleware: [offloadRequests({ workspace })],
    });
    const messages: Anthropic.MessageParam[] = [QUESTION];
    const ask = () => {
      const tools = [{ name: "fetch_log", description: "Returns a log", input_schema: schema }];
      const params = { ...PARAMS, messages, tools };
      return isStreamed
        ? client.messages.stream(params).finalMessage()
        : client.messages.create(params);
    };
    const asked = await ask();
    const [call] = asked.content.filter((block) => block.type === "tool_use");
    const result = { type: "tool_result", tool_use_id: call?.id ?? "", content: LOG } as const;
    messages.push({ role: "assistant", content: asked.content });
    messages.push({ role: "user", content: [result] });
    const { content } = await ask();
    expect(JSON.stringify(content)).toContain(`Found: ${NEEDED}`);
    expect(api.requests).toHaveLength(3);
    expect(api.requests.at(-1)?.text.length).toBeLessThan(2 * SHORT);
  });
});
