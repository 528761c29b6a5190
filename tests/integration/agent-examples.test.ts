import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { makeTempFolder } from "../support/temp-folder.js";

const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));
const SUMMARY = new RegExp(
  [
    "question  Which request to checkout-api failed, and why\\?",
    "calls     fetch_log, then read_stored",
    "answer    Request req_[0-9a-f]{12} failed: payment-proxy timed out\\.",
    "the log   (?<log>20\\d,\\d{3}) bytes",
    "sent      (?<sent>[\\d,]+) bytes in 3 requests: .+",
    "saved     (?<saved>[\\d,]+) characters that the log would have added to these requests",
  ]
    .map((line) => `${line}\n`)
    .join(""),
);

const agents = readdirSync(EXAMPLES).filter((name) => name.endsWith("-agent.mjs"));

describe("the agents in examples/", () => {
  it("are one for each client", () => {
    expect(agents).toEqual([
      "ai-sdk-agent.mjs",
      "anthropic-agent.mjs",
      "langchain-agent.mjs",
      "openai-agent.mjs",
      "openai-responses-agent.mjs",
    ]);
  });

  it.each(agents)("%s answers from the one line that it read", async (name) => {
    // A folder for temporary files of its own shows what remains.
    const folder = await makeTempFolder();
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(EXAMPLES, name)], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, TMPDIR: folder, TEMP: folder },
      timeout: 30_000,
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const figures = SUMMARY.exec(stdout)?.groups ?? {};
    const [log, sent, saved] = ["log", "sent", "saved"].map((figure) =>
      Number(figures[figure]?.replaceAll(",", "")),
    ) as [number, number, number];
    expect(stdout).toMatch(SUMMARY);
    expect(sent).toBeLessThan(log / 5);
    expect(saved).toBeGreaterThan(log * 1.9);
    expect(readdirSync(folder)).toEqual([]);
  });
});
