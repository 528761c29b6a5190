import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { MAIN, TestFolder } from "./support/command.js";

const COMMANDS = [
  ...["run", "list", "stats", "show", "lines", "query", "grep", "restore", "verify", "prune"],
  ...["page", "replay", "learn", "trial", "status-line", "doctor", "mcp", "gateway", "hook"],
  ...["install", "uninstall", "off", "on", "completion"],
];

describe("help and completion", () => {
  it("helps with every command, with examples and the exit codes", async () => {
    const place = new TestFolder();
    const { status, stdout } = await place.run("--help");
    expect(status).toBe(0);
    for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"));
    expect(stdout).toMatch(/Examples:[^]*Exit codes: 0 done; 1 /);
    for (const name of ["run", "grep", "replay", "mcp", "gateway", "install"]) {
      expect(await place.run(name, "--help")).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/Examples?:/) as string,
      });
    }
    expect((await place.run("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("completes commands, options and files in bash", async () => {
    const place = new TestFolder();
    place.write("completion.bash", (await place.run("completion", "bash")).stdout);
    place.write("chat.json", "");
    expect(spawnSync("bash", ["-n", place.path("completion.bash")]).status).toBe(0);
    const complete = (...words: string[]): string[] => {
      const script = `source completion.bash
COMP_WORDS=(context-offload "$@"); COMP_CWORD=$#
_context_offload
printf '%s\\n' "\${COMPREPLY[@]}"`;
      const options = { cwd: place.folder, encoding: "utf8" } as const;
      const { stdout } = spawnSync("bash", ["-c", script, "bash", ...words], options);
      return stdout.trim().split("\n");
    };
    expect(complete("re")).toEqual(["restore", "replay"]);
    expect(complete("run", "--dry")).toEqual(["--dry-run"]);
    expect(complete("run", "--work")).toEqual(["--workspace"]);
    expect(complete("run", "cha")).toEqual(["chat.json"]);
    expect(complete("install", "c").sort()).toEqual([
      ...["claude-code", "cline", "codex", "copilot", "cursor"],
    ]);
    expect(complete("uninstall", "gem")).toEqual(["gemini"]);
    expect(complete("completion", "z")).toEqual(["zsh"]);
    place.makeFolder("stored/v1");
    for (const option of ["-w", "--workspace"]) {
      expect(complete("list", option, "st")).toEqual(["stored"]);
      expect(complete("list", option, "cha")).toEqual([""]);
      expect(complete("list", option, "sq")).toEqual(["sqlite:"]);
    }
    const registered = spawnSync(
      "bash",
      ["-c", "source completion.bash; complete -p context-offload"],
      {
        ...{ cwd: place.folder, encoding: "utf8" },
      },
    );
    expect(registered.stdout).toContain("-F _context_offload context-offload");
  });

  it.each(["zsh", "fish"])("prints a script for %s that names every command", async (shell) => {
    const { status, stdout } = await new TestFolder().run("completion", shell);
    expect(status).toBe(0);
    expect(stdout).toMatch(/\binstall\b.*\bclaude-code [a-z ]*\bwindsurf\b/);
    expect(stdout).toMatch(/workspace.*\bsqlite\\?:/);
    for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it.for(["zsh", "fish"])("prints a script that %s can parse", async (shell, { skip }) => {
    skip(spawnSync(shell, ["--version"]).status !== 0, `${shell} is not installed`);
    const { stdout } = await new TestFolder().run("completion", shell);
    expect(spawnSync(shell, ["-n"], { input: stdout }).status).toBe(0);
  });

  it("survives a reader that closes the pipe early", () => {
    const place = new TestFolder();
    const script = `"${process.execPath}" "$1" --help | head -n 1; exit \${PIPESTATUS[0]}`;
    const { status, stderr } = spawnSync("bash", ["-c", script, "bash", MAIN], {
      ...{ encoding: "utf8", env: place.env() },
    });
    expect([status, stderr]).toEqual([0, ""]);
  });
});
