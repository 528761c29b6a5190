import { openaiAgentsFormat, type OpenAIAgentsTool } from "../../formats/openai-agents.js";
import { connectRuns, type AgentsOptions } from "./offload-tools.js";

/** The parts of a request to the model that matter here. */
export interface AgentsModelData {
  input: unknown[];
  instructions?: string;
}

/** What the SDK passes to a `callModelInputFilter`. */
export interface AgentsFilterCall<Data> {
  readonly modelData: Data;
  readonly agent: { readonly tools: readonly { readonly name: string }[] };
  readonly context: unknown;
}

/** A `callModelInputFilter`, and the tools that read what it offloads. */
export interface OffloadFilter {
  <Data extends AgentsModelData>(call: AgentsFilterCall<Data>): Promise<Data>;
  /** Unchanged items are the same objects in every request, so that each is read only once. */
  readonly preserveInputIdentity: true;
  readonly tools: OpenAIAgentsTool[];
}

/**
 * A filter that offloads the results of every request, those of MCP servers and of earlier turns
 * included. It cannot add tools: requests of an agent that does not have its `tools` are passed on
 * whole, since nobody could read a reference.
 *
 * @example
 * const callModelInputFilter = offloadFilter();
 * const agent = new Agent({ name, tools: [...tools, ...callModelInputFilter.tools] });
 * await new Runner({ callModelInputFilter }).run(agent, question);
 */
export function offloadFilter<Context = unknown>(
  options: AgentsOptions<Context> = {},
): OffloadFilter {
  const { sessionOf, tools } = connectRuns(options);
  const filter = async <Data extends AgentsModelData>(
    call: AgentsFilterCall<Data>,
  ): Promise<Data> => {
    const { modelData, agent, context } = call;
    const offered = new Set(agent.tools.map(({ name }) => name));
    if (!tools.every(({ name }) => offered.has(name))) return modelData;
    const session = sessionOf(context);
    const input = [...(await session.history(modelData.input, openaiAgentsFormat))];
    const instructions = [modelData.instructions, session.systemPrompt()];
    return { ...modelData, input, instructions: instructions.filter(Boolean).join("\n\n") };
  };
  return Object.assign(filter, { preserveInputIdentity: true as const, tools });
}
