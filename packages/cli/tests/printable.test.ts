import { symlinkSync } from "node:fs";
import { createWorkspace } from "context-offload";
import { describe, expect, it } from "vitest";
import { createProgram } from "../src/program.js";
import { processTerminal } from "../src/terminal/terminal.js";
import { conversationOf, RUN, TestFolder } from "./support/command.js";

/** A title, a cleared screen, colors, the C1 form of a sequence, a change of direction, a carriage return. */
const EVIL = "\u001b]0;owned\u0007\u001b[2J\u001b[31mred\u009b35mgone\u202etxt\u2066\u2028\rover";
const OWN_COLORS = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g; // eslint-disable-line no-control-regex -- ours
const HARMFUL =
  // eslint-disable-next-line no-control-regex -- what must not be printed
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const CHAT = `chat${EVIL}.json`;
const WORKSPACE = ["--workspace", `store${EVIL}`];

/** What to call with what was planted; for each command, so that it prints as much of it as it can. */
const CALLS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  run: [
    [...RUN, CHAT, "--example"],
    [...RUN, CHAT, "--json"],
    ["run", `no${EVIL}`],
    ["run", `broken${EVIL}.json`],
    ["run", ".", "--dry-run"],
    ["run", CHAT, "--policy", EVIL],
  ],
  list: [["list"], ["list", "--json"], ["list", "--session", EVIL]],
  stats: [["stats"], ["stats", "--json"]],
  "status-line": [["status-line"]],
  learn: [
    ["learn", "."],
    ["learn", EVIL],
  ],
  trial: [
    ["trial", "--", EVIL],
    ["trial", "--runs", EVIL, "--", "true"],
  ],
  page: [
    ["page", "--port", EVIL],
    ["page", "--export", `page${EVIL}.html`],
  ],
  show: [
    ["show", `id${EVIL}`],
    ["show", `id${EVIL}`, "--info"],
    ["show", EVIL],
  ],
  lines: [
    ["lines", `id${EVIL}`, "1-3"],
    ["lines", `id${EVIL}`, EVIL],
  ],
  query: [
    ["query", `json${EVIL}`, "/a"],
    ["query", `json${EVIL}`, `/${EVIL}`],
  ],
  grep: [
    ["grep", "words"],
    ["grep", "-c", "words"],
    ["grep", "-l", "words"],
    ["grep", "words", "--json"],
    ["grep", `(${EVIL}`],
  ],
  restore: [
    ["restore", `chat${EVIL}.offloaded.json`],
    ["restore", CHAT, "--session", EVIL],
    ["restore", EVIL],
  ],
  verify: [["verify"], ["verify", "--json"]],
  prune: [
    ["prune", "--max-artifacts", "0", "--force"],
    ["prune", "--max-age", EVIL],
  ],
  replay: [
    ["replay", CHAT],
    ["replay", CHAT, "--json"],
    ["replay", "."],
    ["replay", EVIL],
  ],
  doctor: [["doctor"], ["doctor", "--json"]],
  install: [
    ["install", "cursor"],
    ["install", "claude-code"],
    ["install", EVIL],
  ],
  uninstall: [
    ["uninstall", "cursor"],
    ["uninstall", "codex"],
  ],
  off: [["off"], ["off", "--workspace", `other${EVIL}:x`]],
  on: [["on"]],
  hook: [["hook", `--${EVIL}`]],
  mcp: [
    ["mcp", EVIL],
    ["mcp", "--port", EVIL],
  ],
  gateway: [
    ["gateway", "--config", `config${EVIL}`],
    ["gateway", "--config", EVIL],
  ],
  completion: [
    ["completion", "bash"],
    ["completion", EVIL],
  ],
};

async function plant(): Promise<TestFolder> {
  const place = new TestFolder();
  const root = place.path(`store${EVIL}`);
  const workspace = createWorkspace({ root });
  const text = Array.from({ length: 200 }, (_, at) => `${at} words ${EVIL}`).join("\n");
  const metadata = { tool_name: `tool${EVIL}` };
  const put = (id: string, content: string) =>
    workspace.put({ artifactId: id, content, metadata }, { sessionId: `session${EVIL}` });
  await put(`id${EVIL}`, text);
  await put(`json${EVIL}`, JSON.stringify({ a: [EVIL, { [EVIL]: 1 }] }));
  await workspace.close();
  const messages = JSON.stringify(conversationOf(`id${EVIL}`, `words ${EVIL}`));
  place.write(CHAT, messages.replaceAll("read_log", JSON.stringify(`t${EVIL}`).slice(1, -1)));
  place.write(`broken${EVIL}.json`, `[{"role": "${EVIL}`);
  place.write(`store${EVIL}/hook.log`, `${EVIL}\n`);
  place.write(`config${EVIL}`, JSON.stringify({ mcpServers: { [EVIL]: { command: 1 } } }));
  const servers = { mcpServers: { [EVIL]: { command: EVIL }, [`${EVIL}2`]: { url: EVIL } } };
  place.write(".cursor/mcp.json", JSON.stringify(servers));
  place.write("home/.codex/config.toml", `a = "${EVIL}`);
  return place;
}

describe("what is planted in content, ids, names and settings", () => {
  it("is tried with every command", () => {
    const { commands } = createProgram(processTerminal(), () => undefined);
    expect(Object.keys(CALLS).sort()).toEqual(commands.map((command) => command.name()).sort());
  });

  it.each(
    Object.entries(CALLS).flatMap(([name, calls]) =>
      [false, true].map((isWatched) => ({ name, calls, isWatched })),
    ),
  )(
    "does not reach a terminal by $name (watched: $isWatched)",
    async ({ name, calls, isWatched }) => {
      const place = await plant();
      if (name === "restore") await place.run(...RUN, ...WORKSPACE, CHAT, "-q");
      for (const call of calls) {
        const place_ = call.includes("--workspace") ? [] : WORKSPACE;
        const { stdout, stderr } = await place.runAs({ isWatched }, [...call, ...place_]);
        const seen = stdout + stderr;
        expect(seen).not.toBe("");
        expect(seen).not.toContain("\u001b[31mred");
        expect(isWatched ? seen.replace(OWN_COLORS, "") : seen).not.toMatch(HARMFUL);
        if (call.includes("--json")) {
          for (const line of call[0] === "list" || call[0] === "grep"
            ? stdout.trim().split("\n")
            : [stdout]) {
            expect(line === "" || JSON.parse(line)).toBeTruthy();
          }
        }
      }
    },
  );

  it("is printed as it is where raw output is asked for", async () => {
    const place = await plant();
    for (const call of [
      ["show", `id${EVIL}`],
      ["lines", `id${EVIL}`, "1-3"],
      ["query", `json${EVIL}`, "/a/0"],
      ["grep", "words", `id${EVIL}`],
    ]) {
      const { stdout } = await place.run(...call, "--raw", ...WORKSPACE);
      expect(stdout).toContain("\u202e");
    }
  });
});

describe("links in a workspace that a repository brings", () => {
  it("are neither written to nor read by off, doctor and the hook", async () => {
    const place = new TestFolder();
    place.write("victim", "# mine\n");
    place.write(".offload/v1", "a file where a folder should be");
    symlinkSync(place.path("victim"), place.path(".offload/hook.log"));
    symlinkSync(place.path("victim"), place.path(".offload/off"));
    await place.run("off");
    expect(place.read("victim")).toBe("# mine\n");
    await place.run("on");
    const tool_response = { stdout: "line of words\n".repeat(4_000), stderr: "" };
    const event = { hook_event_name: "PostToolUse", tool_name: "Bash", tool_response };
    const input = JSON.stringify({ ...event, session_id: "s", cwd: place.folder, tool_input: {} });
    const answer = await place.runAs({ input }, ["hook", "--root", place.path(".offload")]);
    expect(answer).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(place.read("victim")).toBe("# mine\n");
    expect((await place.run("doctor")).stdout).not.toContain("# mine");
  });
});
