export type Json = Readonly<Record<string, unknown>>;

/** One tool: how it is listed, and how it is run. */
export interface ToolboxTool {
  readonly definition: Json & { readonly name: string };
  run(input: unknown, signal: AbortSignal | undefined): Promise<Json>;
}
