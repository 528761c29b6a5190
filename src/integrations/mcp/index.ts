/** @module mcp */
export { offloadClient, type AnyMcpClient } from "./offload-client.js";
export {
  offloadHandler,
  type HandlerOptions,
  type McpOutputSchema,
  type McpSchemaResult,
  registerReadingTools,
  type AnyMcpServer,
  type McpHandlerContext,
  type ServerOptions,
} from "./offload-handler.js";
export type { IntegrationOptions } from "../shared/connect-sessions.js";
