import { claudeCode } from "./claude-code.js";
import type { Client } from "./client.js";
import { copilot } from "./copilot.js";
import { gatewayClients } from "./gateway-clients.js";
import { opencode } from "./opencode.js";

/** Every program that `install` knows. */
export const CLIENTS: readonly Client[] = [claudeCode, opencode, copilot, ...gatewayClients];
