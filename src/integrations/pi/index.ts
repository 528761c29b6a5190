export { offloadAgent, type AgentSettings, type PiOffload } from "./offload-agent.js";
export type { PiReadingTool } from "./reading-tools.js";
