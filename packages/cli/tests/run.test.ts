import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import {
  conversationOf,
  logLine,
  ONE_SENTENCE,
  RUN,
  TestFolder,
  REFUSAL,
  SAMPLE,
} from "./support/command.js";

const sampleText = readFileSync(SAMPLE, "utf8");
const sample = JSON.parse(sampleText) as object[];

/** What one finds in a folder of recorded conversations, each in another style of JSON. */
const STYLES: readonly (readonly [string, string])[] = [
  ["indented.json", JSON.stringify(sample, null, 2)],
  ["compact.json", JSON.stringify(sample)],
  ["tabs.json", `${JSON.stringify(sample, null, "\t")}\n`],
  ["request.json", JSON.stringify({ model: "m", messages: sample, system: "Be kind." }, null, 4)],
  ["spaced.json", JSON.stringify(sample).replaceAll('","', '", "')],
  ["lines.jsonl", sample.map((message) => `${JSON.stringify(message)}\n`).join("")],
  ["windows.jsonl", sample.map((message) => `${JSON.stringify(message)}\r\n`).join("")],
  [
    "spaced.jsonl",
    sample.map((message) => `${JSON.stringify(message).replace(":", ": ")}\n`).join(""),
  ],
  ["no-extension", JSON.stringify(sample)],
  ["mark.json", `\ufeff${JSON.stringify(sample, null, 2)}`],
  ["mark-spaced.json", `\ufeff${JSON.stringify(sample).replaceAll('","', '", "')}`],
  ["mark.jsonl", `\ufeff${sample.map((message) => `${JSON.stringify(message)}\n`).join("")}`],
];

describe("context-offload run", () => {
  it("offloads, reports tokens, money and tools with bars, and writes beside nothing else", async () => {
    const place = new TestFolder();
    const { status, stdout, stderr } = await place.run("run", SAMPLE);
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toMatch(/checkout-outage\.json +anthropic +58 +[\d,]+ +[\d,]+ +\d\d % +█+/);
    expect(stdout).toMatch(/^run_command +\d of 14 +[\d,]+ +[\d,]+ +█+$/m);
    expect(stdout).toMatch(
      /^[\d,]+ tokens \(\d\d %\) saved .*:\n {2}\$0\.\d+, or \$0\.\d+ from the prompt cache$/m,
    );
    expect(stdout).toMatch(/^\d\d of 35 tool results offloaded, stored in \.offload$/m);
    expect(stdout).toMatch(/^wrote checkout-outage\.offloaded\.json$/m);
    expect(stdout).not.toContain("\u001b");
    expect(readdirSync(place.folder).sort()).toEqual([
      ...[".offload", "checkout-outage.offloaded.json", "home"],
    ]);
    expect(place.read("checkout-outage.offloaded.json").length).toBeLessThan(sampleText.length / 2);
  });

  it.each(STYLES)("restores %s byte for byte", async (name, text) => {
    const place = new TestFolder();
    place.write(name, text);
    expect(await place.run(...RUN, "--quiet", name)).toEqual({ status: 0, stdout: "", stderr: "" });
    const [stem = "", ending = "json"] = name.split(".");
    expect(place.read(`${stem}.offloaded.${ending}`).length).toBeLessThan(text.length / 2);
    expect((await place.run("restore", `${stem}.offloaded.${ending}`)).stderr).toBe("");
    expect(place.read(`${stem}.restored.${ending}`)).toBe(text);
    expect(place.read(name)).toBe(text);
  });

  it("takes many files and folders at once, and two of the same name", async () => {
    const place = new TestFolder();
    place.write("logs/a/chat.json", JSON.stringify(conversationOf("t1", "one")));
    place.write("logs/b/chat.json", JSON.stringify(conversationOf("t1", "two")));
    place.write("logs/note.txt", "not a conversation");
    place.write("third.json", JSON.stringify(conversationOf("t3", "three")));
    const { status, stdout } = await place.run(...RUN, "logs", "third.json", "--out", "short");
    expect(status).toBe(0);
    expect(stdout).toContain("3 of 3 tool results offloaded");
    expect(readdirSync(place.path("short")).sort()).toEqual([
      ...["chat-2.offloaded.json", "chat.offloaded.json", "third.offloaded.json"],
    ]);
    expect((await place.run(...RUN, "logs", "--quiet", "--out", "short")).status).toBe(0);
    expect((await place.run("grep", "-c", "one|two|three")).stdout.trim().split("\n")).toHaveLength(
      3,
    );
  });

  it("says what it wrote before what that saves, and counts the files of many", async () => {
    const place = new TestFolder();
    const chat = JSON.stringify(conversationOf("t1", "hello"));
    for (let at = 0; at < 5; at++) place.write(`few/${at}.json`, chat);
    for (let at = 0; at < 30; at++) place.write(`many/${at}.json`, chat);
    place.write("many/most.json", JSON.stringify(conversationOf("t1", "hello", 4_000)));
    const few = await place.run(...RUN, "few", "--out", "out");
    expect(few.stdout.match(/^wrote .*\.offloaded\.json$/gm)).toHaveLength(5);
    expect(few.stdout).toMatch(/^wrote [^]* saved in every request/m);
    const { stdout } = await place.run(...RUN, "many", "--out", "out");
    expect(stdout).toMatch(/^wrote 31 files to out\n\n[\d,]+ tokens .* saved in every request/m);
    expect(stdout.match(/^.*\bmost\.json +anthropic/gm)).toHaveLength(1);
    expect(stdout.match(/^(?:many\/)?[\w/]+\.json /gm)).toHaveLength(20);
    expect(stdout).toMatch(/^… 20 of 31 conversations/m);
    const { stdout: json } = await place.run(...RUN, "many", "--out", "out", "--json");
    expect(JSON.parse(json)).toMatchObject({ conversations: { length: 31 } });
  });

  it("does no more for each file, however many there are", () => {
    const place = new TestFolder();
    const count = `import fs from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      let calls = 0;
      const counted = (of, name) => {
        const call = of[name];
        of[name] = (...args) => (calls++, call.apply(of, args));
      };
      for (const name of ["realpath", "stat", "lstat", "open", "readdir", "rename", "rm", "mkdir"]) {
        counted(fs.promises, name);
      }
      syncBuiltinESMExports();
      process.on("exit", () => fs.writeFileSync("calls.txt", String(calls)));`;
    place.write("count.mjs", count);
    const callsFor = (files: number): number => {
      const folder = `of${files}`;
      for (let at = 0; at < files; at++) {
        place.write(`${folder}/${at}.json`, JSON.stringify(conversationOf("t1", "hello", 2)));
      }
      const { status } = place.spawn(["run", folder, "--out", `${folder}-out`, "--quiet"], {
        env: { NODE_OPTIONS: `--import=${pathToFileURL(place.path("count.mjs")).href}` },
      });
      expect(status).toBe(0);
      return Number(place.read("calls.txt"));
    };
    const [one, two, three] = [callsFor(10), callsFor(20), callsFor(30)];
    expect(two - one).toBeGreaterThan(10);
    expect(three - two).toBe(two - one);
  });

  it("reads standard input, writes to standard output, and reports beside it", () => {
    const place = new TestFolder();
    const short = place.spawn(["run", "-"], { input: sampleText });
    expect(short.status).toBe(0);
    expect(JSON.parse(short.stdout)).toHaveLength(sample.length);
    expect(short.stderr).toMatch(/\d\d of 35 tool results offloaded/);
    const back = place.spawn(["restore", "-", "--session", "stdin"], { input: short.stdout });
    expect(back.stdout).toBe(sampleText);
  });

  it("says with --dry-run what it would do, writes nothing, and is right about it", async () => {
    const place = new TestFolder();
    const dry = await place.run("run", SAMPLE, "--dry-run");
    expect(dry.stdout).toMatch(/\d\d of 35 tool results would be offloaded; nothing was written/);
    expect(readdirSync(place.folder)).toEqual(["home"]);
    const saved = (text: string) =>
      Number(/^([\d,]+) tokens/m.exec(text)?.[1]?.replaceAll(",", ""));
    const real = saved((await place.run("run", SAMPLE)).stdout);
    expect(saved(dry.stdout)).toBe(real);
  });

  it("offloads nothing of what it wrote itself, and says so beforehand", async () => {
    const place = new TestFolder();
    await place.run("run", SAMPLE);
    const written = "checkout-outage.offloaded.json";
    for (const flags of [["--dry-run"], []]) {
      expect((await place.run("run", written, ...flags)).stdout).toMatch(/\n0 of 35 tool results/);
    }
  });

  it("prints JSON for programs, with prices that are options", async () => {
    const place = new TestFolder();
    const { stdout } = await place.run(
      "run",
      SAMPLE,
      "--json",
      "--price",
      "5",
      "--cached-price",
      "0.5",
    );
    const report = JSON.parse(stdout) as {
      prices: object;
      conversations: { tokensBefore: number; tokensAfter: number; tools: object[] }[];
    };
    expect(report.prices).toEqual({ perMillion: 5, perMillionCached: 0.5 });
    const [only] = report.conversations;
    expect(only?.tokensAfter).toBeLessThan((only?.tokensBefore ?? 0) / 2);
    expect(only?.tools).toContainEqual(
      expect.objectContaining({ tool: "run_command", results: 14 }),
    );
    const dollars = (text: string) => Number(/:\n {2}\$([\d.]+)/.exec(text)?.[1]);
    const saved = async (price: string) =>
      dollars((await place.run(...RUN, SAMPLE, "--dry-run", "--price", price)).stdout);
    expect((await saved("6")) / (await saved("3"))).toBeCloseTo(2, 1);
  });

  it("shows one result before and after with --example, in any script and width", async () => {
    const place = new TestFolder();
    const chat = conversationOf("t1", `${"日本語".repeat(40)}\u001b[2J\r`);
    place.write("chat.json", JSON.stringify(chat));
    place.write("short.json", JSON.stringify(conversationOf("t2", "short", 2)));
    const { stdout } = await place.run(...RUN, "short.json", "chat.json", "--example");
    expect(stdout).toMatch(/^Before: what read_log returned, 400 lines, [\d,]+ tokens$/m);
    expect(stdout).toMatch(/^│ 1 (?:日本語)+日?本?…$/m);
    expect(stdout).toMatch(/^│ <knowledge id="t1" /m);
    for (const char of ["\u001b", "\r"]) expect(stdout).not.toContain(char);
    const none = await place.run(...RUN, "short.json", "--example");
    expect([none.status, none.stdout]).toEqual([0, expect.not.stringMatching(/^Before/m)]);
    const dry = ["run", "--policy", "min-tokens=400", "chat.json", "--example", "-n"];
    const shownBy = ({ stdout: printed }: { readonly stdout: string }) =>
      /^Before[^]*^The model reads/m.exec(printed)?.[0];
    expect(shownBy({ stdout })).toBeDefined();
    // With results in the session, and without.
    expect(shownBy(await place.run(...dry))).toBe(shownBy({ stdout }));
    expect(shownBy(await place.run(...dry, "-w", "new"))).toBe(shownBy({ stdout }));
    expect(existsSync(place.path("new"))).toBe(false);
    const blocks = [{ type: "text", text: "one line of a long text. ".repeat(400) }];
    const ofBlocks = { type: "tool_result", tool_use_id: "t3", content: blocks };
    const [ask, call] = conversationOf("t3", "");
    place.write("blocks.json", JSON.stringify([ask, call, { role: "user", content: [ofBlocks] }]));
    expect((await place.run(...RUN, "blocks.json", "--example")).stdout).toMatch(
      /^│ .*one line of a long/m,
    );
  });

  it("offloads by --policy; all of several must agree", async () => {
    const place = new TestFolder();
    const offloaded = async (...rules: string[]): Promise<Record<string, number>> => {
      const policies = rules.flatMap((rule) => ["--policy", rule]);
      const { status, stdout } = await place.run("run", "--dry-run", "--json", ...policies, SAMPLE);
      expect(status).toBe(0);
      const report = JSON.parse(stdout) as {
        conversations: { tools: { tool: string; offloaded: number }[] }[];
      };
      const tools = report.conversations.flatMap((conversation) => conversation.tools);
      return Object.fromEntries(
        tools.filter((row) => row.offloaded > 0).map((row) => [row.tool, row.offloaded]),
      );
    };
    const { run_command = 0, ...others } = await offloaded("min-tokens=300");
    expect(run_command).toBeGreaterThan(4);
    expect(Object.keys(others).length).toBeGreaterThan(3);
    expect(await offloaded("min-tokens=300", "tools=run_command")).toEqual({ run_command });
    expect(await offloaded("min-tokens=300", "keep-tools=run_command")).toEqual(others);
    expect(await offloaded("min-tokens=100000")).toEqual({});
    expect(await offloaded("min-tokens=300", "keep-recent=100")).toEqual({});
    const all = (await offloaded("everything"))["run_command"] ?? 0;
    expect(all).toBeGreaterThanOrEqual(run_command);
    expect((await offloaded("min-chars=20000"))["run_command"]).toBeLessThan(run_command);
  });

  it("says why nothing was offloaded", async () => {
    const place = new TestFolder();
    place.write("chat.json", JSON.stringify(conversationOf("t1", "short", 2)));
    const { stdout } = await place.run(...RUN, "chat.json");
    expect(stdout).toContain("0 of 1 tool result offloaded");
    expect(place.read("chat.offloaded.json")).toBe(place.read("chat.json"));
  });

  it.each<[string, string | undefined, RegExp]>([
    ["missing.json", undefined, /no such file or folder; check the path/],
    ["cut.json", '[{"role":"user",', /broken JSON at line 1, column 17: /],
    ["prose.json", "Dear diary,\n\ntoday\n", /broken JSON at line 1, column 1: /],
    ["empty.json", "", /is empty; pass an array of messages/],
    ["other.json", '{"answer":42}', /: it is an object with keys \["answer"\], not an array of/],
    [
      "several.json",
      '[{"messages":[]},{"messages":[]}]',
      /: it holds 2 conversations; put each in/,
    ],
    [
      "many.jsonl",
      '{"messages":[]}\n{"messages":[]}\n',
      /is a conversation; put each into its own/,
    ],
    ["words.json", '"hello"', /: it is the string "hello", not an array of messages/],
    ["stray.json", '[{"role":"narrator","content":"Once"}]', /; pass an array of messages/],
    [
      "broken.jsonl",
      `${`${JSON.stringify({ role: "user", content: "hello" })}\n`.repeat(811)}{"role":"us\n{}`,
      /broken JSON at line 812: .*; correct or remove that line/,
    ],
    ["latin1.json", '["\u0000"]', /./],
  ])("explains %s in a sentence and writes nothing", async (name, text, reason) => {
    const place = new TestFolder();
    if (text !== undefined) place.write(name, text);
    for (const args of [[], ["--out", "new/folder"], ["--out", ".offload"]]) {
      const { status, stdout, stderr } = await place.run(...RUN, name, ...args);
      expect(status).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toMatch(REFUSAL);
      expect(stderr).toContain(name);
      expect(stderr).toMatch(reason);
      // A command takes no format of one's own.
      expect(stderr).not.toMatch(/your own format|parse /);
      const others = readdirSync(place.folder).filter((entry) => ![name, "home"].includes(entry));
      expect(others).toEqual([]);
    }
  });

  it("names what it saw, the nearest format first and the others after, one a line", async () => {
    const place = new TestFolder();
    const chat = [
      { role: "user", content: "Go." },
      { role: "narrator", content: "Once" },
    ];
    place.write("chat.json", JSON.stringify(chat));
    place.write("chat.jsonl", chat.map((line) => `${JSON.stringify(line)}\n`).join(""));
    for (const ending of ["", "-jsonl"]) {
      const file = `chat.json${ending === "" ? "" : "l"}`;
      const { stderr } = await place.run(...RUN, file);
      const [headline, nearest, ...others] = stderr.trimEnd().split("\n");
      expect(headline).toBe(
        `context-offload: ${file}: no format fits these messages, the nearest is anthropic${ending}; ` +
          "convert them to one of these",
      );
      expect(nearest).toMatch(
        /^ {2}anthropic\S* +message 1 has the role "narrator" instead of user/,
      );
      const between = others.indexOf("These do not fit a single message:");
      expect(others.slice(0, between).join("\n")).toMatch(
        /^ {2}openai-chat(?:-jsonl)? +message 1/m,
      );
      expect(others.slice(between + 1).join("\n")).toMatch(
        /^ {2}gemini(?:-jsonl)? +message 0 has/m,
      );
    }
  });

  it.skipIf(process.platform === "win32").each([
    ["results", 400],
    ["nothing to offload", 2],
  ])("keeps what it writes into the workspace private, with %s", async (_, lines) => {
    const place = new TestFolder();
    place.write("chat.json", JSON.stringify(conversationOf("t1", "hello", lines)));
    const modeOf = (name: string) => statSync(place.path(name)).mode & 0o777;
    for (const [out, deep = out] of [[".offload"], ["other", "other/deep"]]) {
      const to = ["--workspace", out ?? "", "--out", deep ?? ""];
      expect((await place.run(...RUN, "chat.json", "--quiet", ...to)).status).toBe(0);
      expect(
        (await place.run("restore", `${deep}/chat.offloaded.json`, "--quiet", ...to)).status,
      ).toBe(0);
      expect(place.read(`${out}/.gitignore`)).toBe("*\n");
      expect([out, deep].map((name) => modeOf(name ?? ""))).toEqual([0o700, 0o700]);
      for (const mark of ["offloaded", "restored"]) {
        expect(modeOf(`${deep}/chat.${mark}.json`)).toBe(0o600);
      }
    }
    // A folder that exists may be a project, and one elsewhere is not the workspace's.
    expect((await place.run(...RUN, "chat.json", "--quiet", "--out", "short")).status).toBe(0);
    expect(existsSync(place.path("short/.gitignore"))).toBe(false);
  });

  it("does no half of many: what was complete before the bad file is whole, the rest is not begun", async () => {
    const place = new TestFolder();
    place.write("good.json", JSON.stringify(conversationOf("t1", "one")));
    place.write("bad.json", "[{");
    expect((await place.run(...RUN, "good.json", "bad.json")).status).toBe(2);
    expect(existsSync(place.path("bad.offloaded.json"))).toBe(false);
    expect((await place.run("restore", "good.offloaded.json")).status).toBe(0);
    expect(place.read("good.restored.json")).toBe(place.read("good.json"));
  });

  it("skips what is not a conversation in a folder, and says so; a file that is named is refused", async () => {
    const place = new TestFolder();
    place.write("logs/chat.json", JSON.stringify(conversationOf("t1", "hello")));
    place.write("logs/package.json", '{"name": "x"}');
    const { status, stdout, stderr } = await place.run(...RUN, "logs");
    expect([status, stderr]).toEqual([0, "skipped 1 file without a conversation\n"]);
    expect(stdout).toMatch(/wrote chat\.offloaded\.json/);
    expect(existsSync(place.path("package.offloaded.json"))).toBe(false);
    place.write("none/package.json", '{"name": "x"}');
    for (const path of ["none", "logs/package.json"]) {
      const refused = await place.run(...RUN, path);
      expect([refused.status, refused.stdout]).toEqual([2, ""]);
      expect(refused.stderr).toMatch(REFUSAL);
    }
  });

  it("refuses a workspace in memory, whose content would be lost, except for a dry run", async () => {
    const place = new TestFolder();
    const { status, stdout, stderr } = await place.run(...RUN, SAMPLE, "--workspace", "memory:");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(ONE_SENTENCE);
    expect(stderr).toContain("name a folder, or add --dry-run");
    const env = { CONTEXT_OFFLOAD_WORKSPACE: "memory:" };
    expect(place.spawn([...RUN, SAMPLE], { env }).status).toBe(2);
    expect(place.spawn([...RUN, SAMPLE, "--dry-run"], { env }).status).toBe(0);
    expect(readdirSync(place.folder)).toEqual(["home"]);
  });

  it("explains a folder that cannot be written", async () => {
    const place = new TestFolder();
    place.write("blocker", "a file, not a folder");
    for (const args of [
      ["--out", "blocker"],
      ...(process.platform === "linux" ? [["--out", "/proc/below"]] : []),
      ["--workspace", "blocker"],
      ["--workspace", "blocker/below"],
    ]) {
      const { status, stdout, stderr } = await place.run(...RUN, SAMPLE, ...args);
      expect(status).toBe(3);
      expect(stdout).toBe("");
      expect(stderr).toMatch(ONE_SENTENCE);
      expect(
        readdirSync(place.folder)
          .sort()
          .filter((name) => name.includes("offloaded")),
      ).toEqual([]);
    }
  });

  it.skipIf(process.getuid?.() === 0)("explains a folder without permission", async () => {
    const place = new TestFolder();
    chmodSync(place.makeFolder("closed"), 0o500);
    const { status, stderr } = await place.run(...RUN, SAMPLE, "--out", "closed");
    expect([status, stderr]).toEqual([
      3,
      expect.stringMatching(/permission denied; check who may/),
    ]);
  });

  it("never writes over an input, not even by another name", async () => {
    const place = new TestFolder();
    place.write("talk.offloaded.json", sampleText);
    place.write("other/talk.json", sampleText);
    symlinkSync(place.path("talk.offloaded.json"), place.path("link.json"));
    symlinkSync(place.path("link.json"), place.path("link.offloaded.json"));
    for (const inputs of [["other/talk.json", "talk.offloaded.json"], ["link.json"]]) {
      const { status, stderr } = await place.run(...RUN, ...inputs);
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(/would be overwritten; name another/),
      ]);
      expect(place.read("talk.offloaded.json")).toBe(sampleText);
    }
  });

  it("streams a long session: results far apart, in windows, restored to the byte", async () => {
    const place = new TestFolder();
    const lines = Array.from({ length: 40 }, (_, at) =>
      conversationOf(`t${at}`, `line of ${at} `.repeat(20), 400),
    ).flat();
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    expect(text.length).toBeGreaterThan(3_000_000);
    place.write("long.jsonl", text);
    expect((await place.run(...RUN, "long.jsonl")).stdout).toContain(
      "40 of 40 tool results offloaded",
    );
    expect(place.read("long.offloaded.jsonl").length).toBeLessThan(text.length / 20);
    expect((await place.run("restore", "-q", "long.offloaded.jsonl")).stderr).toBe("");
    expect(place.read("long.restored.jsonl")).toBe(text);
    const broken = place.write("late.jsonl", `${text}{"role":\n`);
    const { status, stderr } = await place.run(...RUN, broken);
    expect([status, stderr]).toEqual([2, expect.stringContaining("broken JSON at line 161: ")]);
    expect(existsSync(place.path("late.offloaded.jsonl"))).toBe(false);
    expect((await place.run("list", "--session", "late")).stdout).not.toContain("t0");
    expect(readdirSync(place.path(".offload/v1/default"))).toEqual(["long"]);
  });

  it("lets results grow old over a long session, as over one in a single piece", async () => {
    const place = new TestFolder();
    const turns = Array.from({ length: 300 }, (_, at) =>
      conversationOf(`t${at}`, `line of ${at} `.repeat(20), 20),
    ).flat();
    place.write("lines.jsonl", turns.map((turn) => `${JSON.stringify(turn)}\n`).join(""));
    place.write("whole.json", JSON.stringify(turns));
    expect(place.read("lines.jsonl").length).toBeGreaterThan(1_500_000);
    const summary = async (...args: string[]) =>
      /^\d+ of 300 tool results/m.exec((await place.run("run", ...args)).stdout)?.[0];
    const inLines = await summary("lines.jsonl");
    expect(inLines).toMatch(/^29\d of 300/);
    expect(await summary("whole.json")).toBe(inLines);
    expect((await place.run("restore", "-q", "lines.offloaded.jsonl")).stderr).toBe("");
    expect(place.read("lines.restored.jsonl")).toBe(place.read("lines.jsonl"));
  });

  it("takes an agent's log with broken lines, keeps those as they are and counts them", async () => {
    const place = new TestFolder();
    const lines = Array.from({ length: 30 }, (_, at) =>
      conversationOf(`t${at}`, `line ${at} `.repeat(500), 20).map((message) =>
        logLine(`u${at}`, message),
      ),
    ).flat();
    lines.splice(3, 0, '{"type":"user","sessi');
    lines.splice(lines.length - 2, 0, "\u0000\u0000\u0000");
    const text = `${lines.join("\n")}\n{"type":"assistant","mess`;
    expect(text.length).toBeGreaterThan(2_000_000);
    place.write("log.jsonl", text);
    const { status, stdout, stderr } = await place.run(...RUN, "log.jsonl");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("30 of 30 tool results offloaded");
    expect(stdout).toMatch(/^left 3 broken lines of log\.jsonl as found$/m);
    const written = place.read("log.offloaded.jsonl");
    expect(written.split("\n")).toContain("\u0000\u0000\u0000");
    expect((await place.run("restore", "-q", "log.offloaded.jsonl")).stderr).toBe("");
    expect(place.read("log.restored.jsonl")).toBe(text);
    const json = (await place.run(...RUN, "--json", "--dry-run", "log.jsonl")).stdout;
    expect(JSON.parse(json)).toMatchObject({ conversations: [{ brokenLines: 3 }] });
  });

  it.each([
    ["broken", '{"type":"user","sessi', 5000],
    ["of another program", '{"at":1}', 0],
  ])("takes a long log of which a window has only lines that are %s", async (_, line, broken) => {
    const place = new TestFolder();
    const lines = Array.from({ length: 20 }, (__, at) =>
      conversationOf(`t${at}`, "line ").map((message) => logLine("u", message)),
    ).flat();
    // Ends just before the window does, and is too long to be seen again with the next one.
    const long = "i".repeat(1_020_000 - lines.join("\n").length);
    lines.push(logLine("u", { role: "user", content: long }));
    const text = [...lines, ...Array<string>(5000).fill(line)].join("\n");
    place.write("log.jsonl", text);
    const json = (await place.run(...RUN, "--json", "--dry-run", "log.jsonl")).stdout;
    expect(JSON.parse(json)).toMatchObject({ conversations: [{ brokenLines: broken }] });
    const { status, stdout, stderr } = await place.run(...RUN, "log.jsonl");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("20 of 20 tool results offloaded");
    expect((await place.run("restore", "-q", "log.offloaded.jsonl")).stderr).toBe("");
    expect(place.read("log.restored.jsonl")).toBe(text);
  });

  it("names a long file whose later messages are in another format", async () => {
    const place = new TestFolder();
    const long = { role: "user", content: "i".repeat(1_100_000) };
    const lines = [{ role: "user", content: "Go." }, long, { role: "narrator" }];
    place.write("chat.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { status, stdout, stderr } = await place.run(...RUN, "chat.jsonl");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^context-offload: chat\.jsonl: after line 1, .*; correct or remove /);
    expect(existsSync(place.path("chat.offloaded.jsonl"))).toBe(false);
  });

  it("leaves a workspace that verifies, and no half file, when it is interrupted", async () => {
    const place = new TestFolder();
    const chat = Array.from({ length: 60 }, (_, at) =>
      conversationOf(`t${at}`, "line ".repeat(60), 600),
    );
    place.write(
      "long.jsonl",
      chat
        .flat()
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    const child = place.start([...RUN, "long.jsonl"]);
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    // As soon as something is stored, so that it is in the middle of its work.
    while (!existsSync(place.path(".offload/v1"))) await new Promise((done) => setTimeout(done, 5));
    child.kill("SIGINT");
    const status = await new Promise((done) => child.once("close", done));
    expect([status, stderr]).toEqual([
      130,
      expect.stringMatching(/^context-offload: interrupted; .+\n$/),
    ]);
    expect(readdirSync(place.folder).sort()).toEqual([".offload", "home", "long.jsonl"]);
    expect(await place.run("verify")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/all intact/) as string,
    });
    expect((await place.run(...RUN, "--quiet", "long.jsonl")).status).toBe(0);
  });

  it("colors a terminal only, and not with --no-color or NO_COLOR", async () => {
    const place = new TestFolder();
    expect((await place.run(...RUN, SAMPLE, "--no-color")).stdout).not.toContain("\u001b");
    expect(place.spawn(["stats"], { env: { FORCE_COLOR: "0" } }).stdout).not.toContain("\u001b");
  });
});
