export { offloadMiddleware, type OffloadMiddleware } from "./offload-middleware.js";
export type { IntegrationOptions, KeepOption } from "../shared/integration-options.js";
