import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { smoke } from "./smoke.mjs";

// Jest and Vitest both bring it.
const { test } = /** @type {{ test: (title: string, run: () => Promise<void>) => void }} */ (
  /** @type {unknown} */ (globalThis)
);

test("the package stores, searches and queries", async () => {
  const folder = await mkdtemp(join(tmpdir(), "context-offload-smoke-"));
  await smoke(folder);
  await rm(folder, { recursive: true });
});
