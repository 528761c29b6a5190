import type {
  LedgerFigures,
  LineRange,
  SessionFigures,
  Span,
  ToolFigures,
} from "context-offload/ledger";

/** What the page shows, as the server or an export gives it: types alone, for both sides. */

/** What is known of a session: without figures, it holds results that no ledger tells of. */
export interface PageSession {
  readonly sessionId: string;
  readonly artifacts: number;
  readonly bytes: number;
  readonly lastWrittenAt: string;
  readonly figures:
    | (Omit<SessionFigures, "tools"> & {
        readonly tools: readonly PageTool[];
      })
    | undefined;
}

export interface PageOverview {
  readonly place: string;
  readonly namespace: string;
  readonly sessions: readonly PageSession[];
  readonly total: LedgerFigures & { readonly requests: number };
  readonly eachRequest: LedgerFigures;
  readonly tools: readonly PageTool[];
  /** The session of the recording that was named. */
  readonly recorded: string | undefined;
}

export interface PageTool extends ToolFigures {
  /** The verdict in words. */
  readonly words: string;
}

/** Good or bad news, or neither. */
export type Mood = "good" | "bad" | "plain";

/** One stored result; figures are `null` where the ledger does not tell of it. */
export interface PageResult {
  readonly sessionId: string;
  readonly artifactId: string;
  readonly toolName: string | null;
  readonly at: string;
  readonly bytes: number;
  readonly chars: number;
  readonly lines: number;
  readonly tokens: number;
  readonly referenceTokens: number | null;
  readonly reads: number;
  readonly readTokens: number;
  readonly net: number | null;
  readonly over: Span | null;
  readonly verdict: string;
  readonly mood: Mood;
}

/** One result in full, but for its text. */
export interface PageDetail {
  readonly result: PageResult;
  readonly hash: string;
  readonly type: string;
  readonly reference: PageReference;
  /** The lines that the reference quotes. */
  readonly quoted: readonly number[];
  /** The lines that were read, as far as they are known. */
  readonly read: readonly LineRange[];
}

export interface PageReference {
  readonly text: string;
  /** `recorded`: the text that the model got. `rebuilt`: made again from what is stored. */
  readonly from: "recorded" | "rebuilt, same size" | "rebuilt" | "unknown";
}

/** One line; of a very long one, its start. */
export interface PageLine {
  readonly text: string;
  /** How many characters come after `text`. */
  readonly left: number;
}

export interface PageLines {
  readonly from: number;
  readonly of: number;
  readonly lines: readonly PageLine[];
}

/** A part of one line. */
export interface PageChars {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly of: number;
}

export interface PageMatches {
  readonly groups: readonly {
    readonly sessionId: string;
    readonly artifactId: string;
    readonly matches: number;
    readonly lines: readonly { readonly line: number; readonly text: string }[];
  }[];
  readonly note: string | undefined;
  readonly cursor: string | undefined;
}

/** One part of a conversation, with what it takes whole and as it was sent in the end. */
export interface PageSegment {
  readonly kind: "message" | "result" | "read";
  readonly label: string;
  readonly whole: number;
  readonly sent: number;
  readonly artifactId: string | undefined;
}

export interface PageStrip {
  /** The recorded conversation; `undefined` where only the stored results are known. */
  readonly recording: string | undefined;
  readonly segments: readonly PageSegment[];
}

export interface PageCheck {
  readonly steps: readonly {
    readonly what: "hash" | "restore" | "compare";
    readonly isOk: boolean;
    readonly says: string;
  }[];
}

/** Everything at once, for the export. */
export interface PageExport {
  readonly exportedAt: string;
  readonly overview: PageOverview;
  readonly results: readonly PageResult[];
  readonly strips: readonly (readonly [sessionId: string, strip: PageStrip])[];
  readonly details: readonly PageDetail[];
  /** The stored texts in the order of `details`; absent unless they were asked for. */
  readonly texts: readonly string[] | undefined;
}
