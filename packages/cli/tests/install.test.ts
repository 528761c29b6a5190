import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { foundHook, hookCommand, type InstallContext } from "../src/install/client.js";
import { CLIENTS } from "../src/install/clients.js";
import { folderWithClaude, HOOK, MAIN, ONE_SENTENCE, TestFolder } from "./support/command.js";

/** Settings as people write them: comments, blanks, trailing commas, empty containers, tabs, Windows lines. */
const SETTINGS: readonly string[] = [
  `{
  // mine
  "model": "opus",\t
  "hooks": {
    "PostToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "echo hi" }] } // keep
    ]
  },
}
`,
  "{}",
  "{ }\n",
  '{"hooks": {}}',
  '{"hooks": {"PostToolUse": [ ]}}',
  '{\n\t"permissions": { "allow": ["Bash(ls:*)",] }\n}\n',
  '{\r\n  "model": "opus" /* the best */\r\n}\r\n',
  '{"model":"opus","hooks":{"PreToolUse":[{"matcher":"*","hooks":[]}]}}',
  '{\n  "hooks": {\n    "PostToolUse": [\n    ]\n  }\n}\n',
];

const SERVERS: readonly string[] = [
  `{
  // servers of mine
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "server-files", "."] }, // files
    "bare": { "command": "bare-server" },
    "empty": { "command": "x", "args": [] , "env": { "A": "1" } },
    "remote": { "url": "https://example.com/mcp" },
    "long": {
      "args": [
        "-y", // yes
        "server-long",
      ],
      "command": "n\\u0070x",
    },
  },
}
`,
  '{"mcpServers":{"a":{"command":"a","args":[ ]},"b":{"command":"b","args":["x"]}}}',
];

const TOML = `# mine
model = "o5"

[mcp_servers.files]
command = 'npx'   # literal
args = [
  "-y", # yes
  'server-files',
]
env = { A = "1" }

[mcp_servers."with space"]
command = "bare"

[mcp_servers.remote]
url = "https://example.com"

[mcp_servers.empty]
args = []
command = "x"
`;

describe("install claude-code", () => {
  it.each(SETTINGS)(
    "adds a hook and a server, and uninstall gives every byte back: %j",
    async (text) => {
      const place = new TestFolder();
      place.write(".claude/settings.json", text);
      place.write(".mcp.json", text);
      const done = await place.run("install", "claude-code");
      expect([done.status, done.stderr]).toEqual([0, ""]);
      expect(done.stdout).toMatch(/settings\.json: added a PostToolUse hook/);
      expect(done.stdout).toMatch(/\.mcp\.json: added the MCP server "offload"/);
      expect(done.stdout).toMatch(
        /paths of this computer: do not commit it.*\nIf Claude Code is running, start it again; .*doctor\nUndo it with: context-offload uninstall claude-code\n$/,
      );
      const settings = place.read(".claude/settings.json");
      expect(settings).toContain(JSON.stringify(`"${process.execPath}" "${HOOK}"`).slice(1, -1));
      expect(settings).not.toContain("npx");
      await place.run("install", "claude-code");
      expect(place.read(".claude/settings.json")).toBe(settings);
      const undone = await place.run("uninstall", "claude-code");
      expect(undone.stdout).toMatch(/removed the hook[^]*removed the MCP server/);
      expect(place.read(".claude/settings.json")).toBe(text);
      expect(place.read(".mcp.json")).toBe(text);
      expect((await place.run("uninstall", "claude-code")).stdout).toBe(
        "Nothing of ours was set up.\n",
      );
    },
  );

  it("makes the files that are missing, and removes them again", async () => {
    const place = new TestFolder();
    await place.run("install", "claude-code");
    const settings = JSON.parse(place.read(".claude/settings.json")) as {
      hooks: { PostToolUse: { matcher: string; hooks: { command: string }[] }[] };
    };
    const [group] = settings.hooks.PostToolUse;
    expect(group?.matcher).toBe("*");
    const servers = JSON.parse(place.read(".mcp.json")) as { mcpServers: { offload: object } };
    expect(servers.mcpServers.offload).toEqual({
      ...{ type: "stdio", command: process.execPath, alwaysLoad: true },
      args: [MAIN, "mcp", "--read-only", "--hook", "--installed-by", expect.any(String)],
    });
    // The command works as it stands.
    const input = JSON.stringify({ hook_event_name: "PostToolUse" });
    execFileSync("bash", ["-c", group?.hooks[0]?.command ?? "false"], { input });
    await place.run("uninstall", "claude-code");
    expect(
      [".claude/settings.json", ".mcp.json"].some((name) => existsSync(place.path(name))),
    ).toBe(false);
  });

  it("runs nothing that stands in the name of a folder or of a tool", async () => {
    const hook = '/a$HOME/`id`/b\\\\/"c"/hook.js';
    const command = hookCommand({ node: "echo", hook } as InstallContext, [], []);
    expect(execFileSync("bash", ["-c", command], { encoding: "utf8" })).toBe(`${hook}\n`);
    expect(foundHook(command).programs).toEqual(["echo", hook]);
    const place = new TestFolder();
    for (const name of ["x$(id)", "`id`", 'a"b', "%PATH%", "x\n"]) {
      const { status, stderr } = await place.run("install", "codex", "--exclude", name);
      expect(status).toBe(2);
      expect(stderr).toContain("--exclude");
    }
  });

  it("can be for the user, without a server, and with tools that are excluded", async () => {
    const place = new TestFolder();
    place.write("home/.claude.json", '{"projects": {}}');
    await place.run("install", "claude-code", "--user", "--no-tools", "--exclude", "Read,Grep");
    const text = place.read("home/.claude/settings.json");
    expect(text).toContain('--exclude \\"Read,Grep\\"');
    expect(text).not.toContain("--tool-prefix");
    expect(place.read("home/.claude.json")).toBe('{"projects": {}}');
    expect(existsSync(place.path(".claude"))).toBe(false);
    await place.run("uninstall", "claude-code", "--user");
    expect(existsSync(place.path("home/.claude/settings.json"))).toBe(false);
  });

  it("allows the reading tools, and takes back only what it added", async () => {
    const place = new TestFolder();
    const allowed = '{"permissions":{"allow":["mcp__offload"]},"model":"opus"}';
    place.write(".claude/settings.json", allowed);
    const { stdout } = await place.run("install", "claude-code");
    expect(stdout).not.toContain("allowed the reading tools");
    expect(stdout).toContain('approved the MCP server "offload"');
    await place.run("uninstall", "claude-code");
    expect(place.read(".claude/settings.json")).toBe(allowed);

    place.write("home/.claude/settings.json", '{"permissions":{"allow":["Bash(ls:*)"]}}');
    const user = await place.run("install", "claude-code", "--user");
    expect(user.stdout).toContain('permissions.allow has "mcp__offload"');
    expect(JSON.parse(place.read("home/.claude/settings.json"))).toMatchObject({
      permissions: { allow: ["Bash(ls:*)", "mcp__offload"] },
    });
  });

  it("follows CLAUDE_CONFIG_DIR with all files of the user", () => {
    const place = new TestFolder();
    const env = { CLAUDE_CONFIG_DIR: place.path("config") };
    place.spawn(["install", "claude-code", "--user"], { env });
    expect(place.read("config/settings.json")).toContain("hook.js");
    expect(place.read("config/.claude.json")).toContain('"offload"');
    expect(existsSync(place.path("home/.claude.json"))).toBe(false);
    place.spawn(["uninstall", "claude-code", "--user"], { env });
    expect(existsSync(place.path("config/.claude.json"))).toBe(false);
  });

  it.skipIf(process.platform === "win32").each([
    ["2.1.325", true],
    ["2.1.197", true],
    ["3.0.0", true],
    ["2.1.100", false],
    ["1.9.999", false],
  ])("with Claude Code %s, lets the server answer the hook: %s", (version, isCall) => {
    const place = new TestFolder();
    const env = { PATH: [folderWithClaude(version), process.env["PATH"]].join(delimiter) };
    place.spawn(["install", "claude-code"], { env });
    const { hooks } = JSON.parse(place.read(".claude/settings.json")) as {
      hooks: { PostToolUse: { hooks: { type: string }[] }[] };
    };
    expect(hooks.PostToolUse[0]?.hooks[0]?.type).toBe(isCall ? "mcp_tool" : "command");
    const { status, stdout } = place.spawn(["doctor"]);
    expect(stdout).toMatch(/^ok .* can be read by its path and with the tools$/m);
    expect(status).toBe(0);
    place.spawn(["uninstall", "claude-code"]);
    expect(existsSync(place.path(".claude/settings.json"))).toBe(false);
  });

  it("changes nothing in settings that are broken, or that have another server of its name", async () => {
    const place = new TestFolder();
    place.write(".claude/settings.json", '{"hooks": ');
    const broken = await place.run("install", "claude-code");
    expect([broken.status, broken.stderr]).toEqual([2, expect.stringMatching(ONE_SENTENCE)]);
    expect(broken.stderr).toMatch(/not valid JSON; correct it first, nothing was changed/);
    place.write(".claude/settings.json", "{}");
    place.write(".mcp.json", '{"mcpServers": {"offload": {"command": "other"}}}');
    const taken = await place.run("install", "claude-code");
    expect([taken.status, taken.stderr]).toEqual([
      2,
      expect.stringMatching(/another MCP server "offload"; rename it/),
    ]);
    expect(place.read(".claude/settings.json")).toBe("{}");
  });
});

describe("install for clients of MCP servers", () => {
  const PATHS = {
    cursor: ".cursor/mcp.json",
    droid: ".factory/mcp.json",
    gemini: ".gemini/settings.json",
    qwen: ".qwen/settings.json",
    windsurf: "home/.codeium/windsurf/mcp_config.json",
    vscode: ".vscode/mcp.json",
    ...(process.platform === "linux" && {
      cline:
        "home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    }),
  };
  /** VS Code has another name for the servers. */
  const textFor = (name: string, text: string) =>
    name === "vscode" ? text.replace('"mcpServers"', '"servers"') : text;

  it.each(
    Object.entries(PATHS).flatMap(([name, path]) =>
      SERVERS.map((text) => [name, path, textFor(name, text)]),
    ),
  )(
    "puts the servers of %s behind the gateway, and back to the byte",
    async (name = "", path = "", text = "") => {
      const place = new TestFolder();
      place.write(path, text);
      const { status, stdout, stderr } = await place.run("install", name);
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/put the MCP server "\w+" behind the gateway/);
      if (text.includes("remote"))
        expect(stdout).toMatch(/kept "remote" as it is: it is not started by a command/);
      const once = place.read(path);
      expect(once).toContain(JSON.stringify(process.execPath));
      expect((await place.run("install", name)).status).toBe(0);
      expect(place.read(path)).toBe(once);
      const found = (await place.run("doctor")).stdout.match(
        /"(?:a|files)" is behind the gateway/g,
      );
      expect(found).toHaveLength(1);
      expect((await place.run("uninstall", name)).stdout).toMatch(/took the MCP server/);
      expect(place.read(path)).toBe(text);
    },
  );

  it("starts the server with its own command and arguments", async () => {
    const place = new TestFolder();
    place.write(".cursor/mcp.json", SERVERS[1] ?? "");
    await place.run("install", "cursor", "--exclude", "x");
    const { mcpServers } = JSON.parse(place.read(".cursor/mcp.json")) as {
      mcpServers: { a: object; b: object };
    };
    const command = process.execPath;
    const own = [MAIN, "gateway", "--workspace", place.path(".offload"), "--session", "cursor"];
    const mark: unknown[] = ["--exclude", "x", "--installed-by", expect.any(String), "--"];
    expect(mcpServers.a).toEqual({ command, args: [...own, "--paths", ...mark, "a"] });
    expect(mcpServers.b).toEqual({
      command,
      args: [...own, "--no-reading-tools", ...mark, "b", "x"],
    });
  });

  describe("lets one gateway list the reading tool", () => {
    const listing = (place: TestFolder): string[] => {
      const { mcpServers } = JSON.parse(place.read(".cursor/mcp.json")) as {
        mcpServers: Record<string, { args?: string[] }>;
      };
      return Object.entries(mcpServers).flatMap(([name, { args = [] }]) =>
        args.includes("gateway") && !args.includes("--no-reading-tools") ? [name] : [],
      );
    };
    const write = (place: TestFolder, mcpServers: object): void => {
      place.write(".cursor/mcp.json", JSON.stringify({ mcpServers }));
    };
    const server = { command: "x", args: ["y"] };

    it.each([
      ["the first", {}, "a"],
      ["not one that is switched off", { disabled: true }, "b"],
      ["nor one as Codex has it", { enabled: false }, "b"],
      ["not one whose client would not show it", { includeTools: ["read"] }, "b"],
      ["nor one as Codex has it, either", { enabled_tools: ["read"] }, "b"],
      ["one that would show it", { includeTools: ["read_stored"] }, "a"],
    ])("%s", async (_, more, expected) => {
      const place = new TestFolder();
      write(place, { a: { ...server, ...more }, b: server, c: server });
      await place.run("install", "cursor");
      expect(listing(place)).toEqual([expected]);
    });

    it("has paths in the references of a server that is alone only if its tool is not shown", async () => {
      const place = new TestFolder();
      write(place, { a: server, remote: { url: "https://example.com/mcp" } });
      await place.run("install", "cursor");
      expect(place.read(".cursor/mcp.json")).not.toMatch(/--paths|--no-reading-tools/);
      write(place, { a: { ...server, includeTools: ["read"] } });
      await place.run("install", "cursor");
      expect(place.read(".cursor/mcp.json")).toContain("--paths");
    });

    it("the one that is there already, if it has the same place and session", async () => {
      const place = new TestFolder();
      const byHand = (session: string) => ({
        command: "context-offload",
        args: `gateway --workspace ${place.path(".offload")} --session ${session} -- x`.split(" "),
      });
      write(place, { a: server, b: byHand("cursor") });
      await place.run("install", "cursor");
      expect(listing(place)).toEqual(["b"]);
      write(place, { a: server, b: byHand("other") });
      await place.run("install", "cursor");
      expect(listing(place)).toEqual(["a", "b"]);
    });

    it("another one, when install is run again after the first was removed; doctor says so", async () => {
      const place = new TestFolder();
      write(place, { a: server, b: server, c: server });
      await place.run("install", "cursor");
      expect(await place.run("doctor")).toMatchObject({ status: 0 });
      const { mcpServers } = JSON.parse(place.read(".cursor/mcp.json")) as {
        mcpServers: { a: object; b: object; c: object };
      };
      const { a, b, c } = mcpServers;
      for (const left of [
        { b, c },
        { a: { ...a, disabled: true }, b, c },
      ]) {
        write(place, left);
        const { status, stdout } = await place.run("doctor");
        expect([status, stdout]).toEqual([1, expect.stringMatching(/^broken /m)]);
        const [, cure = ""] =
          /: no gateway lists the reading tool; run context-offload (install .*) again$/m.exec(
            stdout,
          ) ?? [];
        await place.run(...cure.split(" "));
        expect(listing(place)).toEqual(["b"]);
        expect(await place.run("doctor")).toMatchObject({ status: 0 });
      }
      await place.run("uninstall", "cursor");
      expect(JSON.parse(place.read(".cursor/mcp.json"))).toEqual({
        mcpServers: { a: { ...server, disabled: true }, b: server, c: server },
      });
    });

    it("is not asked of gateways that are switched off", async () => {
      const place = new TestFolder();
      write(place, { a: { ...server, disabled: true }, b: { ...server, disabled: true } });
      await place.run("install", "cursor");
      expect(await place.run("doctor")).toMatchObject({ status: 0 });
    });
  });

  it("edits the TOML of Codex, and back to the byte", async () => {
    const place = new TestFolder();
    place.write("home/.codex/config.toml", TOML);
    const { stdout } = await place.run("install", "codex");
    expect(stdout.match(/behind the gateway/g)).toHaveLength(3);
    const text = place.read("home/.codex/config.toml");
    expect(text).toMatch(/"--session", "codex", .* "--", 'npx',$/m);
    expect(text).toMatch(
      /^args = \[".*main\.js", "gateway", "--per-project", "--session", "codex", .* "--", "bare"\]$/m,
    );
    await place.run("install", "codex");
    expect(place.read("home/.codex/config.toml")).toBe(text);
    await place.run("uninstall", "codex");
    expect(place.read("home/.codex/config.toml")).toBe(TOML);
  });

  it("says where a client cannot be helped", async () => {
    const place = new TestFolder();
    expect((await place.run("install", "cursor")).stdout).toMatch(
      /does not exist; Cursor's built-in tools cannot be reached\n$/,
    );
  });

  it.each([
    ["codex", "home/.codex/hooks.json", "PostToolUse"],
    ["gemini", ".gemini/settings.json", "AfterTool"],
    ["qwen", ".qwen/settings.json", "PostToolUse"],
    ["cline", "home/.cline/plugins/context-offload/package.json", undefined],
  ])("adds the hook of %s, and gives every byte back", async (name, path, event) => {
    const empty = event === undefined ? { cline: {} } : { hooks: { [event]: [] } };
    for (const text of [undefined, "{}", JSON.stringify(empty, null, 2)]) {
      const place = new TestFolder();
      if (text !== undefined) place.write(path, text);
      expect((await place.run("install", name)).stdout).toContain(
        event === undefined ? "added a plugin" : `added the hook ${event}`,
      );
      const once = place.read(path);
      await place.run("install", name);
      expect(place.read(path)).toBe(once);
      expect((await place.run("doctor")).stdout).toMatch(
        /^ok .*: a reference made now can be read/m,
      );
      await place.run("uninstall", name);
      expect(existsSync(place.path(path)) ? place.read(path) : undefined).toBe(text);
    }
  });
});

describe("the page of coding agents", () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  const page = read("docs/coding-agents.md");

  it("names every client that can be set up", () => {
    for (const { name, title } of CLIENTS) {
      expect(page).toContain(`\`${name}\``);
      expect(page).toMatch(new RegExp(`^\\|.*\\b${title}\\b.*\\|`, "m"));
    }
  });

  it.each([
    ["claude-code", "Claude Code", "@anthropic-ai/claude-code"],
    ["claude-code", "Claude Code", "claude-code-2.1.197"],
    ["codex", "Codex", "@openai/codex"],
    ["gemini-cli", "Gemini CLI", "@google/gemini-cli"],
    ["opencode", "OpenCode", "opencode-ai"],
    ["cline", "Cline CLI", "@cline/cli-linux-x64"],
  ])("says of integrations/%s which %s it runs: %s", (folder, title, program) => {
    const { devDependencies } = JSON.parse(read(`integrations/${folder}/package.json`)) as {
      devDependencies: Record<string, string>;
    };
    const version = devDependencies[program]?.replace(/^.*@/, "");
    expect(page).toContain(`\n| ${title} ${version} `);
  });
});

describe("install copilot", () => {
  it.each([
    '{\n  // mine\n  "hooks": { "preToolUse": [{ "type": "command", "bash": "./check.sh" }] }, // others\n}\n',
    '{"hooks": {"postToolUse": [ ]}}',
    "{}",
  ])("adds a hook to %j, and gives every byte back", async (text) => {
    const place = new TestFolder();
    const path = ".github/copilot/settings.local.json";
    place.write(path, text);
    const { status, stdout, stderr } = await place.run("install", "copilot", "--exclude", "grep");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/added a postToolUse hook .* except those of view, grep; /);
    const once = place.read(path);
    await place.run("install", "copilot", "--exclude", "grep");
    expect(place.read(path)).toBe(once);
    expect((await place.run("doctor")).stdout).toMatch(/^ok +Copilot CLI: .*: hook: /m);
    expect((await place.run("uninstall", "copilot")).stdout).toMatch(/removed the hook/);
    expect(place.read(path)).toBe(text);
  });

  it("sets up a file of its own for the user, whose command works as it stands", async () => {
    const place = new TestFolder();
    expect((await place.run("install", "copilot", "--user")).status).toBe(0);
    const path = "home/.copilot/hooks/context-offload.json";
    const { version, hooks } = JSON.parse(place.read(path)) as {
      version: number;
      hooks: { postToolUse: Record<string, unknown>[] };
    };
    const [entry = {}] = hooks.postToolUse;
    const bash = String(entry["bash"]);
    expect(bash).toContain(`"${process.execPath}" "${HOOK}" --root .offload --exclude "view"`);
    expect([version, entry]).toEqual([
      1,
      { type: "command", bash, powershell: `& ${bash}`, timeoutSec: 60 },
    ]);
    const toolResult = { resultType: "success", textResultForLlm: "a line\n".repeat(5_000) };
    const input = JSON.stringify({ cwd: place.folder, toolName: "bash", toolArgs: {}, toolResult });
    expect(execFileSync("bash", ["-c", bash], { input, encoding: "utf8" })).toContain(
      '"modifiedResult":{"resultType":"success","textResultForLlm":"<knowledge_list>',
    );
    await place.run("uninstall", "copilot", "--user");
    expect(existsSync(place.path(path))).toBe(false);
  });

  it("takes an empty variable for none", () => {
    const place = new TestFolder();
    place.spawn(["install", "copilot", "--user"], { env: { COPILOT_HOME: "" } });
    expect(existsSync(place.path("home/.copilot/hooks/context-offload.json"))).toBe(true);
  });
});

describe("install opencode", () => {
  it.each(["{}", '{\n  // mine\n  "plugin": ["other"], // others\n}\n', '{"plugin": [ ]}'])(
    "adds a plugin to %j, and gives every byte back",
    async (text) => {
      const place = new TestFolder();
      place.write("opencode.jsonc", text);
      const { status, stdout, stderr } = await place.run("install", "opencode");
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/added the plugin/);
      const { plugin } = parse(place.read("opencode.jsonc")) as { plugin: string[] };
      expect(plugin.at(-1)).toMatch(/^file:\/\/.*opencode\/index\.js$/);
      expect((await place.run("doctor")).stdout).toMatch(/^ok +OpenCode: .*: plugin: file:/m);
      expect((await place.run("uninstall", "opencode")).stdout).toMatch(/removed the plugin/);
      expect(place.read("opencode.jsonc")).toBe(text);
    },
  );
});
