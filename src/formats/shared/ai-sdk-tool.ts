import type { ToolDescription, ToolInputSchema } from "../../core/engine/format.js";

/** How `ai` knows a schema that needs no conversion, whichever copy of the package made it. */
const SCHEMA_MARK = Symbol.for("vercel.ai.schema");

/** A schema in the form that `ai` and others have agreed on (standardschema.dev). */
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

/** A tool that `generateText` takes and runs by itself. */
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
    // What the model gets is a text either way; an error says so in front.
    async execute(input, { abortSignal } = {}) {
      const { text, isError } = await tool.execute(
        input,
        abortSignal ? { signal: abortSignal } : {},
      );
      return isError ? `Error: ${text}` : text;
    },
  };
}

/** No validation: the tools check their input themselves, and tell the model how to correct it. */
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
