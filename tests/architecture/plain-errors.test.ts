import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));

/** Plain errors that reach no caller as such, by file, and why. */
const WRAPPED: Readonly<Record<string, string>> = {
  "core/offloader/result-storage.ts": "the cause of a WriteFailedError, made one line below",
  "infrastructure/file-store/kept-file.ts": "FileStore wraps it in a WriteFailedError",
  "infrastructure/file-store/manifest.ts": "FileStore wraps it in a WriteFailedError",
  "infrastructure/file-store/manifest-reader.ts": "FileStore wraps it in a ReadFailedError",
  "infrastructure/file-store/open-content.ts": "FileStore wraps it in a ReadFailedError",
  "infrastructure/file-store/put-artifact.ts": "FileStore wraps it in a WriteFailedError",
  "infrastructure/postgres-store/postgres-database.ts": "joinStores wraps it",
  "infrastructure/postgres-store/postgres-metadata.ts": "joinStores wraps it in a WriteFailedError",
  "infrastructure/search/search-worker.ts": "the cause of a ReadFailedError or SearchFailedError",
  "infrastructure/search/worker-source.ts": "a source text that the build replaces",
  "infrastructure/search/worker-thread.ts":
    "sent to the main thread, which makes a ReadFailedError",
  "infrastructure/sqlite-store/sqlite-database.ts": "joinStores wraps it",
  "infrastructure/sqlite-store/sqlite-metadata.ts": "joinStores wraps it in a WriteFailedError",
  "integrations/anthropic/offload-tools.ts": "a tool's failure, as the SDK's runner expects it",
  "integrations/langchain/offload-tools.ts": "a tool's failure, as LangChain expects it",
  "integrations/pi/offload-agent.ts": "a tool's failure, as the agent expects it",
  "testing/checks.ts": "an assertion of a conformance suite, for a test runner",
  "testing/store-checks/faults.ts": "a fault that the suite makes on purpose",
  "testing/store-checks/removal.ts": "an assertion of a conformance suite, for a test runner",
  "testing/store-context.ts": "an assertion of a conformance suite, for a test runner",
};

/** Errors of the general library, which knows nothing of the package's codes, and what gives them one. */
const CODED: Readonly<Record<string, string>> = {
  ArgumentError: "core/workspace/reading/coded-errors.ts",
  JsonPointerError: "core/workspace/reading/coded-errors.ts",
  JsonSyntaxError: "core/workspace/reading/coded-errors.ts",
  NotWrappedError: "core/lib/wrapping/readable-text.ts",
  PatternError: "infrastructure/search/worker-thread.ts",
  ShortSourceError: "core/workspace/reading/coded-errors.ts",
  TextRangeError: "core/workspace/reading/coded-errors.ts",
};

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, text: readFileSync(join(SOURCE, path), "utf8") }));

const PLAIN = /\bnew (?:Type|Range|Syntax|Eval|URI|Reference|Aggregate)?Error\(/;

describe("every error that reaches a caller has a code [DESIGN-9]", () => {
  it("is a ContextOffloadError wherever it is made, unless it becomes one's cause", () => {
    const plain = files.filter(({ text }) => PLAIN.test(text)).map(({ path }) => path);
    expect(files.length).toBeGreaterThan(100);
    expect(plain.sort()).toEqual(Object.keys(WRAPPED).sort());
  });

  it("is never a string or a plain object", () => {
    const odd = files.filter(({ text }) => /\bthrow ["'`{[]/.test(text)).map(({ path }) => path);
    expect(odd).toEqual([]);
  });

  it("stands for each error of the general library", () => {
    const classes = files
      .filter(({ path }) => path.startsWith("core/lib/"))
      .flatMap(({ text }) => [...text.matchAll(/class (\w+) extends Error\b/g)])
      .map(([, name = ""]) => name);
    expect(classes.sort()).toEqual(Object.keys(CODED).sort());
    for (const [name, path] of Object.entries(CODED)) {
      expect(files.find((file) => file.path === path)?.text, path).toContain(name);
    }
  });

  it("has the one base, and a class of its own", () => {
    const bases = files
      .filter(({ path }) => path.startsWith("core/errors/"))
      .flatMap(({ text }) => [...text.matchAll(/class (\w+) extends (\w+)/g)])
      .filter(([, name]) => name !== "ContextOffloadError")
      .map(([, , base]) => base);
    expect(bases.length).toBeGreaterThan(10);
    expect(new Set(bases)).toEqual(new Set(["ContextOffloadError"]));
  });
});
