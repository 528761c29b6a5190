import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  extractAnchors,
  extractLinks,
  extractSnippets,
  findTypeErrors,
  toModule,
  type Snippet,
} from "../../scripts/doc-snippets.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** Runs each block in its own folder, as if alone, and says which of them failed. */
const RUN_BLOCKS = `
  import { dirname } from "node:path";
  import { pathToFileURL } from "node:url";
  for (const { at, module } of JSON.parse(process.argv[1])) {
    process.chdir(dirname(module));
    const late = setTimeout(() => { console.error("FAILED " + at + ": takes too long"); process.exit(); }, 60_000);
    await import(pathToFileURL(module).href).catch((error) => {
      console.error("FAILED " + at + ": " + (error.stack ?? error).toString().replaceAll("\\n", " "));
    });
    clearTimeout(late);
  }
  process.exit();
`;

const docs = (await readdir(join(ROOT, "docs"), { recursive: true }))
  // The pages of the interface are made from comments, whose examples are pieces of programs.
  .filter((entry) => entry.endsWith(".md") && !entry.startsWith("api"))
  .map((entry) => join("docs", entry));
const snippets: Snippet[] = [];
for (const path of ["README.md", ...docs.sort()]) {
  snippets.push(...extractSnippets(path, await readFile(join(ROOT, path), "utf8")));
}
const runnable = snippets.filter(({ runs }) => runs);

describe("the code in the documentation", () => {
  // Inside the repository, so that the package finds itself by its name.
  const scratch = join(ROOT, ".scratch");
  let folder: string;

  beforeAll(async () => {
    await mkdir(scratch, { recursive: true });
    folder = await mkdtemp(join(scratch, "docs-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("is there, in the README and in the pages", () => {
    const paths = new Set(runnable.map(({ path }) => path));
    expect(paths).toContain("README.md");
    expect(paths.size).toBeGreaterThanOrEqual(5);
  });

  // One process for all: to start one takes longer than most blocks do.
  it("runs, each block in an empty folder", async () => {
    const blocks = await Promise.all(
      runnable.map(async (snippet) => {
        const module = join(await mkdtemp(join(folder, "block-")), "block.mjs");
        await writeFile(module, transpile(toModule(snippet)));
        return { at: `${snippet.path}:${snippet.line}`, module };
      }),
    );
    const environment = { ...process.env };
    delete environment["OFFLOAD_CHAR_THRESHOLD"];
    delete environment["OFFLOAD_RATIO_THRESHOLD"];
    const args = ["--input-type=module", "--eval", RUN_BLOCKS, JSON.stringify(blocks)];
    const { stderr } = await run(process.execPath, args, { env: environment, maxBuffer: 1e9 });
    expect(stderr.split("\n").filter((line) => line.startsWith("FAILED "))).toEqual([]);
  });
});

describe("the README", () => {
  it("shows what the package gives for the sample conversation", async () => {
    const script = join(ROOT, "scripts/make-readme-sample.mjs");
    const { stdout } = await run(process.execPath, [script, "--check"]);
    expect(stdout).toBe("README: the sample is up to date\n");
  });
});

describe("what a page says", () => {
  it("of security names tests that exist", async () => {
    const page = await readFile(join(ROOT, "docs/security.md"), "utf8");
    const promises = page.split("## What each promise rests on")[1]?.split("\n## ")[0] ?? "";
    const rows = promises.split("\n").filter((line) => /^\| [A-Z]/.test(line));
    expect(rows.length).toBeGreaterThan(10);
    const packages = ["packages/mcp/tests", "packages/cli/tests"];
    const listed = await Promise.all(
      ["tests", ...packages].map((folder) => readdir(join(ROOT, folder), { recursive: true })),
    );
    const tests = listed
      .flatMap((names, at) =>
        names.map((name) => (at === 0 ? name : join(packages[at - 1] ?? "", name))),
      )
      .join("\n");
    for (const row of rows) {
      const named = [...(row.split("|").at(-2) ?? "").matchAll(/`([^`]+)`/g)];
      expect(named, row).not.toEqual([]);
      for (const [, name = ""] of named) {
        expect(tests, name).toMatch(new RegExp(`${name.replaceAll("*", ".*")}\\.test\\.ts$`, "m"));
      }
    }
  });
});

describe("reading a page", () => {
  const page = [
    "# A `title`, *twice*",
    '[here](other.md#there) and `[not](this.md)` <img src="a.svg" />',
    "<!-- doc-setup: const a = 1; -->",
    "",
    "```ts",
    "use(a);",
    "```",
    "",
    "```ts no-run",
    "never(); // [no](link.md)",
    "```",
    "```json",
    "{}",
    "```",
    "## A title, twice",
  ].join("\n");

  it("finds the blocks, with their set-up and their line", () => {
    const [first, second, ...rest] = extractSnippets("page.md", page);
    expect(first).toEqual({
      path: "page.md",
      line: 6,
      setup: "const a = 1;",
      code: "use(a);",
      runs: true,
    });
    expect(first && toModule(first)).toBe("const a = 1;\nuse(a);");
    expect(second).toMatchObject({ line: 10, setup: "", runs: false });
    expect(rest).toEqual([]);
  });

  it("reports a type error at its line of the page", () => {
    const [first] = extractSnippets("page.md", page);
    if (!first) throw new Error("no block");
    const known = { ...first, setup: "declare function use(value: number): void;\nconst a = 1;" };
    expect(findTypeErrors([known], ROOT)).toEqual([]);
    const [problem] = findTypeErrors([{ ...known, code: 'use("a");' }], ROOT);
    expect(problem).toMatch(/^page\.md:6: Argument of type 'string'/);
  });

  it("finds the links outside of code, and the headings", () => {
    expect(extractLinks("page.md", page).map(({ target }) => target)).toEqual([
      "other.md#there",
      "a.svg",
    ]);
    expect([...extractAnchors(page)]).toEqual(["a-title-twice", "a-title-twice-1"]);
  });
});

function transpile(code: string): string {
  return ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 },
  }).outputText;
}
