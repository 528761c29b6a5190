import { describe, expect, it } from "vitest";
import { conversationOf, RUN, TestFolder } from "./support/command.js";

describe("context-offload doctor", () => {
  it("exits with 0 where nothing is set up, and hints at what to do", async () => {
    const { status, stdout, stderr } = await new TestFolder().run("doctor");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^ok +Node \d+/m);
    expect(stdout).toMatch(/^hint +workspace .*: is made with the first result$/m);
    expect(stdout).toMatch(
      /^hint +no coding agent is set up; .*: context-offload install claude-code$/m,
    );
  });

  it("says what was offloaded lately, what is set up, and how much space there is", async () => {
    const place = new TestFolder();
    place.write("chat.json", JSON.stringify(conversationOf("t1", "hello")));
    await place.run(...RUN, "--quiet", "chat.json");
    await place.run("install", "claude-code");
    const { status, stdout } = await place.run("doctor");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ok +\.offload: 1 artifact, .* the last was stored at /m);
    expect(stdout).toMatch(/^ok +disk: .* free$/m);
    expect(stdout).toMatch(/^ok +Claude Code: .*settings\.json: hook: /m);
    expect(stdout).toMatch(/^ok +Claude Code: .*\.mcp\.json: MCP server "offload"$/m);
    expect(JSON.parse((await place.run("doctor", "--json")).stdout)).toContainEqual(
      expect.objectContaining({ state: "ok", text: expect.stringMatching(/^Node /) as string }),
    );
  });

  it("exits with 1 for a hook that is gone, settings that are broken, a folder that is a file", async () => {
    const place = new TestFolder();
    await place.run("install", "claude-code");
    const settings = place.read(".claude/settings.json");
    place.write(".claude/settings.json", settings.replace("dist/hook.js", "gone/hook.js"));
    const gone = await place.run("doctor");
    expect([gone.status, gone.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^broken +.*gone\/hook\.js is gone; run context-offload install claude-code again$/m,
      ),
    ]);
    place.write(".claude/settings.json", "{");
    expect(await place.run("doctor")).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^broken +Claude Code: .*not valid JSON/m) as string,
    });
    place.write("file", "");
    const file = await place.run("doctor", "--workspace", "file");
    expect([file.status, file.stdout]).toEqual([
      1,
      expect.stringMatching(/is a file; name a folder with --workspace/),
    ]);
  });

  it.each<[string, (place: TestFolder) => void, RegExp]>([
    [
      "a server that is not listed",
      (place) => place.write(".mcp.json", "{}"),
      /not listed; run context-offload install claude-code$/m,
    ],
    [
      "a server that was declined",
      (place) =>
        place.write(".claude/settings.local.json", '{"disabledMcpjsonServers":["offload"]}'),
      /was declined; enable it with \/mcp/,
    ],
    [
      "a server that was declined, by what Claude Code remembers",
      (place) =>
        place.write(
          "home/.claude.json",
          JSON.stringify({ projects: { [place.folder]: { disabledMcpServers: ["offload"] } } }),
        ),
      /was declined; enable it with \/mcp/,
    ],
    [
      "a server that is not approved",
      (place) =>
        place.write(
          ".claude/settings.json",
          place.read(".claude/settings.json").replace("enabledMcpjsonServers", "others"),
        ),
      /not approved; run context-offload install claude-code$/m,
    ],
    [
      "tools that are not allowed",
      (place) =>
        place.write(
          ".claude/settings.json",
          place.read(".claude/settings.json").replace('"mcp__offload"', '"Bash"'),
        ),
      /not allowed, so each call asks; run context-offload install claude-code$/m,
    ],
    [
      "tools that are forbidden",
      (place) =>
        place.write(
          ".claude/settings.local.json",
          JSON.stringify({ permissions: { deny: ["mcp__offload"] } }),
        ),
      /permissions\.deny has the reading tools; remove "mcp__offload" from it$/m,
    ],
    [
      "hooks that are switched off",
      (place) => place.write(".claude/settings.local.json", '{"disableAllHooks":true}'),
      /switch all hooks off; remove disableAllHooks from them$/m,
    ],
    [
      "a node that is gone",
      (place) =>
        place.write(
          ".claude/settings.json",
          place.read(".claude/settings.json").replace(process.execPath, "/gone/node"),
        ),
      /\/gone\/node is gone; run context-offload install claude-code again$/m,
    ],
    [
      "a server whose program is gone",
      (place) =>
        place.write(".mcp.json", place.read(".mcp.json").replace("dist/main.js", "gone/main.js")),
      /gone\/main\.js is gone; run context-offload install claude-code again$/m,
    ],
    [
      "a server that ends",
      (place) => place.write(".mcp.json", place.read(".mcp.json").replace("--hook", "--hok")),
      /cannot be read: the server ended: .*--hok.*; run context-offload install claude-code again$/m,
    ],
    [
      "a hook that answers nothing",
      (place) =>
        place.write(
          ".claude/settings.json",
          place
            .read(".claude/settings.json")
            .replace("--tool-prefix", "--min-tokens 1000000 --tool-prefix"),
        ),
      /cannot be read: the hook let a large result through/,
    ],
  ])("exits with 1 for %s, with what cures it", async (_, breakIt, complaint) => {
    const place = new TestFolder();
    await place.run("install", "claude-code");
    const whole = await place.run("doctor");
    expect([whole.status, whole.stdout]).toEqual([
      0,
      expect.stringMatching(/^ok .* can be read by its path and with the tools$/m),
    ]);
    breakIt(place);
    const { status, stdout } = await place.run("doctor");
    expect([status, stdout]).toEqual([1, expect.stringMatching(complaint)]);
    const [, cure] = /; run context-offload (install .*?)(?: again)?$/m.exec(stdout) ?? [];
    if (cure === undefined) return;
    await place.run(...cure.split(" "));
    expect((await place.run("doctor")).stdout).not.toMatch(/^broken/m);
  });

  it.each([
    ["codex", "home/.codex/hooks.json"],
    ["gemini", ".gemini/settings.json"],
    ["qwen", ".qwen/settings.json"],
    ["copilot", ".github/copilot/settings.local.json"],
    ["cline", "home/.cline/plugins/context-offload/package.json"],
  ])("exits with 1 for a hook of %s that is gone, with what cures it", async (name, path) => {
    const place = new TestFolder();
    await place.run("install", name);
    expect((await place.run("doctor")).stdout).not.toMatch(/^broken/m);
    for (const [program, gone] of [
      ["dist/hook.js", "gone/hook.js"],
      [process.execPath, "/gone/node"],
    ] as const) {
      place.write(path, place.read(path).replaceAll(program, gone));
      const { status, stdout } = await place.run("doctor");
      expect([status, stdout]).toEqual([1, expect.stringMatching(/^broken .* is gone; run /m)]);
      const [, cure = ""] = / is gone; run context-offload (install .*) again$/m.exec(stdout) ?? [];
      await place.run(...cure.split(" "));
      expect(await place.run("doctor")).toMatchObject({ status: 0 });
    }
  });

  it.each([
    ["opencode", "opencode.json", "dist/integrations", "gone/integrations"],
    ["cursor", ".cursor/mcp.json", "dist/main.js", "gone/main.js"],
    ["vscode", ".vscode/mcp.json", process.execPath, "/gone/node"],
    ["gemini", ".gemini/settings.json", "dist/main.js", "gone/main.js"],
  ])("exits with 1 for what %s starts and is gone", async (name, path, program, gone) => {
    const place = new TestFolder();
    const key = name === "vscode" ? "servers" : "mcpServers";
    place.write(path, JSON.stringify({ [key]: { files: { command: "files-server", args: [] } } }));
    await place.run("install", name);
    expect(await place.run("doctor")).toMatchObject({ status: 0 });
    place.write(path, place.read(path).replace(program, gone));
    const { status, stdout } = await place.run("doctor");
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^broken .* is gone; run /m)]);
    const [, cure = ""] = / is gone; run context-offload (install .*) again$/m.exec(stdout) ?? [];
    await place.run(...cure.split(" "));
    expect(await place.run("doctor")).toMatchObject({ status: 0 });
  });

  it("says of a hook that Codex does not run before it is trusted, until it is", async () => {
    const place = new TestFolder();
    await place.run("install", "codex");
    const untrusted = /^hint +Codex: its hook is not trusted yet, .*; start codex, which asks$/m;
    expect(await place.run("doctor")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(untrusted) as string,
    });
    // As Codex 0.169.0 writes it.
    const key = `${place.path("home/.codex/hooks.json")}:post_tool_use:0:0`;
    place.write(
      "home/.codex/config.toml",
      `[hooks.state]\n\n[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "sha256:653f"\n`,
    );
    expect((await place.run("doctor")).stdout).not.toMatch(/trusted/);
  });

  it("looks into other stores, and says when offloading is switched off", async () => {
    const place = new TestFolder();
    expect((await place.run("doctor", "-w", "sqlite:new.db")).stdout).toMatch(
      /^hint +sqlite:new\.db: nothing was offloaded yet/m,
    );
    await place.run("off");
    expect((await place.run("doctor")).stdout).toMatch(/^hint +switched off/m);
    expect(place.spawn(["doctor"], { env: { CONTEXT_OFFLOAD: "off" } }).stdout).toMatch(
      /switched off/,
    );
    await place.run("on");
    expect((await place.run("doctor")).stdout).not.toMatch(/switched off/);
  });
});
