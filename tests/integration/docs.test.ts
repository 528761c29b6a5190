import { existsSync } from "node:fs";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { DEFAULTS } from "context-offload";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  extractAnchors,
  extractLinks,
  extractSnippets,
  toModule,
  type Snippet,
} from "../../scripts/doc-snippets.mjs";
import { findTypeErrors } from "../../scripts/snippet-types.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

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

  it.each(runnable.map((snippet) => ({ ...snippet, at: `${snippet.path}:${snippet.line}` })))(
    "runs: $at",
    async (snippet) => {
      const cwd = await mkdtemp(join(folder, "block-"));
      const module = join(cwd, "block.mjs");
      await writeFile(module, transpile(toModule(snippet)));
      const environment = { ...process.env };
      delete environment["OFFLOAD_CHAR_THRESHOLD"];
      delete environment["OFFLOAD_RATIO_THRESHOLD"];
      await run(process.execPath, [module], { cwd, env: environment, timeout: 30_000 });
    },
  );
});

describe("the README", async () => {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");

  it("can be read in one go", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(120);
  });

  it("shows what the package gives for the sample conversation", async () => {
    const script = join(ROOT, "scripts/make-readme-sample.mjs");
    const { stdout } = await run(process.execPath, [script, "--check"]);
    expect(stdout).toBe("README: the sample is up to date\n");
  });
});

describe("what a page says", () => {
  const pageOf = (path: string) => readFile(join(ROOT, path), "utf8");

  it("of what a reference saves at least is the default", async () => {
    const share = `at least ${Math.round(DEFAULTS.minSavedShare * 100)} % of its tokens`;
    expect(await pageOf("README.md")).toContain(share);
  });

  it("of runtimes is in the README, and of CommonJS on the page for production", async () => {
    expect(await pageOf("README.md")).toContain("Node 18 to 26, Bun and Deno");
    expect(await pageOf("docs/production.md")).toContain("Node 20.19, 22.12 or later");
  });

  it("to writers of agents needs no cast, and no model that is at its end", async () => {
    const examples = await readdir(join(ROOT, "examples"));
    const programs = examples.filter((name) => name.endsWith(".mjs"));
    expect(programs.length).toBeGreaterThan(5);
    const frameworks = docs.filter((path) => path.startsWith(join("docs", "integrations")));
    expect(frameworks.length).toBeGreaterThan(10);
    const folders = await readdir(join(ROOT, "integrations"));
    const withFrameworks = folders
      .map((name) => `integrations/${name}/example.mjs`)
      .filter((path) => existsSync(join(ROOT, path)));
    expect(withFrameworks.length).toBeGreaterThan(5);
    const paths = ["docs/agents.md", ...frameworks, ...programs.map((name) => `examples/${name}`)];
    for (const path of [...paths, ...withFrameworks]) {
      const text = await pageOf(path);
      expect(text, path).not.toMatch(/\bas (?:any|never|unknown)\b|@type \{any\}|@ts-/);
      expect(text, path).not.toMatch(
        /claude-(?:sonnet|opus|haiku)-4\b|claude-3|gpt-(?:3|4)|gemini-(?:1|2\.0)/,
      );
    }
    expect(await pageOf("docs/agents.md")).toMatch(/toolRunner.*by default, as a thread/);
  });

  it("of security names tests that exist", async () => {
    const page = await pageOf("docs/security.md");
    const promises = page.split("## What each promise rests on")[1]?.split("\n## ")[0] ?? "";
    const rows = promises.split("\n").filter((line) => /^\| [A-Z]/.test(line));
    expect(rows.length).toBeGreaterThan(10);
    const tests = (await readdir(join(ROOT, "tests"), { recursive: true })).join("\n");
    for (const row of rows) {
      const named = [...(row.split("|").at(-2) ?? "").matchAll(/`([^`]+)`/g)];
      expect(named, row).not.toEqual([]);
      for (const [, name = ""] of named) {
        expect(tests, name).toMatch(new RegExp(`${name.replaceAll("*", ".*")}\\.test\\.ts$`, "m"));
      }
    }
    expect(page).toMatch(/^\| trusted +\| not trusted +\|$/m);
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
