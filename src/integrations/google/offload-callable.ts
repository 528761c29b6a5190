import type { ToolDescription } from "../../core/engine/format.js";
import { messageOf } from "../../core/errors/context-offload-error.js";
import { geminiFormat, type GeminiToolAnswer } from "../../formats/gemini.js";
import {
  connectSessions,
  type OffloadSession,
  type IntegrationOptions,
  refuseTakenNames,
} from "../shared/connect-sessions.js";

interface FunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: Record<string, unknown>;
}

/** A callable tool of the SDK, of any version of its types. */
export interface AnyGoogleCallable {
  tool(): Promise<object>;
  callTool(functionCalls: never[]): Promise<object[]>;
}

/**
 * A callable tool whose large results become references, with the reading tools beside its functions.
 *
 * @example
 * await ai.models.generateContent({ model, contents, config: { tools: [offloadCallable(mcpToTool(client))] } });
 */
export function offloadCallable<T extends AnyGoogleCallable>(
  callable: T,
  options: IntegrationOptions = {},
): T {
  const session = connectSessions(options)();
  const isReading = ({ name }: FunctionCall): boolean =>
    session.tools.some((tool) => tool.name === name);

  const tool = async (): Promise<object> => {
    const declared = (await callable.tool()) as {
      functionDeclarations?: readonly { readonly name?: string; readonly description?: string }[];
    };
    const { functionDeclarations = [] } = declared;
    refuseTakenNames(session.tools, functionDeclarations);
    const own = functionDeclarations.map((one) => {
      const description = session.describe(one.name ?? "", one.description ?? "");
      return description === "" ? one : { ...one, description };
    });
    const [reading] = geminiFormat.describeTools(session.tools);
    return {
      ...declared,
      functionDeclarations: [...own, ...(reading?.functionDeclarations ?? [])],
    };
  };

  const callTool = async (calls: readonly FunctionCall[]): Promise<object[]> => {
    const prepared = await Promise.all(
      calls.map((call) =>
        isReading(call) ? answerReading(session.tools, call) : resolveArguments(session, call),
      ),
    );
    const others = prepared.filter(isCall);
    const parts = others.length > 0 ? await callable.callTool(others as never[]) : [];
    return [
      ...(await offloadParts(session, others, parts)),
      ...prepared.filter((one) => !isCall(one)),
    ];
  };

  const replaced: Readonly<Record<PropertyKey, unknown>> = { tool, callTool };
  return new Proxy(callable, {
    get: (target, key) =>
      Object.hasOwn(replaced, key) ? replaced[key] : (Reflect.get(target, key, target) as unknown),
  });
}

/** The call to run, or what to answer to it: what is thrown ends the run, and the model can correct its call. */
async function resolveArguments(
  session: OffloadSession,
  call: FunctionCall,
): Promise<FunctionCall | GeminiToolAnswer> {
  const { name = "", args = {} } = call;
  try {
    return { ...call, args: await session.resolve(name, args) };
  } catch (error) {
    return geminiFormat.answerCall(call, { text: messageOf(error), isError: true });
  }
}

function isCall(one: FunctionCall | GeminiToolAnswer): one is FunctionCall {
  return !("functionResponse" in one);
}

async function offloadParts(
  session: OffloadSession,
  calls: readonly FunctionCall[],
  parts: object[],
): Promise<readonly object[]> {
  const asked = { role: "model", parts: calls.map((functionCall) => ({ functionCall })) };
  const messages: { role: string; parts: object[] }[] = [asked, { role: "user", parts }];
  const [, told] = await session.exchange(messages, geminiFormat);
  return told?.parts ?? parts;
}

export async function answerReading(
  tools: readonly ToolDescription[],
  call: FunctionCall,
): Promise<GeminiToolAnswer> {
  const tool = tools.find(({ name }) => name === call.name);
  const answer = await tool?.execute(call.args ?? {});
  return geminiFormat.answerCall(call, answer ?? { text: "", isError: true });
}
