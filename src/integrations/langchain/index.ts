export { offloadMiddleware, type OffloadMiddleware } from "./offload-middleware.js";
export { offloadTools } from "./offload-tools.js";
export type { IntegrationOptions, KeepOption } from "../shared/integration-options.js";
