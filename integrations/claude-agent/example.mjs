// Claude Code runs a command with a long output; the model gets a reference and searches it.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { offloadQuery, claudeToolNames } from "context-offload/claude-agent";
import { startScriptedClaude } from "./scripted-claude.mjs";

const cwd = mkdtempSync(join(tmpdir(), "context-offload-"));
process.on("exit", () => rmSync(cwd, { recursive: true, force: true }));
const lines = Array.from({ length: 750 }, (_, i) => `INFO request ${i} was served in ${i % 90} ms`);
lines[321] = "ERROR request req_321 failed: card expired";
writeFileSync(join(cwd, "log.txt"), lines.join("\n"));

// Replaces the vendor's API, so that this runs offline.
const claude = await startScriptedClaude((results) => {
  const id = /<knowledge id="([^"]+)"/.exec(results.at(-1) ?? "")?.[1];
  if (results.length === 0) return { call: "Bash", input: { command: "cat log.txt" } };
  if (id === undefined) return { say: results.at(-1) ?? "" };
  return { call: claudeToolNames.read_stored, input: { id, pattern: "ERROR" } };
});

let answer = "";
const run = query({
  prompt: "Which request failed, and why?",
  options: {
    cwd,
    settingSources: [],
    allowedTools: ["Bash"],
    ...offloadQuery({ root: join(cwd, ".offload") }),
    env: { ...process.env, ...claude.env, CLAUDE_CONFIG_DIR: join(cwd, ".claude") },
  },
});
for await (const message of run) {
  if (message.type === "result" && message.subtype === "success") answer = message.result;
}
await claude.close();

assert.match(answer, /req_321 failed: card expired/);
assert.ok(claude.results.every((text) => text.length < lines.join("\n").length / 4));
console.log(answer);
