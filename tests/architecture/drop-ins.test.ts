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
/** Packages that a drop-in works with besides those of its install line. */
const OTHER_PEERS: Readonly<Record<string, readonly string[]>> = {
  langchain: ["@langchain/core", "@langchain/langgraph"],
  mcp: ["@modelcontextprotocol/server", "@modelcontextprotocol/sdk"],
  opencode: ["@opencode-ai/plugin"],
};

describe.each(names)("the drop-in %s", (name) => {
  it("has a page that the table links to", () => {
    expect(read("docs/integrations", `${name}.md`)).toContain(`context-offload/${name}`);
    expect(read("docs/integrations/README.md")).toContain(`](${name}.md)`);
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
  });
});
