import { randomUUID } from "node:crypto";
import type { ToolInputSchema } from "../../core/engine/format.js";
import { once } from "../../core/lib/concurrency.js";
import { coreOf } from "../../core/workspace/workspace-core.js";
import { mcpFormat, type McpToolAnswer } from "../../formats/mcp.js";
import { connectSessions, type IntegrationOptions } from "../shared/connect-sessions.js";
import { offloaderOf, shortenAnswer } from "./shorten-answer.js";

/** What a server's handler is told of a request, in any version of the SDK. */
export interface McpHandlerContext {
  readonly sessionId?: string | undefined;
  /** There for requests over HTTP. */
  readonly requestInfo?: unknown;
  readonly http?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly mcpReq?: { readonly signal?: AbortSignal | undefined } | undefined;
}

/** Options of `registerReadingTools`. */
export interface ServerOptions extends Omit<
  IntegrationOptions,
  "sessionId" | "acceptReferences" | "offloader"
> {
  /** The session, or how to find it, such as by the user. Default: the transport's, or the process over stdio. */
  readonly sessionId?: string | ((context: McpHandlerContext) => string | undefined) | undefined;
}

/** Over stdio a process serves one client. Handlers and reading tools are made apart and must agree. */
const processSession = once(() => `process-${randomUUID()}`);

/** The session of a request; `undefined` where its client cannot be told from others. */
export function serverSessionId(
  { sessionId }: ServerOptions,
  context: McpHandlerContext,
): string | undefined {
  const named = typeof sessionId === "function" ? sessionId(context) : sessionId;
  const isHttp = (context.requestInfo ?? context.http) !== undefined;
  return (named || undefined) ?? context.sessionId ?? (isHttp ? undefined : processSession());
}

export function contextOf(args: readonly unknown[]): McpHandlerContext {
  return args.at(-1) ?? {};
}

export function signalOf({ signal, mcpReq }: McpHandlerContext): AbortSignal | undefined {
  return signal ?? mcpReq?.signal;
}

/** A server of any version of the SDK. */
export interface AnyMcpServer {
  registerTool(name: string, config: never, handler: never): unknown;
}

/**
 * Gives a server the reading tools, limited to the session of each call.
 *
 * @example
 * registerReadingTools(server);
 */
export function registerReadingTools(server: AnyMcpServer, options: ServerOptions = {}): void {
  const sessions = connectSessions({ ...options, sessionId: undefined });
  const { tools } = sessions("");
  for (const { name, description, inputSchema } of tools) {
    const config = {
      description,
      inputSchema: schemaOf(inputSchema),
      annotations: { readOnlyHint: true, openWorldHint: false },
    };
    const handler = async (...args: unknown[]): Promise<McpToolAnswer> => {
      const context = contextOf(args);
      const session = sessions(serverSessionId(options, context) ?? "");
      const signal = signalOf(context);
      const tool = session.tools.find((one) => one.name === name);
      const answer = await tool?.execute(args[0], signal ? { signal } : {});
      return mcpFormat.answerCall({ name }, answer ?? { text: "", isError: true });
    };
    server.registerTool(name, config as never, handler as never);
  }
}

/**
 * A schema that shows itself and lets the tool check its input, which it does with better advice. SDK 2
 * takes it as a Standard Schema, SDK 1 by the few fields that it reads of a zod schema.
 */
function schemaOf(schema: ToolInputSchema): object {
  const toJson = (): ToolInputSchema => structuredClone(schema);
  const jsonSchema = { input: toJson, output: toJson };
  const validate = (value: unknown): object => ({ value });
  return {
    "~standard": { version: 1, vendor: "context-offload", validate, jsonSchema },
    _zod: {
      def: { type: "object", shape: {} },
      run: (payload: unknown) => payload,
      toJSONSchema: toJson,
    },
  };
}

/** A schema that can check a value, such as one of zod's. */
export interface McpOutputSchema {
  readonly "~standard": { validate(value: unknown): McpSchemaResult | Promise<McpSchemaResult> };
}

/** What a schema finds wrong with a value, if anything. */
export interface McpSchemaResult {
  readonly issues?: readonly { readonly message: string }[] | undefined;
}

/** Options of `offloadHandler`. */
export interface HandlerOptions extends ServerOptions {
  /** The name of the tool, stored as metadata. */
  readonly name?: string | undefined;
  /** The tool's output schema, to check structured content with references in it. Without it, such results are kept. */
  readonly outputSchema?: McpOutputSchema | Readonly<Record<string, McpOutputSchema>> | undefined;
}

/**
 * The handler of a server's tool, which answers with a reference in place of a large result. The server
 * needs the reading tools too, see `registerReadingTools`.
 *
 * @example
 * server.registerTool("fetch_log", config, offloadHandler(fetchLog));
 */
export function offloadHandler<A extends unknown[], R extends object>(
  handler: (...args: A) => R | Promise<R>,
  options: HandlerOptions = {},
): (...args: A) => Promise<R> {
  const { name = "tool", outputSchema, ...rest } = options;
  const sessions = connectSessions({ ...rest, sessionId: undefined });
  return async (...args) => {
    const result = await handler(...args);
    const context = contextOf(args);
    const id = serverSessionId(options, context);
    const session = sessions(id ?? "");
    if (id === undefined) {
      const reason = "the transport has no session; pass sessionId to offloadHandler";
      coreOf(session.workspace).note("skip", "offload", { tool_name: name, reason });
      return result;
    }
    return shortenAnswer(offloaderOf(session), {
      ...{ name, result },
      input: args.length > 1 ? args[0] : {},
      rejects: (shortened) =>
        outputSchema === undefined
          ? "it has structured content; pass its outputSchema to offloadHandler"
          : check(outputSchema, shortened),
    });
  };
}

async function check(
  schema: NonNullable<HandlerOptions["outputSchema"]>,
  value: unknown,
): Promise<string | undefined> {
  const parts: (readonly [McpOutputSchema, unknown])[] = isChecked(schema)
    ? [[schema, value]]
    : Object.entries(schema).map(([key, part]) => [part, (value as Record<string, unknown>)[key]]);
  for (const [part, held] of parts) {
    const { issues } = await part["~standard"].validate(held);
    if (issues?.[0]) return `its output schema does not allow a reference: ${issues[0].message}`;
  }
  return undefined;
}

function isChecked(schema: object): schema is McpOutputSchema {
  return "~standard" in schema;
}
