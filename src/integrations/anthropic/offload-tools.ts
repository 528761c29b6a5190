import { InvalidArgumentError } from "../../core/errors/argument-errors.js";
import type { ToolDescription, ToolInputSchema } from "../../core/engine/format.js";
import { anthropicFormat } from "../../formats/anthropic.js";
import {
  connectSessions,
  type OffloadSession,
  type IntegrationOptions,
} from "../shared/connect-sessions.js";

/** A reading tool that `toolRunner` runs. */
export interface RunnableReadingTool {
  name: string;
  description: string;
  input_schema: ToolInputSchema;
  run: (input: unknown, context?: AnthropicRunContext) => Promise<string>;
  parse: (input: unknown) => unknown;
}

/** What `toolRunner` tells a tool of the call. */
export interface AnthropicRunContext {
  readonly toolUse?: { readonly id: string };
  /** The older name of `toolUse`. Early versions of the SDK pass no context at all. */
  readonly toolUseBlock?: { readonly id: string };
  readonly signal?: AbortSignal | null | undefined;
}

interface AnyTool {
  readonly name?: string;
  readonly description?: string;
  readonly run?: (input: unknown, context?: AnthropicRunContext) => unknown;
}

/**
 * The tools, whose large results become references in the conversation, and the reading tools beside
 * them. Server tools and toolsets are passed on as they are.
 *
 * @example
 * client.beta.messages.toolRunner({ model, max_tokens, messages, tools: offloadTools(tools) });
 */
export function offloadTools<T extends object>(
  tools: readonly T[],
  options: IntegrationOptions = {},
): (T | RunnableReadingTool)[] {
  const session = connectSessions(options)();
  const reading = session.tools.map(readingTool);
  for (const { name } of reading) {
    if (!tools.some((tool) => (tool as AnyTool).name === name)) continue;
    const expected = `without ${name}; rename it with the workspace's toolNames`;
    throw new InvalidArgumentError("tools", name, expected);
  }
  return [...tools.map((tool) => wrapTool(tool, session)), ...reading];
}

function wrapTool<T extends AnyTool>(tool: T, session: OffloadSession): T {
  const { name, description, run } = tool;
  if (name === undefined || typeof run !== "function") return tool;
  const described = session.describe(name, description ?? "");
  return {
    ...tool,
    ...(described === "" ? {} : { description: described }),
    async run(input: unknown, context?: AnthropicRunContext) {
      const signal = context?.signal ?? undefined;
      const resolved = await session.resolve(name, input, signal);
      const content = await run.call(tool, resolved, context);
      const id = (context?.toolUse ?? context?.toolUseBlock)?.id ?? "";
      const call = { type: "tool_use", id, name, input };
      const [, answered] = await session.exchange(
        [
          { role: "assistant", content: [call] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
        ],
        anthropicFormat,
      );
      return (answered?.content[0] as { content?: unknown } | undefined)?.content ?? content;
    },
  };
}

function readingTool(tool: ToolDescription): RunnableReadingTool {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: tool.inputSchema,
    parse: (input) => input,
    async run(input, context) {
      const { signal } = context ?? {};
      const { text, isError } = await tool.execute(input, signal ? { signal } : {});
      // The runner marks what is thrown as an error.
      if (isError) throw new Error(text);
      return text;
    },
  };
}
