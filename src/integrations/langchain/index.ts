/** @module langchain */
export {
  offloadMiddleware,
  type LangChainHandler,
  type LangChainModelRequest,
  type LangChainToolRequest,
  type OffloadMiddleware,
} from "./offload-middleware.js";
export { type GraphRuntime, offloadTools } from "./offload-tools.js";
export type { IntegrationOptions, KeepOption } from "../shared/connect-sessions.js";
