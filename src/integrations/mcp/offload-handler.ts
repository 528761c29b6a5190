import { coreOf } from "../../core/workspace/workspace-core.js";
import { connectSessions } from "../shared/connect-sessions.js";
import { offloadAnswer, type ToolResult, shortenStructured, staysLong } from "./offload-answer.js";
import { contextOf, serverSessionId, type ServerOptions } from "./server-sessions.js";

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
    const { structuredContent } = result as ToolResult;
    return offloadAnswer(session, result, {
      name,
      input: args.length > 1 ? args[0] : {},
      refuses: async (shortened) =>
        outputSchema === undefined
          ? "it has structured content; pass its outputSchema to offloadHandler"
          : ((await check(outputSchema, shortened)) ??
            staysLong(structuredContent, shortenStructured(structuredContent, ""))),
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
