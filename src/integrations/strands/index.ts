/** @module strands */
import { randomUUID } from "node:crypto";
import type { ToolInputSchema } from "../../core/engine/format.js";
import { InvalidArgumentError } from "../../core/errors/argument-errors.js";
import { messageOf } from "../../core/errors/context-offload-error.js";
import { bedrockFormat } from "../../formats/bedrock.js";
import {
  connectSessions,
  type DropIn,
  type KeepOption,
  type MultiSessionOptions,
  type OffloadSession,
} from "../shared/sessions.js";

export type { KeepOption, MultiSessionOptions };

/**
 * What is needed of the module `@strands-agents/sdk`: hooks are registered by the class of their event,
 * and middleware by the object that stands for its stage, so that both have to be passed in.
 *
 * @typeParam Result - The module's own class of a tool result.
 */
export interface StrandsSdk<Result> {
  readonly BeforeToolCallEvent: abstract new (...data: never[]) => object;
  readonly AfterToolCallEvent: abstract new (...data: never[]) => object;
  readonly InvokeModelStage: { readonly Input: object };
  readonly Message: { fromJSON(data: never): { toJSON(): object } };
  readonly TextBlock: new (text: string) => object;
  readonly ToolResultBlock: {
    new (data: { toolUseId: string; status: "success" | "error"; content: never[] }): Result;
    fromJSON(data: never): object;
  };
}

/** The parts of an agent that matter here. */
export interface StrandsAgent {
  readonly sessionId: string;
  readonly sessionManager?: unknown;
  readonly toolRegistry: { list(): readonly { readonly name: string }[] };
  addHook(event: never, hook: never, options: { order: number }): unknown;
  addMiddleware(phase: never, handler: never): unknown;
}

/** A request for a tool, as the model made it. */
export interface StrandsToolUse {
  readonly name: string;
  readonly toolUseId: string;
  readonly input: unknown;
}

interface StrandsToolResult {
  readonly toolUseId: string;
  readonly status: "success" | "error";
  readonly content: readonly object[];
  toJSON(): object;
}

/** Hooks change these events in place. */
interface BeforeToolCall {
  toolUse: StrandsToolUse;
  cancel: boolean | string;
  readonly agent: { readonly cancelSignal: AbortSignal };
}

interface AfterToolCall {
  readonly toolUse: StrandsToolUse;
  readonly tool: { readonly delegate?: unknown } | undefined;
  readonly retry?: boolean;
  result: StrandsToolResult;
}

/** What is sent to the model in one call. */
interface ModelCall {
  readonly messages: readonly { toJSON(): object }[];
  readonly systemPrompt?: string | readonly object[];
}

/** A tool as the model sees it. */
export interface StrandsToolSpec {
  name: string;
  description: string;
  inputSchema: ToolInputSchema;
}

/** What Strands passes to a tool. */
export interface StrandsToolContext {
  readonly agent: StrandsAgent;
  readonly toolUse: StrandsToolUse;
  readonly cancelSignal: AbortSignal;
}

/** A reading tool as Strands runs it. */
export interface StrandsReadingTool<Result> {
  name: string;
  description: string;
  toolSpec: StrandsToolSpec;
  stream(context: StrandsToolContext): AsyncGenerator<never, Result, undefined>;
}

/** The tools, which read in the session of the agent that calls them. */
function readingTools<Result>(
  { TextBlock, ToolResultBlock }: StrandsSdk<Result>,
  sessionOf: (agent: StrandsAgent) => OffloadSession,
  { tools }: OffloadSession,
): StrandsReadingTool<Result>[] {
  return tools.map(({ name, description, inputSchema }) => ({
    ...{ name, description, toolSpec: { name, description, inputSchema } },
    // eslint-disable-next-line require-yield -- Strands runs generators only; there is no progress to report
    async *stream({ agent, toolUse: { toolUseId, input }, cancelSignal }) {
      const { text, isError } = await sessionOf(agent).run(name, input, cancelSignal);
      const content = [new TextBlock(text)] as never[];
      return new ToolResultBlock({ toolUseId, status: isError ? "error" : "success", content });
    },
  }));
}

/** Options of `offloadPlugin`. */
export type StrandsOptions = MultiSessionOptions<StrandsAgent> & KeepOption;

const PLUGIN: DropIn<StrandsOptions> = { adds: { keep: true }, lacks: {} };

/** A plugin of an agent. */
export interface OffloadPlugin<Result> {
  readonly name: string;
  initAgent(agent: StrandsAgent): void;
  getTools(): StrandsReadingTool<Result>[];
}

/** The places of the SDK's own first and last hooks: those of the host are between them. */
const FIRST = { order: -100 };
const LAST = { order: 100 };

/**
 * A plugin that gives the model references for large results, and the tools to read them.
 *
 * @param strands - The SDK itself: `import * as strands from "@strands-agents/sdk"`.
 * @example
 * const agent = new strands.Agent({ model, tools, plugins: [offloadPlugin(strands)] });
 */
export function offloadPlugin<Result>(
  strands: StrandsSdk<Result>,
  options: StrandsOptions = {},
): OffloadPlugin<Result> {
  requireSdk(strands);
  const sessions = connectSessions(options, PLUGIN);
  const known = new WeakMap<StrandsAgent, OffloadSession>();

  /** Without a session manager, the agent's own id is too short to be unique. */
  const sessionOf = (agent: StrandsAgent): OffloadSession => {
    const id = (): string => (agent.sessionManager ? agent.sessionId : `session-${randomUUID()}`);
    const session = known.get(agent) ?? sessions.of(agent, id());
    known.set(agent, session);
    return session;
  };

  return {
    name: "context-offload",

    initAgent(agent) {
      const session = sessionOf(agent);
      session.rejectTakenNames(agent.toolRegistry.list().map(({ name }) => name));
      const shorten = async (call: ModelCall): Promise<ModelCall> => ({
        ...call,
        messages: await shortenMessages(strands, session, call.messages),
        systemPrompt: addNotice(strands, call.systemPrompt, session.systemPrompt()),
      });
      const resolve = (event: BeforeToolCall): Promise<void> => resolveInput(session, event);
      const offload = (event: AfterToolCall): Promise<void> =>
        offloadResult(strands, session, event);
      agent.addMiddleware(strands.InvokeModelStage.Input as never, shorten as never);
      agent.addHook(strands.BeforeToolCallEvent as never, resolve as never, FIRST);
      if (options.keep === "original") return;
      agent.addHook(strands.AfterToolCallEvent as never, offload as never, LAST);
    },

    getTools: () => readingTools(strands, sessionOf, sessions.common),
  };
}

function requireSdk(strands: unknown): void {
  const { AfterToolCallEvent, InvokeModelStage } = (strands ?? {}) as Partial<StrandsSdk<unknown>>;
  if (AfterToolCallEvent && InvokeModelStage) return;
  const expected = 'the SDK: import * as strands from "@strands-agents/sdk"';
  throw new InvalidArgumentError("strands", strands, expected);
}

/** Host and policies check the arguments that the tool gets, since this hook is the first. */
async function resolveInput(session: OffloadSession, event: BeforeToolCall): Promise<void> {
  const { toolUse, agent } = event;
  try {
    const input = await session.resolve(toolUse.name, toolUse.input, agent.cancelSignal);
    if (input !== toolUse.input) event.toolUse = { ...toolUse, input };
  } catch (error) {
    // An error of a hook would end the run; the model can correct its call.
    event.cancel = messageOf(error);
  }
}

async function offloadResult<Result>(
  { ToolResultBlock }: StrandsSdk<Result>,
  session: OffloadSession,
  event: AfterToolCall,
): Promise<void> {
  const { toolUse, tool, result, retry } = event;
  // What a delegate returns is the answer to the user.
  if (retry === true || tool?.delegate === true) return;
  const answer = { role: "user", content: [result.toJSON()] };
  const call = { role: "assistant", content: [{ toolUse }] };
  const [, answered] = await session.exchange([call, answer], bedrockFormat);
  if (answered === undefined || answered === answer) return;
  const { content } = ToolResultBlock.fromJSON(answered.content[0] as never) as {
    content: never[];
  };
  event.result = new ToolResultBlock({ ...result, content }) as typeof result;
}

/** Messages turn into Bedrock's shape as JSON; those that do not change are the same objects. */
async function shortenMessages<Result>(
  { Message }: StrandsSdk<Result>,
  session: OffloadSession,
  messages: ModelCall["messages"],
): Promise<ModelCall["messages"]> {
  const before = messages.map((message) => message.toJSON());
  const after = await session.history(before, bedrockFormat);
  return messages.map((message, at) =>
    after[at] === before[at] ? message : Message.fromJSON(after[at] as never),
  );
}

function addNotice<Result>(
  { TextBlock }: StrandsSdk<Result>,
  prompt: ModelCall["systemPrompt"],
  notice: string,
): string | readonly object[] {
  return typeof prompt === "object"
    ? [...prompt, new TextBlock(notice)]
    : [prompt, notice].filter(Boolean).join("\n\n");
}
