import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { compareMeans, compareShares } from "../src/trial/compare.js";
import { conversationOf, HOOK, logLine, ONE_SENTENCE, TestFolder } from "./support/command.js";

/** Notes every connection that a process opens, its workers' included, to whatever address. */
const WATCH = `
import { appendFileSync } from "node:fs";
import dgram from "node:dgram";
import net from "node:net";
for (const [owner, verb] of [[net.Socket.prototype, "connect"], [dgram.Socket.prototype, "send"]]) {
  const original = owner[verb];
  owner[verb] = function (...given) {
    appendFileSync(process.env.CONNECTIONS, verb + "\\n");
    return original.apply(this, given);
  };
}
`;

/** An agent with our hook that records its session as Claude Code does: a reply on two lines, and fewer tokens with us. */
const AGENT = `
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
const folder = join(process.env.HOME, ".claude", "projects", "p");
mkdirSync(folder, { recursive: true });
const runs = existsSync("runs") ? Number(readFileSync("runs", "utf8")) : 0;
writeFileSync("runs", String(runs + 1));
const isOff = process.env.CONTEXT_OFFLOAD === "off";
appendFileSync("order", isOff ? "0" : "1");
const stdout = Array.from({ length: 1500 }, (_, at) => runs + " line " + at).join("\\n");
const input = JSON.stringify({
  hook_event_name: "PostToolUse", session_id: "s-" + runs, cwd: process.cwd(), tool_name: "Bash",
  tool_use_id: "c", tool_input: { command: "x" }, tool_response: { stdout, stderr: "", interrupted: false },
});
if (process.argv[2] !== "--no-hook") spawnSync(process.execPath, [${JSON.stringify(HOOK)}], { input });
const usage = (output_tokens) => ({
  input_tokens: 10, cache_creation_input_tokens: 90,
  cache_read_input_tokens: (isOff ? 5_000 : 2_000) + (runs % 3), output_tokens,
});
for (let turn = 0; turn < 2; turn++) {
  for (const output of [1, 20]) {
    const message = { id: "m" + runs + "-" + turn, role: "assistant", usage: usage(output) };
    appendFileSync(join(folder, "s-" + runs + ".jsonl"), JSON.stringify({ type: "assistant", message }) + "\\n");
  }
}
`;

/** An agent that records as Codex does; every second run goes on with the session of the one before. */
const CODEX = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
const folder = join(process.env.HOME, ".codex", "sessions", "2026", "01", "02");
mkdirSync(folder, { recursive: true });
const runs = existsSync("runs") ? Number(readFileSync("runs", "utf8")) : 0;
writeFileSync("runs", String(runs + 1));
const file = join(folder, "rollout-" + Math.floor(runs / 2) + ".jsonl");
const record = (type, payload) => appendFileSync(file, JSON.stringify({ timestamp: "", type, payload }) + "\\n");
const total = runs % 2 === 0 ? [0, 0, 0] : [3300, 900, 70];
const counts = ([input_tokens, cached_input_tokens, output_tokens]) => ({ input_tokens, cached_input_tokens, output_tokens });
const tell = (last) => record("event_msg", {
  type: "token_count", info: { total_token_usage: counts(total), last_token_usage: counts(last) },
});
const ask = (used) => used.forEach((tokens, at) => { total[at] += tokens; });
if (runs % 2 === 0) record("session_meta", { id: "s" });
record("event_msg", { type: "token_count", info: null });
ask([1000, 0, 20]);
tell([1000, 0, 20]);
tell([1000, 0, 20]);
record("response_item", { type: "message", role: "assistant", content: [] });
ask([1100, 100, 10]);
ask([1200, 800, 40]);
tell([1200, 800, 40]);
`;

interface Trial {
  readonly runs: readonly {
    readonly isWith: boolean;
    readonly inputTokens: number;
    readonly seconds: number;
  }[];
  readonly compared: Readonly<
    Record<string, { difference: number; interval?: readonly [number, number] }>
  >;
  readonly offloaded: number;
  readonly claim: string | null;
  readonly whyNoClaim?: string;
}

describe("trial", () => {
  it("runs in turns with and without, and reads the provider's figures", async () => {
    const place = new TestFolder();
    place.write("agent.mjs", AGENT);
    const run = ["trial", "--json", "-n", "5", "--", process.execPath, "agent.mjs"];
    const { status, stdout } = await place.run(...run);
    expect(status).toBe(0);
    const { runs, compared, claim, offloaded } = JSON.parse(stdout) as Trial;
    expect(offloaded).toBe(5);
    expect(place.read("order")).toBe("1001100110");
    for (const { isWith, inputTokens } of runs) {
      expect(inputTokens - 2 * (100 + (isWith ? 2_000 : 5_000))).toBeLessThanOrEqual(4);
    }
    expect(runs).toHaveLength(10);
    expect(runs[0]).toMatchObject({ turns: 2, outputTokens: 40, exit: 0 });
    const { difference = 0, interval = [0, 0] } = compared["input"] ?? {};
    expect(Math.abs(difference + 6_000)).toBeLessThan(5);
    expect(interval[0]).toBeLessThan(difference);
    expect(interval[1]).toBeLessThan(0);
    expect(claim).toMatch(/ fewer /);
  });

  it("reads what Codex records: what was told twice, a request that was repeated, a session that goes on", async () => {
    const place = new TestFolder();
    place.write("agent.mjs", CODEX);
    const run = ["trial", "--json", "-n", "2", "--", process.execPath, "agent.mjs"];
    const { stdout } = await place.run(...run);
    const { runs } = JSON.parse(stdout) as Trial;
    const figures = { inputTokens: 1_000 + 1_100 + 1_200, cacheReadTokens: 900, outputTokens: 70 };
    // The repeated request is no turn that anybody saw.
    expect(runs).toMatchObject(Array(4).fill({ ...figures, turns: 2, exit: 0 }));
  });

  it("claims nothing for fewer than five runs each", async () => {
    const place = new TestFolder();
    place.write("agent.mjs", AGENT);
    const run = ["trial", "-n", "4", "--", process.execPath, "agent.mjs"];
    const { stdout } = await place.run(...run);
    expect(stdout).toMatch(/Nothing is claimed/);
    expect(stdout).not.toMatch(/fewer in each run/);
    const { claim } = JSON.parse(
      (await place.run("trial", "--json", ...run.slice(1))).stdout,
    ) as Trial;
    expect(claim).toBeNull();
  });

  it("claims nothing where nothing was offloaded, or where a run failed", async () => {
    const place = new TestFolder();
    place.write("agent.mjs", AGENT);
    const run = ["trial", "--json", "-n", "5", "--", process.execPath, "agent.mjs"];
    const idle = JSON.parse((await place.run(...run, "--no-hook")).stdout) as Trial;
    expect(idle).toMatchObject({
      ...{ offloaded: 0, claim: null },
      whyNoClaim: expect.stringMatching(/nothing was offloaded into \.offload/) as string,
    });
    place.write("agent.mjs", `${AGENT}if (runs === 14) process.exit(3);`);
    const { status, stdout } = await place.run(...run);
    expect(status).toBe(1);
    const failed = JSON.parse(stdout) as Trial;
    expect(failed).toMatchObject({
      claim: null,
      whyNoClaim: expect.stringMatching(/not all runs ended without an error/) as string,
    });
    expect(failed.compared["ended"]?.difference).toBe(-20);
  });

  it("refuses an agent that records nothing, after its first run", async () => {
    const place = new TestFolder();
    place.write(
      "agent.mjs",
      `import { appendFileSync } from "node:fs"; appendFileSync("order", "x");`,
    );
    const { status, stdout, stderr } = await place.run(
      "trial",
      "--",
      process.execPath,
      "agent.mjs",
    );
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(ONE_SENTENCE);
    expect(place.read("order")).toBe("x");
  });

  it("makes intervals as published for Welch's t", () => {
    const { interval, difference } = compareMeans([1, 2, 3, 4, 5], [2, 3, 4, 5, 6]);
    expect(difference).toBe(-1);
    // Each variance is 2.5, the standard error 1, and there are 8 degrees of freedom.
    expect(interval?.[0]).toBeCloseTo(-1 - 2.306, 3);
    expect(interval?.[1]).toBeCloseTo(-1 + 2.306, 3);
    expect(compareMeans([1, 2, 3, 4], [2, 3, 4, 5]).interval).toBeUndefined();
    // Unequal variances, 40 and 0.3: their shares of the error leave 4.1 degrees of freedom, taken as 4.
    const unequal = compareMeans([2, 6, 10, 14, 18], [10, 11, 10, 11, 10, 11]);
    const error = Math.sqrt(40 / 5 + 0.3 / 6);
    expect(unequal.difference).toBeCloseTo(-0.5, 9);
    expect(unequal.interval?.[0]).toBeCloseTo(-0.5 - 2.776 * error, 3);
    // No spread at all is no reason for an interval that is not a number.
    expect(compareMeans([3, 3, 3, 3, 3], [5, 5, 5, 5, 5]).interval).toEqual([-2, -2]);
  });

  it("makes intervals as published for shares: 56 of 70 against 48 of 80, 5 of 56 against 0 of 29", () => {
    const of = (successes: number, count: number) =>
      Array.from({ length: count }, (_, at) => at < successes);
    const one = compareShares(of(56, 70), of(48, 80));
    expect(one.difference).toBeCloseTo(20, 9);
    expect(one.interval?.[0]).toBeCloseTo(5.24, 2);
    expect(one.interval?.[1]).toBeCloseTo(33.39, 2);
    const none = compareShares(of(5, 56), of(0, 29));
    expect(none.interval?.[0]).toBeCloseTo(-3.81, 2);
    expect(none.interval?.[1]).toBeCloseTo(19.26, 2);
    expect(compareShares(of(1, 4), of(4, 4)).interval).toBeUndefined();
  });
});

describe("learn", () => {
  it("proposes what install takes, by tool, from recorded sessions", async () => {
    const place = new TestFolder();
    // Each large result is used at once, so that a reader must read it back.
    const messages: object[] = [{ role: "user", content: "Look at the logs." }];
    for (let at = 0; at < 4; at++) {
      const id = `t${at}`;
      const content = Array.from(
        { length: 1_200 },
        (_, line) => `${line} status-${at}-${(line * 7919) % 997} of service-${at}-${line}`,
      );
      messages.push(
        { role: "assistant", content: [{ type: "tool_use", id, name: "read_log", input: {} }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: id, content: content.join("\n") }],
        },
        { role: "assistant", content: `It was ${content.slice(300, 330).join(" and ")}.` },
        { role: "user", content: "Go on." },
      );
    }
    const log = messages.map((message, at) => logLine(`u${at}`, message)).join("\n");
    place.write("home/.claude/projects/p/s.jsonl", log);
    const small = conversationOf("small", "x", 10).map((one, at) => logLine(`v${at}`, one));
    place.write("home/.claude/projects/p/small.jsonl", small.join("\n"));
    const { stdout, status } = await place.run("learn", "--json");
    expect(status).toBe(0);
    const { sources } = JSON.parse(stdout) as {
      sources: {
        client: string;
        large: number;
        tools: { toolName: string; results: number; saved: number; verdict: string }[];
        exclude: string[];
        minTokens?: number;
        price: { without: number; defaults: number; learned: number };
        commands: string[];
      }[];
    };
    const [source] = sources;
    expect(source).toMatchObject({ client: "claude-code", large: 1 });
    expect(source?.tools).toMatchObject([{ toolName: "read_log", results: 4 }]);
    expect(source?.exclude).toEqual(
      source?.tools.filter((one) => one.saved < 0).map((one) => one.toolName),
    );
    const { price, commands = [] } = source ?? {};
    expect(price?.learned).toBeLessThanOrEqual(price?.defaults ?? 0);
    for (const command of commands) {
      expect((await place.run(...command.split(" ").slice(1))).status).toBe(0);
    }
    expect((await place.run("learn")).stdout).toMatch(
      /^Claude Code: 2 sessions, 1 with large results/,
    );
  });

  it("proposes to exclude a tool whose results are needed at once, and never again", async () => {
    const place = new TestFolder();
    // It proposes to change what is set up, and nothing else.
    await place.run("install", "claude-code", "--user", "--no-tools", "--exclude", "Bash");
    for (let at = 0; at < 4; at++) {
      const lines = Array.from(
        { length: 520 },
        (_, line) => `${line} status-${at}-${(line * 7919) % 997} of service-${at}-${line}`,
      );
      const id = `t${at}`;
      const messages = [
        { role: "user", content: "Look at the log." },
        { role: "assistant", content: [{ type: "tool_use", id, name: "read_log", input: {} }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: id, content: lines.join("\n") }],
        },
        {
          role: "assistant",
          content: `It was ${lines.filter((_, line) => line % 5 === 0).join(" ")}.`,
        },
      ];
      const log = messages.map((message, index) => logLine(`u${index}`, message)).join("\n");
      place.write(`home/.claude/projects/p/s-${at}.jsonl`, log);
    }
    place.write("watch.mjs", WATCH);
    const env = {
      NODE_OPTIONS: `--import=${pathToFileURL(place.path("watch.mjs")).href}`,
      CONNECTIONS: place.path("connections"),
    };
    const { stdout } = place.spawn(["learn"], { env });
    expect(stdout).toMatch(
      /^ {2}context-offload install claude-code --user --no-tools --exclude read_log$/m,
    );
    expect(stdout).not.toMatch(/uninstall/);
    // Nothing leaves the machine; and the watch would have seen it.
    expect(existsSync(place.path("connections"))).toBe(false);
    place.write("fetch.mjs", `await fetch("http://127.0.0.1:65535/").catch(() => undefined);`);
    place.spawn([], { env, script: place.path("fetch.mjs") });
    expect(place.read("connections")).toMatch(/connect/);
    expect(stdout).toMatch(/cost [\d.]+ % more/);
  });

  it("install takes a threshold, and the hook keeps to it", async () => {
    const place = new TestFolder();
    await place.run("install", "claude-code", "--no-tools", "--min-tokens", "400");
    expect(place.read(".claude/settings.json")).toMatch(/--min-tokens \\"400\\"/);
    const opencode = await place.run("install", "opencode", "--min-tokens", "400");
    expect(opencode.status).toBe(2);
  });
});
