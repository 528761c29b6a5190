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
