import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { serveRegistry } from "./local-registry.js";
import { needRuntime } from "./tools.js";

const README = fileURLToPath(new URL("../../README.md", import.meta.url));
const LINES = Array.from({ length: 3_000 }, (_, at) => `line ${at + 1} of a build log`);
const NEEDLE = "line 1507 of a build log";

let home: string;
let registry: Awaited<ReturnType<typeof serveRegistry>>;

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "context-offload-home-")));
  mkdirSync(`${home}-tarballs`);
  registry = await serveRegistry(`${home}-tarballs`);
});

afterAll(async () => {
  await registry.close();
  await rm(`${home}-tarballs`, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
});

/** What a shell has, without what `npm` and the tests add to it. */
function environment(more: Readonly<Record<string, string>> = {}) {
  const path = [join(home, ".npm/bin"), dirname(process.execPath), "/usr/bin", "/bin"];
  return {
    ...{ HOME: home, PATH: path.join(delimiter), npm_config_prefix: join(home, ".npm") },
    ...{ npm_config_registry: `${registry.url}/`, npm_config_cache: join(home, ".npm-cache") },
    ...{ npm_config_update_notifier: "false", ...more },
  };
}

/** A program named `claude`, of which `install` asks nothing but its version. */
function addClaude(version: string): string {
  const folder = join(home, `claude-${version}`);
  mkdirSync(folder);
  writeFileSync(join(folder, "claude"), `#!/bin/sh\necho "${version} (Claude Code)"\n`, {
    mode: 0o755,
  });
  return folder;
}

async function run(command: string, args: readonly string[], cwd: string, env = environment()) {
  const { code, stdout, stderr } = await runCommand(command, args, { cwd, env });
  return { code, output: stdout + stderr, stdout };
}

interface ClaudeSettings {
  readonly hooks: {
    readonly PostToolUse: readonly {
      readonly hooks: readonly {
        readonly type: string;
        readonly command?: string;
        readonly tool?: string;
        readonly input?: Readonly<Record<string, unknown>>;
      }[];
    }[];
  };
}
interface ServerSettings {
  readonly mcpServers: { readonly offload: { readonly command: string; readonly args: string[] } };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

describe.skipIf(process.platform === "win32")("the command, as it will be published", () => {
  it("takes an empty home to references that can be read, in the two commands of the README", async () => {
    const readme = readFileSync(README, "utf8");
    const [first = "", second = ""] = [
      /`(npm install --global @context-offload\/cli)`/,
      /`(context-offload install claude-code)`/,
    ].map((command) => command.exec(readme)?.[1] ?? "");
    expect(readme.indexOf(first)).toBeLessThan(readme.indexOf(second));
    const forms = [
      ["command", {}],
      ["mcp_tool", { PATH: [addClaude("2.1.325"), environment().PATH].join(delimiter) }],
    ] as const;
    for (const [type, more] of forms) {
      const project = join(home, `project-${type}`);
      mkdirSync(project);
      const env = environment(more);
      for (const line of [first, second]) {
        const [program = "", ...args] = line.split(" ");
        expect([line, await run(program, args, project, env)]).toEqual([
          line,
          expect.objectContaining({ code: 0 }),
        ]);
      }

      const { hooks } = readJson(join(project, ".claude/settings.json")) as ClaudeSettings;
      const hook = hooks.PostToolUse[0]?.hooks[0];
      expect(hook?.type).toBe(type);
      const { offload } = (readJson(join(project, ".mcp.json")) as ServerSettings).mcpServers;
      const session = { ...environment({ CLAUDE_PROJECT_DIR: project }) };
      const client = new Client({ name: "agent", version: "1" });
      await client.connect(new StdioClientTransport({ ...offload, cwd: project, env: session }));
      try {
        const event = {
          ...{ hook_event_name: "PostToolUse", session_id: "s1", cwd: project, agent_id: "" },
          ...{ tool_name: "Bash", tool_use_id: "toolu_1", tool_input: { command: "make" } },
          tool_response: { stdout: LINES.join("\n"), stderr: "", interrupted: false },
        };
        const answer =
          hook?.command === undefined
            ? await call(client, hook?.tool ?? "", filled(hook?.input ?? {}, event))
            : spawnSync("/bin/sh", ["-c", hook.command], {
                ...{ cwd: project, env: session, input: JSON.stringify(event), encoding: "utf8" },
              }).stdout;
        const { hookSpecificOutput } = JSON.parse(answer) as {
          hookSpecificOutput: { updatedToolOutput: { stdout: string } };
        };
        const reference = hookSpecificOutput.updatedToolOutput.stdout;
        expect(reference.length).toBeLessThan(3_000);
        expect(reference).not.toContain(NEEDLE);

        const [, path = ""] = / path="([^"]+)"/.exec(reference) ?? [];
        expect(path.startsWith(join(project, ".offload"))).toBe(true);
        expect(readFileSync(path, "utf8")).toBe(LINES.join("\n"));
        const [, id] = /<knowledge id="([^"]+)"/.exec(reference) ?? [];
        const [, session_id] = / session_id="([^"]+)"/.exec(reference) ?? [];
        const read = await call(client, "read_stored", { id, session_id, pattern: "line 1507 " });
        expect(read).toContain(NEEDLE);
        // The tools that the reference names are those that the server lists.
        const { tools } = await client.listTools();
        const named = [...reference.matchAll(/mcp__offload__(\w+)/g)].map(([, name]) => name);
        expect(named.length).toBeGreaterThan(0);
        expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
      } finally {
        await client.close();
      }
      const doctor = await run("context-offload", ["doctor"], project, env);
      expect(doctor).toMatchObject({
        code: 0,
        output: expect.stringMatching(
          /a reference made now can be read .* path and .* tools/,
        ) as string,
      });
    }
  });

  it("shortens a conversation by npx, in an empty folder", async () => {
    const folder = join(home, "first try");
    mkdirSync(folder);
    const content = LINES.join("\n");
    const input = [{ type: "tool_use", id: "t1", name: "read_log", input: {} }];
    const chat = [
      { role: "user", content: "Look." },
      { role: "assistant", content: input },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content }] },
    ];
    writeFileSync(join(folder, "file.json"), JSON.stringify(chat));
    const tried = await run("npx", ["--yes", "@context-offload/cli", "run", "file.json"], folder);
    expect(tried).toMatchObject({ code: 0, stdout: expect.stringContaining("saved") as string });
    expect(existsSync(join(folder, "file.offloaded.json"))).toBe(true);

    const installed = await run("npm", ["install", "@context-offload/cli"], folder);
    expect(installed).toMatchObject({ code: 0 });
    const bin = join(folder, "node_modules/.bin/context-offload");
    for (const [command, ...args] of [["npx", "context-offload"], [bin]]) {
      const again = await run(command ?? "", [...args, "run", "file.json", "--json"], folder);
      expect(again.code).toBe(0);
      expect(JSON.parse(again.stdout)).toMatchObject({ conversations: { length: 1 } });
    }
  });

  it("says on an older Node which one it needs", async (context) => {
    const node = needRuntime(context, "Node 18");
    const main = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
    const outcome = await runCommand(node, [main, "run", "file.json"]);
    expect(outcome).toMatchObject({ code: 3, stdout: "" });
    expect(outcome.stderr).toMatch(
      /^context-offload: needs Node 20 or later, .* Node 18\.[^\n]+\n$/,
    );
  });
});

/** As Claude Code fills the template of a hook's call: values that are not texts become JSON. */
function filled(
  input: Readonly<Record<string, unknown>>,
  event: Readonly<Record<string, unknown>>,
) {
  const fill = (value: unknown): unknown => {
    const [, name] = /^\$\{(\w+)\}$/.exec(String(value)) ?? [];
    if (name === undefined) return value;
    const field = event[name] ?? "";
    return typeof field === "string" ? field : JSON.stringify(field);
  };
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, fill(value)]));
}

async function call(client: Client, name: string, given: Readonly<Record<string, unknown>>) {
  const { content } = await client.callTool({ name, arguments: given });
  return (content as readonly { text?: string }[]).map(({ text = "" }) => text).join("\n");
}
