import type { OffloadInfoPage, Reading, SessionReading } from "context-offload";

type Schema = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const count = { type: "integer" };
const unit = { enum: ["lines", "chars", "matches", "items"] };

/** The output of the tools that read. */
const READING_SCHEMA: Schema = {
  type: "object",
  properties: {
    text,
    artifact_id: text,
    session_id: text,
    range: {
      type: "object",
      properties: { unit, from: count, to: count, of: count },
      required: ["unit", "from", "to", "of"],
    },
    matches: {
      type: "array",
      items: {
        type: "object",
        properties: { artifact_id: text, session_id: text, matches: count },
        required: ["artifact_id", "session_id", "matches"],
      },
    },
    left_out: { type: "object", properties: { unit, count }, required: ["unit", "count"] },
    next: {
      type: "object",
      properties: { tool: text, input: { type: "object" } },
      required: ["tool", "input"],
    },
    note: text,
  },
  required: ["text"],
};

const LISTING_SCHEMA: Schema = {
  type: "object",
  properties: {
    artifacts: { type: "array", items: { type: "object" } },
    next_cursor: text,
    left_out: count,
  },
  required: ["artifacts"],
};

/** The output schema of a reading tool. */
export function outputSchemaOf(toolName: string): Schema {
  return toolName === "get_tool_result_offload_info" ? LISTING_SCHEMA : READING_SCHEMA;
}

/** What a tool read, in the form of its output schema. */
export function structureReading(
  data: Reading | SessionReading | OffloadInfoPage,
): Readonly<Record<string, unknown>> {
  if ("artifacts" in data) {
    const { artifacts, nextCursor, leftOut } = data;
    return dropMissing({ artifacts, next_cursor: nextCursor, left_out: leftOut });
  }
  const { text: read, leftOut, next, note } = data;
  const common = { text: read, left_out: leftOut, next, note };
  if (!("counts" in data)) {
    const { artifactId, sessionId, range } = data;
    return dropMissing({ ...common, artifact_id: artifactId, session_id: sessionId, range });
  }
  const matches = data.counts.map(({ artifactId, sessionId, matches: found }) => ({
    artifact_id: artifactId,
    session_id: sessionId,
    matches: found,
  }));
  return dropMissing({ ...common, matches });
}

function dropMissing(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
}
