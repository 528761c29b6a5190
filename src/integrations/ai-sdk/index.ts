export { offloadMiddleware, type OffloadMiddleware } from "./offload-middleware.js";
export { offloadStep } from "./offload-step.js";
export { offloadTools, type ReadingTools } from "./offload-tools.js";
export type { IntegrationOptions } from "../shared/integration-options.js";
