// An agent on Google's ADK whose tool answers with a long log: one line more than without offloading.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BaseLlm, FunctionTool, InMemoryRunner, LlmAgent } from "@google/adk";
import { offloadPlugin } from "context-offload/google";

const root = mkdtempSync(join(tmpdir(), "context-offload-"));
process.on("exit", () => rmSync(root, { recursive: true, force: true }));
const lines = Array.from({ length: 2_000 }, (_, i) => `INFO request ${i} took ${i % 90} ms`);
lines[1_234] = "ERROR request req_1234 failed: card expired";
let longest = 0;

/** Plays the model: fetches the log, searches it, and answers from what it read. */
class ScriptedModel extends BaseLlm {
  /** @param {import("@google/adk").LlmRequest} request */
  async *generateContentAsync(request) {
    longest = Math.max(longest, JSON.stringify(request.contents).length);
    const response = request.contents.at(-1)?.parts?.[0]?.functionResponse?.response;
    const text = String(response?.["output"]);
    const id = /<knowledge id="([^"]+)"/.exec(text)?.[1];
    const part = !response
      ? { functionCall: { name: "fetch_log", args: {} } }
      : id === undefined
        ? { text }
        : { functionCall: { name: "read_stored", args: { id, pattern: "ERROR" } } };
    yield { content: { role: "model", parts: [part] } };
  }
  /** @returns {never} */
  connect() {
    throw new Error("not live");
  }
}

const agent = new LlmAgent({
  name: "agent",
  model: new ScriptedModel({ model: "scripted" }),
  tools: [
    new FunctionTool({
      name: "fetch_log",
      description: "The log",
      execute: () => lines.join("\n"),
    }),
  ],
});
const runner = new InMemoryRunner({ agent, appName: "app", plugins: [offloadPlugin({ root })] });
const { id: sessionId } = await runner.sessionService.createSession({
  appName: "app",
  userId: "ann",
});

let answer = "";
const newMessage = { role: "user", parts: [{ text: "Which request failed, and why?" }] };
for await (const event of runner.runAsync({ userId: "ann", sessionId, newMessage })) {
  answer = event.content?.parts?.[0]?.text ?? answer;
}

assert.match(answer, /req_1234 failed: card expired/);
assert.ok(longest < lines.join("\n").length / 5);
console.log(answer);
