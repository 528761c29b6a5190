/**
 * Message formats, and what the author of a format needs.
 *
 * @module formats
 */
export type {
  Content,
  Format,
  FormatOptions,
  FormatParts,
  FormatReadOptions,
  FormatResult,
  JsonValue,
  MediaRule,
  MessagePart,
  MessageVisitor,
  PartPath,
  ReadCall,
  SlotContent,
  SlotText,
  ToolAnswer,
  ToolDescription,
  ToolInputSchema,
} from "../core/engine/format.js";
export { aiSdkFormat, type AiSdkToolAnswer } from "./ai-sdk.js";
export { ampFormat, type AmpToolAnswer } from "./amp.js";
export { aiSdkUiFormat, type AiSdkUiToolAnswer } from "./ai-sdk-ui.js";
export {
  anthropicFormat,
  type AnthropicContentBlock,
  type AnthropicImageBlock,
  type AnthropicMessage,
  type AnthropicMessageLike,
  type AnthropicTextBlock,
  type AnthropicTool,
  type AnthropicToolAnswer,
  type AnthropicToolResultBlock,
  type AnthropicToolUseBlock,
} from "./anthropic.js";
export { bedrockFormat, type BedrockTool, type BedrockToolAnswer } from "./bedrock.js";
export { claudeCodeFormat } from "./claude-code.js";
export { codexFormat } from "./codex.js";
export { continueFormat, type ContinueToolAnswer } from "./continue.js";
export { factoryDroidFormat } from "./factory-droid.js";
export { copilotCliFormat, type CopilotTool, type CopilotToolAnswer } from "./copilot-cli.js";
export type {
  AnswerOf,
  FormatChoice,
  FormatName,
  FormatNamed,
  ToolsByFormat,
  ToolsOf,
} from "./formats.js";
export { geminiCliFormat } from "./gemini-cli.js";
export { geminiFormat, type GeminiTool, type GeminiToolAnswer } from "./gemini.js";
export { googleAdkFormat } from "./google-adk.js";
export { gooseFormat, type GooseToolAnswer } from "./goose.js";
export { kimiFormat, type KimiToolAnswer } from "./kimi.js";
export { langchainFormat, type LangchainTool, type LangchainToolAnswer } from "./langchain.js";
export {
  mcpFormat,
  type McpRequest,
  type McpResponse,
  type McpTool,
  type McpToolAnswer,
} from "./mcp.js";
export { openaiChatFormat, type OpenAIChatTool, type OpenAIChatToolAnswer } from "./openai-chat.js";
export {
  openaiResponsesFormat,
  type OpenAIResponsesTool,
  type OpenAIResponsesToolAnswer,
} from "./openai-responses.js";
export type { AiSdkInputSchema, AiSdkTool } from "./shared/ai-sdk-parts.js";
export { opencodeEventsFormat, opencodeFormat, type OpencodeToolAnswer } from "./opencode.js";
export { openhandsFormat, type OpenHandsToolAnswer } from "./openhands.js";
export {
  openaiAgentsFormat,
  type OpenAIAgentsTool,
  type OpenAIAgentsToolAnswer,
} from "./openai-agents.js";
export { qwenCodeFormat } from "./qwen-code.js";
export { messageLines, type MessageLines } from "./shared/message-lines.js";
export { parseConversation, type ParsedConversation } from "./parse-conversation.js";
export { piFormat, type PiTool, type PiToolAnswer } from "./pi.js";
export { pydanticAiFormat, type PydanticAiToolAnswer } from "./pydantic-ai.js";
export type { JsonRecord } from "./shared/json-record.js";
export type { JsonPath } from "./shared/line-splicer.js";
export type { PlainTool, RecordFormat } from "./shared/record-format.js";
