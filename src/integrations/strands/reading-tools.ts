import type { OffloadSession } from "../shared/connect-sessions.js";
import type { StrandsAgent, StrandsSdk, StrandsToolSpec, StrandsToolUse } from "./strands-sdk.js";

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
export function readingTools<Result>(
  { TextBlock, ToolResultBlock }: StrandsSdk<Result>,
  sessionOf: (agent: StrandsAgent) => OffloadSession,
  { tools }: OffloadSession,
): StrandsReadingTool<Result>[] {
  return tools.map((tool) => {
    const { name, description, inputSchema } = tool;
    return {
      ...{ name, description, toolSpec: { name, description, inputSchema } },
      // eslint-disable-next-line require-yield -- Strands runs generators only; there is no progress to report
      async *stream({ agent, toolUse: { toolUseId, input }, cancelSignal: signal }) {
        const own = sessionOf(agent).tools.find((other) => other.name === name) ?? tool;
        const { text, isError } = await own.execute(input, { signal });
        const content = [new TextBlock(text)] as never[];
        return new ToolResultBlock({ toolUseId, status: isError ? "error" : "success", content });
      },
    };
  });
}
