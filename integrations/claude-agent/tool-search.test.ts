import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { query, type Options } from "@anthropic-ai/claude-agent-sdk";
import { claudeToolNames, offloadQuery } from "context-offload/claude-agent";
import { expect, it, onTestFinished } from "vitest";
import { anthropicApi } from "../../tests/support/anthropic-api.js";
import { serveFetch } from "../../tests/support/serve-fetch.js";
import { makeTempFolder } from "../../tests/support/temp-folder.js";

it.each([undefined, "true", "auto"])(
  "shows the reading tools to the model though others are found by search: ENABLE_TOOL_SEARCH %s",
  async (search) => {
    const cwd = await makeTempFolder();
    mkdirSync(join(cwd, ".claude"));
    const api = anthropicApi(() => [{ type: "text", text: "Hello." }], { isStrict: false });
    const server = await serveFetch((url, init) =>
      init?.body ? api.fetch(url, init) : Promise.resolve(new Response(null, { status: 404 })),
    );
    onTestFinished(() => server.close());
    const env = {
      ...{ PATH: process.env["PATH"], HOME: cwd, CLAUDE_CONFIG_DIR: join(cwd, ".claude") },
      ...{ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "none" },
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ...(search === undefined ? {} : { ENABLE_TOOL_SEARCH: search }),
    };
    const options: Options = { cwd, env, settingSources: [], ...offloadQuery({ root: cwd }) };
    for await (const message of query({ prompt: "Hello", options })) {
      if (message.type === "result") break;
    }
    const body = api.requests.at(-1)?.body as unknown as {
      tools?: { name: string; defer_loading?: boolean }[];
    };
    const tool = body.tools?.find(({ name }) => name === claudeToolNames.read_stored);
    expect(tool).toBeDefined();
    expect(tool?.defer_loading).not.toBe(true);
  },
);
