export { offloadAgent, type AgentSettings, type PiOffload } from "./offload-agent.js";
export type { PiChangedResult, PiReadingTool, PiToolCall } from "./offload-agent.js";
export type { IntegrationOptions, KeepOption } from "../shared/integration-options.js";
