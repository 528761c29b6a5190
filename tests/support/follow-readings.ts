import type { NextCall, Reading, Workspace } from "../../src/index.js";

/** Makes the call that a reading names as its next. */
export function callNext(
  workspace: Workspace,
  { tool, input }: NextCall,
  options: { maxChars?: number; sessionId?: string } = {},
): Promise<Reading> {
  const id = String(input["artifact_id"]);
  const number = (name: string) => (name in input ? Number(input[name]) : undefined);
  const text = (name: string) => (name in input ? String(input[name]) : undefined);
  const view = input["view"] === "raw" ? ("raw" as const) : undefined;
  const range = { startChar: number("start_char"), endChar: number("end_char"), view, ...options };
  switch (tool) {
    case "get_knowledge_by_id":
      return workspace.getKnowledgeById(id, range);
    case "get_knowledge_by_lines":
      return workspace.getKnowledgeByLines(
        id,
        number("start_line") ?? NaN,
        number("end_line") ?? NaN,
        range,
      );
    case "grep_knowledge":
      return workspace.grepKnowledge(id, text("pattern") ?? "", {
        ...options,
        view,
        startLine: number("start_line"),
        startChar: number("start_char"),
        maxResults: number("max_results"),
        contextBefore: number("context_before"),
        contextAfter: number("context_after"),
        literal: input["literal"] === true,
        ignoreCase: input["ignore_case"] === true,
      });
    case "query_knowledge":
      return workspace.queryKnowledge(id, {
        ...options,
        pointer: text("pointer"),
        where: text("where"),
        cursor: text("cursor"),
        limit: number("limit"),
        fields: input["fields"] as readonly string[] | undefined,
      });
    case "query_artifacts":
    case "get_tool_result_offload_info":
      throw new Error("A reading does not go on with a listing.");
  }
}

/** The reading and all that come after it, by following `next` to the end. */
export async function followAll(
  workspace: Workspace,
  first: Reading,
  options: { maxChars?: number; sessionId?: string } = {},
): Promise<Reading[]> {
  const readings = [first];
  for (let reading = first; reading.next !== undefined;) {
    if (readings.length > 5_000) throw new Error("Following next does not come to an end.");
    reading = await callNext(workspace, reading.next, options);
    readings.push(reading);
  }
  return readings;
}

/** What the readings say together; one that goes on inside of a line has no line break before it. */
export function joinReadings(readings: readonly Reading[]): string {
  return readings.reduce((text, reading, index) => {
    const call = readings[index - 1]?.next;
    const isSameLine = call === undefined || "start_char" in call.input;
    return text + (isSameLine ? "" : "\n") + reading.text;
  }, "");
}
