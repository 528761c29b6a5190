import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { bundleWorkerSource } from "./scripts/bundle.mjs";

/** The build makes the search worker a text; tests from source need it without a build. */
const searchWorkerSource = {
  name: "search-worker-source",
  load: (id: string) =>
    id.endsWith("/src/infrastructure/search/worker-source.ts")
      ? bundleWorkerSource(id.replace("worker-source", "worker-thread"))
      : undefined,
};

/** Beside the code that it attacks, but run with the other generated cases. */
const GENERATED_SETTINGS = "packages/cli/tests/settings-files.test.ts";

export default defineConfig({
  plugins: [searchWorkerSource],
  resolve: {
    alias: [
      {
        find: /^context-offload$/,
        replacement: fileURLToPath(new URL("src/index.ts", import.meta.url)),
      },
      {
        find: /^context-offload\/(files|stores|errors|policies|ledger|open-telemetry)$/,
        replacement: fileURLToPath(new URL("src/$1.ts", import.meta.url)),
      },
      {
        find: /^context-offload\/(formats|testing)$/,
        replacement: fileURLToPath(new URL("src/$1/index.ts", import.meta.url)),
      },
      {
        find: /^context-offload\/(.+)$/,
        replacement: fileURLToPath(new URL("src/integrations/$1/index.ts", import.meta.url)),
      },
      {
        find: /^@context-offload\/mcp$/,
        replacement: fileURLToPath(new URL("packages/mcp/src/index.ts", import.meta.url)),
      },
      {
        find: /^@context-offload\/replay$/,
        replacement: fileURLToPath(new URL("packages/replay/src/index.ts", import.meta.url)),
      },
    ],
  },
  test: {
    setupFiles: ["tests/support/fixed-seed.ts"],
    // Many tests wait for servers and child processes: one more than there are cores keeps all of them busy.
    maxWorkers: availableParallelism() + 1,
    // Only to end what hangs: a busy machine takes many times as long as a quiet one.
    testTimeout: 240_000,
    hookTimeout: 180_000,
    reporters: ["default", "json"],
    outputFile: { json: "reports/vitest.json" },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          isolate: false,
          sequence: { groupOrder: 0 },
          include: ["tests/unit/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          isolate: false,
          sequence: { groupOrder: 1 },
          // Child processes and the packed package run what is built.
          globalSetup: ["tests/support/build-dist.ts"],
          include: [
            "tests/{architecture,conformance,faults,integration,integrations}/**/*.test.ts",
          ],
        },
      },
      {
        extends: true,
        test: {
          name: "adversarial",
          isolate: false,
          sequence: { groupOrder: 2 },
          globalSetup: ["tests/support/build-dist.ts"],
          include: ["tests/adversarial/**/*.test.ts", GENERATED_SETTINGS],
          testTimeout: 120_000 * Number(process.env["ADVERSARIAL_RUNS"] ?? 1),
        },
      },
      {
        extends: true,
        test: {
          name: "packages",
          isolate: false,
          sequence: { groupOrder: 2 },
          // Child processes run what is built.
          globalSetup: ["tests/support/build-dist.ts"],
          include: ["packages/*/tests/**/*.test.ts"],
          exclude: [GENERATED_SETTINGS],
        },
      },
      {
        extends: true,
        test: {
          name: "runtime",
          sequence: { groupOrder: 2 },
          globalSetup: ["tests/runtime/setup.ts"],
          include: ["tests/runtime/*.test.ts"],
        },
      },
    ],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: [
        "src/**/*-types.ts",
        // Tested with their frameworks, by npm run test:integrations.
        "src/integrations/{claude-agent,copilot,genkit,google,langchain,mastra,openai-agents,opencode,pi,strands,voltagent}/**",
      ],
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
