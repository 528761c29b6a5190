import { createHash } from "node:crypto";
import type { ArtifactRecord, Original, Workspace } from "context-offload";
import {
  readLedger,
  rebuildReference,
  type LedgerReport,
  type ResultFigures,
  type SessionFigures,
  type ToolFigures,
} from "context-offload/ledger";
import { eachArtifact, filterOf } from "../artifacts.js";
import { explainError } from "../command-error.js";
import type {
  PageChars,
  PageCheck,
  PageDetail,
  PageLine,
  PageLines,
  PageMatches,
  PageOverview,
  PageReference,
  PageResult,
  PageSession,
  PageStrip,
  PageTool,
} from "./page-types.js";
import { stripOf, stripOfResults, type Recording, type Recordings } from "./recorded-strip.js";
import { verdictOnResult, verdictOnTool } from "./verdicts.js";

/** Of a line that is longer, the page shows a part at a time. */
export const LINE_CHARS = 2_000;
const MAX_LINES = 500;
const READ_CHARS = 256_000;
const SEARCH_CHARS = 60_000;
const SEARCH_MS = 10_000;

export interface PageScope {
  readonly workspace: Workspace;
  readonly place: string;
  /** Only this session. */
  readonly sessionId: string | undefined;
  readonly recordings: Recordings;
  readonly signal: AbortSignal;
}

/** What the page shows, read from ledger and workspace when it is asked for; it writes nothing. */
export class PageData {
  readonly #scope: PageScope;

  constructor(scope: PageScope) {
    this.#scope = scope;
  }

  async overview(): Promise<PageOverview> {
    const { workspace, place, sessionId, signal } = this.#scope;
    const { sessions, total, eachRequest, tools } = await this.#ledger();
    const held = await workspace.sessions({ signal });
    const told = new Map(sessions.map((session) => [session.sessionId, session]));
    const ids = new Set([...told.keys(), ...held.map((session) => session.sessionId)]);
    const rows = [...ids]
      .filter((id) => sessionId === undefined || id === sessionId)
      .map((id): PageSession => {
        const stored = held.find((session) => session.sessionId === id);
        const figures = told.get(id);
        return {
          ...{ sessionId: id, artifacts: stored?.artifacts ?? 0, bytes: stored?.bytes ?? 0 },
          lastWrittenAt: figures?.to ?? stored?.lastWrittenAt ?? "",
          figures: figures && figuresOf(figures),
        };
      });
    rows.sort((one, other) => (one.lastWrittenAt > other.lastWrittenAt ? -1 : 1));
    return {
      ...{ place, namespace: workspace.namespace, sessions: rows, total, eachRequest },
      ...{ tools: tools.map(toolOf), recorded: await this.#recorded(rows) },
    };
  }

  /** All results, the newest first. */
  async results(sessionId = this.#scope.sessionId): Promise<PageResult[]> {
    const { workspace, signal } = this.#scope;
    const figures = figuresById(await this.#ledger(sessionId));
    const results: PageResult[] = [];
    for await (const record of eachArtifact(
      workspace,
      { signal },
      filterOf({ session: sessionId }),
    )) {
      results.push(resultOf(record, figures.get(keyOf(record))));
    }
    return results.sort((one, other) => (one.at > other.at ? -1 : 1));
  }

  async detail(sessionId: string, artifactId: string): Promise<PageDetail> {
    const record = await this.#record(sessionId, artifactId);
    return this.detailOf(record, figuresById(await this.#ledger(sessionId)).get(keyOf(record)));
  }

  /** Of each result, with its text if that is wanted. */
  async *details(
    withText: boolean,
  ): AsyncGenerator<{ readonly detail: PageDetail; readonly text: string | undefined }> {
    const { workspace, sessionId, signal } = this.#scope;
    const figures = figuresById(await this.#ledger());
    for await (const record of eachArtifact(
      workspace,
      { signal },
      filterOf({ session: sessionId }),
    )) {
      const detail = await this.detailOf(record, figures.get(keyOf(record)));
      yield { detail, text: withText ? await this.#text(record, "readable") : undefined };
    }
  }

  async detailOf(record: ArtifactRecord, figures: ResultFigures | undefined): Promise<PageDetail> {
    const result = resultOf(record, figures);
    const reference = await this.#reference(record, figures);
    return {
      ...{ result, hash: record.hash, type: record.type, reference },
      quoted: quotedLines(reference.text, result.lines),
      read: figures?.readLines ?? [],
    };
  }

  /** Some lines of the readable view; they are never all read at once. */
  async lines(
    sessionId: string,
    artifactId: string,
    from: number,
    count: number,
  ): Promise<PageLines> {
    const { workspace, signal } = this.#scope;
    const lines: PageLine[] = [];
    const wanted = Math.min(count, MAX_LINES);
    let of = from;
    for (let at = from; lines.length < wanted && at <= of; at = from + lines.length) {
      const last = from + wanted - 1;
      const options = { sessionId, signal, maxChars: READ_CHARS };
      const read = await workspace.getKnowledgeByLines(artifactId, at, last, options);
      of = read.range.of;
      const texts = read.text.split("\n").slice(0, read.range.to - at + 1);
      if (texts.length === 0) break;
      lines.push(...texts.map(lineOf));
      const cut = lines.at(-1);
      if (cut && read.leftOut?.unit === "chars") {
        lines[lines.length - 1] = { ...cut, left: cut.left + read.leftOut.count };
      }
    }
    return { from, of, lines };
  }

  /** A part of a line that is too long to be shown whole. */
  async chars(
    sessionId: string,
    artifactId: string,
    line: number,
    from: number,
  ): Promise<PageChars> {
    const { workspace, signal } = this.#scope;
    const { text, range } = await workspace.getKnowledgeByLines(artifactId, line, line, {
      ...{ sessionId, signal, startChar: from, endChar: from + LINE_CHARS - 1 },
    });
    return { text, from: range.from, to: range.to, of: range.of };
  }

  async search(
    pattern: string,
    options: {
      readonly sessionId: string | undefined;
      readonly literal: boolean;
      readonly ignoreCase: boolean;
      readonly cursor: string | undefined;
    },
  ): Promise<PageMatches> {
    const { workspace, sessionId, signal } = this.#scope;
    const { text, counts, note, next } = await workspace.grepSession(pattern, {
      ...{ ...options, signal, maxChars: SEARCH_CHARS, deadlineMs: SEARCH_MS },
      sessionId: options.sessionId ?? sessionId,
    });
    const groups: {
      -readonly [K in keyof PageMatches["groups"][number]]: PageMatches["groups"][number][K];
    }[] = [];
    for (const line of text.split("\n")) {
      const [, number, found = ""] = /^(\d+)[:-](.*)$/s.exec(line) ?? [];
      const group = groups.at(-1);
      if (group && number !== undefined) {
        group.lines = [...group.lines, { line: Number(number), text: found.slice(0, LINE_CHARS) }];
      } else if (/^\[.*: \d/.test(line)) {
        // Lines of results begin with a number, so that no text can pass for a heading.
        const count = counts[groups.length];
        if (count) groups.push({ ...count, lines: [] });
      }
    }
    const cursor = next?.input["cursor"];
    const isMore = typeof cursor === "string";
    return {
      groups,
      note: note ?? (groups.length === 0 ? text : undefined),
      cursor: isMore ? cursor : undefined,
    };
  }

  async strip(sessionId: string): Promise<PageStrip> {
    const results = await this.results(sessionId);
    const recording = await this.#recordingOf(sessionId);
    return recording ? stripOf(recording, results) : stripOfResults(results);
  }

  /** The session of the recording that was named. */
  async #recorded(sessions: readonly PageSession[]): Promise<string | undefined> {
    if (!this.#scope.recordings.isNamed) return undefined;
    for (const { sessionId } of sessions) {
      if (await this.#recordingOf(sessionId)) return sessionId;
    }
    return undefined;
  }

  /** A recording that was named is of the session that the caller named, or that holds a result which it refers to. */
  async #recordingOf(sessionId: string): Promise<Recording | undefined> {
    const { recordings, sessionId: named } = this.#scope;
    const recording = await recordings.of(sessionId);
    if (!recording || !recordings.isNamed || sessionId === named) return recording;
    for (const [artifactId, reference] of recording.references) {
      const record = await this.#record(sessionId, artifactId).catch(() => undefined);
      if (record && refersTo(reference, record)) return recording;
    }
    return undefined;
  }

  /** Whether the stored bytes are those that were stored, can be restored, and are the same then. */
  async check(sessionId: string, artifactId: string): Promise<PageCheck> {
    const { workspace, signal } = this.#scope;
    const record = await this.#record(sessionId, artifactId);
    const steps: {
      -readonly [K in keyof PageCheck["steps"][number]]: PageCheck["steps"][number][K];
    }[] = [];
    const step = async (
      what: "hash" | "restore" | "compare",
      work: () => Promise<readonly [isOk: boolean, says: string]>,
    ): Promise<void> => {
      const [isOk, says] = await work().catch(
        (error: unknown) => [false, explainError(error).text] as const,
      );
      steps.push({ what, isOk, says });
    };
    let stored: string | undefined;
    let original: Original | undefined;
    await step("hash", async () => {
      stored = await this.#text(record, "raw");
      const hash = hashOf(stored);
      // A text with half a character has no UTF-8; restoring it compares its bytes.
      if (!isWellFormed(stored))
        return [true, "not well-formed Unicode; restoring checks its bytes"];
      return [
        hash === record.hash,
        `SHA-256 ${hash.slice(0, 16)}… ${hash === record.hash ? "is" : "is not"} that of the record`,
      ];
    });
    await step("restore", async () => {
      original = await workspace.getOriginal(artifactId, { sessionId, signal });
      return [true, `${record.size.bytes.toLocaleString("en")} bytes restored`];
    });
    await step("compare", () => {
      if (original === undefined || stored === undefined)
        return Promise.resolve([false, "there is nothing to compare"]);
      const restored = typeof original === "string" ? original : JSON.stringify(original);
      const isSame = restored === stored;
      return Promise.resolve([
        isSame,
        isSame
          ? "what is restored is what is stored, character by character"
          : "what is restored differs from what is stored",
      ]);
    });
    return { steps };
  }

  /** Differs when something that the page shows has changed. */
  async mark(): Promise<string> {
    const { workspace, recordings, signal } = this.#scope;
    const sessions = await workspace.sessions({ signal });
    const report = await this.#ledger();
    const newest = report.sessions[0]?.sessionId ?? sessions[0]?.sessionId;
    const recorded = newest === undefined ? "" : await recordings.markOf(newest);
    return createHash("sha256")
      .update(JSON.stringify([sessions, report, recorded]))
      .digest("hex");
  }

  #ledger(sessionId = this.#scope.sessionId): Promise<LedgerReport> {
    const { workspace, signal } = this.#scope;
    return readLedger(workspace, { sessionId, signal });
  }

  /** The session itself: one that only may read the result is not asked for. */
  #record(sessionId: string, artifactId: string): Promise<ArtifactRecord> {
    const { workspace, signal } = this.#scope;
    return workspace.getArtifact(artifactId, { sessionId, signal });
  }

  async #reference(
    record: ArtifactRecord,
    figures: ResultFigures | undefined,
  ): Promise<PageReference> {
    const { workspace, recordings, signal } = this.#scope;
    const { artifactId, sessionId } = record;
    const recording = await recordings.of(sessionId);
    const recorded = recording?.references.get(artifactId);
    if (recorded !== undefined && refersTo(recorded, record)) {
      return { text: recorded, from: "recorded" };
    }
    const referenceTokens = figures?.referenceTokens;
    try {
      const { text, tokens } = await rebuildReference(workspace, artifactId, {
        ...{ sessionId, signal, referenceTokens },
      });
      return { text, from: tokens === referenceTokens ? "rebuilt, same size" : "rebuilt" };
    } catch (error) {
      return { text: explainError(error).text, from: "unknown" };
    }
  }

  async #text(
    { artifactId, sessionId }: ArtifactRecord,
    view: "raw" | "readable",
  ): Promise<string> {
    const { workspace, signal } = this.#scope;
    const parts: string[] = [];
    for (let from = 1, of = 1; from <= of;) {
      const options = { sessionId, signal, view, maxChars: CHUNK_CHARS, startChar: from };
      const { text, range } = await workspace.getKnowledgeById(artifactId, options);
      if (text === "") break;
      parts.push(text);
      ({ of } = range);
      from = range.to + 1;
    }
    return parts.join("");
  }
}

const CHUNK_CHARS = 1_000_000;

/** Another session may have a result of the same id. */
function refersTo(reference: string, { hash }: ArtifactRecord): boolean {
  const [, given = ""] = /^<knowledge [^\n>]*\bhash="([0-9a-f]+)"/m.exec(reference) ?? [];
  return given !== "" && hash.startsWith(given);
}

function lineOf(text: string): PageLine {
  return { text: text.slice(0, LINE_CHARS), left: Math.max(0, text.length - LINE_CHARS) };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

/** Ids of tool calls are unique within a session only. */
function keyOf({
  sessionId,
  artifactId,
}: Pick<ArtifactRecord, "sessionId" | "artifactId">): string {
  return JSON.stringify([sessionId, artifactId]);
}

function figuresOf(session: SessionFigures): NonNullable<PageSession["figures"]> {
  // What the results brought is told with the results.
  return { ...session, artifacts: [], tools: session.tools.map(toolOf) };
}

function toolOf(tool: ToolFigures): PageTool {
  return { ...tool, words: verdictOnTool(tool) };
}

function figuresById({ sessions }: LedgerReport): Map<string, ResultFigures> {
  return new Map(
    sessions.flatMap(({ sessionId, artifacts }) =>
      artifacts.map((result) => [keyOf({ sessionId, artifactId: result.artifactId }), result]),
    ),
  );
}

function resultOf(record: ArtifactRecord, figures: ResultFigures | undefined): PageResult {
  const { artifactId, sessionId, size, createdAt, metadata } = record;
  return {
    ...{ sessionId, artifactId, toolName: metadata.tool_name, at: figures?.at ?? createdAt },
    ...{
      bytes: size.bytes,
      chars: size.viewChars ?? size.chars,
      lines: size.viewLines ?? size.lines,
    },
    ...{ tokens: size.tokens, referenceTokens: figures?.referenceTokens ?? null },
    ...{
      reads: figures?.reads ?? 0,
      readTokens: figures?.readTokens ?? 0,
      net: figures?.net ?? null,
      over: figures?.over ?? null,
    },
    ...verdictOnResult(figures),
  };
}

/** The lines that a reference quotes: each begins with its number. */
function quotedLines(reference: string, lines: number): number[] {
  const numbers = [...reference.matchAll(/^(\d{1,15}): /gm)].map(([, number]) => Number(number));
  return [...new Set(numbers)].filter((line) => line > 0 && line <= lines).sort((a, b) => a - b);
}
