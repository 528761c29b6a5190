/** @module openai */
export {
  offloadResponses,
  type FunctionOutput,
  type OffloadResponses,
  type OpenAIFunctions,
} from "./offload-responses.js";
export { offloadTools, type ReadingTool } from "./offload-tools.js";
export type { IntegrationOptions } from "../shared/connect-sessions.js";
