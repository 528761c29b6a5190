import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** A worker is started from a file that Node can run, which of the search's source only the build is. */
const builtSearchWorker = {
  name: "built-search-worker",
  transform(code: string, id: string) {
    if (!id.endsWith("/src/infrastructure/search/search-worker.ts")) return undefined;
    return code.replace(
      "./worker-thread.js",
      "../../../dist/infrastructure/search/worker-thread.js",
    );
  },
};

export default defineConfig({
  plugins: [builtSearchWorker],
  resolve: {
    alias: [
      {
        find: /^context-offload$/,
        replacement: fileURLToPath(new URL("src/index.ts", import.meta.url)),
      },
    ],
  },
  test: {
    setupFiles: ["tests/support/fixed-seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 180_000,
    reporters: ["default", "json"],
    outputFile: { json: "reports/vitest.json" },
    projects: [
      { extends: true, test: { name: "unit", include: ["tests/unit/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "integration",
          // Child processes and the packed package run what is built.
          globalSetup: ["tests/support/build-dist.ts"],
          include: ["tests/{architecture,conformance,faults,integration}/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "runtime",
          globalSetup: ["tests/runtime/setup.ts"],
          include: ["tests/runtime/*.test.ts"],
        },
      },
    ],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: ["src/**/*-types.ts"],
      reporter: ["text-summary", "json-summary"],
      reportsDirectory: "coverage",
      thresholds: {
        lines: 90,
        branches: 85,
        "src/core/**": { lines: 95, branches: 90 },
        "src/infrastructure/**": { lines: 85, branches: 80 },
      },
    },
  },
});
