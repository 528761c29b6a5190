/** @module strands */
export {
  offloadPlugin,
  type OffloadPlugin,
  type StrandsOptions,
  type StrandsReadingTool,
  type StrandsToolContext,
  type StrandsAgent,
  type StrandsSdk,
  type StrandsToolSpec,
  type StrandsToolUse,
} from "./offload-plugin.js";
export type { IntegrationOptions, KeepOption } from "../shared/connect-sessions.js";
