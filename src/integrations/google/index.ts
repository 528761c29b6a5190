/** @module google */
import { geminiFormat, type GeminiToolAnswer } from "../../formats/gemini.js";
import {
  connectSession,
  connectSessions,
  type DropIn,
  failedAnswer,
  type IntegrationOptions,
  type KeepOption,
  type MultiSessionOptions,
  type OffloadSession,
  requireMethods,
} from "../shared/sessions.js";

export type { IntegrationOptions, KeepOption, MultiSessionOptions };

interface GoogleFunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: Record<string, unknown>;
}

/** A callable tool of the SDK, of any version of its types. */
export interface AnyGoogleCallable {
  tool(): Promise<object>;
  callTool(functionCalls: never[]): Promise<object[]>;
}

/**
 * A callable tool whose large results become references, with the reading tools beside its functions.
 *
 * @example
 * await ai.models.generateContent({ model, contents, config: { tools: [offloadCallable(mcpToTool(client))] } });
 */
export function offloadCallable<T extends AnyGoogleCallable>(
  callable: T,
  options: IntegrationOptions = {},
): T {
  requireMethods("callable", callable, ["tool", "callTool"]);
  const session = connectSession(options);

  const tool = async (): Promise<object> => {
    const declared = (await callable.tool()) as {
      functionDeclarations?: readonly { readonly name?: string; readonly description?: string }[];
    };
    const { functionDeclarations = [] } = declared;
    session.checkToolNames(functionDeclarations.map(({ name }) => name));
    const own = functionDeclarations.map((one) => {
      const description = session.describe(one.name ?? "", one.description ?? "");
      return description === "" ? one : { ...one, description };
    });
    const [reading] = geminiFormat.describeTools(session.tools);
    return {
      ...declared,
      functionDeclarations: [...own, ...(reading?.functionDeclarations ?? [])],
    };
  };

  const callTool = async (calls: readonly GoogleFunctionCall[]): Promise<object[]> => {
    const prepared = await Promise.all(
      calls.map((call) =>
        session.isReadingTool(call.name)
          ? answerReading(session, call)
          : resolveArguments(session, call),
      ),
    );
    const others = prepared.filter(isCall);
    const parts = others.length > 0 ? await callable.callTool(others as never[]) : [];
    return [
      ...(await offloadParts(session, others, parts)),
      ...prepared.filter((one) => !isCall(one)),
    ];
  };

  const replaced: Readonly<Record<PropertyKey, unknown>> = { tool, callTool };
  return new Proxy(callable, {
    get: (target, key) =>
      Object.hasOwn(replaced, key) ? replaced[key] : (Reflect.get(target, key, target) as unknown),
  });
}

/** The call to run, or what to answer to it: what is thrown ends the run, and the model can correct its call. */
async function resolveArguments(
  session: OffloadSession,
  call: GoogleFunctionCall,
): Promise<GoogleFunctionCall | GeminiToolAnswer> {
  const { name = "", args = {} } = call;
  try {
    return { ...call, args: await session.resolve(name, args) };
  } catch (error) {
    return geminiFormat.answerCall(call, failedAnswer(error));
  }
}

function isCall(one: GoogleFunctionCall | GeminiToolAnswer): one is GoogleFunctionCall {
  return !("functionResponse" in one);
}

async function offloadParts(
  session: OffloadSession,
  calls: readonly GoogleFunctionCall[],
  parts: object[],
): Promise<readonly object[]> {
  const asked = { role: "model", parts: calls.map((functionCall) => ({ functionCall })) };
  const messages: { role: string; parts: object[] }[] = [asked, { role: "user", parts }];
  const [, answered] = await session.exchange(messages, geminiFormat);
  return answered?.parts ?? parts;
}

async function answerReading(
  session: OffloadSession,
  call: GoogleFunctionCall,
): Promise<GeminiToolAnswer> {
  const { name = "", args = {} } = call;
  return geminiFormat.answerCall(call, await session.run(name, args));
}

/** Options of `offloadPlugin`. */
export type AdkOptions = Omit<MultiSessionOptions<AdkContext>, "offloader" | "acceptReferences"> &
  KeepOption;

const PLUGIN: DropIn<AdkOptions> = {
  adds: { keep: true },
  lacks: {
    offloader: "it serves many conversations",
    acceptReferences: "it does not run the tools",
  },
};

/** The parts of a callback's context that matter here. */
export interface AdkContext {
  readonly sessionId: string;
  readonly userId: string;
  readonly functionCallId?: string;
}

/** A request to a model; callbacks change it in place. */
export interface AdkLlmRequest {
  contents: object[];
  config?: object;
  toolsDict: object;
}

interface RequestConfig {
  tools?: object[];
  systemInstruction?: unknown;
}

/** What a tool returned, and the call that it answers. */
export interface AdkToolResult {
  readonly tool: { readonly name: string };
  readonly toolArgs: Record<string, unknown>;
  readonly toolContext: AdkContext;
  readonly result: unknown;
}

/** By this, ADK knows a tool of any copy of its package. */
const TOOL = Symbol.for("google.adk.baseTool");

/** Every callback of a plugin, of ADK 1 and 2: it calls them all. */
const UNUSED = {
  onUserMessageCallback: nothing,
  beforeRunCallback: nothing,
  onEventCallback: nothing,
  afterRunCallback: nothing,
  beforeAgentCallback: nothing,
  afterAgentCallback: nothing,
  beforeNodeCallback: nothing,
  afterNodeCallback: nothing,
  afterModelCallback: nothing,
  onModelErrorCallback: nothing,
  beforeToolSelection: nothing,
  beforeContextCompaction: nothing,
  afterContextCompaction: nothing,
  beforeToolCallback: nothing,
  onToolErrorCallback: nothing,
};

/** A plugin of a runner, by its shape. */
export type OffloadPlugin = typeof UNUSED & {
  readonly name: string;
  beforeModelCallback(params: {
    callbackContext: AdkContext;
    llmRequest: AdkLlmRequest;
  }): Promise<undefined>;
  afterToolCallback(params: AdkToolResult): Promise<Record<string, unknown> | undefined>;
};

/**
 * A plugin that replaces large results of tools by references and gives the agents the reading tools.
 *
 * @example
 * new Runner({ appName, agent, sessionService, plugins: [offloadPlugin()] });
 */
export function offloadPlugin(options: AdkOptions = {}): OffloadPlugin {
  const sessions = connectSessions(options, PLUGIN);
  // Session ids may be the host's own, and two users may have the same.
  const sessionOf = (context: AdkContext): OffloadSession =>
    sessions.of(context, `${withoutSlash(context.userId)}/${withoutSlash(context.sessionId)}`);

  return {
    ...UNUSED,
    name: "context_offload",

    async beforeModelCallback({ callbackContext, llmRequest }) {
      const session = sessionOf(callbackContext);
      llmRequest.contents = [...(await session.history(llmRequest.contents, geminiFormat))];
      addReading(llmRequest, session);
      return undefined;
    },

    async afterToolCallback({ tool, toolArgs, toolContext, result }) {
      const session = sessionOf(toolContext);
      if (options.keep === "original" || session.isReadingTool(tool.name)) return undefined;
      const call = { id: toolContext.functionCallId, name: tool.name };
      // ADK makes a value that is not an object one after this.
      const original = isFields(result) ? result : { result };
      const functionResponse = { ...call, response: original };
      const [, answered] = await session.exchange<{ role: string; parts: object[] }>(
        [
          { role: "model", parts: [{ functionCall: { ...call, args: toolArgs } }] },
          { role: "user", parts: [{ functionResponse }] },
        ],
        geminiFormat,
      );
      const part = answered?.parts[0] as
        { functionResponse: { response: Record<string, unknown> } } | undefined;
      const response = part?.functionResponse.response;
      // A value ends the chain of plugins.
      return response === original ? undefined : response;
    },
  };
}

function addReading(llmRequest: AdkLlmRequest, session: OffloadSession): void {
  const dict = llmRequest.toolsDict as Record<string, unknown>;
  session.rejectTakenNames(Object.keys(dict));
  const config = (llmRequest.config ?? {}) as RequestConfig;
  const [reading] = geminiFormat.describeTools(session.tools);
  const notice = session.systemPrompt();
  const { systemInstruction: before } = config;
  llmRequest.config = {
    ...config,
    tools: [...(config.tools ?? []), ...(reading ? [reading] : [])],
    ...(before === undefined || typeof before === "string"
      ? { systemInstruction: [before, notice].filter(Boolean).join("\n\n") }
      : {}),
  };
  for (const { name, description } of session.tools) {
    dict[name] = {
      ...{ [TOOL]: true, name, description, isLongRunning: false },
      runAsync: async ({ args }: { args: Record<string, unknown> }) =>
        (await answerReading(session, { name, args })).functionResponse.response,
    };
  }
}

function nothing(): Promise<undefined> {
  return Promise.resolve(undefined);
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** So that no two pairs of ids are the same when joined. */
function withoutSlash(id: string): string {
  return id.replace(/[%/]/g, encodeURIComponent);
}
