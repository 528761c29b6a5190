import type { ToolDescription } from "../../core/engine/format.js";

/** How `ai` knows a schema that needs no conversion, whichever copy of the package made it. */
const SCHEMA_MARK = Symbol.for("vercel.ai.schema");

type RunTool = (
  input: unknown,
  options: { readonly signal?: AbortSignal },
) => Promise<{ readonly text: string; readonly isError: boolean }>;

/** A tool that `generateText` takes; it runs by itself where the description can be run. */
export function describeAiSdkTool(tool: ToolDescription): object {
  const { execute } = tool as ToolDescription & { readonly execute?: RunTool };
  return {
    description: tool.description,
    inputSchema: {
      [SCHEMA_MARK]: true,
      _type: undefined,
      jsonSchema: tool.inputSchema,
      validate: undefined,
    },
    ...(execute ? { execute: answerWith(execute.bind(tool)) } : {}),
  };
}

/** What the model gets is a text either way; an error says so in front. */
function answerWith(execute: RunTool) {
  return async (input: unknown, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
    const { text, isError } = await execute(input, abortSignal ? { signal: abortSignal } : {});
    return isError ? `Error: ${text}` : text;
  };
}
