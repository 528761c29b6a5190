/** @module voltagent */
export {
  offloadAgent,
  type AgentSettings,
  type VoltAgentOffload,
  type VoltAgentExecuteOptions,
  type VoltAgentOperation,
  type VoltAgentReadingTool,
  type VoltAgentToolEnd,
} from "./offload-agent.js";
export type { IntegrationOptions } from "../shared/connect-sessions.js";
