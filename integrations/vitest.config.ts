import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import root from "../vitest.config.js";

const { plugins, resolve } = root as { plugins: []; resolve: { alias: [] } };

/** The drop-ins for frameworks that are not installed with this repository. See README.md. */
export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  plugins,
  resolve,
  test: {
    include: ["integrations/*/*.test.ts"],
    exclude: ["**/node_modules/**"],
    testTimeout: 60_000,
    // They ask services for a version or send usage figures, unless told not to.
    env: { LANGSMITH_TRACING: "false", OPENAI_AGENTS_DISABLE_TRACING: "1" },
  },
});
