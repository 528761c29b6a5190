import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { expect, it } from "vitest";
import { mapConcurrently } from "../../src/core/lib/concurrency.js";
import { NO_MATCH } from "../../src/core/workspace/reading/grep-knowledge.js";
import type { ContextOffloadError, Workspace } from "../../src/index.js";
import { runs } from "../support/adversarial-runs.js";
import { makeStore } from "../support/store-files.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { SHARED_SYNTAXES } from "./ripgrep-patterns.js";

const TEXTS = 15;
const LINES = 150;
const PATTERNS = 25;
const PLAIN = [
  "--no-config",
  "--text",
  "--encoding=none",
  "--line-number",
  "--color=never",
  "--threads=1",
];
const MOST = { maxResults: 100_000, maxChars: 10_000_000, view: "raw" } as const;

interface Query {
  readonly pattern: string;
  readonly ignoreCase: boolean;
}

/** The numbers of the lines that match; undefined if the pattern is not understood. */
function theirs(file: string, { pattern, ignoreCase }: Query): Promise<number[] | undefined> {
  const args = [...PLAIN, ...(ignoreCase ? ["--ignore-case"] : []), "-e", pattern, "--", file];
  return new Promise((resolve, reject) => {
    execFile(rgPath, args, { maxBuffer: 2 ** 26 }, (error, stdout) => {
      if (error?.code === 2) resolve(undefined);
      else if (error && error.code !== 1) reject(new Error("ripgrep failed", { cause: error }));
      else resolve(lineNumbers(stdout));
    });
  });
}

/** The same; undefined also if the pattern backtracks so much that the search was stopped. */
async function ours(workspace: Workspace, query: Query): Promise<number[] | undefined> {
  const options = { ...MOST, ignoreCase: query.ignoreCase };
  try {
    const { text, note = "" } = await workspace.grepKnowledge("a", query.pattern, options);
    if (note.includes("was stopped")) return undefined;
    // The pattern itself matches nothing: what is shown is what another reading of it matches.
    const isOther = note.includes("Searched for") || note.startsWith(NO_MATCH);
    return isOther ? [] : lineNumbers(text);
  } catch (error) {
    const { code } = error as ContextOffloadError;
    if (code === "INVALID_PATTERN" || code === "SEARCH_TIMEOUT") return undefined;
    throw error;
  }
}

/** A line with `=` after its number only names the section of a match. */
const lineNumbers = (printed: string): number[] =>
  printed === ""
    ? []
    : printed
        .replace(/\n$/, "")
        .split("\n")
        .filter((line) => !/^\d+=/.test(line))
        .map((line) => parseInt(line));

/** Says what differs and how to see it again; the generated lines would fill the screen. */
function report<T>({ failed, seed, counterexamplePath, errorInstance }: fc.RunDetails<T>) {
  if (!failed) return Promise.resolve();
  const replay = { seed, path: counterexamplePath };
  throw new Error(`Property failed: ${JSON.stringify(replay)}`, { cause: errorInstance });
}

it.each(SHARED_SYNTAXES)("finds the lines that ripgrep finds: $name", async ({ line, pattern }) => {
  let compared = 0;
  let telling = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: LINES, maxLength: LINES }),
      // Several times the same lines take more than one block of the search.
      fc.oneof(
        { weight: 15, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.constant(40) },
      ),
      fc.array(fc.record({ pattern, ignoreCase: fc.boolean() }), {
        minLength: PATTERNS,
        maxLength: PATTERNS,
      }),
      fc.constantFrom("", "\n"),
      async (some, times, queries, end) => {
        const lines = Array.from({ length: times }, () => some).flat();
        const content = lines.join("\n") + end;
        const file = join(await makeTempFolder(), "text");
        await writeFile(file, content);
        const { workspace } = await makeStore();
        await workspace.put({ content }, { sessionId: "default", toolCallId: "a" });
        await mapConcurrently(queries, 4, async (query) => {
          const [expected, found] = [await theirs(file, query), await ours(workspace, query)];
          if (!expected || !found) return;
          const only = (some: number[], others: Set<number>) =>
            some.filter((at) => !others.has(at)).map((at) => `${at}: ${lines[at - 1] ?? ""}`);
          expect({
            query,
            onlyOurs: only(found, new Set(expected)),
            onlyTheirs: only(expected, new Set(found)),
          }).toEqual({ query, onlyOurs: [], onlyTheirs: [] });
          compared += 1;
          if (found.length > 0 && found.length < lines.length) telling += 1;
        });
        await workspace.close();
      },
    ),
    { numRuns: runs(TEXTS), endOnFailure: true, asyncReporter: report },
  );
  console.info(`${compared} patterns compared with ripgrep; ${telling} match some lines, not all`);
  expect(compared).toBeGreaterThan(runs(TEXTS) * PATTERNS * 0.8);
  expect(telling).toBeGreaterThan(runs(TEXTS) * PATTERNS * 0.3);
});
