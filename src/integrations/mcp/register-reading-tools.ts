import type { ToolInputSchema } from "../../core/engine/format.js";
import { mcpFormat, type McpToolAnswer } from "../../formats/mcp.js";
import { connectSessions } from "../shared/connect-sessions.js";
import { contextOf, serverSessionId, signalOf, type ServerOptions } from "./server-sessions.js";

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
