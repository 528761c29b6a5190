/** @module mastra */
import { aiSdkFormat } from "../../formats/ai-sdk.js";
import {
  addSystemText,
  connectSessions,
  type DropIn,
  type MultiSessionOptions,
  type OffloadSession,
} from "../shared/sessions.js";

export type { MultiSessionOptions };

/** Where Mastra keeps what belongs to one run. */
export interface MastraRequestContext {
  get(key: string): unknown;
}

/** The parts of a step that matter here. */
export interface MastraInputStep {
  readonly messages: readonly { readonly threadId?: string | undefined }[];
  readonly tools?: Record<string, unknown>;
  readonly activeTools?: string[];
  readonly requestContext?: MastraRequestContext | undefined;
  readonly state: MastraRunState;
}

/** Shared by all methods of the processor during one run. */
export type MastraRunState = Record<string, unknown>;

/** The parts of a request to the model that matter here. */
export interface MastraLLMRequest<M> {
  readonly prompt: M[];
  readonly state: MastraRunState;
}

/** What a tool returned, and the list of messages that the result is saved in. */
export interface MastraToolResult {
  readonly messageList: {
    updateToolInvocation(part: {
      type: "tool-invocation";
      toolInvocation: {
        state: "result";
        toolCallId: string;
        toolName: string;
        args: unknown;
        result: unknown;
      };
    }): boolean;
  };
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
  readonly result: unknown;
  readonly providerExecuted?: boolean;
  readonly state: MastraRunState;
  readonly abortSignal?: AbortSignal;
}

/** An agent may serve many users at once, distinguished by the request context. */
export type MastraOptions = Omit<MultiSessionOptions<MastraRequestContext>, "acceptReferences">;

const PROCESSOR: DropIn<MastraOptions> = {
  adds: {},
  lacks: { acceptReferences: "it does not run the tools" },
};

/** A processor for `inputProcessors`, and for `outputProcessors` if references are to be saved. */
export interface OffloadProcessor {
  readonly id: "context-offload";
  processInputStep(step: MastraInputStep): {
    tools: Record<string, unknown>;
    activeTools?: string[];
  };
  processLLMRequest<M>(request: MastraLLMRequest<M>): Promise<{ prompt: M[] }>;
  processToolResult(call: MastraToolResult): Promise<undefined>;
}

/** Where the session of a run is kept, once its reading tools are offered: without them, nobody could read a reference. */
const SESSION = "sessionId";

/**
 * A processor that gives the model references for large results, and the tools to read them. As an
 * input processor it changes only what is sent; as an output processor too, what is saved.
 *
 * @example
 * const agent = new Agent({ id, name, instructions, model, tools, inputProcessors: [offloadProcessor()] });
 */
export function offloadProcessor(options: MastraOptions = {}): OffloadProcessor {
  const sessions = connectSessions(options, PROCESSOR);
  const sessionOf = ({ requestContext = new Map(), messages }: MastraInputStep): OffloadSession => {
    const thread = threadOf(requestContext) ?? messages.find(({ threadId }) => threadId)?.threadId;
    return sessions.of(requestContext, thread);
  };
  const knownSession = ({ [SESSION]: id }: MastraRunState): OffloadSession | undefined =>
    typeof id === "string" ? sessions.named(id) : undefined;

  return {
    id: "context-offload",

    processInputStep(step) {
      const session = sessionOf(step);
      const reading = aiSdkFormat.describeTools(session.tools);
      const { tools = {}, activeTools, state } = step;
      // Later steps of the run have those of this one.
      if (state[SESSION] === undefined) session.rejectTakenNames(Object.keys(tools));
      state[SESSION] = session.sessionId;
      return {
        tools: { ...tools, ...reading },
        ...(activeTools && { activeTools: [...activeTools, ...Object.keys(reading)] }),
      };
    },

    async processLLMRequest({ prompt, state }) {
      const session = knownSession(state);
      if (!session) return { prompt };
      const short = await session.history(prompt, aiSdkFormat);
      return { prompt: addSystemText(short, session.systemPrompt()) };
    },

    async processToolResult(call) {
      const { messageList, toolCallId, toolName, args, result, abortSignal: signal } = call;
      const session = knownSession(call.state);
      // The provider accepts its own answers only unchanged.
      if (!session || call.providerExecuted || session.isReadingTool(toolName)) return;
      const arrived = { toolCallId, toolName, input: args, signal };
      const kept = await session.value(result, arrived);
      if (kept === result) return;
      const toolInvocation = { state: "result", toolCallId, toolName, args, result: kept } as const;
      messageList.updateToolInvocation({ type: "tool-invocation", toolInvocation });
    },
  };
}

/** The thread of a run with memory, which Mastra puts into the request context for its own processors. */
function threadOf(requestContext: MastraRequestContext): string | undefined {
  const memory = requestContext.get("MastraMemory") as { thread?: { id?: unknown } } | undefined;
  const id = memory?.thread?.id;
  return typeof id === "string" ? id : undefined;
}
