export { offloadRequests, type RequestOptions } from "./offload-requests.js";
export { offloadTools, type RunnableReadingTool } from "./offload-tools.js";
export type { AnthropicRequest, MessagesBody } from "./messages-api.js";
export type { IntegrationOptions } from "../shared/integration-options.js";
