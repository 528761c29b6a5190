/** @module copilot */
export {
  offloadSession,
  type CopilotInvocation,
  type CopilotOffload,
  type CopilotOptions,
  type CopilotReadingTool,
  type CopilotToolResult,
  type CopilotToolUse,
  type SessionSettings,
} from "./offload-session.js";
export type { IntegrationOptions } from "../shared/connect-sessions.js";
