import {
  ContextOffloadError,
  DEFAULTS,
  type OffloadInfoPage,
  type Reading,
  type SessionReading,
  type Workspace,
} from "context-offload";
import { InvalidArgumentError } from "context-offload/errors";
import { artifactUri } from "./artifact-resources.js";

type Json = Readonly<Record<string, unknown>>;

/** One tool: how it is listed, and how it is run. */
interface ToolboxTool {
  readonly definition: Json & { readonly name: string };
  run(input: unknown, signal: AbortSignal | undefined): Promise<Json>;
}

/** Tools over a workspace in the shapes of MCP. */
export interface Toolbox {
  /** As `tools/list` shows them. */
  readonly tools: readonly Json[];
  /** All that are answered. */
  readonly names: ReadonlySet<string>;
  /** The result of a `tools/call`. A call that is wrong is answered with an error for the model. */
  call(name: string, input: unknown, signal?: AbortSignal): Promise<Json>;
}

/** The compact reading tool, those for one task each, or none where another server lists them. */
export type ReadingToolList = "one" | "five" | "none";

export interface ToolboxOptions {
  /** Limits the tools to this session. Default: all sessions. */
  readonly sessionId?: string | undefined;
  /** Which reading tools are listed; calls of all of them are answered. Default `"one"`, `read_stored`. */
  readonly readingTools?: ReadingToolList | undefined;
  /**
   * Whether answers carry structured content as well. Hosts that pass on both double the length of
   * an answer. Default false.
   */
  readonly isStructured?: boolean | undefined;
  /** Whether there is a tool that stores text. Default false. */
  readonly canStore?: boolean | undefined;
}

const READS_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The reading tools of a workspace, and on request the one that stores. */
export function createToolbox(workspace: Workspace, options: ToolboxOptions = {}): Toolbox {
  const { sessionId, readingTools = "one", isStructured = false, canStore = false } = options;
  const listed = readingTools === "none" ? [] : workspace.tools({ sessionId, readingTools });
  const isListed = new Set([...listed.map(({ name }) => name), STORE_TOOL]);
  const reading = workspace.tools({ sessionId, readingTools: "all" }).map((tool): ToolboxTool => {
    const { name, description, inputSchema } = tool;
    const outputSchema = outputSchemaOf(name);
    return {
      definition: {
        ...{ name, description, inputSchema, annotations: READS_ONLY },
        ...(isStructured ? { outputSchema } : {}),
      },
      async run(input, signal) {
        const answer = await tool.execute(input ?? {}, {
          withData: isStructured,
          ...(signal ? { signal } : {}),
        });
        const content = [{ type: "text", text: answer.text }];
        if (answer.isError) return { content, isError: true };
        const data = answer.data as Reading | SessionReading | OffloadInfoPage;
        return isStructured ? { content, structuredContent: structureReading(data) } : { content };
      },
    };
  });
  const all = canStore ? [...reading, createStoreTool(workspace, sessionId)] : reading;
  const byName = new Map(all.map((tool) => [tool.definition.name, tool]));
  return {
    tools: all.map(({ definition }) => definition).filter(({ name }) => isListed.has(name)),
    names: new Set(byName.keys()),
    async call(name, input, signal) {
      const tool = byName.get(name);
      if (tool) return tool.run(input, signal);
      const text = `There is no tool "${name}". The tools are: ${[...byName.keys()].join(", ")}.`;
      return { content: [{ type: "text", text }], isError: true };
    },
  };
}

const TEXT = { type: "string" };
const COUNT = { type: "integer" };
const UNIT = { enum: ["lines", "chars", "matches", "items"] };

/** The output of the tools that read. */
const READING_SCHEMA: Json = {
  type: "object",
  properties: {
    text: TEXT,
    artifact_id: TEXT,
    session_id: TEXT,
    range: {
      type: "object",
      properties: { unit: UNIT, from: COUNT, to: COUNT, of: COUNT },
      required: ["unit", "from", "to", "of"],
    },
    matches: {
      type: "array",
      items: {
        type: "object",
        properties: { artifact_id: TEXT, session_id: TEXT, matches: COUNT },
        required: ["artifact_id", "session_id", "matches"],
      },
    },
    left_out: {
      type: "object",
      properties: { unit: UNIT, count: COUNT },
      required: ["unit", "count"],
    },
    next: {
      type: "object",
      properties: { tool: TEXT, input: { type: "object" } },
      required: ["tool", "input"],
    },
    note: TEXT,
  },
  required: ["text"],
};

const LISTING_SCHEMA: Json = {
  type: "object",
  properties: {
    artifacts: { type: "array", items: { type: "object" } },
    next_cursor: TEXT,
    left_out: COUNT,
  },
  required: ["artifacts"],
};

/** The output of the compact tool, which reads one result, or lists all. */
const ANY_SCHEMA: Json = {
  type: "object",
  properties: {
    ...(READING_SCHEMA["properties"] as Json),
    artifacts: { type: "array" },
    next_cursor: TEXT,
    // Of one result, or of all.
    left_out: {},
  },
};

/** The output schema of a reading tool. */
function outputSchemaOf(toolName: string): Json {
  return (
    { get_tool_result_offload_info: LISTING_SCHEMA, read_stored: ANY_SCHEMA }[toolName] ??
    READING_SCHEMA
  );
}

/** What a tool read, in the form of its output schema. */
function structureReading(data: Reading | SessionReading | OffloadInfoPage): Json {
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

function dropMissing(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
}

const STORE_TOOL = "store_knowledge";

/** The tool that stores a text, so that an agent can put aside what it will need later. */
function createStoreTool(workspace: Workspace, boundTo: string | undefined): ToolboxTool {
  const properties = {
    text: TEXT,
    name: TEXT,
    ...(boundTo === undefined ? { session_id: TEXT } : {}),
  };
  return {
    definition: {
      name: STORE_TOOL,
      description:
        "Stores a text outside the conversation; answers with an artifact_id to read it by.",
      inputSchema: { type: "object", properties, required: ["text"] },
      outputSchema: {
        type: "object",
        properties: {
          artifact_id: TEXT,
          session_id: TEXT,
          uri: TEXT,
          chars: COUNT,
          lines: COUNT,
        },
        required: ["artifact_id", "session_id", "uri", "chars", "lines"],
      },
      // The same text under the same name is stored once; nothing is ever overwritten.
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    async run(input, signal) {
      try {
        const given = (input ?? {}) as Json;
        const content = given["text"];
        if (typeof content !== "string")
          throw new InvalidArgumentError("text", content, "a string");
        const { record } = await workspace.put(
          {
            content,
            artifactId: optionalText("name", given["name"]),
            metadata: { context_type: "note", tool_name: STORE_TOOL },
          },
          {
            sessionId:
              boundTo ?? optionalText("session_id", given["session_id"]) ?? DEFAULTS.session,
            signal,
          },
        );
        const { artifactId, sessionId, size } = record;
        const uri = artifactUri({ namespace: workspace.namespace, sessionId, artifactId });
        const said = `Stored as artifact_id ${JSON.stringify(artifactId)}, ${size.chars} characters.`;
        return {
          content: [
            { type: "text", text: said },
            { type: "resource_link", uri, name: artifactId },
          ],
          structuredContent: {
            artifact_id: artifactId,
            session_id: sessionId,
            ...{ uri, chars: size.chars, lines: size.lines },
          },
        };
      } catch (error) {
        if (!(error instanceof ContextOffloadError)) throw error;
        const said = `${error.code}: ${error.message}`;
        return { content: [{ type: "text", text: said }], isError: true };
      }
    },
  };
}

function optionalText(field: string, value: unknown): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (typeof value === "string") return value;
  throw new InvalidArgumentError(field, value, "a string");
}
