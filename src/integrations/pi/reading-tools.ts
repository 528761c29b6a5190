import { piMessageFormat, type PiTool } from "../../formats/pi.js";
import type { OffloadSession } from "../shared/connect-sessions.js";

/** A reading tool as pi runs it. */
export interface PiReadingTool extends PiTool {
  label: string;
  execute: (
    toolCallId: string,
    input: unknown,
    signal?: AbortSignal,
  ) => Promise<{ content: { type: "text"; text: string }[]; details: undefined }>;
}

export function readingTools({ tools }: OffloadSession): PiReadingTool[] {
  const described = piMessageFormat.describeTools(tools);
  return tools.map((tool, at) => ({
    ...(described[at] as PiTool),
    label: tool.name.replaceAll("_", " "),
    async execute(_, input, signal) {
      const { text, isError } = await tool.execute(input, signal ? { signal } : {});
      // pi makes an error result of what a tool throws.
      if (isError) throw new Error(text);
      return { content: [{ type: "text", text }], details: undefined };
    },
  }));
}
