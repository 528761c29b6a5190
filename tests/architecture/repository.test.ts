import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";
import { describe, expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFile(join(root, path), "utf8");

interface Manifest {
  readonly type: string;
  readonly engines: Record<string, string>;
  readonly dependencies?: unknown;
  readonly scripts: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

describe("the repository", () => {
  it("has a root package without runtime dependencies, ESM, for Node 18 and later [001-DEP-runtime] [000-NF-compatibility-esm] [000-NF-compatibility-node]", async () => {
    const manifest = JSON.parse(await read("package.json")) as Manifest;
    expect(manifest).toMatchObject({ type: "module", engines: { node: ">=18" } });
    expect(manifest.dependencies).toBeUndefined();
    for (const script of [
      "build",
      "test",
      "test:unit",
      "test:integration",
      "check",
      "bench",
      "start",
    ]) {
      expect(manifest.scripts).toHaveProperty([script]);
    }
  });

  it("pins every development dependency [001-DEP-development]", async () => {
    const { devDependencies } = JSON.parse(await read("package.json")) as Manifest;
    for (const version of Object.values(devDependencies))
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("has a lock file without download addresses", async () => {
    expect(await read("package-lock.json")).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
  });

  it("runs in CI just what the README tells to run", async () => {
    const readme = await read("README.md");
    expect(readme).toMatch(/^npm ci && npm start$/m);
    expect(readme).toMatch(/^npm ci && npm test$/m);
    const commands = (await read(".ci/run"))
      .split("\n")
      .filter((line) => /^(?:npm|npx|node|bash)\b/.test(line));
    expect(commands).toEqual([
      "npm ci && npm test",
      "node scripts/print-test-totals.mjs reports/vitest.json || status=1",
    ]);
  });

  it("has the pipeline in its order [001-PIPELINE-order] [001-MATRIX]", async () => {
    const { scripts } = JSON.parse(await read("package.json")) as Manifest;
    expect(scripts["test"]).toBe("npm run check && vitest run --coverage && npm run build");
    const order = ["check:types", "check:lint", "check:format", "check:layers", "check:unused"];
    const places = order.map((name) => scripts["check"]?.indexOf(name) ?? -1);
    expect(places.every((place) => place >= 0)).toBe(true);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    const workflow = await read(".github/workflows/ci.yml");
    expect(workflow).toContain("node: [20, 22, 24]");
    expect(workflow).toContain("node scripts/try-packed.mjs 18");
  });

  it("gates coverage above the floors [001-COVERAGE-core] [001-COVERAGE-project]", async () => {
    const config = await read("vitest.config.ts");
    expect(config).toMatch(/lines: 90,\s+branches: 85,/);
    expect(config).toContain('"src/core/**": { lines: 95, branches: 90 }');
  });

  it("refuses any and let for what never changes [001-CODE-no-any] [001-CODE-prefer-const]", async () => {
    const eslint = new ESLint({ cwd: root });
    const [outcome] = await eslint.lintText(
      "export function f(value: any): number {\n  let fixed = 1;\n  return fixed + Number(value);\n}\n",
      { filePath: join(root, "src/core/content.ts") },
    );
    const rules = outcome?.messages.map(({ ruleId }) => ruleId);
    expect(rules).toContain("@typescript-eslint/no-explicit-any");
    expect(rules).toContain("prefer-const");
  });

  it("compiles in strict mode [001-STACK-typescript] [001-CODE-strict-types]", async () => {
    const { code, stdout } = await runCommand(
      process.execPath,
      [join(root, "node_modules/typescript/bin/tsc"), "-p", root, "--showConfig"],
      { cwd: root },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ compilerOptions: { strict: true } });
  });

  it("has no file that is named for nothing", async () => {
    const files = await readdir(join(root, "src"), { recursive: true });
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => /(?:^|[/\\])(?:utils?|helpers?|common)\b/.test(file))).toEqual(
      [],
    );
  });

  it("writes nothing to the console [001-LOG-thrown]", async () => {
    const files = await readdir(join(root, "src"), { recursive: true });
    for (const file of files.filter((name) => name.endsWith(".ts"))) {
      expect(await read(join("src", file)), file).not.toMatch(/\bconsole\./);
    }
  });
});
