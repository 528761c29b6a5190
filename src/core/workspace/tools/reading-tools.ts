import type { ToolInputSchema } from "../../engine/format.js";
import type { NextCall, ToolName, View } from "../reading/reading.js";
import type { CountLines } from "../reading/count-lines.js";
import type { Workspace } from "../workspace-types.js";
import { renderInfo, renderReading, type RenderedAnswer } from "./render-answer.js";
import type { ToolInput } from "./tool-input.js";
import type { ToolNaming } from "./tool-naming.js";

/** One call of a reading tool. */
export interface ReadingToolCall {
  readonly workspace: Workspace;
  readonly countLines: CountLines;
  readonly input: ToolInput;
  readonly naming: ToolNaming;
  /** What the next call must repeat. */
  readonly kept: NextCall["input"];
  readonly scope: {
    readonly sessionId: string | undefined;
    readonly signal: AbortSignal | undefined;
    /** Maximum length of what is read; the line that says how to continue comes on top. */
    readonly maxChars: number;
  };
}

/**
 * A reading tool: what is said of it, and what it does. Its description is sent with every request,
 * so it says only what the names do not; parameters that a model rarely needs are accepted without
 * being advertised, and an answer names them where they help.
 */
interface ReadingToolSpec {
  /** The tool's description for the model. */
  readonly description: string;
  /** What the system prompt says of it, after its name. */
  readonly use?: string;
  /** Its place among the tools that a reference may name, the first of which it does. */
  readonly hint?: { readonly place: number; readonly isForJson?: boolean };
  readonly properties: ToolInputSchema["properties"];
  readonly required: readonly string[];
  /** Parameters that are accepted, but not advertised. */
  readonly alsoAccepts: readonly string[];
  /** Parameters, besides `session_id`, that the next call must repeat. */
  readonly repeats?: readonly string[];
  readonly run: (call: ReadingToolCall) => Promise<RenderedAnswer>;
}

const text = { type: "string" };
const count = { type: "integer" };
const flag = { type: "boolean" };

/** The five reading tools. */
export const READING_TOOLS: Readonly<Record<ToolName, ReadingToolSpec>> = {
  get_knowledge_by_id: {
    description: "Reads a stored result from its start.",
    use: "reads one",
    hint: { place: 4 },
    properties: { artifact_id: text },
    required: ["artifact_id"],
    alsoAccepts: ["start_char", "end_char", "start_line", "end_line", "view"],
    run: async (call) => {
      const { workspace, input, scope, naming, kept } = call;
      if (input.count("start_line") !== undefined || input.count("end_line") !== undefined) {
        return readLines(call);
      }
      const options = { ...scope, ...readCharRange(input), view: readView(input) };
      const reading = await workspace.getKnowledgeById(input.requiredText("artifact_id"), options);
      return renderReading(reading, naming, kept);
    },
  },

  get_knowledge_by_lines: {
    description: "Reads lines, counted from 1.",
    hint: { place: 3 },
    properties: { artifact_id: text, start_line: count, end_line: count },
    required: ["artifact_id", "start_line"],
    alsoAccepts: ["start_char", "end_char", "view"],
    run: (call) => {
      call.input.requiredCount("start_line");
      return readLines(call);
    },
  },

  grep_knowledge: {
    description: "Finds lines by regular expression; without artifact_id, in all results.",
    use: "searches",
    hint: { place: 2 },
    properties: {
      artifact_id: text,
      pattern: text,
      ignore_case: flag,
      context_before: count,
      context_after: count,
      count: flag,
    },
    required: ["pattern"],
    alsoAccepts: ["literal", "max_results", "start_line", "start_char", "cursor", "view"],
    run: async ({ workspace, input, scope, naming, kept }) => {
      const artifactId = input.text("artifact_id");
      const pattern = input.requiredText("pattern");
      const options = {
        ...scope,
        view: readView(input),
        ignoreCase: input.flag("ignore_case"),
        literal: input.flag("literal"),
        contextBefore: input.count("context_before"),
        contextAfter: input.count("context_after"),
        maxResults: input.count("max_results"),
        count: input.flag("count"),
      };
      const reading =
        artifactId === undefined
          ? await workspace.grepSession(pattern, { ...options, cursor: input.text("cursor") })
          : await workspace.grepKnowledge(artifactId, pattern, {
              ...options,
              startLine: input.count("start_line"),
              startChar: input.count("start_char"),
            });
      return renderReading(reading, naming, kept);
    },
  },

  query_knowledge: {
    description: "Reads part of JSON by pointer, such as /items/0/name.",
    hint: { place: 1, isForJson: true },
    properties: {
      artifact_id: text,
      pointer: text,
      fields: { type: "array", items: text },
      limit: count,
    },
    required: ["artifact_id"],
    alsoAccepts: ["cursor"],
    run: async ({ workspace, input, scope, naming, kept }) =>
      renderReading(
        await workspace.queryKnowledge(input.requiredText("artifact_id"), {
          ...scope,
          pointer: input.text("pointer"),
          fields: input.list("fields"),
          limit: input.count("limit"),
          cursor: input.text("cursor"),
        }),
        naming,
        kept,
      ),
  },

  get_tool_result_offload_info: {
    description: "Lists the stored results.",
    use: "lists all",
    properties: { task_id: text, session_id: text },
    required: [],
    alsoAccepts: ["namespace", "limit", "cursor"],
    repeats: ["namespace", "task_id", "limit"],
    run: async ({ workspace, input, scope, naming, kept }) =>
      renderInfo(
        await workspace.getToolResultOffloadInfo({
          ...scope,
          namespace: input.text("namespace"),
          taskId: input.text("task_id"),
          limit: input.count("limit"),
          cursor: input.text("cursor"),
        }),
        naming,
        kept,
      ),
  },
};

/** All parameters that a tool accepts. */
export function parametersOf({ properties, alsoAccepts }: ReadingToolSpec): string[] {
  return [...new Set([...Object.keys(properties), ...alsoAccepts, "session_id"])];
}

/** The schema of a tool's input. Tools of one session do not advertise `session_id`. */
export function inputSchemaOf(
  { properties, required }: ReadingToolSpec,
  isBound: boolean,
): ToolInputSchema {
  const { session_id, ...others } = properties;
  const shown = session_id && !isBound ? properties : others;
  // A copy, since callers may add what their vendor needs to a schema.
  return structuredClone({ type: "object", properties: shown, required: [...required] });
}

async function readLines({
  workspace,
  countLines,
  input,
  scope,
  naming,
  kept,
}: ReadingToolCall): Promise<RenderedAnswer> {
  const id = input.requiredText("artifact_id");
  const options = { ...scope, ...readCharRange(input), view: readView(input) };
  const [start, end] = await readLineNumbers(input, () => countLines(id, options));
  return renderReading(await workspace.getKnowledgeByLines(id, start, end, options), naming, kept);
}

function readCharRange(input: ToolInput): {
  startChar: number | undefined;
  endChar: number | undefined;
} {
  return { startChar: input.count("start_char"), endChar: input.count("end_char") };
}

function readView(input: ToolInput): View | undefined {
  return input.choice("view", ["readable", "raw"]);
}

/** A line past every end: what exists is read. */
const TO_THE_END = Number.MAX_SAFE_INTEGER;

/** The lines that a call asks for. Without `end_line` it is the end; negative lines count from there. */
async function readLineNumbers(
  input: ToolInput,
  countLines: () => Promise<number>,
): Promise<[start: number, end: number]> {
  const start = input.count("start_line") ?? 1;
  const end =
    input.count("end_line") ?? (input.count("end_char") === undefined ? TO_THE_END : start);
  if (start >= 0 && end >= 0) return [start, end];
  // What is wrong is found again by the read itself, which says so.
  const lines = await countLines().catch(() => 1);
  const fromEnd = (line: number): number => (line < 0 ? Math.max(1, lines + 1 + line) : line);
  return [fromEnd(start), fromEnd(end)];
}
