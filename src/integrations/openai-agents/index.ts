export type { AgentsOptions } from "./agents-session.js";
export {
  offloadFilter,
  type AgentsFilterCall,
  type AgentsModelData,
  type OffloadFilter,
} from "./offload-filter.js";
export { offloadTools } from "./offload-tools.js";
export type { OpenAIAgentsTool } from "../../formats/openai-agents.js";
export type { IntegrationOptions } from "../shared/integration-options.js";
