import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Files that each break one rule; the report must name that rule for one of them. */
const violations: Record<string, Record<string, string>> = {
  "core-must-not-depend-on-infrastructure": {
    "src/core/bad-layer.ts": 'import "../infrastructure/hash.js";',
  },
  "core-must-not-import-node-fs": {
    "src/core/bad-disk.ts": 'import { readFileSync } from "node:fs"; void readFileSync;',
  },
  "core-must-not-import-node-path": {
    "src/core/bad-path.ts": 'import { join } from "node:path"; void join;',
  },
  "no-circular-dependencies": {
    "src/infrastructure/bad-circle.ts":
      'import { b } from "./bad-circle-2.js"; export const a = () => b;',
    "src/infrastructure/bad-circle-2.ts":
      'import { a } from "./bad-circle.js"; export const b = () => a;',
  },
  "core-imports-only-core": {
    "src/core/bad-node.ts": 'import { createHash } from "node:crypto"; void createHash;',
  },
  "formats-import-only-core": {
    "src/formats/bad.ts": 'import "../infrastructure/hash.js";',
  },
  "lib-imports-only-lib": {
    "src/core/lib/text/bad.ts": 'import "../../defaults.js";',
  },
  "artifacts-do-not-import-reading": {
    "src/core/workspace/artifacts/bad.ts": 'import "../reading/reading.js";',
  },
  "presets-import-only-what-they-wire": {
    "src/presets/bad.ts": 'import "../testing/index.js";',
  },
  "infrastructure-imports-only-core-and-node": {
    "src/infrastructure/bad-layer.ts": 'import "../testing/index.js";',
  },
  "integrations-import-only-what-is-public": {
    "src/integrations/bad.ts": 'import "../infrastructure/hash.js";',
  },
  "testing-imports-only-core": {
    "src/testing/bad.ts": 'import "../infrastructure/hash.js";',
  },
  "root-has-no-packages": {
    "src/infrastructure/bad-package.ts": 'import fc from "fast-check"; void fc;',
  },
  "packages-use-public-entries": {
    "packages/some/src/bad.ts": 'import "../../../src/core/defaults.js";',
  },
  "replay-measures-from-outside": {
    "packages/replay/src/facts-bad.ts": 'import "../../../src/index.js";',
  },
  "no-unresolvable": {
    "src/core/bad-target.ts": 'import "./not-there.js";',
  },
  "files-have-a-name": {
    "src/core/bad-name.ts": 'import "./utils.js";',
    "src/core/utils.ts": "export {};",
  },
};

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

describe("the layers", () => {
  let copy: string;
  let found: readonly Violation[];

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), "context-offload-layers-"));
    for (const entry of ["src", "tsconfig.json", "package.json", ".dependency-cruiser.cjs"]) {
      await cp(join(root, entry), join(copy, entry), { recursive: true });
    }
    await symlink(join(root, "node_modules"), join(copy, "node_modules"));
    for (const [file, source] of Object.values(violations).flatMap(Object.entries<string>)) {
      await mkdir(dirname(join(copy, file)), { recursive: true });
      await writeFile(join(copy, file), source);
    }
    // One run for all: to read the source takes most of its time.
    const { stdout } = await runCommand(
      join(root, "node_modules/.bin/depcruise"),
      ["--config", ".dependency-cruiser.cjs", "--output-type", "json", "src", "packages"],
      { cwd: copy },
    );
    found = (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
  });
  afterAll(() => rm(copy, { recursive: true, force: true }));

  it("hold as the source stands", () => {
    const broken = new Set(Object.values(violations).flatMap((files) => Object.keys(files)));
    expect(found.filter(({ from }) => !broken.has(from))).toEqual([]);
  });

  it.each(Object.entries(violations))("are guarded by %s", (rule, files) => {
    const broken = found.filter(({ from }) => Object.hasOwn(files, from));
    expect(broken.map(({ rule: { name } }) => name)).toContain(rule);
  });

  it("have a violation for every rule", async () => {
    const config = (await import("../../.dependency-cruiser.cjs")) as {
      default: { forbidden: readonly { name: string }[] };
    };
    const rules = config.default.forbidden.map(({ name }) => name);
    expect(Object.keys(violations).sort()).toEqual(rules.sort());
  });
});
