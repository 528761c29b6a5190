import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { makeTempFolder } from "../support/temp-folder.js";

const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));
const INTEGRATIONS = fileURLToPath(new URL("../../src/integrations", import.meta.url));
const run = promisify(execFile);

// Those of frameworks that are not installed here are in integrations/.
const examples = readdirSync(INTEGRATIONS)
  .map((name) => `${name}.mjs`)
  .filter((name) => readdirSync(EXAMPLES).includes(name));

describe("the examples of drop-ins", () => {
  it("are there", () => {
    expect(examples).toContain("ai-sdk.mjs");
  });

  it.each(examples)("%s asserts its own outcome", async (name) => {
    const cwd = await makeTempFolder();
    const { stdout } = await run(process.execPath, [join(EXAMPLES, name)], {
      cwd,
      timeout: 30_000,
    });
    // MCP has no model: its example shows what became of the answer.
    expect(stdout).toMatch(/Request req_[0-9a-f]{12} failed|204723 characters became \d{3,4}\n/);
    expect(readdirSync(cwd)).toEqual([]);
  });
});
