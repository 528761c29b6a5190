/** @module openai-agents */
export { type AgentsOptions, offloadTools } from "./offload-tools.js";
export {
  offloadFilter,
  type AgentsFilterCall,
  type AgentsModelData,
  type OffloadFilter,
} from "./offload-filter.js";
export type { OpenAIAgentsTool } from "../../formats/openai-agents.js";
export type { IntegrationOptions } from "../shared/connect-sessions.js";
