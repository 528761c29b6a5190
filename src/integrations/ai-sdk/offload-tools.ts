import type { ToolName } from "../../core/workspace/reading/reading.js";
import { aiSdkFormat } from "../../formats/ai-sdk.js";
import type { AiSdkTool } from "../../formats/shared/ai-sdk-parts.js";
import {
  type OffloadSession,
  connectSessions,
  type IntegrationOptions,
  refuseTakenNames,
} from "../shared/connect-sessions.js";

/** The reading tools under their own names. */
export type ReadingTools = { [Name in ToolName]: AiSdkTool };

export function readingTools({ tools }: OffloadSession): ReadingTools {
  return aiSdkFormat.describeTools(tools) as ReadingTools;
}

/** The parts of an AI SDK tool that matter here. */
interface AnyTool {
  readonly type?: string | undefined;
  readonly description?: unknown;
  readonly execute?: ((input: unknown, options: ExecuteOptions) => unknown) | undefined;
  readonly toModelOutput?: ((call: ToolCall) => unknown) | undefined;
}

interface ExecuteOptions {
  readonly abortSignal?: AbortSignal;
}

interface ToolCall {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}

/**
 * The tools, whose large results the model gets as references, and the reading tools beside them. The
 * UI, the steps and what is saved keep the whole results.
 *
 * @example
 * await generateText({ model, tools: offloadTools(tools, { sessionId: chatId }), prompt });
 */
export function offloadTools<T extends object>(
  tools: T,
  options: IntegrationOptions = {},
): T & ReadingTools {
  const session = connectSessions(options)();
  const reading = readingTools(session);
  refuseTakenNames(
    session.tools,
    Object.keys(tools).map((name) => ({ name })),
  );
  const wrapped = Object.entries(tools).map(([name, tool]) => [
    name,
    wrapTool(name, tool as AnyTool, session),
  ]);
  return { ...Object.fromEntries(wrapped), ...reading } as T & ReadingTools;
}

function wrapTool(name: string, tool: AnyTool, session: OffloadSession): AnyTool {
  // The provider runs it, and accepts its answer only unchanged.
  if (tool.type === "provider" && !tool.execute) return tool;
  const toModelOutput = async (call: ToolCall): Promise<unknown> => {
    const output = await (tool.toModelOutput ? tool.toModelOutput(call) : plainOutput(call.output));
    const { toolCallId } = call;
    const part = { type: "tool-result", toolCallId, toolName: name, output };
    const message = { role: "tool", content: [part] };
    return (await session.message(message, aiSdkFormat)).content[0]?.output ?? output;
  };
  return { ...tool, ...takeReferences(name, tool, session), toModelOutput };
}

/** What the SDK makes of an output itself. */
function plainOutput(output: unknown): unknown {
  return typeof output === "string"
    ? { type: "text", value: output }
    : { type: "json", value: output ?? null };
}

/** The changed fields of a tool whose arguments may be references; none for other tools. */
function takeReferences(name: string, tool: AnyTool, session: OffloadSession): Partial<AnyTool> {
  const { execute, description } = tool;
  if (session.describe(name, "") === "" || !execute) return {};
  const describe = (text: unknown): string =>
    session.describe(name, typeof text === "string" ? text : "");
  const resolve = (input: unknown, options?: ExecuteOptions): Promise<unknown> =>
    session.resolve(name, input, options?.abortSignal);
  return {
    // Version 7 takes a function, too, which it calls for each request.
    description:
      typeof description === "function"
        ? (...context: unknown[]) => describe(Reflect.apply(description, tool, context))
        : describe(description),
    // The SDK shows what a generator yields while it runs; a promise of one would hide that.
    execute: isGenerator(execute)
      ? async function* (input, options) {
          yield* execute(await resolve(input, options), options) as AsyncIterable<unknown>;
        }
      : async (input, options) => execute(await resolve(input, options), options),
  };
}

function isGenerator(execute: unknown): boolean {
  return Object.prototype.toString.call(execute) === "[object AsyncGeneratorFunction]";
}
