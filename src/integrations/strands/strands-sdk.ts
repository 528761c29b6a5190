import type { ToolInputSchema } from "../../core/engine/format.js";

/**
 * What is needed of the module `@strands-agents/sdk`: hooks are registered by the class of their event,
 * and middleware by the object that stands for its stage, so that both have to be passed in.
 *
 * @typeParam Result - The module's own class of a tool result.
 */
export interface StrandsSdk<Result> {
  readonly BeforeToolCallEvent: abstract new (...data: never[]) => object;
  readonly AfterToolCallEvent: abstract new (...data: never[]) => object;
  readonly InvokeModelStage: { readonly Input: object };
  readonly Message: { fromJSON(data: never): { toJSON(): object } };
  readonly TextBlock: new (text: string) => object;
  readonly ToolResultBlock: {
    new (data: { toolUseId: string; status: "success" | "error"; content: never[] }): Result;
    fromJSON(data: never): object;
  };
}

/** The parts of an agent that matter here. */
export interface StrandsAgent {
  readonly sessionId: string;
  readonly sessionManager?: unknown;
  addHook(event: never, hook: never, options: { order: number }): unknown;
  addMiddleware(phase: never, handler: never): unknown;
}

/** A request for a tool, as the model made it. */
export interface StrandsToolUse {
  readonly name: string;
  readonly toolUseId: string;
  readonly input: unknown;
}

export interface ToolResult {
  readonly toolUseId: string;
  readonly status: "success" | "error";
  readonly content: readonly object[];
  toJSON(): object;
}

/** Hooks change these events in place. */
export interface BeforeToolCall {
  toolUse: StrandsToolUse;
  cancel: boolean | string;
  readonly agent: { readonly cancelSignal: AbortSignal };
}

export interface AfterToolCall {
  readonly toolUse: StrandsToolUse;
  readonly tool: { readonly delegate?: unknown } | undefined;
  readonly retry?: boolean;
  result: ToolResult;
}

/** What is sent to the model in one call. */
export interface ModelCall {
  readonly messages: readonly { toJSON(): object }[];
  readonly systemPrompt?: string | readonly object[];
}

/** A tool as the model sees it. */
export interface StrandsToolSpec {
  name: string;
  description: string;
  inputSchema: ToolInputSchema;
}
