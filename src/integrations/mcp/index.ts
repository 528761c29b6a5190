export { offloadClient } from "./offload-client.js";
export { offloadHandler, type HandlerOptions } from "./offload-handler.js";
export { registerReadingTools, type ServerOptions } from "./register-reading-tools.js";
export type { IntegrationOptions } from "../shared/integration-options.js";
