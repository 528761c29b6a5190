import { aiSdkFormat } from "../../formats/ai-sdk.js";
import type { OffloadSession, Sessions } from "../shared/connect-sessions.js";

/** What VoltAgent tells a tool or a hook of the operation that it is called in. */
export interface Operation {
  readonly conversationId?: string | undefined;
}

interface ExecuteOptions extends Operation {
  readonly toolContext?: { readonly abortSignal?: AbortSignal | undefined } | undefined;
}

/** A reading tool as VoltAgent runs it. */
export interface VoltAgentReadingTool {
  readonly type: "user-defined";
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** VoltAgent takes any schema of the AI SDK, but its type allows those of one library only. */
  readonly parameters: never;
  readonly isClientSide: () => boolean;
  readonly execute: (input: unknown, options?: ExecuteOptions) => Promise<string>;
}

/** The tools, which read in the session of the conversation that calls them. */
export function readingTools(sessions: Sessions, common: OffloadSession): VoltAgentReadingTool[] {
  const schemas = aiSdkFormat.describeTools(common.tools);
  return common.tools.map((tool) => ({
    ...{ type: "user-defined", id: tool.name, name: tool.name, description: tool.description },
    parameters: schemas[tool.name]?.inputSchema as never,
    isClientSide: () => false,
    async execute(input, { conversationId, toolContext } = {}) {
      const { tools } = sessions(conversationId);
      const own = tools.find(({ name }) => name === tool.name) ?? tool;
      const signal = toolContext?.abortSignal;
      const { text, isError } = await own.execute(input, signal ? { signal } : {});
      return isError ? `Error: ${text}` : text;
    },
  }));
}
