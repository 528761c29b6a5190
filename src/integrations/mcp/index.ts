/** @module mcp */
export { offloadClient, type AnyMcpClient, type ClientOptions } from "./offload-client.js";
export { shortenAnswer, type AnsweredCall, type AnswerOffloader } from "./shorten-answer.js";
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
export type { IntegrationOptions, MultiSessionOptions } from "../shared/sessions.js";
