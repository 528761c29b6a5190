import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  conversationOf,
  ONE_SENTENCE,
  RUN,
  TestFolder,
  SAMPLE,
  type Outcome,
} from "./support/command.js";

const LOG_ID = "toolu_01rsJsDVMpHeVxcpigCCC7qp";
interface Block {
  readonly tool_use_id?: string;
  readonly content?: string;
}

const original = (id: string): string => {
  const messages = JSON.parse(readFileSync(SAMPLE, "utf8")) as { content: string | Block[] }[];
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  return blocks.find(({ tool_use_id }) => tool_use_id === id)?.content ?? "";
};

describe.each(["stored", "sqlite:stored.db", "file:stored"])("the verbs over %s", (store) => {
  async function filled(): Promise<{
    place: TestFolder;
    run: (...args: string[]) => Promise<Outcome>;
  }> {
    const place = new TestFolder();
    const run = (...args: string[]): Promise<Outcome> => place.run(...args, "--workspace", store);
    place.write("other.json", JSON.stringify(conversationOf("other", "ERROR in another session")));
    expect(
      (
        await run(
          "run",
          "--quiet",
          "--policy",
          "min-tokens=300",
          "--policy",
          "keep-errors",
          SAMPLE,
          "other.json",
        )
      ).stderr,
    ).toBe("");
    return { place, run };
  }

  it("lists, shows, reads lines, queries and sums up", async () => {
    const { run } = await filled();
    expect((await run("list")).stdout).toMatch(
      new RegExp(`^${LOG_ID} +checkout-outage +run_command +329 `, "m"),
    );
    expect((await run("list", "--session", "other")).stdout.trim().split("\n")).toHaveLength(2);
    for (const flag of ["--session", "--tool"]) {
      expect((await run("list", flag, "nope")).stdout).toMatch(
        /^Nothing in .* is of this session or tool; /,
      );
    }
    const [first] = (await run("list", "--json", "--tool", "read_log")).stdout.split("\n");
    expect(JSON.parse(first ?? "")).toMatchObject({
      artifactId: "other",
      sessionId: "other",
      lines: 400,
    });
    expect((await run("show", LOG_ID, "--raw")).stdout).toBe(original(LOG_ID));
    expect((await run("show", LOG_ID)).stdout.trimEnd()).toBe(original(LOG_ID).trimEnd());
    expect(JSON.parse((await run("show", LOG_ID, "--info")).stdout)).toMatchObject({
      artifactId: LOG_ID,
    });
    const lines = original(LOG_ID).split("\n");
    expect((await run("lines", LOG_ID, "10-12")).stdout).toBe(`${lines.slice(9, 12).join("\n")}\n`);
    expect((await run("lines", "other", "~1")).stdout).toBe("400 ERROR in another session\n");
    expect((await run("lines", "other", "400-")).stdout).toBe("400 ERROR in another session\n");
    expect((await run("lines", "other", "7")).stdout).toBe("7 ERROR in another session\n");
    expect((await run("query", "toolu_01ResRuzcK25fnBn2vBU828q", "/status")).stdout).toMatch(
      /success/,
    );
    expect((await run("stats")).stdout).toMatch(/\d+ artifacts, .*\n[^]*^read_log +1 /m);
    expect(JSON.parse((await run("stats", "--json")).stdout)).toMatchObject({
      stored: { artifacts: expect.any(Number) as number },
      total: { net: expect.any(Number) as number },
    });
  });

  it("greps one artifact, a session or all, as ripgrep does", async () => {
    const { run } = await filled();
    const all = await run("grep", "ERROR");
    expect(all.status).toBe(0);
    expect(all.stdout).toMatch(new RegExp(`^${LOG_ID}:2:.* ERROR `, "m"));
    expect(all.stdout).toMatch(/^other:1:1 ERROR in another session$/m);
    const one = await run("grep", "ERROR", "other", "-m", "2");
    expect(one.stdout).toBe("1:1 ERROR in another session\n2:2 ERROR in another session\n");
    expect((await run("grep", "ERROR", "--session", "other", "-c")).stdout).toBe("other:400\n");
    expect((await run("grep", "error in another", "-i", "-l")).stdout).toBe("other\n");
    expect((await run("grep", "399 ERROR", "-C", "1")).stdout).toBe(
      "other-398-398 ERROR in another session\nother:399:399 ERROR in another session\nother-400-400 ERROR in another session\n",
    );
    expect((await run("grep", "-F", "a.b[")).status).toBe(1);
    expect((await run("grep", "a.b[")).stderr).toMatch(/pass -F/);
    expect(await run("grep", "no such thing at all")).toEqual({
      status: 1,
      stdout: "",
      stderr: "",
    });
    expect(JSON.parse((await run("grep", "399 ERROR", "--json")).stdout)).toMatchObject({
      matches: 1,
    });
  });

  it("names the session of an id that several sessions have", async () => {
    const { place, run } = await filled();
    place.write("again.json", place.read("other.json"));
    await run(...RUN, "--quiet", "again.json");
    expect((await run("grep", "ERROR in another", "-c")).stdout.trim().split("\n").sort()).toEqual([
      "again/other:400",
      "other/other:400",
    ]);
    expect((await run("grep", "ERROR in another", "-c", "--session", "again")).stdout).toBe(
      "other:400\n",
    );
  });

  it("verifies, prunes only when told so, and never what is young", async () => {
    const { run } = await filled();
    expect(await run("verify")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+ artifacts, .*: all intact\n$/) as string,
    });
    const listed = (await run("list")).stdout;
    expect((await run("prune", "--max-artifacts", "2")).stdout).toMatch(
      /Nothing to remove .*--force/,
    );
    expect((await run("prune", "--max-artifacts", "2", "--force")).stdout).toMatch(
      /Would remove \d+ artifacts.*--yes/,
    );
    expect((await run("list")).stdout).toBe(listed);
    expect((await run("prune", "--max-artifacts", "2", "--force", "--yes")).stdout).toMatch(
      /Removed \d+ artifacts/,
    );
    expect((await run("list")).stdout.trim().split("\n")).toHaveLength(3);
    expect((await run("verify")).status).toBe(0);
  });
});

describe("the verbs, called wrongly", () => {
  let place: TestFolder;
  let cases: (readonly [string[], number, RegExp])[];
  beforeAll(() => {
    cases = [
      [["show", "nope"], 2, /no artifact "nope"/],
      [["lines", "other", "x"], 2, /not a range of lines; pass one such as/],
      [["lines", "other", "9999"], 2, /does not exist: the text has 400 lines/],
      [["query", "other", "/a"], 2, /JSON/],
      [
        ["run", SAMPLE, "--out", "chat.json"],
        3,
        /chat\.json: is a file, not a folder; name another/,
      ],
      [["show", "twice"], 2, /held by 2 sessions: .*\. Name the one you mean with --session/],
      [["grep", "("], 2, /regular expression|pattern/i],
      [["prune"], 2, /--max-age/],
      [["prune", "--max-age", "soon"], 2, /not an age; pass one such as 30d/],
      [["prune", "--max-bytes", "many"], 2, /not a size/],
      [["run", SAMPLE, "--policy", "magic"], 2, /no such policy; choose from min-tokens=N/],
      [["run", SAMPLE, "--policy", "min-tokens=few"], 2, /needs a whole number/],
      [["run", SAMPLE, "--price", "cheap"], 2, /not a number; pass one/],
      [["run"], 2, /missing required argument.*; see context-offload --help/],
      [["lst"], 2, /unknown command 'lst' \(Did you mean list\?\); see context-offload --help/],
      [["list", "--frob"], 2, /unknown option '--frob'; see/],
      [["restore", "chat.json", "--session", "x"], 0, /^$/],
      [["list", "--workspace", "ftp://x"], 2, /ftp|store/],
      [["gateway"], 2, /name a server after --/],
      [["gateway", "--config", "nowhere.json"], 2, /cannot be read; check the path/],
      [["mcp", "--port", "x"], 2, /not a port/],
      [["install", "emacs"], 2, /Allowed choices are claude-code/],
      [["replay"], 2, /--find/],
    ];
  });

  it("explains itself in one sentence, with the code for a wrong call", async () => {
    place = new TestFolder();
    place.write("chat.json", JSON.stringify(conversationOf("other", "hello")));
    for (const name of ["one.json", "two.json"]) {
      place.write(name, JSON.stringify(conversationOf("twice", `hello from ${name}`)));
    }
    await place.run(...RUN, "--quiet", "chat.json", "one.json", "two.json");
    for (const [args, code, reason] of cases) {
      const { status, stdout, stderr } = await place.run(...args);
      expect([args, status, stderr]).toEqual([args, code, expect.stringMatching(reason)]);
      if (code !== 0)
        expect([args, stdout, stderr]).toEqual([args, "", expect.stringMatching(ONE_SENTENCE)]);
    }
  });

  it.each(["mistyped", "sqlite:mistyped/w.db"])(
    "says that %s does not exist, and makes nothing by looking into it",
    async (store) => {
      const place = new TestFolder();
      place.write("chat.json", JSON.stringify(conversationOf("t1", "hello")));
      const verbs = [
        ...[["list"], ["stats"], ["verify"], ["page", "--export", "page.html"], ["grep", "x"]],
        ...[
          ["show", "x"],
          ["lines", "x", "1"],
          ["query", "x"],
          ["restore", "chat.json"],
        ],
        ["prune", "--max-age", "1d"],
      ];
      for (const verb of verbs) {
        const { status, stdout, stderr } = await place.run(...verb, "--workspace", store);
        expect([verb, status, stdout]).toEqual([verb, 2, ""]);
        expect(stderr).toMatch(ONE_SENTENCE);
        expect(stderr).toMatch(
          new RegExp(`${store}: there is no such workspace, .*; .* --workspace, .* run`),
        );
      }
      expect((await place.run("doctor", "--workspace", store)).status).toBe(0);
      const { status } = place.spawn(["list"], { env: { CONTEXT_OFFLOAD_WORKSPACE: store } });
      expect(status).toBe(2);
      expect(existsSync(place.path("mistyped"))).toBe(false);
      await place.run(...RUN, "--quiet", SAMPLE, "--workspace", store);
      expect(existsSync(place.path("mistyped"))).toBe(true);
      expect((await place.run("list", "--workspace", store)).status).toBe(0);
    },
  );

  it("takes the place that nobody named as empty until something is offloaded to it", async () => {
    const place = new TestFolder();
    for (const verb of ["list", "stats"]) {
      const { status, stdout } = await place.run(verb);
      expect([status, stdout]).toEqual([0, expect.stringContaining(".offload")]);
    }
    expect((await place.run("grep", "x")).status).toBe(2);
    expect(existsSync(place.path(".offload"))).toBe(false);
  });

  it("exits with 1 and names what is damaged", async () => {
    const place = new TestFolder();
    place.write("chat.json", JSON.stringify(conversationOf("t1", "hello")));
    await place.run(...RUN, "--quiet", "chat.json");
    const [content = ""] = readdirSync(place.path(".offload"), {
      recursive: true,
      encoding: "utf8",
    }).filter((name) => /t1/.test(name));
    place.write(join(".offload", content), "not what it was");
    const { status, stdout } = await place.run("verify");
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^damaged +chat\/t1: /m)]);
    const restored = await place.run("restore", "chat.offloaded.json");
    expect([restored.status, restored.stderr]).toEqual([3, expect.stringMatching(ONE_SENTENCE)]);
  });

  it("does not restore from a workspace that lacks the results, and says which to name", async () => {
    const place = new TestFolder();
    place.write("chat.json", JSON.stringify(conversationOf("t1", "hello")));
    await place.run(...RUN, "--quiet", "chat.json");
    place.makeFolder("elsewhere");
    const { status, stdout, stderr } = await place.run(
      "restore",
      "chat.offloaded.json",
      "-w",
      "elsewhere",
    );
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /1 result \(t1.*\) not in session "chat" of elsewhere; name where .* --session and --workspace/,
    );
  });

  it("prints the exact bytes of stored content where they are asked for", async () => {
    const place = new TestFolder();
    place.write("chat.json", JSON.stringify(conversationOf("t1", "\u001b]0;title\u0007")));
    await place.run(...RUN, "--quiet", "chat.json");
    expect((await place.run("lines", "t1", "1", "--raw")).stdout).toBe("1 \u001b]0;title\u0007\n");
  });
});
