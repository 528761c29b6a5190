import type { OffloadSession } from "../shared/connect-sessions.js";

/** An action of Genkit, by its shape: a function that describes itself. */
interface GenkitReadingTool {
  (input: unknown, options?: { readonly abortSignal?: AbortSignal }): Promise<string>;
  __action: object;
}

/** The tools, which read in the session of the run that calls them. */
export function readingTools(
  currentSession: () => OffloadSession,
  common: OffloadSession,
): GenkitReadingTool[] {
  return common.tools.map((tool) => {
    const { name, description, inputSchema } = tool;
    const read = async (
      input: unknown,
      { abortSignal: signal }: { readonly abortSignal?: AbortSignal } = {},
    ): Promise<string> => {
      const own = currentSession().tools.find((other) => other.name === name) ?? tool;
      const { text, isError } = await own.execute(input, signal ? { signal } : {});
      // What a tool throws ends the run; the model can correct its call.
      return isError ? `Error: ${text}` : text;
    };
    const described = { name, description, inputJsonSchema: inputSchema };
    const output = { outputJsonSchema: { type: "string" } };
    const kind = { actionType: "tool", metadata: { type: "tool" } };
    return Object.assign(read, { __action: { ...described, ...output, ...kind } });
  });
}
