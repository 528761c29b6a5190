export {
  offloadSession,
  type CopilotOffload,
  type CopilotOptions,
  type SessionSettings,
} from "./offload-session.js";
