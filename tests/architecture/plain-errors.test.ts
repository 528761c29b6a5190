import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, text: readFileSync(join(SOURCE, path), "utf8") }));

/** Layers that talk to a test runner or to a framework, which expect plain errors. */
const TALKS_TO_OTHERS = /^(?:testing|integrations)\//;

/** A plain error, unless it is the cause of another one, has a code of its own, or is in a text. */
function hasPlainError(text: string): boolean {
  const code = text.replace(/`[^`]*`/g, "``");
  const made =
    /(?<!\bcause = |Object\.assign\()\bnew (?:Type|Range|Syntax|Eval|URI|Reference|Aggregate)?Error\(/;
  return made.test(code);
}

describe("every error that reaches a caller has a code", () => {
  it("is a ContextOffloadError wherever it is made, unless it is marked as a cause", () => {
    const own = files.filter(({ path }) => !TALKS_TO_OTHERS.test(path));
    expect(own.length).toBeGreaterThan(100);
    expect(own.filter(({ text }) => hasPlainError(text)).map(({ path }) => path)).toEqual([]);
  });

  it("has causes only inside of stores and searches, which wrap them", () => {
    const others = files.filter(
      ({ path, text }) => /\bnew CauseError\(/.test(text) && !path.startsWith("infrastructure/"),
    );
    expect(others.map(({ path }) => path)).toEqual([]);
  });

  it("is never a string or a plain object", () => {
    const odd = files.filter(({ text }) => /\bthrow ["'`{[]/.test(text)).map(({ path }) => path);
    expect(odd).toEqual([]);
  });

  it("stands for each error of the general library, which knows no codes", () => {
    const classes = files
      .filter(({ path }) => path.startsWith("core/lib/"))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/class (\w+) extends Error\b/g)].map(([, name = ""]) => ({ path, name })),
      );
    expect(classes.length).toBeGreaterThan(3);
    const uncaught = classes.filter(
      ({ path, name }) =>
        !files.some((file) => file.path !== path && new RegExp(`\\b${name}\\b`).test(file.text)),
    );
    expect(uncaught).toEqual([]);
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
