/** @module claude-agent */
export {
  claudeOffload,
  claudeToolNames,
  type ClaudeHook,
  type ClaudeHookEvent,
  type ClaudeOffload,
  type ClaudeOffloadOptions,
} from "./claude-offload.js";
export { findOutputText, type ToolOutputText } from "./tool-output-shapes.js";
export type { IntegrationOptions } from "../shared/connect-sessions.js";
