/** @module pi */
export {
  offloadAgent,
  type AgentSettings,
  type PiOffload,
  type PiChangedResult,
  type PiReadingTool,
  type PiToolCall,
} from "./offload-agent.js";
export type { IntegrationOptions, KeepOption } from "../shared/connect-sessions.js";
