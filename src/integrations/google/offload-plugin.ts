import { requireChoice } from "../../core/arguments.js";
import { geminiFormat } from "../../formats/gemini.js";
import {
  connectSessions,
  type OffloadSession,
  type IntegrationOptions,
  type KeepOption,
  refuseTakenNames,
} from "../shared/connect-sessions.js";
import { answerReading } from "./offload-callable.js";

/** Options of `offloadPlugin`. */
export type PluginOptions = Omit<IntegrationOptions, "offloader" | "acceptReferences"> & KeepOption;

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
export function offloadPlugin(options: PluginOptions = {}): OffloadPlugin {
  const { keep, ...rest } = options;
  requireChoice("keep", keep, ["reference", "original"]);
  const sessions = connectSessions(rest);
  // Session ids may be the host's own, and two users may have the same.
  const sessionOf = ({ userId, sessionId }: AdkContext): OffloadSession =>
    sessions(`${withoutSlash(userId)}/${withoutSlash(sessionId)}`);

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
      const isReading = session.tools.some(({ name }) => name === tool.name);
      if (keep === "original" || isReading) return undefined;
      const call = { id: toolContext.functionCallId, name: tool.name };
      // ADK makes a value that is not an object one after this.
      const original = isFields(result) ? result : { result };
      const functionResponse = { ...call, response: original };
      const [, told] = await session.exchange<{ role: string; parts: object[] }>(
        [
          { role: "model", parts: [{ functionCall: { ...call, args: toolArgs } }] },
          { role: "user", parts: [{ functionResponse }] },
        ],
        geminiFormat,
      );
      const part = told?.parts[0] as
        { functionResponse: { response: Record<string, unknown> } } | undefined;
      const response = part?.functionResponse.response;
      // A value ends the chain of plugins.
      return response === original ? undefined : response;
    },
  };
}

function addReading(llmRequest: AdkLlmRequest, session: OffloadSession): void {
  const dict = llmRequest.toolsDict as Record<string, unknown>;
  refuseTakenNames(
    session.tools,
    Object.keys(dict).map((name) => ({ name })),
  );
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
        (await answerReading(session.tools, { name, args })).functionResponse.response,
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
