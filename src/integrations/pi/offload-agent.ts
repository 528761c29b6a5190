import { requireChoice } from "../../core/arguments.js";
import { piRecordFormat, type PiTool } from "../../formats/pi.js";
import {
  connectSessions,
  type OffloadSession,
  type IntegrationOptions,
  type KeepOption,
  refuseTakenNames,
} from "../shared/connect-sessions.js";

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
  readonly toolCall: { readonly id: string; readonly name: string };
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

/**
 * The settings of an agent that gets references for large results, and the tools to read them. The
 * host's own hooks, tools and system prompt are kept.
 *
 * @example
 * const agent = new Agent(offloadAgent({ initialState: { systemPrompt, model, tools }, sessionId }));
 */
export function offloadAgent<S extends AgentSettings>(
  settings: S,
  // A hook of pi must not throw.
  options: Omit<IntegrationOptions, "acceptReferences" | "onError"> & KeepOption = {},
): S & PiOffload {
  const { keep, ...rest } = options;
  const session = connectSessions(rest)(settings.sessionId);
  requireChoice("keep", keep, ["reference", "original"]);
  const keepsOriginal = keep === "original";
  const { initialState } = settings;
  const own = settings as unknown as Partial<Pick<PiOffload, "afterToolCall" | "transformContext">>;
  const { tools = [], systemPrompt } = initialState ?? {};
  refuseTakenNames(session.tools, tools);
  const reading = new Set(session.tools.map(({ name }) => name));

  const added: PiOffload = {
    initialState: {
      ...initialState,
      systemPrompt: [systemPrompt, session.systemPrompt()].filter(Boolean).join("\n\n"),
      tools: [...(tools as PiReadingTool[]), ...readingTools(session)],
    },

    async afterToolCall(call, signal) {
      const changed = await own.afterToolCall?.(call, signal);
      const { id: toolCallId, name: toolName } = call.toolCall;
      if (keepsOriginal || reading.has(toolName)) return changed;
      const { content = call.result.content, isError = call.isError } = changed ?? {};
      const message = { role: "toolResult", toolCallId, toolName, content, isError };
      const short = await session.message(message, piRecordFormat);
      return short === message ? changed : { ...changed, content: short.content };
    },

    async transformContext(messages, signal) {
      const changed = (await own.transformContext?.(messages, signal)) ?? messages;
      return keepsOriginal ? [...(await session.history(changed, piRecordFormat))] : changed;
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

export function readingTools({ tools }: OffloadSession): PiReadingTool[] {
  const described = piRecordFormat.describeTools(tools);
  return tools.map((tool, at) => ({
    ...(described[at] as PiTool),
    label: tool.name.replaceAll("_", " "),
    async execute(_, input, signal) {
      const { text, isError } = await tool.execute(input, signal ? { signal } : {});
      // pi makes an error result of what a tool throws.
      if (isError) throw new Error(text);
      return { content: [{ type: "text", text }], details: undefined };
    },
  }));
}
