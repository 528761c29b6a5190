import type { ReadOptions } from "../reading/reading.js";
import type { Workspace } from "../workspace-types.js";
import type { ToolInput } from "./tool-input.js";

/** A line past every end: what exists is read. */
const TO_THE_END = Number.MAX_SAFE_INTEGER;

/** The lines that a call asks for. Without `end_line` it is the end; negative lines count from there. */
export async function readLineNumbers(
  workspace: Workspace,
  artifactId: string,
  input: ToolInput,
  options: ReadOptions,
): Promise<[start: number, end: number]> {
  const start = input.count("start_line") ?? 1;
  const end =
    input.count("end_line") ?? (input.count("end_char") === undefined ? TO_THE_END : start);
  if (start >= 0 && end >= 0) return [start, end];
  const { sessionId, signal, view } = options;
  const probe = { sessionId, signal, view, maxChars: 1 };
  const lines = (await workspace.getKnowledgeById(artifactId, probe)).range.of;
  const fromEnd = (line: number): number => (line < 0 ? Math.max(1, lines + 1 + line) : line);
  return [fromEnd(start), fromEnd(end)];
}
