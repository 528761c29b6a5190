export const VIEWS = ["readable", "raw"] as const;
/** What is read: the readable view (JSON indented, text blocks unescaped), or the stored text itself. */
export type View = (typeof VIEWS)[number];

/** The unit of a range, or of what was left out. */
export type ReadingUnit = "lines" | "chars" | "matches" | "items";

/** The tool call that continues where a reading stopped. */
export interface NextCall {
  readonly tool: Exclude<ToolName, "read_stored">;
  readonly input: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** What every method that reads returns. */
export interface Reading {
  readonly artifactId: string;
  readonly sessionId: string;
  readonly view: View;
  readonly text: string;
  /** Which part of the whole `text` is: counted from 1, both ends inclusive; 0 to 0 if it is empty. */
  readonly range: {
    readonly unit: ReadingUnit;
    readonly from: number;
    readonly to: number;
    readonly of: number;
  };
  /** How much of what was requested is not in `text`; `undefined` if nothing was left out. */
  readonly leftOut: { readonly unit: ReadingUnit; readonly count: number } | undefined;
  /** The call to continue with; `undefined` at the end. */
  readonly next: NextCall | undefined;
  /** A remark for the reader. */
  readonly note: string | undefined;
}

/** How many matches an artifact has. */
export interface ArtifactCount {
  readonly artifactId: string;
  readonly sessionId: string;
  readonly matches: number;
}

const FIVE = [
  "get_knowledge_by_id",
  "get_knowledge_by_lines",
  "grep_knowledge",
  "query_knowledge",
  "get_tool_result_offload_info",
] as const;

/** One tool that does what the five do. */
export const COMPACT_TOOL = "read_stored";

/** Lists results by their metadata. A model is never told of it, but a call is answered. */
const QUERY_ARTIFACTS = "query_artifacts";

/** The reading tools of a model: five for one task each, one for all of them, and one that is only answered. */
export const TOOL_NAMES = [...FIVE, COMPACT_TOOL, QUERY_ARTIFACTS] as const;

/** A reading tool, by the package's own name for it. */
export type ToolName = (typeof TOOL_NAMES)[number];

/** One of the tools for one task each. */
export type FiveToolName = NextCall["tool"];

export const READING_TOOL_CHOICES = ["one", "five"] as const;
/**
 * Which reading tools a model is told of: the compact one, which costs few tokens in every request, or
 * the five. Calls of all of them are answered in any case.
 */
export type ReadingToolChoice = (typeof READING_TOOL_CHOICES)[number];

/** Where to look, and when to stop. Every method takes these. */
export interface Scope {
  /** The session that reads: it sees its own artifacts and its children's. Default: all sessions. */
  readonly sessionId?: string | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** What all reading methods take. */
export interface ReadOptions extends Scope {
  /** The readable view (JSON indented, text blocks unescaped), or the stored text itself. Default `"readable"`. */
  readonly view?: View | undefined;
  /** Maximum length of the answer's text, in characters. Default 20,000. */
  readonly maxChars?: number | undefined;
}

/** The agent's own names for the reading tools; `false` for one that it does not have. Default: the tools' own names. */
export type ToolNaming = Partial<Record<ToolName, string | false>>;

/** The tools that the agent is told of, or all that are answered, under its own names for them. */
export function nameTools(
  naming: ToolNaming,
  choice: ReadingToolChoice | "all",
): { readonly tool: ToolName; readonly name: string }[] {
  const tools = choice === "all" ? TOOL_NAMES : choice === "one" ? [COMPACT_TOOL] : FIVE;
  return (tools as readonly ToolName[]).flatMap((tool) => {
    const name = naming[tool] ?? tool;
    return name === false ? [] : [{ tool, name }];
  });
}
