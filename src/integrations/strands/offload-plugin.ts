import { randomUUID } from "node:crypto";
import { requireChoice } from "../../core/arguments.js";
import { InvalidArgumentError } from "../../core/errors/argument-errors.js";
import { messageOf } from "../../core/errors/describe-value.js";
import { bedrockFormat } from "../../formats/bedrock.js";
import { connectSessions, type OffloadSession } from "../shared/connect-sessions.js";
import type { IntegrationOptions, KeepOption } from "../shared/integration-options.js";
import { readingTools, type StrandsReadingTool } from "./reading-tools.js";
import type {
  AfterToolCall,
  BeforeToolCall,
  ModelCall,
  StrandsAgent,
  StrandsSdk,
} from "./strands-sdk.js";

/** Options of `offloadPlugin`. */
export type StrandsOptions = IntegrationOptions & KeepOption;

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
  const { keep, ...rest } = options;
  requireChoice("keep", keep, ["reference", "original"]);
  const sessions = connectSessions(rest);
  const known = new WeakMap<StrandsAgent, OffloadSession>();

  /** Without a session manager, the agent's own id is too short to be unique. */
  const sessionOf = (agent: StrandsAgent): OffloadSession => {
    const id = (): string => (agent.sessionManager ? agent.sessionId : `session-${randomUUID()}`);
    const session = known.get(agent) ?? sessions(id());
    known.set(agent, session);
    return session;
  };

  return {
    name: "context-offload",

    initAgent(agent) {
      const session = sessionOf(agent);
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
      if (keep === "original") return;
      agent.addHook(strands.AfterToolCallEvent as never, offload as never, LAST);
    },

    getTools: () => readingTools(strands, sessionOf, sessions()),
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
  const [, told] = await session.exchange([call, answer], bedrockFormat);
  if (told === undefined || told === answer) return;
  const { content } = ToolResultBlock.fromJSON(told.content[0] as never) as { content: never[] };
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
