export { offloadAgent, type AgentSettings, type VoltAgentOffload } from "./offload-agent.js";
export type {
  VoltAgentExecuteOptions,
  VoltAgentOperation,
  VoltAgentReadingTool,
  VoltAgentToolEnd,
} from "./offload-agent.js";
export type { IntegrationOptions } from "../shared/integration-options.js";
