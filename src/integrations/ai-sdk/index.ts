export { offloadMiddleware, type OffloadMiddleware } from "./offload-middleware.js";
export { offloadStep, type OffloadStep } from "./offload-step.js";
export { offloadTools } from "./offload-tools.js";
export type { ReadingTools } from "./reading-tools.js";
export type { IntegrationOptions } from "../shared/integration-options.js";
