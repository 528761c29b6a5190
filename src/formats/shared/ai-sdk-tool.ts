import type { ToolDescription, ToolInputSchema } from "../../core/engine/format.js";

/** How `ai` recognizes its own schemas, whichever copy of the package made them. */
const SCHEMA_MARK = Symbol.for("vercel.ai.schema");

/** A Standard Schema (standardschema.dev), which `ai` accepts. */
export type AiSdkInputSchema = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: {
      readonly input: () => ToolInputSchema;
      readonly output: () => ToolInputSchema;
    };
  };
};

/** A tool that `generateText` runs by itself. */
export type AiSdkTool = {
  description: string;
  inputSchema: AiSdkInputSchema;
  execute: (input: unknown, options?: { readonly abortSignal?: AbortSignal }) => Promise<string>;
};

export function describeAiSdkTool(tool: ToolDescription): AiSdkTool {
  const { description, inputSchema } = tool;
  return {
    description,
    inputSchema: schemaOf(inputSchema),
    // The model gets text either way; an error begins with "Error:".
    async execute(input, { abortSignal } = {}) {
      const { text, isError } = await tool.execute(
        input,
        abortSignal ? { signal: abortSignal } : {},
      );
      return isError ? `Error: ${text}` : text;
    },
  };
}

/** No validation: the tools check their input themselves and tell the model how to correct it. */
function schemaOf(jsonSchema: ToolInputSchema): AiSdkInputSchema {
  const schema = () => jsonSchema;
  const ownForm = { [SCHEMA_MARK]: true, _type: undefined, jsonSchema, validate: undefined };
  return {
    ...ownForm,
    "~standard": {
      version: 1,
      vendor: "context-offload",
      validate: (value) => ({ value }),
      jsonSchema: { input: schema, output: schema },
    },
  };
}
