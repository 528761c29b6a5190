import { randomUUID } from "node:crypto";
import { requireFunction } from "../../core/arguments.js";
import type { ToolInputSchema } from "../../core/engine/format.js";
import { messageOf } from "../../core/errors/context-offload-error.js";
import { once } from "../../core/lib/concurrency.js";
import { coreOf } from "../../core/workspace/workspace-core.js";
import { mcpFormat, type McpToolAnswer } from "../../formats/mcp.js";
import {
  connectSessions,
  type DropIn,
  type MultiSessionOptions,
  requireMethods,
} from "../shared/sessions.js";
import { offloaderOf, shortenAnswer } from "./shorten-answer.js";

/** What a server's handler gets with a request, in any version of the SDK. */
export interface McpHandlerContext {
  readonly sessionId?: string | undefined;
  /** There for requests over HTTP. */
  readonly requestInfo?: unknown;
  readonly http?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly mcpReq?: { readonly signal?: AbortSignal | undefined } | undefined;
}

/** Options of `registerReadingTools`. */
export type ServerOptions = Omit<
  MultiSessionOptions<McpHandlerContext>,
  "offloader" | "acceptReferences"
>;

const SERVER: DropIn<ServerOptions> = {
  adds: {},
  lacks: {
    offloader: "it serves many conversations",
    acceptReferences: "the server checks the arguments first",
  },
};

/** Over stdio a process serves one client. Handlers and reading tools are made apart and must agree. */
const processSession = once(() => `process-${randomUUID()}`);

/** The session of a request; `undefined` where its client cannot be told from others. */
function sessionOfClient(context: McpHandlerContext): string | undefined {
  const isHttp = (context.requestInfo ?? context.http) !== undefined;
  return context.sessionId ?? (isHttp ? undefined : processSession());
}

function contextOf(args: readonly unknown[]): McpHandlerContext {
  return args.at(-1) ?? {};
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
  requireMethods("server", server, ["registerTool"]);
  const sessions = connectSessions(options, SERVER);
  for (const { name, description, inputSchema } of sessions.common.tools) {
    const config = {
      description,
      inputSchema: schemaOf(inputSchema),
      annotations: { readOnlyHint: true, openWorldHint: false },
    };
    const handler = async (...args: unknown[]): Promise<McpToolAnswer> => {
      const context = contextOf(args);
      const session = sessions.of(context, sessionOfClient(context));
      const signal = context.signal ?? context.mcpReq?.signal;
      return mcpFormat.answerCall({ name }, await session.run(name, args[0], signal));
    };
    try {
      server.registerTool(name, config as never, handler as never);
    } catch (error) {
      // The same error as elsewhere, which says how to fix it.
      if (messageOf(error).includes("already registered")) sessions.common.rejectTakenNames([name]);
      throw error;
    }
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

const HANDLER: DropIn<HandlerOptions> = {
  adds: { name: true, outputSchema: true },
  lacks: SERVER.lacks,
};

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
  requireFunction("handler", handler, "the function that runs the tool");
  const sessions = connectSessions(options, HANDLER);
  const { name = "tool", outputSchema } = options;
  return async (...args) => {
    const result = await handler(...args);
    const context = contextOf(args);
    const id = sessionOfClient(context);
    const session = sessions.of(context, id);
    if (id === undefined && options.sessionId === undefined) {
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
