import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  createOffloader,
  createWorkspace,
  estimateTokens,
  memoryStore,
  type ResultReport,
  type Workspace,
} from "context-offload";
import { type FormatName } from "context-offload/formats";
import { UnknownFormatError } from "context-offload/errors";
import { type Policy } from "context-offload/policies";
import { BrokenFileError } from "../command-error.js";
import type { Terminal } from "../terminal/terminal.js";
import { type Input, readPieces } from "./conversation-files.js";
import { keepExactText } from "./exact-text.js";
import { parseText, type KeepText, type ParsedMessages, type ParsedText } from "./parse-text.js";

/** What was, or would be, done with one conversation. */
export interface OffloadedInput {
  readonly input: Input;
  readonly format: FormatName;
  readonly messages: number;
  /** Lines of an agent's log that are not JSON, and were kept as they are. */
  readonly brokenLines: number;
  readonly results: readonly ResultReport[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** If one was asked for: of a result of which nothing is saved, there is none. */
  readonly example: Example | undefined;
  readonly sessionId: string;
}

/** The result of which most was saved, before and after. */
export interface Example {
  readonly row: ResultReport;
  readonly content: string;
  readonly saved: number;
}

export interface OffloadInputOptions {
  readonly workspace: Workspace;
  readonly sessionId: string;
  readonly policy: Policy | undefined;
  /** Whether the policy has to see the whole conversation; it is not streamed then. */
  readonly isWhole: boolean;
  readonly isDryRun: boolean;
  /** Whether one result is to be shown before and after. */
  readonly withExample: boolean;
  readonly terminal: Terminal;
  /** Called once the input is known to be a conversation, before anything is written. */
  readonly begin: () => Promise<void>;
  /** Gets the new conversation, in pieces. */
  readonly write: (text: string) => Promise<void>;
  readonly onProgress: (chars: number) => void;
}

/** A JSONL file is worked through in windows of this size, so that its own size does not matter. */
const WINDOW_CHARS = 1_000_000;
/**
 * The same for the default policy, by which results grow old: what is fresh at the end of a window is
 * kept, so there should be few of them. Most sessions are shorter.
 */
const AGING_WINDOW_CHARS = 8_000_000;
const WINDOWS_PER_COLLECTION = 16;
/** The end of a window is seen again with the next one, since calls and results may be apart. */
const OVERLAP_CHARS = 300_000;
const OVERLAP_LINES = 400;

/** Offloads a conversation: one in lines as a stream, any other in one piece. */
export async function offloadInput(
  input: Input,
  options: OffloadInputOptions,
): Promise<OffloadedInput> {
  const state = {
    ...{ messages: 0, brokenLines: 0, tokensBefore: 0, tokensAfter: 0 },
    results: [] as ResultReport[],
  };
  const { sessionId, policy, isDryRun, terminal } = options;
  const { signal } = terminal;
  // A dry run does all of it in memory, which is forgotten with each window, so that its figures are
  // right. Where the session holds something, that must be known, and the figures are nearly right.
  const isEstimate = isDryRun && (await holdsAny(options));
  const isInMemory = isDryRun && !isEstimate;
  let first: ParsedText | undefined;
  let example: Example | undefined;
  let lines = 0;
  let windows = 0;
  let overlap: readonly unknown[] = [];
  let mark = "";
  if (input.bytes > windowOf(options)) await requireReadable(input, options);
  for await (const text of readWindows(input, options, (found) => (mark = found))) {
    let parsed: ParsedMessages;
    if (first) parsed = first.parseMore(text, lines);
    else {
      parsed = first = parseText(text, input);
      await options.begin();
    }
    const { messages: fresh } = parsed;
    const format = windows === 0 ? first.format : first.formatOfMore;
    const workspace = isInMemory ? createWorkspace({ store: memoryStore() }) : options.workspace;
    const offloader = createOffloader({ workspace, sessionId, policy, format });
    const all = [...overlap, ...fresh];
    const { messages, report } = await nameRejection(
      `${input.shown}: after line ${lines}`,
      isEstimate
        ? async () => ({ messages: all, report: await offloader.estimate(all, { signal }) })
        : () => offloader.offload(all, { signal }),
    );
    const results = report.results.filter(({ messageIndex }) => messageIndex >= overlap.length);
    const after = messages.slice(overlap.length);
    const isSame = after.every((message, index) => message === fresh[index]);
    if (!isDryRun) {
      const keep: KeepText = (exact, other) => keepExactText(workspace, sessionId, exact, other);
      const written = isSame ? text : await parsed.stringifyExactly(after, keep);
      await options.write(mark + written);
      mark = "";
    }
    const shift = state.messages - overlap.length;
    state.results.push(...results.map((row) => shrink(row, shift)));
    state.messages += fresh.length;
    state.brokenLines += parsed.brokenLines;
    if (options.withExample) {
      // An estimate stores nothing, so that there would be nothing to show.
      const place = isEstimate ? createWorkspace({ store: memoryStore() }) : workspace;
      const same = createOffloader({ workspace: place, sessionId, policy, format });
      const rows = isEstimate ? (await same.offload(all, { signal })).report.results : results;
      const chosen = rows.filter((_, at) => !isEstimate || savedBy([report.results[at]]) > 0);
      example = await findExample(chosen, place, sessionId, example);
    }
    const tokens = countTokens(fresh);
    state.tokensBefore += tokens;
    state.tokensAfter += isEstimate ? tokens - savedBy(results) : countTokens(after);
    options.onProgress(text.length);
    overlap = lastOf(messages);
    lines += countLines(text);
    if (++windows % WINDOWS_PER_COLLECTION === 0) collectGarbage();
  }
  return { input, format: first?.format ?? "anthropic", ...state, example, sessionId };
}

async function holdsAny({ workspace, sessionId }: OffloadInputOptions): Promise<boolean> {
  return (await workspace.queryArtifacts({}, { sessionId, limit: 1 })).artifacts.length > 0;
}

async function nameRejection<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof UnknownFormatError)) throw cause;
    const why = "there are messages in another format; correct or remove them";
    throw new BrokenFileError(`${place}, ${why}`, undefined, { cause });
  }
}

/** Reads a file of several windows to its end, since nothing is stored of one that is broken. */
async function requireReadable(input: Input, options: OffloadInputOptions): Promise<void> {
  let start: string | undefined;
  let first: ParsedText | undefined;
  let lines = 0;
  let windows = 0;
  for await (const text of readWindows(input, options)) {
    if (start === undefined) start = text;
    else {
      first ??= parseText(start, input);
      first.parseMore(text, lines);
    }
    lines += countLines(text);
    if (++windows % WINDOWS_PER_COLLECTION === 0) collectGarbage();
  }
}

/** The tokens of messages, without what else is in their file, such as blanks. */
function countTokens(messages: readonly unknown[]): number {
  return messages.reduce<number>(
    (sum, message) =>
      sum + estimateTokens(typeof message === "string" ? message : JSON.stringify(message)),
    0,
  );
}

/** What a table needs of a result; the reference itself is in the file. */
function shrink(row: ResultReport, shift: number): ResultReport {
  return { ...row, messageIndex: row.messageIndex + shift, reference: undefined };
}

function savedBy(results: readonly (ResultReport | undefined)[]): number {
  return results.reduce((sum, row) => {
    const { tokens = 0, referenceTokens = 0 } = row ?? {};
    return sum + Math.max(0, tokens - referenceTokens);
  }, 0);
}

/** The result of which most was saved, as it was stored, if that is more than of the one before. */
async function findExample(
  results: readonly ResultReport[],
  workspace: Workspace,
  sessionId: string,
  before: Example | undefined,
): Promise<Example | undefined> {
  const [row] = [...results].sort((one, other) => savedBy([other]) - savedBy([one]));
  const saved = savedBy([row]);
  if (row?.artifactId === undefined || saved <= (before?.saved ?? 0)) return before;
  const original = await workspace.getOriginal(row.artifactId, { sessionId });
  const content = typeof original === "string" ? original : JSON.stringify(original);
  return { row, content, saved };
}

function windowOf({ policy }: OffloadInputOptions): number {
  return policy === undefined ? AGING_WINDOW_CHARS : WINDOW_CHARS;
}

/** Pieces that end with a line; a text that is not in lines is one piece. */
async function* readWindows(
  input: Input,
  options: OffloadInputOptions,
  onMark: (mark: string) => void = () => undefined,
): AsyncGenerator<string> {
  const { isWhole, terminal } = options;
  const windowChars = windowOf(options);
  let pieces: string[] = [];
  let chars = 0;
  let isInLines = isWhole ? false : undefined;
  let isEmpty = true;
  for await (const piece of readPieces(input, terminal, onMark)) {
    pieces.push(piece);
    chars += piece.length;
    if (chars < windowChars || isInLines === false) continue;
    const text = pieces.join("");
    isInLines ??= isJsonLine(text.slice(0, text.indexOf("\n") + 1));
    const end = isInLines ? text.lastIndexOf("\n") + 1 : 0;
    if (end > 0) yield text.slice(0, end);
    isEmpty = false;
    pieces = [text.slice(end)];
    chars = text.length - end;
  }
  const rest = pieces.join("");
  if (rest !== "" || isEmpty) yield rest;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function isJsonLine(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

function lastOf(messages: readonly unknown[]): unknown[] {
  const last: unknown[] = [];
  let chars = 0;
  for (let at = messages.length - 1; at >= 0 && last.length < OVERLAP_LINES; at--) {
    const message = messages[at];
    chars += typeof message === "string" ? message.length : JSON.stringify(message).length;
    if (chars > OVERLAP_CHARS) break;
    last.unshift(message);
  }
  return last;
}

let collect: (() => void) | undefined;

/**
 * Frees what a stream has left behind. Left to itself, the heap grows for as long as there is memory, since nothing
 * tells it that a file of any size needs only little at a time.
 */
export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
