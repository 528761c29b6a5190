/** Which lines a reading counts: those of the readable view, or those of the stored text itself. */
export const VIEWS = ["readable", "raw"] as const;
export type View = (typeof VIEWS)[number];

/** What a range or a rest is counted in. */
export type ReadingUnit = "lines" | "chars" | "matches" | "items";

/** The call that goes on where a reading stopped, in the terms of the model's tools. */
export interface NextCall {
  readonly tool: ToolName;
  readonly input: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** What every reading verb answers with. */
export interface Reading {
  readonly artifactId: string;
  readonly sessionId: string;
  readonly view: View;
  readonly text: string;
  /** What `text` is of the whole: both ends counted from 1 and included; 0 to 0 when there is none. */
  readonly range: {
    readonly unit: ReadingUnit;
    readonly from: number;
    readonly to: number;
    readonly of: number;
  };
  /** How much of what was asked for is not in `text`; `undefined` when nothing was left out. */
  readonly leftOut: { readonly unit: ReadingUnit; readonly count: number } | undefined;
  readonly next: NextCall | undefined;
  /** Something that the reader should know, in a sentence. */
  readonly note: string | undefined;
}

/** The tools that a model reads with. */
export const TOOL_NAMES = [
  "get_knowledge_by_id",
  "get_knowledge_by_lines",
  "grep_knowledge",
  "query_knowledge",
  "get_tool_result_offload_info",
] as const;

export type ToolName = (typeof TOOL_NAMES)[number];

/** Where to look, and when to stop. Every verb takes these. */
export interface Scope {
  /** The session that asks. Without it, an id that one session alone holds is found. */
  readonly sessionId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReadOptions extends Scope {
  readonly view?: View | undefined;
  /** The most characters of the answer's text. Default 20,000. */
  readonly maxChars?: number | undefined;
}
