// OpenCode calls everything that a plugin's file exports, so that this one exports the plugin alone.
export { contextOffload, contextOffload as default } from "./context-offload.js";
export type { OpenCodeHooks, OpenCodeOptions } from "./context-offload.js";
