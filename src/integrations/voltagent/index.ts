export { offloadAgent, type AgentSettings, type VoltAgentOffload } from "./offload-agent.js";
export type { VoltAgentReadingTool } from "./offload-agent.js";
export type { IntegrationOptions } from "../shared/integration-options.js";
