/** @module genkit */
export {
  offloadMiddleware,
  type GenkitInstance,
  type GenkitModelRequest,
  type GenkitNext,
  type GenkitOptions,
  type GenkitRunOptions,
  type OffloadMiddleware,
} from "./offload-middleware.js";
export type {
  GenkitMessage,
  GenkitPart,
  GenkitToolRequest,
  GenkitToolResponse,
} from "./genkit-messages.js";
export type { IntegrationOptions, KeepOption } from "../shared/connect-sessions.js";
