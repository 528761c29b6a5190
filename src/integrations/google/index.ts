export { offloadCallable } from "./offload-callable.js";
export { offloadPlugin, type OffloadPlugin, type PluginOptions } from "./offload-plugin.js";
export type { IntegrationOptions } from "../shared/integration-options.js";
