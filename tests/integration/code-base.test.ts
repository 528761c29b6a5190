import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Manifest {
  readonly type: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(await read("package.json")) as Manifest;

describe("the layout", () => {
  it("has its layers, its entry and its ports [001-LAYOUT-source]", () => {
    expectPaths("src/core", "src/infrastructure", "src/index.ts", "src/core/files/file-writer.ts");
  });

  it("has unit tests that mirror the source, and integration tests [001-LAYOUT-tests]", async () => {
    expectPaths("tests/unit", "tests/integration");
    const outsiders = new Set(["examples"]);
    for (const folder of await readdir(join(ROOT, "tests/unit"))) {
      if (!outsiders.has(folder)) expectPaths(`src/${folder}`);
    }
  });

  it("has its documents [001-LAYOUT-docs]", () => {
    expectPaths("docs/architecture.md", "docs/tech-stack.md", "docs/adr", "docs/requirements");
  });

  it("has a configuration file for each tool [001-LAYOUT-configuration]", () => {
    expectPaths(".dependency-cruiser.cjs", "eslint.config.mjs", "vitest.config.ts");
    expectPaths("tsconfig.json", "tsconfig.build.json", ".github/workflows/ci.yml");
  });

  it.each(["ADR-001-typescript-language", "ADR-002-vitest-testing", "ADR-003-zero-runtime-deps"])(
    "has %s, accepted and in the index [001-ADR-001] [001-ADR-002] [001-ADR-003]",
    async (name) => {
      expect(await read("docs/adr/README.md")).toContain(`(${name}.md)`);
      expect(await read(`docs/adr/${name}.md`)).toContain("Status: accepted");
    },
  );
});

describe("the tools", () => {
  it("are those that the tech stack lists, in those versions [DESIGN-R-001-versions] [001-DEP-development]", async () => {
    const page = await read("docs/tech-stack.md");
    const listed = [...page.matchAll(/^\| `([^`]+)`\s+\| (\S+)/gm)].map(([, name, version]) => [
      name,
      version,
    ]);
    expect(Object.fromEntries(listed)).toEqual(manifest.devDependencies);
    for (const version of Object.values(manifest.devDependencies)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  it("are TypeScript 5, Vitest with its own coverage, ESLint and dependency-cruiser [001-STACK-typescript] [001-STACK-vitest] [001-STACK-eslint] [001-STACK-dependency-cruiser]", () => {
    const { devDependencies, scripts } = manifest;
    expect(devDependencies["typescript"]).toMatch(/^5\./);
    expect(devDependencies["vitest"]).toBe(devDependencies["@vitest/coverage-v8"]);
    expect(devDependencies).toHaveProperty("typescript-eslint");
    expect(scripts["test:unit"]).toMatch(/^vitest /);
    expect(scripts["check:lint"]).toMatch(/^eslint --max-warnings 0 /);
    expect(scripts["check:layers"]).toMatch(/^depcruise /);
  });

  it("build strict ES2022 modules with tsc [001-STACK-build] [001-CODE-strict-types] [000-NF-compatibility-esm]", async () => {
    const { options, errors } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(join(ROOT, "tsconfig.build.json"), (path) => ts.sys.readFile(path)).config,
      ts.sys,
      ROOT,
    );
    expect(errors).toEqual([]);
    expect(options).toMatchObject({
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      strict: true,
      declaration: true,
    });
    expect(manifest.type).toBe("module");
    expect(manifest.scripts["build"]).toBe("node scripts/build.mjs");
    expect(await read("scripts/build.mjs")).toContain('"-p", "tsconfig.build.json"');
  });

  it("lint with the strict rules that know the types [001-CODE-strict-lint]", async () => {
    expect(await read("eslint.config.mjs")).toContain("tseslint.configs.strictTypeChecked");
  });
});

describe("the source", async () => {
  const sources = await readFolder("src", /\.ts$/);

  it("imports only itself and Node's modules [000-NF-constraint-standard-library] [002-NF-constraint-standard-library] [003-NF-constraint-no-dependencies] [001-STACK-node]", () => {
    for (const { path, text } of sources) {
      for (const { fileName } of ts.preProcessFile(text).importedFiles) {
        expect(fileName, path).toMatch(/^(?:\.{1,2}\/|node:)/);
      }
    }
  });

  it("is made of small files [002-NF-usability-clarity]", () => {
    const long = sources.filter(({ text }) => text.split("\n").length > 250);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it("has presets that are wiring on the one engine, a page each [DESIGN-ENGINE]", () => {
    const presets = sources.filter(({ path }) => path.startsWith("src/presets/"));
    expect(presets.map(({ path }) => path)).toEqual([
      "src/presets/direct.ts",
      "src/presets/history.ts",
      "src/presets/tool-result.ts",
    ]);
    for (const { text } of presets) {
      expect(text).toMatch(/import \{ offload \} from "\.\.\/core\/offload\.js"/);
      expect(text.split("\n").length).toBeLessThan(150);
    }
  });

  it("speaks English in its errors [001-LOG-english]", () => {
    const errors = sources.filter(({ path }) => path.includes("/errors/"));
    expect(errors.length).toBeGreaterThan(5);
    for (const { path, text } of errors) {
      expect(text, path).not.toMatch(/[^\p{Script=Latin}\p{Script=Common}]/u);
    }
  });
});

describe("the tests", async () => {
  const tests = await readFolder("tests", /\.test\.ts$/);

  it("of core and of the presets write to memory only [001-TEST-unit-core]", () => {
    const pure = tests.filter(({ path }) => /^tests\/unit\/(?:core|presets|formats)\//.test(path));
    expect(pure.length).toBeGreaterThan(5);
    for (const { path, text } of pure) {
      expect(text, path).not.toMatch(/from "[./]+src\/infrastructure\/(?!hash)/);
      expect(text, path).not.toMatch(/\bfrom "[./]+support\/temp-folder/);
    }
  });

  it("of infrastructure write to temporary folders [001-TEST-unit-infrastructure]", () => {
    const files = tests.filter(({ path }) => path.startsWith("tests/unit/infrastructure/"));
    expect(files.length).toBeGreaterThan(0);
    const writing = files.filter(({ text }) => /NodeFileWriter|publishNew/.test(text));
    for (const { path, text } of writing) expect(text, path).toMatch(/temp-folder|mkdtemp/);
  });

  it("of the whole use the public entry and the real file system [001-TEST-integration]", () => {
    const whole = tests.filter(({ path }) => path.startsWith("tests/integration/"));
    const using = whole.filter(({ text }) =>
      /from "(?:[./]+src\/index\.js|context-offload)"/.test(text),
    );
    expect(using.length).toBeGreaterThan(3);
    expect(using.filter(({ text }) => /temp-folder/.test(text)).length).toBeGreaterThan(2);
  });

  it("remove the folders that they make [001-TEST-isolation]", async () => {
    const making = tests.filter(({ text }) => /\bmkdtemp\(/.test(text));
    for (const { path, text } of making) expect(text, path).toMatch(/\brm\(|\.remove\(/);
    const helper = await read("tests/support/temp-folder.ts");
    expect(helper).toMatch(/tmpdir\(\)/);
    expect(helper).toMatch(/\brm\(/);
  });
});

describe("the floors of coverage", async () => {
  const config = (await import("../../vitest.config.js")) as {
    default: {
      test: { coverage: { thresholds: Record<string, number | Record<string, number>> } };
    };
  };
  const { thresholds } = config.default.test.coverage;

  it.each([
    { at: "src/core/**", lines: 80, branches: 70 },
    { at: "src/infrastructure/**", lines: 50, branches: 40 },
  ])(
    "hold for $at [001-COVERAGE-core] [001-COVERAGE-infrastructure]",
    ({ at, lines, branches }) => {
      const floor = thresholds[at] as Record<string, number> | undefined;
      expect(floor?.["lines"]).toBeGreaterThanOrEqual(lines);
      expect(floor?.["branches"]).toBeGreaterThanOrEqual(branches);
    },
  );

  it("hold for the whole [001-COVERAGE-project]", () => {
    expect(thresholds["lines"]).toBeGreaterThanOrEqual(70);
    expect(thresholds["branches"]).toBeGreaterThanOrEqual(60);
  });
});

describe("the pipeline", async () => {
  const workflow = await read(".github/workflows/ci.yml");
  const { scripts } = manifest;

  it("runs its steps in order [001-PIPELINE-order] [001-STACK-actions]", () => {
    const steps = [
      "actions/checkout",
      "actions/setup-node",
      "npm ci",
      "npm run check:lint",
      "npm run check:layers",
      "npm run test:unit",
      "npm run test:integration",
      "vitest run --coverage",
      "npm run check:exports",
    ];
    const places = steps.map((step) => workflow.indexOf(step));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  });

  it("stops at the first step that fails [001-GATE-unit] [001-GATE-integration] [001-GATE-coverage] [001-GATE-layers] [001-GATE-lint] [001-GATE-types]", () => {
    expect(workflow).not.toMatch(/continue-on-error|\|\| true|if: always/);
    expect(workflow).toContain("npm run check:types &&");
    const chained = `${scripts["check"] ?? ""} && ${scripts["test"] ?? ""}`;
    expect(chained).not.toMatch(/\|\||;/);
    for (const gate of ["check:types", "check:lint", "check:layers", "vitest run --coverage"]) {
      expect(chained).toContain(gate);
    }
  });

  it("covers every supported Node, the oldest with the packed package [001-MATRIX] [000-NF-compatibility-node] [002-NF-compatibility-node]", () => {
    const matrix = /node: \[([^\]]+)\]/.exec(workflow)?.[1]?.split(/,\s*/);
    expect(matrix).toEqual(expect.arrayContaining(["20", "22"]));
    expect(workflow).toContain("node scripts/try-packed.mjs 18");
  });
});

async function read(path: string): Promise<string> {
  return readFile(join(ROOT, path), "utf8");
}

async function readFolder(folder: string, names: RegExp) {
  const entries = await readdir(join(ROOT, folder), { recursive: true });
  return Promise.all(
    entries
      .map((entry) => `${folder}/${entry.replaceAll("\\", "/")}`)
      .filter((path) => names.test(path))
      .sort()
      .map(async (path) => ({ path, text: await read(path) })),
  );
}

function expectPaths(...paths: readonly string[]): void {
  for (const path of paths) expect(existsSync(join(ROOT, path)), path).toBe(true);
}
