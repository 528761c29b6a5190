/** @module pi */
import { requireObject } from "../../core/arguments.js";
import { piRecordFormat, type PiTool } from "../../formats/pi.js";
import {
  connectSession,
  type DropIn,
  type IntegrationOptions,
  type KeepOption,
  type OffloadSession,
  requireToolList,
} from "../shared/sessions.js";

export type { IntegrationOptions, KeepOption };

/** The parts of an agent's settings that matter here. */
export interface AgentSettings {
  /** The session that results belong to, unless the options name one. */
  readonly sessionId?: string;
  /** Gets the reading tools and the system prompt besides your own. */
  readonly initialState?: {
    readonly model?: unknown;
    readonly systemPrompt?: string;
    readonly tools?: readonly { readonly name: string }[];
  };
  /** Your own hook; it runs first. */
  readonly afterToolCall?: (call: never, signal?: AbortSignal) => Promise<unknown>;
  /** Your own hook; it runs first. */
  readonly transformContext?: (messages: never, signal?: AbortSignal) => Promise<unknown>;
}

/** A call of a tool, and what it returned. */
export interface PiToolCall<Block> {
  readonly toolCall: { readonly id: string; readonly name: string; readonly arguments?: unknown };
  readonly result: { readonly content: Block[] };
  readonly isError: boolean;
}

/** What a hook changes of a result. */
export interface PiChangedResult<Block> {
  content?: Block[];
  isError?: boolean;
}

/** What is added to the settings of an agent. */
export interface PiOffload {
  initialState: { systemPrompt: string; tools: PiReadingTool[] };
  afterToolCall: <Block>(
    call: PiToolCall<Block>,
    signal?: AbortSignal,
  ) => Promise<PiChangedResult<Block> | undefined>;
  transformContext: <M>(messages: M[], signal?: AbortSignal) => Promise<M[]>;
}

/** Options of `offloadAgent`. */
export type PiOptions = Omit<IntegrationOptions, "acceptReferences" | "onError"> & KeepOption;

const AGENT: DropIn<PiOptions> = {
  adds: { keep: true },
  lacks: {
    acceptReferences: "it does not run the tools",
    onError: "its hooks must not throw",
  },
};

/**
 * The settings of an agent that gets references for large results, and the tools to read them. The
 * host's own hooks, tools and system prompt are kept.
 *
 * @example
 * const agent = new Agent(offloadAgent({ initialState: { systemPrompt, model, tools }, sessionId }));
 */
export function offloadAgent<S extends AgentSettings>(
  settings: S,
  options: PiOptions = {},
): S & PiOffload {
  requireObject("settings", settings, "the settings of an agent");
  const session = connectSession(options, AGENT, settings.sessionId);
  const { initialState } = settings;
  const own = settings as unknown as Partial<Pick<PiOffload, "afterToolCall" | "transformContext">>;
  const { tools = [], systemPrompt } = initialState ?? {};
  requireToolList("settings.initialState.tools", tools);
  session.rejectTakenNames(tools.map(({ name }) => name));

  const added: PiOffload = {
    initialState: {
      ...initialState,
      systemPrompt: [systemPrompt, session.systemPrompt()].filter(Boolean).join("\n\n"),
      tools: [...(tools as PiReadingTool[]), ...readingTools(session)],
    },

    async afterToolCall(call, signal) {
      const changed = await own.afterToolCall?.(call, signal);
      const { id: toolCallId, name: toolName } = call.toolCall;
      if (options.keep === "original" || session.isReadingTool(toolName)) return changed;
      const { content = call.result.content, isError = call.isError } = changed ?? {};
      const message = { role: "toolResult", toolCallId, toolName, content, isError };
      const asked = { role: "assistant", content: [call.toolCall] };
      const [, answered] = await session.exchange<object>([asked, message], piRecordFormat);
      const { content: short } = answered as typeof message;
      return short === content ? changed : { ...changed, content: short };
    },

    async transformContext(messages, signal) {
      const changed = (await own.transformContext?.(messages, signal)) ?? messages;
      return [...(await session.history(changed, piRecordFormat))];
    },
  };
  return { ...settings, ...added };
}

/** A reading tool as pi runs it. */
export interface PiReadingTool extends PiTool {
  label: string;
  execute: (
    toolCallId: string,
    input: unknown,
    signal?: AbortSignal,
  ) => Promise<{ content: { type: "text"; text: string }[]; details: undefined }>;
}

function readingTools(session: OffloadSession): PiReadingTool[] {
  return piRecordFormat.describeTools(session.tools).map((tool) => ({
    ...tool,
    label: tool.name.replaceAll("_", " "),
    async execute(_, input, signal) {
      const { text, isError } = await session.run(tool.name, input, signal);
      // pi makes an error result of what a tool throws.
      if (isError) throw new Error(text);
      return { content: [{ type: "text", text }], details: undefined };
    },
  }));
}
