import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";
import { ArgumentError } from "../../src/core/lib/text/text-range.js";
import { parseRecordQuery } from "../../src/core/lib/records/record-query.js";
import { hostileTexts } from "../support/hostile-texts.js";

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));

/** At this length, work that grows with its square takes minutes, and work that is linear a millisecond. */
const TEXT_CHARS = 200_000;
/** How long all texts of one expression may take together; about a hundred times what they need. */
const PATIENCE_MS = 30_000;

/** How long a slow one is waited for; ten times what the texts of a good one need. */
const IMPATIENCE_MS = 500;

/** Expressions that are made at run time, by file, and why they are safe. */
const MADE_AT_RUN_TIME: Readonly<Record<string, string>> = {
  "core/lib/search/compile-pattern.ts": "the model's own patterns, which run in a worker",
  "core/lib/text/printable.ts": "a class of characters, once",
  "core/secrets/assignments.ts": "parts of one expression, which redaction-growth measures",
  "core/secrets/known-tokens.ts": "literals of the same file, which redaction-growth measures",
  "core/lib/digest/verdicts.ts": "literals of the same file; it sees at most 300 characters",
  "core/lib/records/record-query.ts": "literals of the same file, over a query: below",
};

/** What sees a part of a line, and so much of it; everything else sees texts of any length. */
const SEEN_CHARS: Readonly<Record<string, number>> = {
  "core/lib/digest/verdicts.ts": 300,
};

interface Found {
  readonly file: string;
  readonly text: string;
}

/** Every expression in the source, and the files that make further ones. */
function readSource(): { expressions: Found[]; makers: string[] } {
  const expressions: Found[] = [];
  const makers = new Set<string>();
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" });
  for (const file of files.map((path) => path.replaceAll("\\", "/"))) {
    if (!file.endsWith(".ts")) continue;
    const text = readFileSync(join(SOURCE, file), "utf8");
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) expressions.push({ file, text: node.text });
      if (ts.isIdentifier(node) && node.text === "RegExp" && !ts.isTypeNode(node.parent)) {
        makers.add(file);
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  }
  return { expressions, makers: [...makers].sort() };
}

function parseLiteral(text: string): RegExp {
  const end = text.lastIndexOf("/");
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

/** Runs an expression over texts, in a thread that can be ended. */
const RUNNER = `
const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ source, flags, texts, chars }) => {
  for (const { start, part, end } of texts) {
    const text = start + part.repeat(Math.ceil(chars / part.length)) + end;
    if (flags.includes("g")) text.replace(new RegExp(source, flags), "");
    else new RegExp(source, flags).exec(text);
  }
  parentPort.postMessage("done");
});`;

let runner: Worker | undefined;
afterAll(() => runner?.terminate());

/** Whether an expression comes to an end on all of its hostile texts. */
async function endsSoon(
  expression: RegExp,
  chars = TEXT_CHARS,
  patienceMs = PATIENCE_MS,
): Promise<boolean> {
  const worker = (runner ??= new Worker(RUNNER, { eval: true }));
  const { source, flags } = expression;
  const done = await new Promise<boolean>((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(false);
    }, patienceMs);
    worker.once("error", reject);
    worker.once("message", () => {
      clearTimeout(timer);
      worker.removeListener("error", reject);
      resolve(true);
    });
    worker.postMessage({ source, flags, texts: hostileTexts(expression), chars });
  });
  if (!done) {
    runner = undefined;
    await worker.terminate();
  }
  return done;
}

const { expressions, makers } = readSource();

describe("the time of an expression grows no faster than the text", () => {
  it("every expression of the source is seen", () => {
    expect(expressions.length).toBeGreaterThan(100);
    expect(makers).toEqual(Object.keys(MADE_AT_RUN_TIME).sort());
  });

  it.each(["in(", "a in (", "in()", "'", "' ", '"', "a=1 and ", "a=1 or ", "x\\"])(
    "a query full of %s is split at once",
    (part) => {
      const before = process.cpuUsage();
      try {
        parseRecordQuery(`a=1 ${part.repeat(TEXT_CHARS / part.length)}`);
      } catch (error) {
        expect(error).toBeInstanceOf(ArgumentError);
      }
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000).toBeLessThan(1_500);
    },
  );

  const byFile = new Map(
    expressions.map(({ file }) => [file, expressions.filter((found) => found.file === file)]),
  );
  it.each([...byFile.keys()])("%s", async (file) => {
    const slow: string[] = [];
    for (const { text } of byFile.get(file) ?? []) {
      if (!(await endsSoon(parseLiteral(text), SEEN_CHARS[file]))) slow.push(text);
    }
    expect(slow).toEqual([]);
  });

  it.each([
    /^(?:\s|\ufeff)*</,
    /(a+)+$/,
    /^[_-]+|[_-]+$/g,
    /^[+-]?(?:\d+\.?\d*|\.\d+)$/,
    /\B(?=(?:\d{3})+$)/g,
    /\s*\n\s*/g,
    /"[^"]*"\s*,?\s*$/,
    /(?:<!--[^>]*>|\s)*<html[^>]*>\s+x/,
  ])("notices that %s is slow", async (expression) => {
    expect(await endsSoon(expression, TEXT_CHARS, IMPATIENCE_MS)).toBe(false);
  });
});
