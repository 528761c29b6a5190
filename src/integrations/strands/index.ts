export { offloadPlugin, type OffloadPlugin, type StrandsOptions } from "./offload-plugin.js";
export type { StrandsReadingTool, StrandsToolContext } from "./reading-tools.js";
export type { StrandsAgent, StrandsSdk, StrandsToolSpec, StrandsToolUse } from "./strands-sdk.js";
export type { IntegrationOptions, KeepOption } from "../shared/integration-options.js";
