import type { Format } from "../core/engine/format.js";
import { aiSdkFormat } from "./ai-sdk.js";
import { ampFormat } from "./amp.js";
import { aiSdkUiFormat } from "./ai-sdk-ui.js";
import { anthropicFormat } from "./anthropic.js";
import { bedrockFormat } from "./bedrock.js";
import { copilotCliFormat } from "./copilot-cli.js";
import { geminiCliFormat } from "./gemini-cli.js";
import { openaiAgentsFormat } from "./openai-agents.js";
import { qwenCodeFormat } from "./qwen-code.js";
import { claudeCodeFormat } from "./claude-code.js";
import { codexFormat } from "./codex.js";
import { continueFormat } from "./continue.js";
import { factoryDroidFormat } from "./factory-droid.js";
import { geminiFormat } from "./gemini.js";
import { googleAdkFormat } from "./google-adk.js";
import { gooseFormat } from "./goose.js";
import { kimiFormat } from "./kimi.js";
import { langchainFormat } from "./langchain.js";
import { mcpFormat } from "./mcp.js";
import { openaiChatFormat } from "./openai-chat.js";
import { openaiResponsesFormat } from "./openai-responses.js";
import { opencodeEventsFormat, opencodeFormat } from "./opencode.js";
import { openhandsFormat } from "./openhands.js";
import { piFormat } from "./pi.js";
import { pydanticAiFormat } from "./pydantic-ai.js";
import { messageLines, type MessageLines } from "./shared/message-lines.js";

const NAMED_FORMATS = [
  anthropicFormat,
  langchainFormat,
  openaiChatFormat,
  openaiResponsesFormat,
  aiSdkFormat,
  aiSdkUiFormat,
  bedrockFormat,
  copilotCliFormat,
  geminiCliFormat,
  openaiAgentsFormat,
  geminiFormat,
  mcpFormat,
  claudeCodeFormat,
  codexFormat,
  factoryDroidFormat,
  qwenCodeFormat,
  piFormat,
  opencodeFormat,
  opencodeEventsFormat,
  pydanticAiFormat,
  googleAdkFormat,
  openhandsFormat,
  gooseFormat,
  continueFormat,
  ampFormat,
  kimiFormat,
] as const satisfies readonly Format[];

type NamedFormat = (typeof NAMED_FORMATS)[number];

/** A format whose messages are objects, not lines of a file. */
type ObjectFormat = Exclude<NamedFormat, { readonly name: `${string}-jsonl` }>;

/** Each one by itself: a union of formats is not a format of unions. */
type LinesOfEach<F extends Format> = F extends Format ? MessageLines<F> : never;

type BuiltInFormat = NamedFormat | LinesOfEach<ObjectFormat>;

/**
 * All formats, in the order of detection. A conversation with a tool call or result fits only one of
 * them; the order matters only for conversations without any.
 */
export const FORMATS: readonly BuiltInFormat[] = [
  ...NAMED_FORMATS,
  ...NAMED_FORMATS.filter(({ name }) => !name.endsWith("-jsonl")).map(
    (format) => messageLines(format) as LinesOfEach<ObjectFormat>,
  ),
];

/** The name of a built-in format. */
export type FormatName = BuiltInFormat["name"];

/** The built-in format with this name. */
export type FormatNamed<Name extends FormatName> = Extract<BuiltInFormat, { readonly name: Name }>;

/** What `describeTools` returns in this format, for a request's `tools`. */
export type ToolsOf<Name extends FormatName> = ReturnType<FormatNamed<Name>["describeTools"]>;

/** What `answerCall` returns in this format, to be added to the conversation. */
export type AnswerOf<Name extends FormatName> = ReturnType<FormatNamed<Name>["answerCall"]>;

/** The reading tools by name of the format, each in its vendor's shape. */
export type ToolsByFormat = { [Name in FormatName]: ToolsOf<Name> };

/** The name of a built-in format, your own format, or `"auto"` to detect it from the messages. */
export type FormatChoice = FormatName | "auto" | Format;
