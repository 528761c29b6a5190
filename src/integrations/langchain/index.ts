export {
  offloadMiddleware,
  type LangChainHandler,
  type LangChainModelRequest,
  type LangChainToolRequest,
  type OffloadMiddleware,
} from "./offload-middleware.js";
export type { GraphRuntime } from "./graph-session.js";
export { offloadTools } from "./offload-tools.js";
export type { IntegrationOptions, KeepOption } from "../shared/integration-options.js";
