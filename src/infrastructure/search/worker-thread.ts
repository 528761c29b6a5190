import { readSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { compilePattern } from "../../core/lib/search/compile-pattern.js";
import { SEARCH_BUFFER_BYTES, LineSearch } from "../../core/lib/search/line-search.js";
import { PatternError, type SearchMatch } from "../../core/lib/search/search-terms.js";
import {
  SharedProgress,
  type SearchAnswer,
  type SearchFailure,
  type SearchRequest,
} from "./messages.js";

/** The first matches are sent one by one, at once, so that they are not lost if the search gets stuck. */
const SENT_AT_ONCE = 200;
const BATCH = 50;

const buffer = Buffer.alloc(SEARCH_BUFFER_BYTES);
let running:
  | {
      readonly id: number;
      readonly lines: LineSearch;
      readonly send: () => void;
      /** The time of the search goes on; what it waited for a piece does not count. */
      readonly resume: () => void;
      readonly pause: () => void;
    }
  | undefined;

parentPort?.on("message", (request: SearchRequest) => {
  const { id } = request;
  try {
    take(request);
  } catch (error) {
    running = undefined;
    answer({ id, kind: "failed", failure: failureOf(error) });
  }
});

function take(request: SearchRequest): void {
  const { id, kind } = request;
  if (kind === "search") {
    answer({ id, kind: "begun" });
    running = begin(request);
    if (request.file === undefined) {
      running.pause();
      return;
    }
    feedFromFile(request.file, running.lines);
  } else if (running?.id !== id) return;
  else if (kind === "piece") {
    running.resume();
    running.lines.push(request.bytes);
    if (!running.lines.stopped) {
      running.pause();
      answer({ id, kind: "taken" });
      return;
    }
  } else if (kind === "stop") running.lines.stop();
  const { lines, send, resume } = running;
  if (kind === "end") resume();
  running = undefined;
  lines.finish();
  send();
  answer({ id, kind: "ended", stopped: lines.stopped });
}

function answer(message: SearchAnswer): void {
  parentPort?.postMessage(message);
}

function begin(request: Extract<SearchRequest, { kind: "search" }>): NonNullable<typeof running> {
  const { id, query, deadlineMs } = request;
  let endsAt = performance.now() + deadlineMs;
  let leftMs = deadlineMs;
  const tally = new SharedProgress(request.progress);
  let sent = 0;
  let batch: SearchMatch[] = [];
  const send = (): void => {
    if (batch.length > 0) answer({ id, kind: "matches", matches: batch });
    sent += batch.length;
    batch = [];
  };
  const lines = new LineSearch(query, {
    pattern: compilePattern(query),
    buffer,
    tally,
    shouldStop: () => tally.mustStop || performance.now() >= endsAt,
    onMatch: (match) => {
      batch.push(match);
      if (sent < SENT_AT_ONCE || batch.length >= BATCH) send();
    },
  });
  return {
    ...{ id, lines, send },
    resume: () => {
      endsAt = performance.now() + leftMs;
    },
    pause: () => {
      leftMs = endsAt - performance.now();
    },
  };
}

/** Reads at explicit positions, so that other readers of the descriptor do not matter. */
function feedFromFile({ fd, size }: { fd: number; size: number }, lines: LineSearch): void {
  for (let at = 0; at < size && !lines.stopped;) {
    const room = lines.room();
    const count = readSync(fd, room, 0, Math.min(room.length, size - at), at);
    if (count === 0)
      throw Object.assign(new Error(`it ends at byte ${at} of ${size}`), { code: "CUT_SHORT" });
    lines.filled(count);
    at += count;
  }
}

function failureOf(error: unknown): SearchFailure {
  if (PatternError.isInstance(error)) return { kind: "pattern", reason: error.reason };
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return typeof code === "string"
    ? { kind: "read", code, message: String(message) }
    : { kind: "other", message: String(message) };
}
