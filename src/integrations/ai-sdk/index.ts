/** @module ai-sdk */
export {
  offloadMiddleware,
  type OffloadMiddleware,
  offloadStep,
  type OffloadStep,
} from "./offload-middleware.js";
export { offloadTools, type ReadingTools } from "./offload-tools.js";
export type { IntegrationOptions } from "../shared/connect-sessions.js";
