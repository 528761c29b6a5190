import type { ToolAnswer } from "../../core/engine/format.js";
import { messageOf } from "../../core/errors/context-offload-error.js";
import { openaiResponsesFormat } from "../../formats/openai-responses.js";
import { parseArguments } from "../../formats/shared/openai-parts.js";
import {
  connectSessions,
  type OffloadSession,
  type IntegrationOptions,
  offloadValue,
  refuseTakenNames,
} from "../shared/connect-sessions.js";

/** The answer to a call, as an item of the next request. */
export type FunctionOutput = { type: "function_call_output"; call_id: string; output: string };

/** The parts of a call that matter here. */
interface FunctionCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Your own functions, by the names that the model calls them by. */
export type OpenAIFunctions = Readonly<Record<string, (input: never) => unknown>>;

/** What a loop over the Responses API needs. */
export interface OffloadResponses {
  /** The reading tools, to be sent with your own. */
  readonly tools: ReturnType<typeof openaiResponsesFormat.describeTools>;
  /** A text for the instructions. */
  readonly instructions: string;
  /** Runs the calls of a response, all at once; calls of functions that were not passed are skipped. */
  answer(output: readonly { readonly type: string }[]): Promise<FunctionOutput[]>;
}

/**
 * Runs the function calls of the Responses API, and answers with references where results are large.
 *
 * @example
 * const offload = offloadResponses({ fetch_log: ({ service }) => fetchLog(service) });
 * const response = await client.responses.create({ model, input, tools: [...tools, ...offload.tools] });
 * input.push(...response.output, ...(await offload.answer(response.output)));
 */
export function offloadResponses(
  functions: OpenAIFunctions,
  options: IntegrationOptions = {},
): OffloadResponses {
  const session = connectSessions(options)();
  refuseTakenNames(
    session.tools,
    Object.keys(functions).map((name) => ({ name })),
  );
  return {
    tools: openaiResponsesFormat.describeTools(session.tools),
    instructions: session.systemPrompt(),
    async answer(output) {
      const calls = output.filter(isFunctionCall);
      const answers = await Promise.all(calls.map((call) => answerCall(call, functions, session)));
      return answers.filter((answer) => answer !== undefined);
    },
  };
}

function isFunctionCall(item: { readonly type: string }): item is FunctionCall & typeof item {
  return item.type === "function_call";
}

async function answerCall(
  call: FunctionCall,
  functions: OpenAIFunctions,
  session: OffloadSession,
): Promise<FunctionOutput | undefined> {
  const { name, call_id } = call;
  const input = parseArguments(call.arguments);
  const reading = session.tools.find((tool) => tool.name === name);
  const run = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!reading && !run) return undefined;
  const answer = await (reading ? reading.execute(input) : runFunction(call, input, run, session));
  const { text, isError } = answer;
  const output = isError ? `Error: ${text}` : text;
  return { type: "function_call_output", call_id, output };
}

/** What a function throws is for the model, which may correct its call. */
async function runFunction(
  { name, call_id }: FunctionCall,
  input: unknown,
  run: OpenAIFunctions[string] | undefined,
  session: OffloadSession,
): Promise<ToolAnswer> {
  let value: unknown;
  try {
    value = await run?.((await session.resolve(name, input)) as never);
  } catch (error) {
    return { text: messageOf(error), isError: true };
  }
  const kept = await offloadValue(session, value, { toolCallId: call_id, toolName: name });
  const text = typeof kept === "string" ? kept : (JSON.stringify(kept) as string | undefined);
  return { text: text ?? "", isError: false };
}
