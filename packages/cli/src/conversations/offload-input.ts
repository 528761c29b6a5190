import {
  createOffloader,
  estimateTokens,
  type FormatName,
  type Policy,
  type ResultReport,
  type Workspace,
} from "context-offload";
import type { Terminal } from "../terminal/terminal.js";
import type { Input } from "./find-inputs.js";
import { parseText, readPieces } from "./read-text.js";

/** What was, or would be, done with one conversation. */
export interface OffloadedInput {
  readonly input: Input;
  readonly format: FormatName;
  readonly messages: number;
  readonly results: readonly ResultReport[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export interface OffloadInputOptions {
  readonly workspace: Workspace;
  readonly sessionId: string;
  readonly policy: Policy | undefined;
  readonly isDryRun: boolean;
  readonly terminal: Terminal;
  /** Gets the new conversation, in pieces. */
  readonly write: (text: string) => Promise<void>;
  readonly onProgress: (chars: number) => void;
}

/** A JSONL file is worked through in windows of this size, so that its own size does not matter. */
const WINDOW_CHARS = 8_000_000;
/** The end of a window is seen again with the next one, since calls and results may be apart. */
const OVERLAP_CHARS = 2_000_000;
const OVERLAP_LINES = 400;

/** Offloads a conversation: one in lines as a stream, any other in one piece. */
export async function offloadInput(
  input: Input,
  options: OffloadInputOptions,
): Promise<OffloadedInput> {
  const state = { messages: 0, results: [] as ResultReport[], tokensBefore: 0, tokensAfter: 0 };
  let format: FormatName | undefined;
  let overlap: unknown[] = [];
  for await (const { text, isLast } of readWindows(input, options.terminal)) {
    const isWhole = isLast && format === undefined;
    const parsed = isWhole || format === undefined ? parseText(text, input) : undefined;
    format ??= (parsed as { format: FormatName }).format;
    const fresh = parsed?.messages ?? splitLines(text);
    const offloader = createOffloader({
      ...{ workspace: options.workspace, sessionId: options.sessionId },
      ...{ policy: options.policy, format },
    });
    const all = [...overlap, ...fresh];
    const { signal } = options.terminal;
    const { messages, report } = options.isDryRun
      ? { messages: all, report: await offloader.estimate(all, { signal }) }
      : await offloader.offload(all, { signal });
    const results = report.results.filter(({ messageIndex }) => messageIndex >= overlap.length);
    const after = messages.slice(overlap.length);
    const written = parsed ? parsed.stringify(after) : after.join("");
    if (!options.isDryRun) await options.write(written);
    const shift = state.messages - overlap.length;
    state.results.push(...results.map((row) => shrink(row, shift)));
    state.messages += fresh.length;
    const before = estimateTokens(text);
    state.tokensBefore += before;
    state.tokensAfter += options.isDryRun ? before - savedBy(results) : estimateTokens(written);
    options.onProgress(text.length);
    overlap = lastOf(all);
  }
  return { input, format: format ?? "anthropic", ...state };
}

/** What a table needs of a result; the reference itself is in the file. */
function shrink(row: ResultReport, shift: number): ResultReport {
  return { ...row, messageIndex: row.messageIndex + shift, reference: undefined };
}

function savedBy(results: readonly ResultReport[]): number {
  return results.reduce(
    (sum, { tokens = 0, referenceTokens = 0 }) => sum + Math.max(0, tokens - referenceTokens),
    0,
  );
}

/** Pieces that end with a line; a text that is not in lines is one piece. */
async function* readWindows(
  input: Input,
  terminal: Terminal,
): AsyncGenerator<{ readonly text: string; readonly isLast: boolean }> {
  let text = "";
  let isInLines: boolean | undefined;
  for await (const piece of readPieces(input, terminal)) {
    text += piece;
    if (text.length < WINDOW_CHARS || isInLines === false) continue;
    isInLines ??= isJsonLine(text.slice(0, text.indexOf("\n") + 1));
    const end = isInLines ? text.lastIndexOf("\n") + 1 : 0;
    if (end === 0) continue;
    yield { text: text.slice(0, end), isLast: false };
    text = text.slice(end);
  }
  if (text !== "" || isInLines === undefined) yield { text, isLast: true };
}

function isJsonLine(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

/** Every line with its line break. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function lastOf(messages: readonly unknown[]): unknown[] {
  const last: unknown[] = [];
  let chars = 0;
  for (let at = messages.length - 1; at >= 0 && last.length < OVERLAP_LINES; at--) {
    const message = messages[at];
    chars += typeof message === "string" ? message.length : 0;
    if (chars > OVERLAP_CHARS) break;
    last.unshift(message);
  }
  return last;
}
