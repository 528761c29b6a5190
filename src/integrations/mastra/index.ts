/** @module mastra */
export {
  offloadProcessor,
  type MastraInputStep,
  type MastraLLMRequest,
  type MastraOptions,
  type MastraRequestContext,
  type MastraRunState,
  type MastraToolResult,
  type OffloadProcessor,
} from "./offload-processor.js";
export type { IntegrationOptions } from "../shared/connect-sessions.js";
