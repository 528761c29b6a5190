import type { ToolName } from "../../core/workspace/reading/reading.js";
import { aiSdkFormat } from "../../formats/ai-sdk.js";
import type { AiSdkTool } from "../../formats/shared/ai-sdk-tool.js";
import type { OffloadSession } from "../shared/connect-sessions.js";

/** The reading tools under their own names. */
export type ReadingTools = { [Name in ToolName]: AiSdkTool };

export function readingTools({ tools }: OffloadSession): ReadingTools {
  return aiSdkFormat.describeTools(tools) as ReadingTools;
}
