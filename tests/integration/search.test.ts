import fc from "fast-check";
import { execFile } from "node:child_process";
import { rename, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { afterAll, describe, expect, it, vi } from "vitest";
import { ReadFailedError } from "../../src/core/errors/storage-errors.js";
import { compilePattern } from "../../src/core/lib/search/compile-pattern.js";
import { LineSearch, SEARCH_BUFFER_BYTES } from "../../src/core/lib/search/line-search.js";
import type {
  SearchMatch,
  SearchOutcome,
  SearchQuery,
  SearchSource,
} from "../../src/core/lib/search/search-terms.js";
import { encodeWtf8 } from "../../src/core/lib/text/wtf8.js";
import { memoryContent } from "../../src/core/workspace/artifacts/artifact-store.js";
import { Disk } from "../../src/infrastructure/files/disk.js";
import { openContent } from "../../src/infrastructure/files/open-content.js";
import type { SearchJob } from "../../src/infrastructure/search/search-worker.js";
import { SearchQueue } from "../../src/infrastructure/search/search-pool.js";
import { createSearcher } from "../../src/infrastructure/search/searcher.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";

const searcher = createSearcher("a place");
afterAll(() => searcher.close());

const DEADLINE_MS = 20_000;
const QUERY: SearchQuery = {
  pattern: "",
  literal: false,
  ignoreCase: false,
  contextBefore: 0,
  contextAfter: 0,
  maxResults: 100,
  windowChars: 500,
};

/** Backtracks longer than anybody lives. */
const ENDLESS = "^(a+)+$";
const ENDLESS_TEXT = memoryContent(encodeWtf8(`aaa\nx\n${"a".repeat(50_000)}b\naa\n`));

function search(
  source: SearchSource,
  query: Partial<SearchQuery>,
  options: { deadlineMs?: number; signal?: AbortSignal } = {},
): Promise<SearchOutcome> {
  return searcher.search(source, { ...QUERY, ...query }, { deadlineMs: DEADLINE_MS, ...options });
}

const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const file of opened) await file.close();
});

const disk = new Disk();

async function fileOf(content: string | Uint8Array): Promise<SearchSource> {
  const path = join(await makeTempFolder(), "content.txt");
  await writeFile(path, typeof content === "string" ? encodeWtf8(content) : content);
  const file = await openContent(path, disk);
  opened.push(file);
  return file;
}

/** How often the event loop turned while the promise was waited for. */
async function turnsDuring(promise: Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  await promise.finally(() => {
    clearInterval(timer);
  });
  return turns;
}

describe("a search in a file", () => {
  it("finds lines with their neighbors", async () => {
    const target = await fileOf("one\ntwo\nthree\nfour\nfive");
    expect(await search(target, { pattern: "^t|ve$", contextBefore: 1, contextAfter: 1 })).toEqual({
      matches: [
        {
          ...{ line: 2, column: 1, text: "two", textColumn: 1, lineChars: 3 },
          before: [{ line: 1, text: "one", lineChars: 3 }],
          after: [{ line: 3, text: "three", lineChars: 5 }],
        },
        {
          ...{ line: 3, column: 1, text: "three", textColumn: 1, lineChars: 5 },
          before: [{ line: 2, text: "two", lineChars: 3 }],
          after: [{ line: 4, text: "four", lineChars: 4 }],
        },
        {
          ...{ line: 5, column: 3, text: "five", textColumn: 1, lineChars: 4 },
          before: [{ line: 4, text: "four", lineChars: 4 }],
          after: [],
        },
      ],
      matchingLines: 3,
      scannedLines: 5,
      complete: true,
    });
  });

  it("says that there are more than were asked for, and goes on from a line", async () => {
    const target = await fileOf("hit\n".repeat(1_000));
    const first = await search(target, { pattern: "hit", maxResults: 300 });
    expect(first).toMatchObject({
      ...{ matchingLines: 1_000, scannedLines: 1_000 },
      ...{ complete: false, stoppedBy: "maxResults" },
    });
    expect(first.matches.map(({ line }) => line)).toEqual(
      Array.from({ length: 300 }, (_, index) => index + 1),
    );
    const rest = await search(target, { pattern: "hit", maxResults: 999, fromLine: 301 });
    expect(rest).toMatchObject({ matchingLines: 700, complete: true });
    expect(rest.matches[0]?.line).toBe(301);
  });

  it.each([
    ["CRLF", "a end\r\nb end\r\n", "end$", ["a end", "b end"]],
    ["NUL", "a\0b\nc\0\n", "\\x00b", ["a\0b"]],
    ["lone surrogates", "x\ud800y\n\udc00z\n", "\\ud800|\\udc00", ["x\ud800y", "\udc00z"]],
    ["a byte order mark", "\ufefftitle\n", "title", ["\ufefftitle"]],
    ["other scripts", "日本語\n한국어\n😀 ok\n", "語|😀", ["日本語", "😀 ok"]],
    ["an empty text", "", "x*", []],
  ])("reads %s as it is", async (_, content, pattern, lines) => {
    const outcome = await search(await fileOf(content), { pattern });
    expect(outcome.matches.map(({ text }) => text)).toEqual(lines);
    const inMemory = await search(memoryContent(encodeWtf8(content)), { pattern });
    expect(inMemory).toEqual(outcome);
  });

  it("shows a window of a line of 649 kB", async () => {
    const line = `${"x".repeat(400_000)}needle${"y".repeat(248_994)}`;
    const { matches } = await search(await fileOf(`short\n${line}\n`), { pattern: "needle" });
    const [match] = matches;
    expect(match).toMatchObject({ line: 2, column: 400_001, lineChars: 649_000 });
    expect(match?.text).toHaveLength(500);
    expect(match?.text.slice(400_001 - match.textColumn)).toMatch(/^needley/);
  });

  it("finds its way in a single line of 20 MB", async () => {
    const line = Buffer.alloc(20_000_000, "lorem ipsum ");
    line.write("needle 42", 19_000_000);
    const target = await fileOf(line);
    for (const pattern of ["needle", "needle \\d+", "(?<=.)n[e]edle"]) {
      const { matches, complete } = await search(target, { pattern, contextBefore: 2 });
      expect(complete).toBe(true);
      expect(matches).toHaveLength(1);
      expect(matches[0]).toMatchObject({ line: 1, column: 19_000_001, lineChars: 20_000_000 });
      expect(matches[0]?.text).toContain("needle 42");
    }
  });

  it("keeps the bytes of the caller", async () => {
    const whole = Buffer.from("left|needle|right");
    const bytes = whole.subarray(5, 11);
    const { matches } = await search(memoryContent(bytes), { pattern: "." });
    expect(matches[0]?.text).toBe("needle");
    expect(whole.toString()).toBe("left|needle|right");
  });
});

describe("a search in pieces that a store gives", () => {
  /** 40 MB that exist nowhere: each piece is made when it is read. */
  const made = (reads: string[]): SearchSource => ({
    size: 40_000_000,
    async read(start, end) {
      reads.push(`from ${start}`);
      await Promise.resolve();
      const bytes = Buffer.alloc(Math.min(end, 40_000_000) - start, "lorem ipsum dolo\n");
      if (start <= 39_000_000 && end > 39_000_010) bytes.write("needle", 39_000_000 - start);
      reads.push(`to ${end}`);
      return bytes;
    },
  });

  it("reads ahead by two and never holds the whole", async () => {
    const reads: string[] = [];
    const source = made(reads);
    let ahead = 0;
    const counted: SearchSource = {
      size: source.size,
      read: async (start, end) => {
        ahead = Math.max(ahead, end - start);
        return source.read(start, end);
      },
    };
    const { matches, complete } = await search(counted, { pattern: "n[e]edle" });
    expect(complete).toBe(true);
    expect(matches).toHaveLength(1);
    expect(matches[0]?.text).toContain("needle");
    expect(ahead).toBeLessThanOrEqual(1_048_576);
    // One at a time, in order.
    expect(reads.map((entry) => entry.split(" ")[0])).toEqual(
      reads.map((_, index) => (index % 2 === 0 ? "from" : "to")),
    );
  });

  it("waits for the worker before it reads on", async () => {
    const reads: string[] = [];
    const line = memoryContent(encodeWtf8(`${"a".repeat(1_000)}b\n`));
    const source: SearchSource = {
      size: 1_000_000_000,
      async read(start, end) {
        reads.push(`${start}`);
        return start === 0 ? line.read(0, line.size) : Buffer.alloc(end - start, "b\n");
      },
    };
    const stuck = await search(source, { pattern: ENDLESS }, { deadlineMs: 300 });
    expect(stuck).toMatchObject({ complete: false, stoppedBy: "deadline" });
    // The one that it is stuck in, the one that waits for it, and not one more.
    expect(reads.length).toBeLessThanOrEqual(2);
  });

  it("is not charged for the time that its store takes to read", async () => {
    const line = new TextEncoder().encode("a line with x\n");
    const deadlineMs = 300;
    // By this clock no time passes but that of the store, longer than the deadline.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const slow: SearchSource = {
        size: line.length,
        read: async () => {
          // Until another one is done, which began later, this one has begun.
          await search(ENDLESS_TEXT, { pattern: "x" });
          await vi.advanceTimersByTimeAsync(2 * deadlineMs);
          return line;
        },
      };
      expect(await search(slow, { pattern: "x" }, { deadlineMs })).toMatchObject({
        ...{ complete: true, matchingLines: 1 },
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it("stops at its deadline, or when it is aborted, though a read never ends", async () => {
    const silent: SearchSource = { size: 10, read: () => new Promise(() => undefined) };
    const outcome = await search(silent, { pattern: "a" }, { deadlineMs: 20 });
    expect(outcome).toMatchObject({ complete: false, stoppedBy: "deadline", matches: [] });
    const reason = new Error("enough");
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = search(silent, { pattern: "a" }, { deadlineMs: 600_000, signal });
    setTimeout(() => {
      controller.abort(reason);
    }, 20);
    await expect(aborted).rejects.toBe(reason);
    expect((await search(ENDLESS_TEXT, { pattern: "x" })).matches).toHaveLength(1);
  });

  it("reads the file that was opened, whatever stands under its name by then", async () => {
    const folder = await makeTempFolder();
    const path = join(folder, "content.txt");
    await writeFile(path, "the right one\n");
    const file = await openContent(path, disk);
    await rename(path, join(folder, "moved.txt"));
    await writeFile(join(folder, "other.txt"), "the wrong one\n");
    await symlink(join(folder, "other.txt"), path);
    const { matches } = await search(file, { pattern: "the" });
    expect(matches.map(({ text }) => text)).toEqual(["the right one"]);
    await file.close();
  });
});

describe("searches that have to share", () => {
  it("a plain word never waits for a pattern", async () => {
    const own = createSearcher("a place");
    const stop = new AbortController();
    const options = { deadlineMs: 600_000, signal: stop.signal, session: "mallory" };
    const query = { ...QUERY, pattern: ENDLESS };
    const stuck = Promise.allSettled(
      Array.from({ length: 9 }, () => own.search(ENDLESS_TEXT, query, options)),
    );
    for (const plain of [{ pattern: "x" }, { pattern: "X", ignoreCase: true }]) {
      const found = await own.search(
        ENDLESS_TEXT,
        { ...QUERY, ...plain },
        { deadlineMs: DEADLINE_MS },
      );
      expect(found.matches).toHaveLength(1);
    }
    stop.abort();
    await stuck;
    await own.close();
  });

  it.each([
    ["another session's pattern", "here", "there"],
    ["another workspace's, however many sessions the first one has", "there", "here"],
  ])("patterns that never end leave a worker for %s", async (_, place, ownSession) => {
    const stop = new AbortController();
    const evil = { ...QUERY, pattern: ENDLESS };
    const crowd = createSearcher("here");
    const stuck = Promise.allSettled(
      Array.from({ length: 9 }, (_, index) => {
        const session = place === "here" ? "mallory" : `mallory ${index}`;
        return crowd.search(ENDLESS_TEXT, evil, {
          ...{ deadlineMs: 600_000, signal: stop.signal, session },
        });
      }),
    );
    const query = { ...QUERY, pattern: "[x]$" };
    const found = await createSearcher(place).search(ENDLESS_TEXT, query, {
      ...{ deadlineMs: DEADLINE_MS, session: ownSession },
    });
    expect(found.matches).toHaveLength(1);
    stop.abort();
    await stuck;
  });

  it("workspaces take turns, and so do the sessions of each", () => {
    const name = fc.constantFrom("a", "b", "c");
    const step = fc.oneof(fc.record({ workspace: name, session: name }), fc.constant("take"));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new SearchQueue();
        const waiting: SearchJob[] = [];
        /** For each that waits, those that had a turn since it began to wait or had its own. */
        const servedSince = new Map<string, Set<string>>();
        const take = (): void => {
          const job = queue.take(() => true);
          if (job === undefined) {
            expect(waiting).toEqual([]);
            return;
          }
          const { workspace, session } = job;
          const ofSession = waiting.filter(
            (one) => one.workspace === workspace && one.session === session,
          );
          expect(job).toBe(ofSession[0]);
          waiting.splice(waiting.indexOf(job), 1);
          for (const [turn, isPeer] of [
            [workspace, (key: string) => !key.includes("/")],
            [`${workspace}/${session}`, (key: string) => key.startsWith(`${workspace}/`)],
          ] as const) {
            for (const [key, served] of servedSince) {
              if (key === turn || !isPeer(key)) continue;
              expect(served).not.toContain(turn);
              served.add(turn);
            }
            const waits = waiting.some(
              (one) => one.workspace === turn || `${one.workspace}/${one.session}` === turn,
            );
            if (waits) servedSince.set(turn, new Set());
            else servedSince.delete(turn);
          }
        };
        for (const one of steps) {
          if (typeof one === "string") {
            take();
            continue;
          }
          const job = { ...one } as SearchJob;
          queue.add(job);
          waiting.push(job);
          for (const key of [one.workspace, `${one.workspace}/${one.session}`]) {
            if (!servedSince.has(key)) servedSince.set(key, new Set());
          }
        }
        while (waiting.length > 0) take();
        take();
      }),
    );
  });

  it("one that was given up waits no longer", () => {
    const queue = new SearchQueue();
    const job = { workspace: "a", session: "b", isPlain: false } as SearchJob;
    queue.add(job);
    expect(queue.take(({ isPlain }) => isPlain)).toBeUndefined();
    expect([queue.remove(job), queue.remove(job)]).toEqual([true, false]);
    expect(queue.take(() => true)).toBeUndefined();
  });
});

describe("a search that cannot end by itself", () => {
  it("comes back at its deadline with what it has, while the event loop turns", async () => {
    const running = search(ENDLESS_TEXT, { pattern: ENDLESS }, { deadlineMs: 300 });
    expect(await turnsDuring(running)).toBeGreaterThan(5);
    const outcome = await running;
    expect(outcome).toMatchObject({ complete: false, stoppedBy: "deadline", scannedLines: 1 });
    expect(outcome.matches.map(({ line }) => line)).toEqual([1]);
  });

  it("is followed by others that are not affected", async () => {
    await search(ENDLESS_TEXT, { pattern: ENDLESS }, { deadlineMs: 50 });
    const rest = await search(ENDLESS_TEXT, { pattern: ENDLESS, fromLine: 4 });
    expect(rest).toMatchObject({ complete: true, scannedLines: 4 });
    expect(rest.matches.map(({ line }) => line)).toEqual([4]);
  });

  it("stops by itself between lines", async () => {
    const target = await fileOf("some line\n".repeat(500_000));
    const outcome = await search(target, { pattern: "(?<=x)some" }, { deadlineMs: 1 });
    expect(outcome).toMatchObject({ complete: false, stoppedBy: "deadline", matches: [] });
  });

  it("does not hold up those that wait for ever", async () => {
    const own = createSearcher("a place");
    const query = { ...QUERY, pattern: ENDLESS };
    const long = new AbortController();
    const options = { deadlineMs: DEADLINE_MS, signal: long.signal };
    const stuck = [1, 2].map(() => own.search(ENDLESS_TEXT, query, options));
    const settled = Promise.allSettled(stuck);
    const waited = await rejectionOf(own.search(ENDLESS_TEXT, query, { deadlineMs: 20 }));
    expect(waited).toMatchObject({ code: "SEARCH_TIMEOUT", waitedMs: 100 });
    expect(waited.message).toContain("other searches");
    expect(waited.message).not.toContain("simpler pattern");
    long.abort();
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await own.close();
  });

  it("does not make others give up while the queue moves", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const own = createSearcher("a place");
    try {
      const long = new AbortController();
      const stuckQuery = { ...QUERY, pattern: ENDLESS };
      const options = { deadlineMs: DEADLINE_MS, signal: long.signal };
      const stuck = Promise.allSettled(
        [1, 2].map(() => own.search(ENDLESS_TEXT, stuckQuery, options)),
      );
      let outcome: unknown;
      void rejectionOf(own.search(ENDLESS_TEXT, stuckQuery, { deadlineMs: 20 })).then(
        (error) => (outcome = error.code),
      );
      const of = { deadlineMs: DEADLINE_MS, session: "another" };
      for (let finished = 0; finished < 5; finished++) {
        await vi.advanceTimersByTimeAsync(90);
        expect(outcome).toBeUndefined();
        await own.search(ENDLESS_TEXT, { ...QUERY, pattern: "[x]$" }, of);
      }
      await vi.advanceTimersByTimeAsync(101);
      expect(outcome).toBe("SEARCH_TIMEOUT");
      long.abort();
      // Workers that do not stop are ended by a timer.
      await vi.advanceTimersByTimeAsync(1_000);
      await stuck;
    } finally {
      vi.useRealTimers();
      await own.close();
    }
  });
});

describe("a search that is given up", () => {
  it("is rejected with the signal's reason, at any time", async () => {
    const reason = new Error("changed my mind");
    const before = search(ENDLESS_TEXT, { pattern: "a" }, { signal: AbortSignal.abort(reason) });
    await expect(before).rejects.toBe(reason);
    const controller = new AbortController();
    // As many as there are workers: only if they are ended is there one for the next search.
    const options = { deadlineMs: 600_000, signal: controller.signal };
    const during = [1, 2].map(() => search(ENDLESS_TEXT, { pattern: ENDLESS }, options));
    setTimeout(() => {
      controller.abort(reason);
    }, 100);
    for (const running of await Promise.allSettled(during)) {
      expect(running).toEqual({ status: "rejected", reason });
    }
    expect((await search(ENDLESS_TEXT, { pattern: "x" })).matches).toHaveLength(1);
  });

  it("is rejected when the searcher is closed", async () => {
    const own = createSearcher("a place");
    const query = { ...QUERY, pattern: ENDLESS };
    const running = own.search(ENDLESS_TEXT, query, { deadlineMs: DEADLINE_MS });
    const rejected = expect(running).rejects.toMatchObject({ code: "SEARCH_FAILED" });
    await own.close();
    await rejected;
    const late = own.search(ENDLESS_TEXT, query, { deadlineMs: 10 });
    await expect(late).rejects.toMatchObject({ code: "SEARCH_FAILED" });
  });
});

describe("a search that fails", () => {
  const failing = (read: SearchSource["read"]): SearchSource => ({ size: 3_000_000, read });

  it("is told from what the store said", async () => {
    const down = failing(() => Promise.reject(new Error("the store is down")));
    const error = await rejectionOf(search(down, { pattern: "a" }));
    expect(error).toMatchObject({ code: "READ_FAILED", cause: { message: "the store is down" } });
    const coded = new ReadFailedError("it", new Error("gone"));
    await expect(
      search(
        failing(() => Promise.reject(coded)),
        { pattern: "a" },
      ),
    ).rejects.toBe(coded);
  });

  it("is told when there are fewer bytes than there were", async () => {
    const path = join(await makeTempFolder(), "short.txt");
    await writeFile(path, "a\n".repeat(1_000));
    const file = await openContent(path, disk);
    await truncate(path, 100);
    const cut = await rejectionOf(search(file, { pattern: "a" }));
    expect(cut.code).toBe("READ_FAILED");
    expect(cut.message).toContain("byte 100 of 2000");
    expect(cut.message).not.toContain(path);
    await file.close();
    const pieces = failing((start) =>
      Promise.resolve(start === 0 ? encodeWtf8("a\n") : new Uint8Array()),
    );
    expect((await rejectionOf(search(pieces, { pattern: "a" }))).code).toBe("READ_FAILED");
    expect((await search(ENDLESS_TEXT, { pattern: "x" })).matches).toHaveLength(1);
  });

  it("is told without a descriptor that can be read", async () => {
    const error = await rejectionOf(search({ ...ENDLESS_TEXT, fd: 100_000 }, { pattern: "a" }));
    expect(error).toMatchObject({ code: "READ_FAILED", cause: { code: "EBADF" } });
  });

  it("explains a pattern that cannot be used, also one that only shows when it runs", async () => {
    const text = memoryContent(encodeWtf8("text"));
    const broken = await rejectionOf(search(text, { pattern: "(" }));
    expect(broken.code).toBe("INVALID_PATTERN");
    const tooLarge = await rejectionOf(search(text, { pattern: "[xy]".repeat(500_000) }));
    expect(tooLarge.code).toBe("INVALID_PATTERN");
    expect(tooLarge.message.length).toBeLessThan(500);
  });
});

describe("the searcher", () => {
  it("serves ten at once, each with its own answer", async () => {
    const target = await fileOf(
      Array.from({ length: 10 }, (_, index) => `word${index}\n`).join(""),
    );
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => search(target, { pattern: `word${index}` })),
    );
    expect(outcomes.map(({ matches }) => matches.map(({ line }) => line))).toEqual(
      Array.from({ length: 10 }, (_, index) => [index + 1]),
    );
  });

  it("does not keep the process alive, but lets a search end", async () => {
    const built = new URL("../../dist/index.js", import.meta.url).href;
    const program = `
      const { createWorkspace } = await import(${JSON.stringify(built)});
      const workspace = createWorkspace({ root: ${JSON.stringify(await makeTempFolder())} });
      await workspace.put({ content: "hay\\nneedle\\n" }, { toolCallId: "a", sessionId: "s1" });
      console.log((await workspace.grepKnowledge("a", "needle")).text);`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "-e", program],
      { timeout: 50_000 },
    );
    expect(stdout.trim()).toBe("2:needle");
  });

  it.each(["esm", "cjs"] as const)("works from a bundle of one %s file", async (format) => {
    const folder = await makeTempFolder();
    const input = join(folder, "app.mjs");
    const built = new URL("../../dist/index.js", import.meta.url).pathname;
    await writeFile(
      input,
      `import { createWorkspace } from ${JSON.stringify(built)};
      const workspace = createWorkspace({ root: ${JSON.stringify(join(folder, "root"))} });
      const grep = async () => {
        await workspace.put({ content: "hay\\nneedle\\n" }, { toolCallId: "a", sessionId: "s1" });
        console.log((await workspace.grepKnowledge("a", "n[e]+dle")).text);
      };
      grep();`,
    );
    const bundle = await rolldown({ input, platform: "node" });
    const file = join(folder, "out", format === "esm" ? "app.mjs" : "app.cjs");
    await bundle.write({ file, format, minify: true, codeSplitting: false });
    await bundle.close();
    const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 50_000 });
    expect(stdout.trim()).toBe("2:needle");
  });

  it("finds the same in a Buffer, which the worker searches, as in a plain array", () => {
    const memory = [Buffer.alloc(SEARCH_BUFFER_BYTES), new Uint8Array(SEARCH_BUFFER_BYTES)];
    const query = { ...QUERY, contextBefore: 1, contextAfter: 1, maxResults: 1_000 };
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(10, 97, 98, 99, 0xc3, 0xa9), { minLength: 200, maxLength: 300 }),
        fc.string({ unit: fc.constantFrom("a", "b", "c", "é"), minLength: 1, maxLength: 4 }),
        (bytes, pattern) => {
          const [fast, plain] = memory.map((buffer) => {
            const matches: SearchMatch[] = [];
            const asked = { ...query, pattern };
            const search = new LineSearch(asked, {
              pattern: compilePattern(asked),
              buffer,
              onMatch: (match) => matches.push(match),
            });
            search.push(Uint8Array.from(bytes));
            search.finish();
            return { matches, ...search.tally };
          });
          expect(fast).toEqual(plain);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
