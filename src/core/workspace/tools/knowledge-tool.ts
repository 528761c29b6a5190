import type { JsonSchema } from "./tool-schemas.js";

/** What a tool answers a model with. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** A reading tool in no framework's shape. */
export interface KnowledgeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Never throws at a model: a wrong call gets a text that it can act on. */
  execute(input: unknown, options?: { readonly signal?: AbortSignal }): Promise<ToolAnswer>;
}

export interface ToolsOptions {
  /** Binds the tools to what this session may see: its own artifacts and its children's. */
  readonly sessionId?: string | undefined;
}
