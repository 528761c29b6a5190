import { describe, expect, it } from "vitest";
import { runs } from "../support/adversarial-runs.js";
import { runProgram } from "../support/run-program.js";
import { makeTempFolder } from "../support/temp-folder.js";

/** Makes as many workspaces as it is told, searches each, and never closes one. */
const PROGRAM = `
  import { readdirSync } from "node:fs";
  import { join } from "node:path";
  import { setTimeout as sleep } from "node:timers/promises";
  import { createWorkspace } from "context-offload";

  const [folder, count] = process.argv.slice(1);
  const threads = () => readdirSync("/proc/self/task").length;
  const open = async (name) => {
    const workspace = createWorkspace({ root: join(folder, name) });
    await workspace.put({ content: "hay\\nneedle\\n" }, { toolCallId: "a", sessionId: "s" });
    return workspace;
  };
  const names = (prefix) => Array.from({ length: Number(count) }, (_, index) => prefix + index);
  const grep = async (workspace) => {
    const { text } = await workspace.grepKnowledge("a", "n[e]+dle");
    if (text !== "2:needle") throw new Error(text);
    most = Math.max(most, threads());
  };
  let most = 0;
  const workspaces = await Promise.all(names("at-once-").map(open));
  // By now all threads that Node itself uses for files have been started.
  const before = threads();
  const alive = process.getActiveResourcesInfo().length;

  const watch = setInterval(() => (most = Math.max(most, threads())), 1);
  await Promise.all(workspaces.map(grep));
  clearInterval(watch);
  const atOnce = most - before;

  most = 0;
  for (const name of names("in-turn-")) await grep(await open(name));
  const inTurn = most - before;

  const keepsAlive = process.getActiveResourcesInfo().length - alive;
  while (threads() > before) await sleep(100);
  console.log(JSON.stringify({ atOnce, inTurn, keepsAlive, afterwards: threads() - before }));
`;

describe.runIf(process.platform === "linux")("the threads of a process that searches", () => {
  it("are few however many workspaces there are, and end when they are idle", async () => {
    const [line = ""] = await runProgram(PROGRAM, [await makeTempFolder(), String(runs(30))]);
    const counts = JSON.parse(line) as Record<string, number>;
    expect(counts["atOnce"]).toBeGreaterThan(0);
    expect(counts["atOnce"]).toBeLessThanOrEqual(5);
    expect(counts["inTurn"]).toBeLessThanOrEqual(5);
    expect(counts["afterwards"]).toBe(0);
    // Neither a worker nor its timer: the process could exit at once.
    expect(counts["keepsAlive"]).toBeLessThanOrEqual(0);
  });
});
