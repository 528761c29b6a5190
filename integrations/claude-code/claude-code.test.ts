import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolUse } from "../../tests/support/anthropic-api.js";
import { Computer, parseReference } from "./run-claude.js";

const BASH = ["--allowedTools", "Bash"];
const log = (lines: number, name = "a server") =>
  toolUse("Bash", {
    command: `seq -f 'line %g of a log that ${name} has written' 1 ${lines}`,
    description: "Show the log",
  });
const readPath = (reference = "") =>
  toolUse("Read", { file_path: parseReference(reference).path, offset: 300, limit: 2 });
const grep = (reference = "") => {
  const { id: artifact_id, session: session_id } = parseReference(reference);
  const input = { artifact_id, session_id, pattern: "^line 512 " };
  return toolUse("mcp__offload__grep_knowledge", input);
};
const source = (lines: number): string =>
  Array.from({ length: lines }, (_, at) => `export const value${at} = compute(${at});`).join("\n");

const READ = /line 300 of a log that a server has written\n.*line 301 /;
const FOUND = /512:line 512 of a log that a server has written/;

describe.each(["2.1.328", "2.1.197"] as const)("Claude Code %s", (version) => {
  it.each<[string, string[], string[], boolean]>([
    ["for the user", ["--user"], [], true],
    ["for the user, in plan mode", ["--user"], ["--permission-mode", "plan"], true],
    ["in a project that is not trusted", [], [], false],
    ["without a server", ["--no-tools"], [], false],
    [
      "without a server, for the user, in plan mode",
      ["--no-tools", "--user"],
      ["--permission-mode", "plan"],
      false,
    ],
  ])("reads a reference back: %s", async (_, install, args, hasTools) => {
    const computer = await Computer.make(version);
    computer.offload("install", "claude-code", ...install);
    const { results } = await computer.run(
      [() => log(620), ([first]) => readPath(first), ([first]) => grep(first)],
      [...args, ...BASH],
    );
    const [reference, read, found] = results;
    expect(reference).toMatch(/^<knowledge_list>/);
    expect(read).toMatch(READ);
    if (hasTools) expect(found).toMatch(FOUND);
    else expect(found).not.toMatch(FOUND);
    if (install.includes("--user")) expect(computer.offload("doctor")).not.toMatch(/^broken/m);
  });

  it("lets results through where the person has declined the server", async () => {
    const computer = await Computer.make(version);
    computer.offload("install", "claude-code");
    const declined = JSON.stringify({ disabledMcpjsonServers: ["offload"] });
    writeFileSync(join(computer.project, ".claude", "settings.local.json"), declined);
    const { results } = await computer.run([() => log(620)], BASH);
    expect(results[0]).toMatch(READ);
  });

  it("works in the folder that CLAUDE_CONFIG_DIR names", async () => {
    const computer = await Computer.make(version);
    computer.env["CLAUDE_CONFIG_DIR"] = join(computer.home, "config");
    mkdirSync(computer.env["CLAUDE_CONFIG_DIR"]);
    computer.offload("install", "claude-code", "--user");
    const { results } = await computer.run([() => log(620), ([first]) => grep(first)], BASH);
    expect(results[0]).toMatch(/^<knowledge_list>/);
    expect(results[1]).toMatch(FOUND);
  });

  it("keeps source files and parts of files, and replaces a giant without numbering the reference", async () => {
    const computer = await Computer.make(version);
    computer.offload("install", "claude-code", "--user");
    const path = (name: string) => join(computer.project, name);
    writeFileSync(path("small.ts"), source(94));
    writeFileSync(path("large.ts"), source(1_400));
    const { results } = await computer.run([
      () => toolUse("Read", { file_path: path("small.ts") }),
      () => toolUse("Read", { file_path: path("large.ts"), offset: 1, limit: 900 }),
      () => toolUse("Read", { file_path: path("large.ts") }),
    ]);
    expect(results[0]).toMatch(/94\W+export const value93 = /);
    expect(results[1]).toMatch(/900\W+export const value899 = /);
    expect(results[2]).toMatch(/^<cell id="reference"><knowledge_list>\n/);
    expect(readFileSync(parseReference(results[2] ?? "").path, "utf8")).toBe(source(1_400));
  });
});

describe("bytes sent", () => {
  it("are at most 1.5 MB for ten results of 60 kB, beside ten source files that are kept", async () => {
    const measure = async (isInstalled: boolean) => {
      const computer = await Computer.make("2.1.328");
      if (isInstalled) computer.offload("install", "claude-code", "--user");
      const calls = Array.from({ length: 10 }, (_, at) => {
        const file = join(computer.project, `log-${at}.txt`);
        const line = `2026-11-18T10:00:00Z INFO service-${at} request was served in `;
        writeFileSync(
          file,
          Array.from({ length: 900 }, (__, i) => `${line}${i} ms`)
            .join("\n")
            .slice(0, 60_000),
        );
        const code = join(computer.project, `source-${at}.ts`);
        writeFileSync(code, source(40));
        // A half of them is read, which Claude Code keeps whole; the other is printed, which it stores itself.
        const large =
          at % 2 === 0
            ? toolUse("Read", { file_path: file })
            : toolUse("Bash", { command: `cat log-${at}.txt`, description: "x" });
        return () => [large, toolUse("Read", { file_path: code })];
      });
      const { results, bytes } = await computer.run(calls, BASH);
      expect(results).toHaveLength(20);
      expect(results.filter((result) => /value39 = /.test(result))).toHaveLength(10);
      return bytes;
    };
    const [without, beside] = [await measure(false), await measure(true)];
    console.log(`without: ${(without / 1e6).toFixed(2)} MB, with: ${(beside / 1e6).toFixed(2)} MB`);
    expect(without).toBeGreaterThan(2e6);
    expect(beside).toBeLessThan(1.5e6);
  }, 200_000);
});
