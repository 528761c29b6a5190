export { offloadPlugin, type OffloadPlugin, type StrandsOptions } from "./offload-plugin.js";
export type { StrandsReadingTool } from "./reading-tools.js";
export type { StrandsAgent, StrandsSdk } from "./strands-sdk.js";
