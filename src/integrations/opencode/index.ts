// OpenCode calls everything that a plugin's file exports, so that this one exports the plugin alone.
export { contextOffload, contextOffload as default } from "./context-offload.js";
export type {
  OpenCodeHooks,
  OpenCodeOptions,
  OpenCodeReadingTool,
  OpenCodeToolCall,
} from "./context-offload.js";
export type { OpenCodeToolOutput } from "./tool-output.js";
export type { IntegrationOptions } from "../shared/integration-options.js";
