import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createOffloader, createWorkspace, type Workspace } from "context-offload";
import { noteUsage, readLedger } from "context-offload/ledger";
import { afterTurns } from "context-offload/policies";
import { describe, expect, it } from "vitest";
import { TestFolder } from "./support/command.js";

const logOf = (name: string): string =>
  Array.from({ length: 700 }, (_, at) => `${name} line ${at} value ${(at * 7919) % 997}`).join(
    "\n",
  );

/** An agent whose results are hidden at once, and that reads some of them back whole. */
async function runAgent(workspace: Workspace, sessionId: string, toolName: string, reads: number) {
  const policy = afterTurns(0);
  const offloader = createOffloader({ workspace, sessionId, policy, format: "anthropic" });
  const history: unknown[] = [{ role: "user", content: "go" }];
  for (let turn = 0; turn < 4; turn++) {
    const id = `${sessionId}-${turn}`;
    history.push({
      role: "assistant",
      content: [{ type: "tool_use", id, name: toolName, input: {} }],
    });
    history.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: logOf(id) }],
    });
    await offloader.offload(history);
    if (turn >= reads) continue;
    const call = {
      type: "tool_use",
      id: `${id}-read`,
      name: "read_stored",
      input: { id, lines: "1-700" },
    };
    history.push({ role: "assistant", content: [call] });
    history.push({ role: "user", content: [await offloader.handleToolCall(call)] });
    await offloader.offload(history);
  }
}

describe("stats", () => {
  it("shows the figures of the ledger, and says which tools to exclude and how", async () => {
    const place = new TestFolder();
    const workspace = createWorkspace({ root: place.path(".offload") });
    await runAgent(workspace, "pays", "bash", 0);
    noteUsage(workspace, "pays", { inputTokens: 900, cacheReadTokens: 70, outputTokens: 5 });
    await runAgent(workspace, "costs", "Read", 4);
    await workspace.close();
    const { total, sessions } = await readLedger(workspace);

    const { stdout } = await place.run("stats");
    const figure = (tokens: number) => tokens.toLocaleString("en-US");
    expect(stdout).toContain(`saved ${figure(total.net)} tokens`);
    for (const { sessionId, net } of sessions) {
      expect(stdout).toMatch(new RegExp(`^${sessionId} .* ${figure(net)}$`, "m"));
    }
    // Each figure says whose it is.
    expect(stdout).toMatch(/tokens of input in \d+ requests, by our estimate/);
    expect(stdout).toMatch(/^pays, as the provider counted 1 request: 900 input, 70 from cache/m);
    expect(stdout).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\d .* ${figure(total.net)}$`, "m"));
    expect(stdout).toMatch(/^Read: read back in full 4 of 4 times\. Exclude it:/m);
    expect(stdout).not.toMatch(/^bash: /m);
    const costly = await place.run("stats", "--session", "costs");
    expect(costly.stdout).not.toContain("pays ");
    expect(JSON.parse((await place.run("stats", "--json")).stdout)).toMatchObject({ total });
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(96);
  });

  it("each line of its advice does what it says where it is pasted, and undoes nothing", async () => {
    const place = new TestFolder();
    const workspace = createWorkspace({ root: place.path(".offload") });
    await runAgent(workspace, "one", "Read", 4);
    await runAgent(workspace, "other", "Grep", 3);
    await workspace.close();
    const advice = async () => {
      const { stdout } = await place.run("stats");
      expect(stdout).toMatch(/^Read: read back in full 4 of 4 times\. Exclude it:\n/m);
      expect(stdout).toMatch(/^Grep: read back in full 3 of 4 times\. Exclude it:\n/m);
      const [, lines = ""] = /Exclude it:\n((?: {2}.*\n)+)/.exec(stdout) ?? [];
      return lines.trimEnd().split("\n");
    };

    // Nothing is set up: a variable that hook and gateway know.
    const [code = "", variable = ""] = await advice();
    const asked = `["Grep", "Read", "bash", undefined].map((toolName) => shouldOffload({ toolName }))`;
    const script = `const { shouldOffload } = { ${code} }; console.log(JSON.stringify(${asked}))`;
    const run = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
    expect(run.stdout.trim()).toBe("[false,false,null,null]");
    const shell = ["-c", `${variable}; printenv CONTEXT_OFFLOAD_EXCLUDE`];
    expect(spawnSync("sh", shell, { encoding: "utf8" }).stdout).toMatch(
      /^(?:Read,Grep|Grep,Read)\n$/,
    );

    // What was set up before stays as it was.
    const before = ["--user", "--no-tools", "--exclude", "Bash", "--min-tokens", "400"];
    await place.run("install", "claude-code", ...before);
    await place.run("install", "opencode");
    const [, ...installs] = await advice();
    expect(installs).toHaveLength(2);
    for (const line of installs) {
      const [, ...args] = line.trim().split(" ");
      expect((await place.run(...args)).status).toBe(0);
    }
    const settings = place.read("home/.claude/settings.json");
    expect(settings.match(/--exclude/g)).toHaveLength(1);
    expect(settings).toMatch(/--exclude \\"Bash,(?:Read,Grep|Grep,Read)\\" --min-tokens \\"400\\"/);
    expect(existsSync(place.path(".claude"))).toBe(false);
    expect(existsSync(place.path("home/.claude.json"))).toBe(false);
    expect(place.read("opencode.json")).toMatch(/"excludeTools": ?\[\s*"(?:Read|Grep)",/);
  });

  it("names in its advice run nothing where they are pasted", async () => {
    const place = new TestFolder();
    const name = "x'$(touch pwned)`touch pwned`\"; touch pwned #";
    const workspace = createWorkspace({ root: place.path(".offload") });
    await runAgent(workspace, "one", name, 4);
    await workspace.close();
    const [, line = ""] = /^ {2}(export .*)$/m.exec((await place.run("stats")).stdout) ?? [];
    const shell = ["-c", `${line}\nprintenv CONTEXT_OFFLOAD_EXCLUDE`];
    const { stdout } = spawnSync("sh", shell, { encoding: "utf8", cwd: place.folder });
    expect(stdout).toBe(`${name}\n`);
    expect(existsSync(place.path("pwned"))).toBe(false);
  });

  it("says so in words, and in red, when offloading cost more than it saved", async () => {
    const place = new TestFolder();
    const workspace = createWorkspace({ root: place.path(".offload") });
    const offloader = createOffloader({ workspace, sessionId: "s", format: "anthropic" });
    await offloader.offload([{ role: "user", content: "hello" }]);
    await workspace.close();
    const { stdout } = await place.run("stats");
    const line = place.spawn(["status-line"], { input: JSON.stringify({ session_id: "s" }) });
    expect(line.stdout).toContain("\u001b[31mcosts ");
    expect(line.stdout).toMatch(/costs \d+ tokens more than it saves/);
    expect(stdout).toMatch(/^Offloading cost \d+ tokens more than it saved/);
    expect(stdout).toMatch(/ -\d+$/m);
    const watched = await place.runAs({ isWatched: true }, ["stats"]);
    const red = (text: string) => text.split("\u001b[31m").slice(1);
    expect(red(watched.stdout)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^cost \d+ tokens more than it saved/),
        expect.stringMatching(/^-\d+/),
      ]),
    );
  });

  it("the page takes --with-content for an export only", async () => {
    const { status, stderr } = await new TestFolder().run("page", "--with-content");
    expect([status, stderr]).toEqual([2, expect.stringMatching(/needs --export/)]);
  });

  it("says when nothing was noted at all", async () => {
    const { stdout } = await new TestFolder().run("stats");
    expect(stdout).toMatch(/^Nothing was noted yet/);
  });
});
