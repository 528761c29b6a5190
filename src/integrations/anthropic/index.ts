/** @module anthropic */
export { offloadRequests, type RequestOptions } from "./offload-requests.js";
export {
  offloadTools,
  type AnthropicRunContext,
  type RunnableReadingTool,
} from "./offload-tools.js";
export type {
  AnthropicHttpRequest,
  AnthropicRequest,
  ApiBlock,
  ApiMessage,
  MessagesBody,
} from "./messages-api.js";
export type { IntegrationOptions } from "../shared/connect-sessions.js";
