import { describe, expect, it } from "vitest";
import { conversationOf, Place } from "./support/command.js";

describe("context-offload doctor", () => {
  it("exits with 0 where nothing is set up, and hints at what to do", () => {
    const { status, stdout, stderr } = new Place().run("doctor");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^ok +Node \d+/m);
    expect(stdout).toMatch(/^hint +workspace .*: is made with the first result$/m);
    expect(stdout).toMatch(
      /^hint +no coding agent is set up; .*: context-offload install claude-code$/m,
    );
  });

  it("says what was offloaded lately, what is set up, and how much space there is", () => {
    const place = new Place();
    place.write("chat.json", JSON.stringify(conversationOf("t1", "hello")));
    place.run("run", "--quiet", "chat.json");
    place.run("install", "claude-code");
    const { status, stdout } = place.run("doctor");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ok +\.offload: 1 artifact, .* the last was stored at /m);
    expect(stdout).toMatch(/^ok +disk: .* free$/m);
    expect(stdout).toMatch(/^ok +Claude Code: .*settings\.json: hook: /m);
    expect(stdout).toMatch(/^ok +Claude Code: .*\.mcp\.json: MCP server "offload"$/m);
    expect(JSON.parse(place.run("doctor", "--json").stdout)).toContainEqual(
      expect.objectContaining({ state: "ok", text: expect.stringMatching(/^Node /) as string }),
    );
  });

  it("exits with 1 for a hook that is gone, settings that are broken, a folder that is a file", () => {
    const place = new Place();
    place.run("install", "claude-code");
    const settings = place.read(".claude/settings.json");
    place.write(".claude/settings.json", settings.replace("dist/hook.js", "gone/hook.js"));
    const gone = place.run("doctor");
    expect([gone.status, gone.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^broken +.*gone\/hook\.js is gone; run context-offload install claude-code again$/m,
      ),
    ]);
    place.write(".claude/settings.json", "{");
    expect(place.run("doctor")).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^broken +Claude Code: .*not valid JSON/m) as string,
    });
    place.write("file", "");
    const file = place.run("doctor", "--workspace", "file");
    expect([file.status, file.stdout]).toEqual([
      1,
      expect.stringMatching(/is a file; name a folder with --workspace/),
    ]);
  });

  it("looks into other stores, and says when offloading is switched off", () => {
    const place = new Place();
    expect(place.run("doctor", "-w", "sqlite:new.db").stdout).toMatch(
      /^hint +sqlite:new\.db: nothing was offloaded yet/m,
    );
    place.run("off");
    expect(place.run("doctor").stdout).toMatch(/^hint +switched off/m);
    expect(place.spawn(["doctor"], { env: { CONTEXT_OFFLOAD: "off" } }).stdout).toMatch(
      /switched off/,
    );
    place.run("on");
    expect(place.run("doctor").stdout).not.toMatch(/switched off/);
  });
});
