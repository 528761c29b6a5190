/** @module google */
export { offloadCallable, type AnyGoogleCallable } from "./offload-callable.js";
export {
  offloadPlugin,
  type AdkContext,
  type AdkLlmRequest,
  type AdkToolResult,
  type OffloadPlugin,
  type PluginOptions,
} from "./offload-plugin.js";
export type { IntegrationOptions, KeepOption } from "../shared/connect-sessions.js";
