import type { ToolDescription, ToolInputSchema } from "../../core/engine/format.js";
import { messageOf } from "../../core/errors/context-offload-error.js";
import { parseArguments } from "../../formats/shared/openai-parts.js";
import {
  connectSessions,
  type OffloadSession,
  type IntegrationOptions,
  offloadValue,
  refuseTakenNames,
  resolveJson,
} from "../shared/connect-sessions.js";

/** A reading tool as `runTools` takes it. */
export type ReadingTool = {
  type: "function";
  function: {
    name: string;
    description: string;
    parameters: ToolInputSchema;
    function: (args: string) => Promise<string>;
  };
};

type Run = (args: unknown, runner: Runner, context: unknown) => unknown;
type Parse = (input: string) => unknown;

/** A tool with its function, or one that the SDK's helpers made, which hide their functions. */
interface RunnableTool {
  readonly type: string;
  readonly function?: {
    readonly name?: string | undefined;
    readonly description?: string;
    readonly function?: Run;
    readonly parse?: Parse;
  };
  readonly $callback?: Run | undefined;
  readonly $parseRaw?: Parse;
}

/**
 * The tools, whose large results the model gets as references, and the reading tools after them. The
 * messages of the runner hold the references.
 *
 * @example
 * const runner = client.chat.completions.runTools({ model, messages, tools: offloadTools(tools) });
 */
export function offloadTools<Tool extends { readonly $brand: string }>(
  // `runTools` takes these only without others beside them, by their type.
  tools: readonly Tool[],
  options?: IntegrationOptions,
): Tool[];
export function offloadTools<const T extends readonly { readonly type: string }[]>(
  tools: T,
  options?: IntegrationOptions,
): [...T, ...ReadingTool[]];
export function offloadTools(
  tools: readonly unknown[],
  options: IntegrationOptions = {},
): unknown[] {
  const session = connectSessions(options)();
  const ids = new CallIds();
  const runnable = tools as readonly RunnableTool[];
  refuseTakenNames(
    session.tools,
    runnable.map((tool) => ({ name: nameOf(tool) })),
  );
  const wrapped = runnable.map((tool) => wrapTool(tool, session, ids));
  return [...wrapped, ...session.tools.map(describeTool)];
}

function describeTool(tool: ToolDescription): ReadingTool {
  const { name, description, inputSchema: parameters } = tool;
  const run = async (args: string): Promise<string> => {
    const { text, isError } = await tool.execute(parseArguments(args));
    return isError ? `Error: ${text}` : text;
  };
  return { type: "function", function: { name, description, parameters, function: run } };
}

function nameOf({ function: described }: RunnableTool): string | undefined {
  return described?.name ?? described?.function?.name;
}

function wrapTool(tool: RunnableTool, session: OffloadSession, ids: CallIds): RunnableTool {
  const { function: described, $callback, $parseRaw } = tool;
  const name = nameOf(tool);
  const run = $callback ?? described?.function;
  if (!described || !run || name === undefined) return tool;
  const wrapped = wrapRun({ name, run, parse: $parseRaw ?? described.parse }, session, ids);
  const description = session.describe(name, described.description ?? "");
  if ($callback) {
    return withProperties(tool, {
      function: { ...described, description },
      $callback: wrapped.run,
      $parseRaw: wrapped.parse,
    });
  }
  const { run: call, parse } = wrapped;
  const changed = { name, description, function: call, ...(described.parse ? { parse } : {}) };
  return { ...tool, function: { ...described, ...changed } };
}

/** The function and its parser, of which only the parser sees the arguments as the model wrote them. */
function wrapRun(
  { name, run, parse }: { name: string; run: Run; parse: Parse | undefined },
  session: OffloadSession,
  ids: CallIds,
): { run: Run; parse: Parse } {
  const written = new WeakMap<object, string>();
  return {
    async parse(input) {
      const parsed = await parse?.(await resolveJson(session, name, input));
      if (typeof parsed === "object" && parsed !== null) written.set(parsed, input);
      return parsed;
    },
    async run(args, runner, context) {
      const isRaw = typeof args === "string";
      const input = isRaw ? args : written.get(args as object);
      // Before anything is awaited, since calls are told apart by their order.
      const toolCallId = input === undefined ? undefined : ids.take(runner, name, input);
      let resolved = args;
      try {
        if (isRaw) resolved = await resolveJson(session, name, args);
      } catch (error) {
        // The runner would end; the model can correct its call.
        return `Error: ${messageOf(error)}`;
      }
      const output = await run(resolved, runner, context);
      return offloadValue(session, output, { toolCallId, toolName: name });
    },
  };
}

/** A copy with some properties changed, and those that are hidden kept hidden. */
function withProperties(tool: RunnableTool, changes: Partial<RunnableTool>): RunnableTool {
  const properties: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(tool);
  for (const [key, value] of Object.entries(changes)) {
    properties[key] = { ...properties[key], value };
  }
  return Object.create(Object.getPrototypeOf(tool) as object | null, properties) as RunnableTool;
}

/** The parts of a runner that matter here: what it sent and got so far. */
export interface Runner {
  readonly messages: readonly unknown[];
}

interface AssistantMessage {
  readonly role?: unknown;
  readonly tool_calls?: readonly ToolCall[];
}

interface ToolCall {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/**
 * Finds the id of the call that a function runs for, which the SDK does not pass to it: the first call
 * of the last message with this name and these arguments that was not found before. The SDK starts
 * calls in their order, so that two calls that are alike are told apart.
 */
export class CallIds {
  readonly #taken = new WeakMap<object, Set<string>>();

  take(runner: Runner, name: string, args: string): string | undefined {
    const message = runner.messages.findLast(hasCalls);
    if (!message) return undefined;
    const taken = this.#taken.get(message) ?? new Set();
    this.#taken.set(message, taken);
    const call = message.tool_calls?.find(
      ({ id, function: called }) =>
        called?.name === name && called.arguments === args && !taken.has(id),
    );
    if (call) taken.add(call.id);
    return call?.id;
  }
}

function hasCalls(message: unknown): message is AssistantMessage & object {
  const { role, tool_calls } = message as AssistantMessage;
  return role === "assistant" && Array.isArray(tool_calls);
}
