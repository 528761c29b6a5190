import type { Format } from "../core/engine/format.js";
import { aiSdkFormat } from "./ai-sdk.js";
import { anthropicFormat } from "./anthropic.js";
import { claudeCodeFormat } from "./claude-code.js";
import { codexFormat } from "./codex.js";
import { geminiFormat } from "./gemini.js";
import { langchainFormat } from "./langchain.js";
import { mcpFormat } from "./mcp.js";
import { openaiChatFormat } from "./openai-chat.js";
import { openaiResponsesFormat } from "./openai-responses.js";
import { piFormat } from "./pi.js";

/**
 * All dialects, in the order in which `auto` tries them. A conversation with a tool call or result
 * fits one alone; the order only tells whose words plain text is taken for.
 */
export const FORMATS: readonly Format[] = [
  claudeCodeFormat,
  codexFormat,
  piFormat,
  langchainFormat,
  geminiFormat,
  mcpFormat,
  anthropicFormat,
  openaiChatFormat,
  openaiResponsesFormat,
  aiSdkFormat,
];
