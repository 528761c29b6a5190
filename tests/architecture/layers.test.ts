import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Files that each break one rule; the report must name that rule. */
const violations: Record<string, Record<string, string>> = {
  "core-must-not-depend-on-infrastructure": {
    "src/core/bad.ts": 'import "../infrastructure/hash.js";',
  },
  "core-must-not-import-node-fs": {
    "src/core/bad.ts": 'import { readFileSync } from "node:fs"; void readFileSync;',
  },
  "core-must-not-import-node-path": {
    "src/core/bad.ts": 'import { join } from "node:path"; void join;',
  },
  "no-circular-dependencies": {
    "src/infrastructure/a.ts": 'import { b } from "./b.js"; export const a = () => b;',
    "src/infrastructure/b.ts": 'import { a } from "./a.js"; export const b = () => a;',
  },
  "core-imports-only-core": {
    "src/core/bad.ts": 'import { createHash } from "node:crypto"; void createHash;',
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
    "src/infrastructure/bad.ts": 'import "../presets/direct.js";',
  },
  "integrations-import-only-what-is-public": {
    "src/integrations/bad.ts": 'import "../infrastructure/hash.js";',
  },
  "testing-imports-only-core": {
    "src/testing/bad.ts": 'import "../infrastructure/hash.js";',
  },
  "root-has-no-packages": {
    "src/infrastructure/bad.ts": 'import fc from "fast-check"; void fc;',
  },
  "packages-use-public-entries": {
    "packages/some/src/bad.ts": 'import "../../../src/core/defaults.js";',
  },
  "no-unresolvable": {
    "src/core/bad.ts": 'import "./not-there.js";',
  },
};

describe("the layers", () => {
  let copy: string;
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), "context-offload-layers-"));
    for (const entry of ["src", "tsconfig.json", "package.json", ".dependency-cruiser.cjs"]) {
      await cp(join(root, entry), join(copy, entry), { recursive: true });
    }
    await mkdir(join(copy, "packages"));
    await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  });
  afterAll(() => rm(copy, { recursive: true, force: true }));

  const cruise = () =>
    runCommand(
      join(root, "node_modules/.bin/depcruise"),
      ["--config", ".dependency-cruiser.cjs", "--output-type", "err", "src", "packages"],
      { cwd: copy },
    );

  it("hold as the source stands [DESIGN-LAYERS] [000-NF-constraint-inverted]", async () => {
    expect(await cruise()).toMatchObject({ code: 0 });
  });

  it.each(Object.entries(violations))(
    "are guarded by %s [DESIGN-LAYERS] [001-DEP-core-infrastructure] [001-DEP-core-node-fs] [001-DEP-core-node-path] [001-DEP-no-cycles] [001-GATE-layers]",
    async (rule, files) => {
      for (const [file, source] of Object.entries(files)) {
        await mkdir(dirname(join(copy, file)), { recursive: true });
        await writeFile(join(copy, file), source);
      }
      const { code, stdout } = await cruise();
      for (const file of Object.keys(files)) await rm(join(copy, file));
      expect(code).not.toBe(0);
      expect(stdout).toContain(`error ${rule}:`);
    },
  );

  it("have a violation for every rule", async () => {
    const config = (await import("../../.dependency-cruiser.cjs")) as {
      default: { forbidden: readonly { name: string }[] };
    };
    const rules = config.default.forbidden.map(({ name }) => name);
    expect(Object.keys(violations).sort()).toEqual(rules.sort());
  });
});
