/** @module opencode */
// OpenCode calls everything that a plugin's file exports, so that this one exports the plugin alone.
export {
  contextOffload,
  contextOffload as default,
  type OpenCodeHooks,
  type OpenCodeOptions,
  type OpenCodeReadingTool,
  type OpenCodeToolCall,
  type OpenCodeToolOutput,
} from "./context-offload.js";
export type { IntegrationOptions } from "../shared/connect-sessions.js";
