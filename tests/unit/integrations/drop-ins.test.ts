import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as aiSdk from "../../../src/integrations/ai-sdk/index.js";
import * as anthropic from "../../../src/integrations/anthropic/index.js";
import * as claudeAgent from "../../../src/integrations/claude-agent/index.js";
import * as copilot from "../../../src/integrations/copilot/index.js";
import * as genkit from "../../../src/integrations/genkit/index.js";
import * as google from "../../../src/integrations/google/index.js";
import * as langchain from "../../../src/integrations/langchain/index.js";
import * as mastra from "../../../src/integrations/mastra/index.js";
import * as mcp from "../../../src/integrations/mcp/index.js";
import * as openai from "../../../src/integrations/openai/index.js";
import * as openaiAgents from "../../../src/integrations/openai-agents/index.js";
import * as opencode from "../../../src/integrations/opencode/index.js";
import * as pi from "../../../src/integrations/pi/index.js";
import * as strands from "../../../src/integrations/strands/index.js";
import * as voltagent from "../../../src/integrations/voltagent/index.js";
import { memoryStore, createWorkspace, createOffloader } from "../../../src/index.js";
import { rejectionOf } from "../../support/rejection.js";

const ENTRIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "ai-sdk": aiSdk,
  anthropic,
  "claude-agent": claudeAgent,
  copilot,
  genkit,
  google,
  langchain,
  mastra,
  mcp,
  openai,
  "openai-agents": openaiAgents,
  opencode,
  pi,
  strands,
  voltagent,
};

type Made = never;
type Factory = (...args: unknown[]) => unknown;
type Tools = readonly string[];

/** A drop-in with the least that it can be called with, by structure: no framework is needed. */
interface Case {
  readonly entry: string;
  readonly factory: string;
  /** The arguments before the options, with tools of these names; `undefined` where there are none. */
  readonly first?: (tools: Tools) => unknown;
  /** What takes the place of the tools where they are of the wrong kind: an array for an object, and the reverse. */
  readonly wrong?: unknown;
  /** The first argument with a tool that is missing. */
  readonly hole?: unknown;
  /** The factory sees all tools, at once or when they are asked for. */
  readonly list?: (made: Made) => unknown;
  /** The tools that the framework shows in a request. */
  readonly show?: (made: Made, tools: Tools) => unknown;
  /** Makes the drop-in ask for the session of a call. */
  readonly use?: (made: Made) => unknown;
}

const named = (tools: Tools): { name: string }[] => tools.map((name) => ({ name }));
const byName = <T>(tools: Tools, tool: T): Record<string, T> =>
  Object.fromEntries(tools.map((name) => [name, tool]));
const functionTools = (tools: Tools): object[] =>
  tools.map((name) => ({ type: "function", function: { name, function: () => "" } }));
const pass = <T>(value: T): Promise<T> => Promise.resolve(value);

const STRANDS = {
  BeforeToolCallEvent: Event,
  AfterToolCallEvent: Event,
  InvokeModelStage: { Input: {} },
};
const strandsAgent = (tools: Tools) => ({
  sessionId: "s",
  toolRegistry: { list: () => named(tools) },
  addHook: () => undefined,
  addMiddleware: () => undefined,
});
const AI = {
  currentContext: () => ({}),
  currentSession: () => ({ sessionId: "s" }),
};
const langchainRequest = (tools: Tools) => ({
  messages: [],
  tools: named(tools),
  systemMessage: { text: "", concat: () => ({}) },
  runtime: {},
});
const ADK = { sessionId: "s", userId: "u" };
const llmRequest = (tools: Tools) => ({ contents: [], toolsDict: byName(tools, {}) });
const MESSAGES_REQUEST = {
  url: "https://api.anthropic.com/v1/messages",
  headers: new Headers(),
  body: JSON.stringify({ messages: [{ role: "user", content: "hi" }], tools: [{ name: "t" }] }),
};

/** A server that keeps the handlers of its tools. */
class Server {
  readonly handlers: ((input: unknown, context: object) => unknown)[] = [];
  readonly registerTool = (_name: string, _config: unknown, handler: never): void => {
    this.handlers.push(handler);
  };
}
const server = new Server();

const CASES: readonly Case[] = [
  {
    ...{
      entry: "ai-sdk",
      factory: "offloadTools",
      hole: { fetch_log: undefined },
      wrong: [],
      list: pass,
    },
    first: (tools) => byName(tools, {}),
  },
  { entry: "ai-sdk", factory: "offloadStep" },
  { entry: "ai-sdk", factory: "offloadMiddleware" },
  {
    entry: "anthropic",
    factory: "offloadTools",
    hole: [undefined],
    first: named,
    wrong: {},
    list: pass,
  },
  {
    ...{ entry: "anthropic", factory: "offloadRequests" },
    use: (send: ReturnType<typeof anthropic.offloadRequests>) =>
      send(MESSAGES_REQUEST, () => pass(new Response("{}"))),
  },
  {
    ...{ entry: "claude-agent", factory: "offloadQuery" },
    use: ({ hooks }: claudeAgent.ClaudeOffload) =>
      hooks.PreToolUse[0]?.hooks[0]?.(
        { hook_event_name: "PreToolUse", session_id: "s" },
        undefined,
        { signal: new AbortController().signal },
      ),
  },
  {
    ...{
      entry: "copilot",
      factory: "offloadSession",
      hole: { tools: [null] },
      wrong: { tools: {} },
      show: pass,
    },
    first: (tools) => ({ tools: named(tools) }),
    use: ({ tools }: copilot.CopilotOffload) => tools.at(-1)?.handler({}, { sessionId: "s" }),
  },
  {
    ...{ entry: "genkit", factory: "offloadMiddleware" },
    use: ({ instantiate }: genkit.OffloadMiddleware) => {
      const [read] = instantiate({ ai: AI }).tools as ((input: unknown) => unknown)[];
      return read?.({});
    },
  },
  {
    ...{ entry: "google", factory: "offloadCallable", wrong: [] },
    first: (tools) => ({
      tool: () => pass({ functionDeclarations: named(tools) }),
      callTool: () => pass([]),
    }),
    list: (callable: google.AnyGoogleCallable) => callable.tool(),
  },
  {
    ...{ entry: "google", factory: "offloadPlugin" },
    show: (plugin: google.OffloadPlugin, tools) =>
      plugin.beforeModelCallback({ callbackContext: ADK, llmRequest: llmRequest(tools) }),
    use: (plugin: google.OffloadPlugin) =>
      plugin.beforeModelCallback({ callbackContext: ADK, llmRequest: llmRequest([]) }),
  },
  {
    ...{
      entry: "langchain",
      factory: "offloadTools",
      hole: [undefined],
      first: named,
      wrong: {},
      list: pass,
    },
    use: (tools: { invoke: (input: unknown) => unknown }[]) => tools.at(-1)?.invoke({}),
  },
  {
    ...{ entry: "langchain", factory: "offloadMiddleware" },
    show: (middleware: langchain.OffloadMiddleware, tools) =>
      middleware.wrapModelCall(langchainRequest(tools), pass),
    use: (middleware: langchain.OffloadMiddleware) =>
      middleware.wrapModelCall(langchainRequest([]), pass),
  },
  {
    ...{ entry: "mastra", factory: "offloadProcessor" },
    show: (processor: mastra.OffloadProcessor, tools) =>
      processor.processInputStep({ messages: [], tools: byName(tools, {}), state: {} }),
    use: (processor: mastra.OffloadProcessor) =>
      processor.processInputStep({ messages: [], state: {} }),
  },
  {
    ...{ entry: "mcp", factory: "offloadClient", wrong: [] },
    first: (tools) => ({ callTool: pass, listTools: () => pass({ tools: named(tools) }) }),
    list: (client: mcp.AnyMcpClient) => client.listTools(),
  },
  {
    ...{ entry: "mcp", factory: "registerReadingTools", first: () => server, wrong: [] },
    use: () => server.handlers.at(-1)?.({}, {}),
  },
  {
    ...{ entry: "mcp", factory: "offloadHandler", first: () => () => ({}), wrong: {} },
    use: (handler: (context: object) => unknown) => handler({}),
  },
  {
    entry: "openai",
    factory: "offloadTools",
    hole: [undefined],
    first: functionTools,
    wrong: {},
    list: pass,
  },
  {
    ...{
      entry: "openai",
      factory: "offloadResponses",
      hole: { fetch_log: undefined },
      wrong: [],
      list: pass,
    },
    first: (tools) => byName(tools, () => ""),
  },
  {
    ...{
      entry: "openai-agents",
      factory: "offloadTools",
      hole: [undefined],
      first: named,
      wrong: {},
      list: pass,
    },
    use: (tools: openaiAgents.OpenAIAgentsTool[]) => tools.at(-1)?.invoke({}, "{}"),
  },
  {
    ...{ entry: "openai-agents", factory: "offloadFilter" },
    use: ({ tools }: openaiAgents.OffloadFilter) => tools.at(-1)?.invoke({}, "{}"),
  },
  {
    ...{
      entry: "opencode",
      factory: "offloadPlugin",
      first: () => ({ directory: "." }),
      wrong: [],
    },
    use: async (plugin: Promise<opencode.OpenCodeHooks>) => {
      const [read] = Object.values((await plugin).tool);
      return read?.execute({}, { sessionID: "s", abort: new AbortController().signal });
    },
  },
  {
    ...{
      entry: "pi",
      factory: "offloadAgent",
      hole: { initialState: { tools: [null] } },
      wrong: { initialState: { tools: {} } },
      show: pass,
    },
    first: (tools) => ({ initialState: { tools: named(tools) } }),
  },
  {
    ...{ entry: "strands", factory: "offloadPlugin", first: () => STRANDS, wrong: [] },
    show: (plugin: strands.OffloadPlugin<object>, tools) => {
      plugin.initAgent(strandsAgent(tools));
    },
    use: (plugin: strands.OffloadPlugin<object>) => {
      plugin.initAgent(strandsAgent([]));
    },
  },
  {
    ...{
      entry: "voltagent",
      factory: "offloadAgent",
      hole: { tools: [null] },
      wrong: { tools: {} },
      show: pass,
    },
    first: (tools) => ({ name: "agent", tools: named(tools) }),
    use: ({ toolkits }: voltagent.VoltAgentOffload) => toolkits[0]?.tools[0]?.execute({}),
  },
];

const factoryOf = ({ entry, factory }: Case): Factory => ENTRIES[entry]?.[factory] as Factory;
const call = (one: Case, options?: unknown, tools: Tools = ["fetch_log"]): unknown => {
  const args = options === undefined ? [] : [options];
  return factoryOf(one)(...(one.first ? [one.first(tools)] : []), ...args);
};
/** How a call was rejected; a drop-in that goes on instead has no error to show. */
const rejection = (work: () => unknown) => rejectionOf(Promise.resolve().then(work));
const isRejected = async (work: () => unknown): Promise<string | undefined> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};
const titled = (cases: readonly Case[]) =>
  cases.map((one) => [`${one.entry} ${one.factory}`, one] as const);

/** Functions for those who write a drop-in or a gateway of their own. */
const NO_DROP_INS = new Set(["default", "findOutputText", "shortenAnswer"]);

describe("the names of what drop-ins export", () => {
  const functions = Object.entries(ENTRIES).flatMap(([entry, exported]) =>
    Object.entries(exported)
      .filter(([name, value]) => typeof value === "function" && !NO_DROP_INS.has(name))
      .map(([name]) => [entry, name] as const),
  );

  it("follow one rule: offload, and what the framework calls the thing", () => {
    const others = functions.filter(([, name]) => !/^offload[A-Z]/.test(name));
    // A server gets its reading tools apart from its handlers.
    expect(others.map(([, name]) => name)).toEqual(["registerReadingTools"]);
  });

  it("are all in the cases of these tests", () => {
    expect(CASES.map(({ entry, factory }) => [entry, factory])).toEqual(
      expect.arrayContaining(functions),
    );
  });
});

describe.each(titled(CASES))("%s", (_, one) => {
  it("works without options", () => {
    expect(() => call(one)).not.toThrow();
  });

  it.each([[""], [undefined], [null], [7]])(
    "rejects the sessionId %j that was passed",
    async (sessionId) => {
      const error = await rejection(() => call(one, { sessionId }));
      expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "sessionId" });
      expect(error.message).toMatch(/sessionId must be a non-empty string .*\(omit the option/);
    },
  );

  it("rejects an unknown option, and says which one was meant", async () => {
    const near = await rejection(() => call(one, { sesionId: "s" }));
    expect(near).toMatchObject({ code: "INVALID_ARGUMENT", argument: "sesionId" });
    expect(near.message).toBe("Unknown option `sesionId`. Did you mean `sessionId`?");
    const far = await rejection(() => call(one, { unheardOf: 1 }));
    expect(far).toMatchObject({ code: "INVALID_ARGUMENT", argument: "unheardOf", received: 1 });
    expect(far.message).toMatch(/The options are root, workspace, /);
  });

  it.each([[null], [[]], ["s"]])("rejects %j in place of the options", async (options) => {
    const error = await rejection(() => call(one, options));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "options" });
  });

  it("rejects options with a wrong value", async () => {
    for (const options of [
      { root: "x", acceptReferences: "save" },
      { onError: "ignore" },
      { keep: "both" },
      { excludeTools: "read" },
      { workspace: {} },
    ]) {
      const error = await rejection(() => call(one, options));
      expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    }
  });
});

describe.each(titled(CASES.filter(({ first }) => first)))("%s", (_, one) => {
  it.each([[undefined], [null], ["tools"]])("rejects %j as its first argument", async (first) => {
    const error = await rejection(() => factoryOf(one)(first, {}));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("rejects an array in place of an object, or the reverse", async () => {
    const error = await rejection(() => factoryOf(one)(one.wrong, {}));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

describe.each(titled(CASES.filter(({ hole }) => hole)))("%s", (_, one) => {
  it("rejects a tool that is missing, and says which", async () => {
    const error = await rejection(() => factoryOf(one)(one.hole, {}));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(error.message).toMatch(/\[0\]|\.fetch_log/);
  });
});

describe.each(titled(CASES.filter(({ list }) => list)))("%s, which has all tools", (_, one) => {
  const list = (options: object, tools: Tools): unknown =>
    one.list?.(call(one, options, tools) as Made);

  it("rejects names in acceptReferences that no tool has", async () => {
    const options = { acceptReferences: ["fetch_log", "fetch_logs"] };
    const error = await rejection(() => list(options, ["fetch_log", "save"]));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "acceptReferences" });
    expect(error.message).toMatch(/fetch_log, save\b.*"fetch_logs"/);
    expect(await isRejected(() => list({ acceptReferences: ["save"] }, ["save"]))).toBeUndefined();
  });
});

describe.each(titled(CASES.filter(({ list, show }) => list ?? show)))("%s", (_, one) => {
  it("rejects a tool that has the name of a reading tool", async () => {
    const tools = ["fetch_log", "grep_knowledge"];
    const error = await rejection(() => {
      const made = call(one, undefined, one.list ? tools : one.show === pass ? tools : []) as Made;
      return one.list ? one.list(made) : one.show?.(made, tools);
    });
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", received: "grep_knowledge" });
    expect(error.message).toContain("toolNames");
  });
});

describe.each(titled(CASES.filter(({ use }) => use)))("%s, which serves many", (_, one) => {
  it("asks sessionId once for the session of a call, and rejects an empty answer", async () => {
    const contexts: unknown[] = [];
    const sessionId = (context: unknown): string => {
      contexts.push(context);
      return "";
    };
    const error = await rejection(() => one.use?.(call(one, { sessionId }) as Made));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "sessionId" });
    expect(error.message).toMatch(/must return a non-empty string/);
    expect(contexts).toHaveLength(1);
  });
});

describe("the tables of options in docs/integrations", () => {
  const COMMON: Readonly<Record<string, unknown>> = {
    root: ".offload",
    workspace: createWorkspace({ store: memoryStore() }),
    offloader: createOffloader({ root: ".offload", sessionId: "s" }),
    sessionId: "s",
    "sessionId: (context) => …": () => "s",
    parentSessionId: "parent",
    agentId: "agent",
    taskId: "task",
    policy: undefined,
    media: "keep",
    onError: "keep",
    countTokens: undefined,
    acceptReferences: [],
  };
  const MORE = { keep: "original", excludeTools: [], name: "tool", outputSchema: undefined };
  const README = new URL("../../../docs/integrations/README.md", import.meta.url);
  const rows = readFileSync(README, "utf8")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));
  const nameOf = ({ entry, factory }: Case): string => `\`${factory}\` of [${entry}](${entry}.md)`;
  const rejections = (
    option: string,
    value: unknown,
  ): Promise<(readonly [Case, string | undefined])[]> => {
    const [name = ""] = option.split(":");
    // A workspace for Claude has its own names of the tools, which is not what this is about.
    const given = (one: Case): unknown =>
      name === "workspace" && one.entry === "claude-agent"
        ? createWorkspace({ store: memoryStore(), toolNames: claudeAgent.claudeToolNames })
        : value;
    return Promise.all(
      CASES.map(async (one) => [one, await isRejected(() => call(one, { [name]: given(one) }))]),
    );
  };

  it.each(Object.entries(COMMON))("say who does not have %s, and why", async (option, value) => {
    const reasons = new Map<string, string[]>();
    for (const [one, message] of await rejections(option, value)) {
      if (message === undefined) continue;
      const reason = / here\b[^:]*: (.+?)\.(?: Omit it\.)?$/.exec(message)?.[1] ?? message;
      reasons.set(reason, [...(reasons.get(reason) ?? []), nameOf(one)]);
    }
    const expected = [...reasons].map(([why, names]) => [`\`${option}\``, names.join(", "), why]);
    const found = rows.filter(([of, names]) => of === `\`${option}\`` && names?.includes(" of ["));
    expect(found).toEqual(expected);
  });

  it.each(Object.entries(MORE))("say who has %s", async (option, value) => {
    const having = (await rejections(option, value)).filter(([, message]) => !message);
    const found = rows.find((cells) => cells.length === 4 && cells[0] === `\`${option}\``);
    expect(found?.[1]).toBe(having.map(([one]) => nameOf(one)).join(", "));
  });
});
