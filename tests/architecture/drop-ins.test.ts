import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), "utf8");
const list = (path: string): string[] => readdirSync(join(ROOT, path));
const readJson = (...path: string[]): unknown => JSON.parse(read(...path));

interface Manifest {
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const dependenciesOf = (...path: string[]): Record<string, string> => {
  const { dependencies, devDependencies } = readJson(...path, "package.json") as Manifest;
  return { ...dependencies, ...devDependencies };
};

const names = list("src/integrations").filter((name) => name !== "shared");
const folders = list("integrations").filter((name) =>
  existsSync(join(ROOT, "integrations", name, "package.json")),
);
/** Frameworks whose current version is installed with this repository, under an alias. */
const CURRENT: Readonly<Record<string, string>> = { "ai-sdk": "ai-7", openai: "openai-7" };
/** Packages that a drop-in works with besides those of its install line. */
const OTHER_PEERS: Readonly<Record<string, readonly string[]>> = {
  langchain: ["@langchain/core", "@langchain/langgraph"],
  mcp: ["@modelcontextprotocol/server", "@modelcontextprotocol/sdk"],
  opencode: ["@opencode-ai/plugin"],
};
const HEADINGS = ["Install", "Use", "What is saved where", "Session", "What it does not reach"];

describe.each(names)("the drop-in %s", (name) => {
  it("has a page for copying, with the same headings as the others, in the table", () => {
    const page = read("docs/integrations", `${name}.md`);
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(expect.arrayContaining([...HEADINGS, "Tested with"]));
    expect(page).toMatch(/npm install (?:\S+ )*context-offload|opencode/);
    expect(page).toContain(`context-offload/${name}`);
    expect(page).not.toMatch(/\bas (?:any|unknown|never)\b/);
    // Blocks in other languages are not compiled, neither here nor with the framework.
    expect(page).not.toMatch(/^```(?:js|mjs|javascript|typescript|tsx)\b/m);
    expect(read("docs/integrations/README.md")).toContain(`](${name}.md)`);
  });

  it("says what it does not reach: tools that others run, history that others hold, errors", () => {
    const page = read("docs/integrations", `${name}.md`);
    const [reach = ""] = page.split("\n## What it does not reach\n")[1]?.split("\n## ") ?? [];
    expect(reach).toMatch(/\btools\b[^.\n]*\bruns\b/i);
    expect(reach).toMatch(/\b(?:holds?|held)\b/);
    expect(reach).toMatch(/\b(?:[Ee]rrors|throws|failed|Failed)\b/);
    // The default policy keeps short errors only.
    expect(page).not.toMatch(/results that are errors|models need (?:errors|them) whole/);
  });

  it("names versions that are tested", () => {
    const tested = read("docs/integrations", `${name}.md`).split("\n## Tested with\n")[1] ?? "";
    const stated = tested.match(/\b\d+\.\d+\.\d+\b/g) ?? [];
    const own = folders.filter((folder) => folder === name || folder === `${name}-previous`);
    const installed = [
      dependenciesOf(),
      ...own.map((folder) => dependenciesOf("integrations", folder)),
    ]
      .flatMap((dependencies) => Object.values(dependencies))
      .map((version) => version.replace(/^.+@/, ""));
    expect(stated.length).toBeGreaterThan(0);
    expect(stated.filter((version) => !installed.includes(version))).toEqual([]);
  });

  it("says so if the framework asks for Node 22", () => {
    const installed = CURRENT[name];
    const path = installed ? join("node_modules", installed) : join("integrations", name);
    const { engines } = existsSync(join(ROOT, path, "package.json"))
      ? (readJson(path, "package.json") as Manifest)
      : {};
    if (/>=22\b/.test(engines?.node ?? "")) {
      expect(read("docs/integrations", `${name}.md`)).toMatch(/\bNode 22\b/);
    }
  });

  it("has a test with the framework itself, and an example that asserts its outcome", () => {
    const tests = list("tests/integrations").some((file) => file.startsWith(`${name}.`));
    const own = existsSync(join(ROOT, "integrations", name, `${name}.test.ts`));
    expect(tests || own).toBe(true);
    const examples = [join("examples", `${name}.mjs`), join("integrations", name, "example.mjs")];
    const [example] = examples.filter((path) => existsSync(join(ROOT, path)));
    expect(read(example ?? "")).toMatch(/\bassert\b/);
  });

  it("has its framework as an optional peer, in any version", () => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = readJson(
      "package.json",
    ) as Manifest;
    const page = read("docs/integrations", `${name}.md`);
    const lines = [...page.matchAll(/^npm install (.+)$/gm)].flatMap(([, line = ""]) =>
      line.split(" "),
    );
    const installed = lines
      .map((one) => one.replace(/(?<=.)@[^/]*$/, ""))
      .filter((one) => one !== "context-offload");
    const peers = [...installed, ...(OTHER_PEERS[name] ?? [])];
    expect(peers.length).toBeGreaterThan(0);
    for (const peer of peers) {
      // npm refuses to install the whole package beside a version outside the range, drop-in or not.
      // With a range, npm would ask the registry for each of them whenever somebody installs us.
      expect({ peer, range: peerDependencies[peer] }).toEqual({ peer, range: undefined });
      expect(peerDependenciesMeta[peer]).toEqual({ optional: true });
    }
  });

  it("never imports the framework", () => {
    for (const file of list(join("src/integrations", name))) {
      // Statements begin a line; comments and messages may speak of imports.
      const source = read("src/integrations", name, file);
      const imports = source.matchAll(/^(?:import|export|\})[^\n]*\bfrom "([^"]+)"/gm);
      for (const [, from] of imports) expect(from).toMatch(/^(?:\.|node:)/);
    }
  });
});

it("the docs say whose session it is, and that a server passes its own", () => {
  expect(read("docs/integrations/README.md")).toContain("**a server passes its own**");
});

describe("the frameworks", () => {
  it.each(folders)("%s has exact versions, and a lock file without addresses", (folder) => {
    for (const version of Object.values(dependenciesOf("integrations", folder))) {
      expect(version).toMatch(/^(?:npm:.+@)?\d+\.\d+\.\d+$/);
    }
    const { packages } = readJson("integrations", folder, "package-lock.json") as {
      packages: Record<
        string,
        { resolved?: string; optionalDependencies?: Readonly<Record<string, string>> }
      >;
    };
    const all = Object.values(packages);
    expect(all.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
    // `npm ci` refuses a lock file that does not name the packages of other platforms.
    const locked = new Set(
      Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, "")),
    );
    const optional = all.flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    expect(optional.filter((name) => !locked.has(name))).toEqual([]);
  });

  it("that are big are not installed with this repository, and CI tests them", () => {
    const installed = Object.keys(dependenciesOf());
    const big = /langchain$|^deepagents|mastra|voltagent|adk$|openai\/agents|opencode|copilot|pi-/;
    expect(installed.filter((name) => big.test(name))).toEqual([]);
    expect(read(".github/workflows/ci.yml")).toContain("npm run test:integrations");
    expect(read("scripts/test-integrations.mjs")).toContain('"scripts/check-page.mjs"');
  });

  it("are shown in the README, six of them, with a link to all", () => {
    const readme = read("README.md");
    const shown = readme.match(/^\| \[[^\]]+\]\(docs\/integrations\/[a-z-]+\.md\)/gm) ?? [];
    expect(shown).toHaveLength(6);
    expect(readme).toContain("](docs/integrations/README.md)");
    expect(readme).toContain("npm run test:integrations");
  });
});
