import type { ToolDescription } from "../../core/engine/format.js";
import { geminiFormat, type GeminiToolAnswer } from "../../formats/gemini.js";
import { connectSessions, type OffloadSession } from "../shared/connect-sessions.js";
import type { IntegrationOptions } from "../shared/integration-options.js";

interface FunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: Record<string, unknown>;
}

/** A callable tool of the SDK, of any version of its types. */
interface AnyCallable {
  tool(): Promise<object>;
  callTool(functionCalls: never[]): Promise<object[]>;
}

/**
 * A callable tool whose large results become references, with the reading tools beside its functions.
 *
 * @example
 * await ai.models.generateContent({ model, contents, config: { tools: [offloadCallable(mcpToTool(client))] } });
 */
export function offloadCallable<T extends AnyCallable>(
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
    const own = (declared.functionDeclarations ?? []).map((one) => {
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
    const others = calls.filter((call) => !isReading(call));
    const resolved = await Promise.all(
      others.map(async ({ args = {}, ...call }) => ({
        ...call,
        args: await session.resolve(call.name ?? "", args),
      })),
    );
    const parts = others.length > 0 ? await callable.callTool(resolved as never[]) : [];
    const results = await offloadParts(session, others, parts);
    const answers = calls.filter(isReading).map((call) => answerReading(session.tools, call));
    return [...results, ...(await Promise.all(answers))];
  };

  const replaced: Readonly<Record<PropertyKey, unknown>> = { tool, callTool };
  return new Proxy(callable, {
    get: (target, key) =>
      Object.hasOwn(replaced, key) ? replaced[key] : (Reflect.get(target, key, target) as unknown),
  });
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
