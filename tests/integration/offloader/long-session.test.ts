import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runOrThrow } from "../../../scripts/run-command.mjs";
import { makeTempFolder } from "../../support/temp-folder.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Brings one new result of 8,000 characters per turn; prints the heap that a turn retains. */
const PROGRAM = `
  import { createOffloader, createWorkspace } from "context-offload";
  const [mode, root] = process.argv.slice(1);
  const turns = 600;
  const workspace = createWorkspace({ root });
  const offloader = createOffloader({ workspace, sessionId: "s", format: "anthropic" });
  const line = "2026-03-01T10:00:00.000Z INFO checkout served in 12 ms\\n".repeat(150);
  let history = [];
  const turn = async (at) => {
    const id = "call_" + at;
    const content = (id + line).slice(0, 8_000);
    if (mode === "arrival") return offloader.result(content, { toolCallId: id, toolName: "bash" });
    history.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "bash", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
    );
    const { messages } = await offloader.offload(history);
    history = messages.slice(mode === "window" ? -20 : 0);
  };
  const heap = () => { gc(); gc(); return process.memoryUsage().heapUsed; };
  const first = mode === "history" ? 300 : 4_200;
  for (let at = 0; at < first; at++) await turn(at);
  const before = heap();
  for (let at = first; at < first + turns; at++) await turn(at);
  console.log((heap() - before) / turns);
`;

describe("a long session with a new result every turn", () => {
  it.each([
    // The reference that takes the place of the content, that place, and what the manifest holds of it:
    // about 6,000 bytes, where the content alone has 8,000.
    ["history", "whose messages are passed on", 6_500],
    // Only what the manifest holds of each artifact.
    ["window", "of which only the last messages are kept", 1_000],
    ["arrival", "that are offloaded on arrival", 1_000],
  ])("retains little per result: a %s %s", async (mode, _, most) => {
    const node = ["--expose-gc", "--input-type=module", "--eval", PROGRAM];
    const args = [...node, mode, await makeTempFolder()];
    const retained = Number(await runOrThrow(process.execPath, args, { cwd: ROOT }));
    expect(retained).toBeLessThan(most);
  });
});

/** Prints the heap that a history of 4,000 results takes, whose calls have ids of their own or all the same. */
const IDS_PROGRAM = `
  import { createOffloader, createWorkspace, memoryStore } from "context-offload";
  const [mode] = process.argv.slice(1);
  const history = Array.from({ length: 4_000 }, (_, at) => {
    const id = mode === "one id" ? "call_0" : "call_" + at;
    return [
      { role: "assistant", content: [{ type: "tool_use", id, name: "bash", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
    ];
  }).flat();
  const heap = () => { gc(); gc(); return process.memoryUsage().heapUsed; };
  const before = heap();
  const workspace = createWorkspace({ store: memoryStore() });
  const offloader = createOffloader({ workspace, sessionId: "s", format: "anthropic" });
  await offloader.offload(history);
  console.log(heap() - before);
`;

it("takes no more memory where all calls have the same id", async () => {
  const measure = async (mode: string) => {
    const node = ["--expose-gc", "--input-type=module", "--eval", IDS_PROGRAM];
    return Number(await runOrThrow(process.execPath, [...node, mode], { cwd: ROOT }));
  };
  expect(await measure("one id")).toBeLessThan(2 * (await measure("own ids")));
});
