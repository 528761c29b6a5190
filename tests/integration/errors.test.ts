import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import * as errorClasses from "../../src/errors.js";
import { ContextOffloadError, offloadToolResult, offloadToolResults } from "../../src/index.js";
import { listTree } from "../support/list-tree.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { carrying, toolResult, textOf } from "../support/tool-messages.js";

const CODES = {
  AmbiguousArtifactError: "AMBIGUOUS_ARTIFACT",
  ArtifactDamagedError: "ARTIFACT_DAMAGED",
  ArtifactGoneError: "ARTIFACT_GONE",
  CallerFailedError: "CALLER_FAILED",
  ContentNotSerializableError: "CONTENT_NOT_SERIALIZABLE",
  KeyMissingError: "KEY_MISSING",
  InvalidArgumentError: "INVALID_ARGUMENT",
  InvalidEnvironmentError: "INVALID_ENVIRONMENT",
  InvalidPatternError: "INVALID_PATTERN",
  NoToolResultError: "NO_TOOL_RESULT",
  NotJsonError: "NOT_JSON",
  OutOfRangeError: "OUT_OF_RANGE",
  PackageMissingError: "PACKAGE_MISSING",
  PointerNotFoundError: "POINTER_NOT_FOUND",
  ReadFailedError: "READ_FAILED",
  SearchFailedError: "SEARCH_FAILED",
  SearchTimeoutError: "SEARCH_TIMEOUT",
  StoreUnreachableError: "STORE_UNREACHABLE",
  TooManyReadsError: "TOO_MANY_READS",
  UnknownArtifactError: "UNKNOWN_ARTIFACT",
  UnknownFormatError: "UNKNOWN_FORMAT",
  UnsafePathError: "UNSAFE_PATH",
  VersionMismatchError: "VERSION_MISMATCH",
  WriteFailedError: "WRITE_FAILED",
};

it("every exported error class has the code that it has always had, and speaks English", () => {
  const cause = new Error("original");
  const errors = {
    AmbiguousArtifactError: new errorClasses.AmbiguousArtifactError("a", ["s1", "s2"]),
    ArtifactDamagedError: new errorClasses.ArtifactDamagedError("a", "its hash is different"),
    ArtifactGoneError: new errorClasses.ArtifactGoneError("a", "removed"),
    CallerFailedError: new errorClasses.CallerFailedError("content", cause),
    ContentNotSerializableError: new errorClasses.ContentNotSerializableError(cause),
    KeyMissingError: new errorClasses.KeyMissingError("2026-11", cause),
    InvalidArgumentError: new errorClasses.InvalidArgumentError("outputDir", "", "a folder"),
    InvalidEnvironmentError: new errorClasses.InvalidEnvironmentError("X", "abc", "a number"),
    InvalidPatternError: new errorClasses.InvalidPatternError("(", "unterminated group"),
    NoToolResultError: new errorClasses.NoToolResultError("user"),
    NotJsonError: new errorClasses.NotJsonError(0, "unexpected text"),
    OutOfRangeError: new errorClasses.OutOfRangeError({
      names: ["startLine", "endLine"],
      start: 9,
      end: 9,
      count: 3,
      unit: "lines",
      owner: "the text",
    }),
    PackageMissingError: new errorClasses.PackageMissingError(["pg"], cause),
    PointerNotFoundError: new errorClasses.PointerNotFoundError("/a/b", {
      reached: "/a",
      kind: "object",
      keys: ["c"],
    }),
    ReadFailedError: new errorClasses.ReadFailedError("a.txt", cause),
    SearchFailedError: new errorClasses.SearchFailedError("it was closed"),
    SearchTimeoutError: new errorClasses.SearchTimeoutError("(a+)+", 2000, 7),
    StoreUnreachableError: new errorClasses.StoreUnreachableError("PostgreSQL", 3, cause),
    TooManyReadsError: new errorClasses.TooManyReadsError(51),
    UnknownArtifactError: new errorClasses.UnknownArtifactError("a", ["b"]),
    UnknownFormatError: new errorClasses.UnknownFormatError("none fits", []),
    UnsafePathError: new errorClasses.UnsafePathError("/out/s1", "it is a link"),
    VersionMismatchError: new errorClasses.VersionMismatchError(),
    WriteFailedError: new errorClasses.WriteFailedError("/out/a.md", cause),
  };
  const codes = Object.entries(errors).map(([name, error]) => [name, error.code]);
  expect(Object.fromEntries(codes)).toEqual(CODES);
  const exported = Object.keys(errorClasses).filter((name) => name.endsWith("Error"));
  expect(exported.sort()).toEqual([...Object.keys(errors), "ContextOffloadError"].sort());
  for (const [name, error] of Object.entries(errors)) {
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(ContextOffloadError);
    expect(error.name).toBe(name);
    expect(Object.keys(error)).not.toContain("isInstance");
    expect(error.message).not.toMatch(/[^\p{Script=Latin}\p{Script=Common}]/u);
  }
  expect(errors.WriteFailedError.cause).toBe(cause);
  expect(errors.ContentNotSerializableError.cause).toBe(cause);
});

it("the page on errors has a row and a section for every code, and for no other", async () => {
  const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
  const page = await read("docs/errors.md");
  const rows = [...page.matchAll(/^\| `(\w+)` +\|[^|]+\| `(\w+)` +\|/gm)];
  expect(Object.fromEntries(rows.map(([, code, name]) => [name, code]))).toEqual(CODES);
  const sections = [...page.matchAll(/^### `(\w+)`$/gm)].map(([, code]) => code);
  expect(sections.sort()).toEqual(Object.values(CODES).sort());
});

describe("ContextOffloadError.isInstance", () => {
  it("knows the errors of a second copy of the package, as instanceof does not", async () => {
    const folder = await makeTempFolder();
    await cp(fileURLToPath(new URL("../../dist", import.meta.url)), folder, { recursive: true });
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const url = pathToFileURL(join(folder, "errors.js")).href;
    const copy = (await import(/* @vite-ignore */ url)) as typeof errorClasses;
    const error = new copy.NoToolResultError("user");
    expect(error instanceof ContextOffloadError).toBe(false);
    expect(ContextOffloadError.isInstance(error)).toBe(true);
    expect(copy.ContextOffloadError.isInstance(new errorClasses.NoToolResultError("x"))).toBe(true);
  });

  it.each([[new Error("x")], [{ code: "WRITE_FAILED" }], [null], [undefined], ["WRITE_FAILED"]])(
    "is false for %o",
    (value) => {
      expect(ContextOffloadError.isInstance(value)).toBe(false);
    },
  );
});

describe("content that cannot be written as JSON", () => {
  const cycle: { type: string; self?: unknown } = { type: "text" };
  cycle.self = cycle;
  let deep: unknown = "bottom";
  for (let level = 0; level < 200_000; level++) deep = [deep];

  it.each([
    ["a cycle", cycle],
    ["a BigInt", { type: "text", size: 10n }],
    ["200,000 levels", { type: "text", deep }],
    [
      "a toJSON that throws",
      {
        type: "text",
        toJSON() {
          throw new TypeError("not today");
        },
      },
    ],
  ])("is an error with a code, and nothing is written: %s", async (_, block) => {
    const folder = await makeTempFolder();
    const outputDir = join(folder, "never-made");
    const good = toolResult("good", textOf(500));
    const bad = toolResult("bad", [block]);
    for (const call of [
      () => offloadToolResult(carrying(good, bad), { sessionId: "s1", outputDir }),
      () => offloadToolResults([carrying(good), carrying(bad)], { outputDir }),
    ]) {
      const error = await rejectionOf(call());
      expect(error).toBeInstanceOf(errorClasses.ContentNotSerializableError);
      expect(error.code).toBe("CONTENT_NOT_SERIALIZABLE");
      expect(error.cause).toBeInstanceOf(Error);
      expect(error.message).toContain((error.cause as Error).message);
    }
    expect(await listTree(folder)).toEqual([]);
  });
});
