export { offloadClient, type AnyMcpClient } from "./offload-client.js";
export {
  offloadHandler,
  type HandlerOptions,
  type McpOutputSchema,
  type McpSchemaResult,
} from "./offload-handler.js";
export { registerReadingTools, type AnyMcpServer } from "./register-reading-tools.js";
export type { McpHandlerContext, ServerOptions } from "./server-sessions.js";
export type { IntegrationOptions } from "../shared/integration-options.js";
