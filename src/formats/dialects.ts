import type { Dialect } from "../core/dialect.js";
import { aiSdkDialect } from "./ai-sdk-dialect.js";
import { anthropicDialect } from "./anthropic-dialect.js";
import { claudeCodeDialect } from "./claude-code-dialect.js";
import { codexDialect } from "./codex-dialect.js";
import { geminiDialect } from "./gemini-dialect.js";
import { langchainDialect } from "./langchain-dialect.js";
import { mcpDialect } from "./mcp-dialect.js";
import { openaiChatDialect } from "./openai-chat-dialect.js";
import { openaiResponsesDialect } from "./openai-responses-dialect.js";
import { piDialect } from "./pi-dialect.js";

/**
 * All dialects, in the order in which `auto` tries them. A conversation with a tool call or result
 * fits one alone; the order only tells whose words plain text is taken for.
 */
export const DIALECTS: readonly Dialect[] = [
  claudeCodeDialect,
  codexDialect,
  piDialect,
  langchainDialect,
  geminiDialect,
  mcpDialect,
  anthropicDialect,
  openaiChatDialect,
  openaiResponsesDialect,
  aiSdkDialect,
];
