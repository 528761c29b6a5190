import { closeSync, openSync, readSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { InvalidPatternError } from "../../core/errors/invalid-pattern-error.js";
import { compilePattern } from "../../core/lib/search/compile-pattern.js";
import { SEARCH_BUFFER_BYTES, LineSearch } from "../../core/lib/search/line-search.js";
import type { SearchMatch } from "../../core/lib/search/search-query.js";
import { createNativeSearchBuffer } from "./native-search-buffer.js";
import { SharedProgress, type SearchAnswer, type SearchRequest } from "./search-message.js";

/** So many matches are sent one by one, at once: a search that gets stuck has handed them over. */
const SENT_AT_ONCE = 200;
const BATCH = 50;

const searchBuffer = createNativeSearchBuffer(SEARCH_BUFFER_BYTES);

parentPort?.on("message", (request: SearchRequest) => {
  const { id } = request;
  answer({ id, kind: "begun" });
  try {
    const stopped = search(request);
    answer({ id, kind: "ended", stopped });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    const reason = error instanceof InvalidPatternError ? error.reason : undefined;
    answer({ id, kind: "failed", error, code, reason });
  }
});

function answer(message: SearchAnswer): void {
  parentPort?.postMessage(message);
}

/** Searches the target, and says whether it had to stop before its end. */
function search({ id, target, query, deadlineMs, progress }: SearchRequest): boolean {
  const endsAt = performance.now() + deadlineMs;
  const tally = new SharedProgress(progress);
  let sent = 0;
  let batch: SearchMatch[] = [];
  const send = (): void => {
    if (batch.length > 0) answer({ id, kind: "matches", matches: batch });
    sent += batch.length;
    batch = [];
  };
  const lines = new LineSearch(query, {
    pattern: compilePattern(query),
    searchBuffer,
    tally,
    shouldStop: () => tally.mustStop || performance.now() >= endsAt,
    onMatch: (match) => {
      batch.push(match);
      if (sent < SENT_AT_ONCE || batch.length >= BATCH) send();
    },
  });
  if ("bytes" in target) lines.push(target.bytes);
  else feedFromFile(target.path, lines);
  lines.finish();
  send();
  return lines.stopped;
}

function feedFromFile(path: string, lines: LineSearch): void {
  const file = openSync(path, "r");
  try {
    while (!lines.stopped) {
      const room = lines.room();
      const count = readSync(file, room, 0, room.length, null);
      if (count === 0) break;
      lines.filled(count);
    }
  } finally {
    closeSync(file);
  }
}
