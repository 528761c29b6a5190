import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createSearchBuffer } from "../../src/core/lib/search/search-buffer.js";
import type { SearchOutcome, SearchQuery } from "../../src/core/lib/search/search-query.js";
import { encodeWtf8 } from "../../src/core/lib/text/wtf8.js";
import {
  createPlainSearchBuffer,
  createNativeSearchBuffer,
} from "../../src/infrastructure/search/native-search-buffer.js";
import { createSearcher } from "../../src/infrastructure/search/searcher.js";
import type { SearchTarget } from "../../src/infrastructure/search/search-worker.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";

const searcher = createSearcher();
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
const ENDLESS_TEXT = encodeWtf8(`aaa\nx\n${"a".repeat(50_000)}b\naa\n`);

function search(
  target: SearchTarget,
  query: Partial<SearchQuery>,
  options: { deadlineMs?: number; signal?: AbortSignal } = {},
): Promise<SearchOutcome> {
  return searcher.search(target, { ...QUERY, ...query }, { deadlineMs: DEADLINE_MS, ...options });
}

async function fileOf(content: string | Uint8Array): Promise<{ path: string }> {
  const path = join(await makeTempFolder(), "content.txt");
  await writeFile(path, typeof content === "string" ? encodeWtf8(content) : content);
  return { path };
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

describe("a search in a file [DESIGN-8-search]", () => {
  test("finds lines with their neighbours", async () => {
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

  test("says that there are more than were asked for, and goes on from a line", async () => {
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

  test.each([
    ["CRLF", "a end\r\nb end\r\n", "end$", ["a end", "b end"]],
    ["NUL", "a\0b\nc\0\n", "\\x00b", ["a\0b"]],
    ["lone surrogates", "x\ud800y\n\udc00z\n", "\\ud800|\\udc00", ["x\ud800y", "\udc00z"]],
    ["a byte order mark", "\ufefftitle\n", "title", ["\ufefftitle"]],
    ["other scripts", "日本語\n한국어\n😀 ok\n", "語|😀", ["日本語", "😀 ok"]],
    ["an empty text", "", "x*", []],
  ])("reads %s as it is", async (_, content, pattern, lines) => {
    const outcome = await search(await fileOf(content), { pattern });
    expect(outcome.matches.map(({ text }) => text)).toEqual(lines);
    const inMemory = await search({ bytes: encodeWtf8(content) }, { pattern });
    expect(inMemory).toEqual(outcome);
  });

  test("shows a window of a line of 649 kB", async () => {
    const line = `${"x".repeat(400_000)}needle${"y".repeat(248_994)}`;
    const { matches } = await search(await fileOf(`short\n${line}\n`), { pattern: "needle" });
    const [match] = matches;
    expect(match).toMatchObject({ line: 2, column: 400_001, lineChars: 649_000 });
    expect(match?.text).toHaveLength(500);
    expect(match?.text.slice(400_001 - match.textColumn)).toMatch(/^needley/);
  });

  test("finds its way in a single line of 20 MB", async () => {
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

  test("keeps the bytes of the caller", async () => {
    const whole = Buffer.from("left|needle|right");
    const bytes = whole.subarray(5, 11);
    const { matches } = await search({ bytes }, { pattern: "." });
    expect(matches[0]?.text).toBe("needle");
    expect(whole.toString()).toBe("left|needle|right");
  });
});

describe("a search that cannot end by itself [DESIGN-8-deadline]", () => {
  test("comes back at its deadline with what it has, while the event loop turns", async () => {
    const running = search({ bytes: ENDLESS_TEXT }, { pattern: ENDLESS }, { deadlineMs: 300 });
    expect(await turnsDuring(running)).toBeGreaterThan(5);
    const outcome = await running;
    expect(outcome).toMatchObject({ complete: false, stoppedBy: "deadline", scannedLines: 1 });
    expect(outcome.matches.map(({ line }) => line)).toEqual([1]);
  });

  test("is followed by others that are not affected", async () => {
    await search({ bytes: ENDLESS_TEXT }, { pattern: ENDLESS }, { deadlineMs: 50 });
    const rest = await search({ bytes: ENDLESS_TEXT }, { pattern: ENDLESS, fromLine: 4 });
    expect(rest).toMatchObject({ complete: true, scannedLines: 4 });
    expect(rest.matches.map(({ line }) => line)).toEqual([4]);
  });

  test("stops by itself between lines", async () => {
    const target = await fileOf("some line\n".repeat(500_000));
    const outcome = await search(target, { pattern: "(?<=x)some" }, { deadlineMs: 1 });
    expect(outcome).toMatchObject({ complete: false, stoppedBy: "deadline", matches: [] });
  });

  test("does not hold up those that wait for ever", async () => {
    const own = createSearcher();
    const query = { ...QUERY, pattern: ENDLESS };
    const long = new AbortController();
    const options = { deadlineMs: DEADLINE_MS, signal: long.signal };
    const stuck = [1, 2].map(() => own.search({ bytes: ENDLESS_TEXT }, query, options));
    const settled = Promise.allSettled(stuck);
    const waited = await own.search({ bytes: ENDLESS_TEXT }, query, { deadlineMs: 20 });
    expect(waited).toEqual({
      ...{ matches: [], matchingLines: 0, scannedLines: 0 },
      ...{ complete: false, stoppedBy: "deadline" },
    });
    long.abort();
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await own.close();
  });
});

describe("a search that is given up [DESIGN-8-abort]", () => {
  test("is rejected with the signal's reason, at any time", async () => {
    const reason = new Error("changed my mind");
    const before = search(
      { bytes: ENDLESS_TEXT },
      { pattern: "a" },
      { signal: AbortSignal.abort(reason) },
    );
    await expect(before).rejects.toBe(reason);
    const controller = new AbortController();
    // As many as there are workers: only if they are ended is there one for the next search.
    const options = { deadlineMs: 600_000, signal: controller.signal };
    const during = [1, 2].map(() => search({ bytes: ENDLESS_TEXT }, { pattern: ENDLESS }, options));
    setTimeout(() => {
      controller.abort(reason);
    }, 100);
    for (const running of await Promise.allSettled(during)) {
      expect(running).toEqual({ status: "rejected", reason });
    }
    expect((await search({ bytes: ENDLESS_TEXT }, { pattern: "x" })).matches).toHaveLength(1);
  });

  test("is rejected when the searcher is closed", async () => {
    const own = createSearcher();
    const query = { ...QUERY, pattern: ENDLESS };
    const running = own.search({ bytes: ENDLESS_TEXT }, query, { deadlineMs: DEADLINE_MS });
    const rejected = expect(running).rejects.toThrow("closed");
    await own.close();
    await rejected;
    const late = own.search({ bytes: ENDLESS_TEXT }, query, { deadlineMs: 10 });
    await expect(late).rejects.toThrow("closed");
  });
});

describe("a search that fails [DESIGN-9-search]", () => {
  test("names the file that is missing, and keeps the code", async () => {
    const path = join(await makeTempFolder(), "missing.txt");
    const failure = search({ path }, { pattern: "a" });
    await expect(failure).rejects.toMatchObject({ code: "ENOENT" });
    await expect(failure).rejects.toThrow(`Could not search ${path}: ENOENT`);
    const folder = search({ path: await makeTempFolder() }, { pattern: "a" });
    await expect(folder).rejects.toMatchObject({ code: "EISDIR" });
  });

  test("explains a pattern that cannot be used, also one that only shows when it runs", async () => {
    const bytes = encodeWtf8("text");
    const broken = await rejectionOf(search({ bytes }, { pattern: "(" }));
    expect(broken.code).toBe("INVALID_PATTERN");
    const tooLarge = await rejectionOf(search({ bytes }, { pattern: "[xy]".repeat(500_000) }));
    expect(tooLarge.code).toBe("INVALID_PATTERN");
    expect(tooLarge.message.length).toBeLessThan(500);
  });
});

describe("the searcher", () => {
  test("serves ten at once, each with its own answer", async () => {
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

  test("does not keep the process alive, but lets a search end", async () => {
    const built = new URL("../../dist/infrastructure/searcher.js", import.meta.url).href;
    const program = `
      const { createSearcher } = await import(${JSON.stringify(built)});
      const query = { ...${JSON.stringify(QUERY)}, pattern: "needle" };
      const bytes = new TextEncoder().encode("hay\\nneedle\\n");
      const outcome = await createSearcher().search({ bytes }, query, { deadlineMs: 20000 });
      console.log(outcome.matches[0].line);`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "-e", program],
      { timeout: 50_000 },
    );
    expect(stdout.trim()).toBe("2");
  });

  test("has fast ways that find the same bytes as the plain one", () => {
    const arenas = [createNativeSearchBuffer, createPlainSearchBuffer, createSearchBuffer].map(
      (create) => create(4_096),
    );
    const byte = fc.constantFrom(10, 97, 98, 99, 0xc3);
    fc.assert(
      fc.property(
        fc.array(byte, { minLength: 200, maxLength: 300 }),
        fc.array(byte, { minLength: 1, maxLength: 5 }),
        fc.nat({ max: 100 }),
        fc.nat({ max: 300 }),
        (bytes, needle, from, length) => {
          const answers = arenas.map((searchBuffer) => {
            searchBuffer.bytes.fill(97).set(bytes);
            searchBuffer.setNeedle(Uint8Array.from(needle));
            const end = from + length;
            return [
              searchBuffer.find(from, end),
              searchBuffer.countLineFeeds(from, end),
              searchBuffer.decode(from, end),
            ];
          });
          expect(answers[0]).toEqual(answers[2]);
          expect(answers[1]).toEqual(answers[2]);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
