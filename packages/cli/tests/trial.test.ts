import { describe, expect, it } from "vitest";
import { compareMeans } from "../src/trial/compare.js";
import { conversationOf, logLine, ONE_SENTENCE, TestFolder } from "./support/command.js";

/** An agent that records its session as Claude Code does: a reply on two lines, and fewer tokens with us. */
const AGENT = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
const folder = join(process.env.HOME, ".claude", "projects", "p");
mkdirSync(folder, { recursive: true });
const runs = existsSync("runs") ? Number(readFileSync("runs", "utf8")) : 0;
writeFileSync("runs", String(runs + 1));
const isOff = process.env.CONTEXT_OFFLOAD === "off";
appendFileSync("order", isOff ? "0" : "1");
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

interface Trial {
  readonly runs: readonly { readonly isWith: boolean; readonly inputTokens: number }[];
  readonly compared: Readonly<
    Record<string, { difference: number; interval?: readonly [number, number] }>
  >;
  readonly claim: string | null;
}

describe("trial", () => {
  it("runs in turns with and without, and reads the provider's figures", async () => {
    const place = new TestFolder();
    place.write("agent.mjs", AGENT);
    const run = ["trial", "--json", "-n", "5", "--", process.execPath, "agent.mjs"];
    const { status, stdout } = await place.run(...run);
    expect(status).toBe(0);
    const { runs, compared, claim } = JSON.parse(stdout) as Trial;
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
    // The example of NIST, two samples of the same size: t(0.975, 4) = 2.776.
    const { interval, difference } = compareMeans([1, 2, 3, 4, 5], [2, 3, 4, 5, 6]);
    expect(difference).toBe(-1);
    // Each variance is 2.5, the standard error 1, and there are 8 degrees of freedom.
    expect(interval?.[0]).toBeCloseTo(-1 - 2.306, 3);
    expect(interval?.[1]).toBeCloseTo(-1 + 2.306, 3);
    expect(compareMeans([1, 2, 3, 4], [2, 3, 4, 5]).interval).toBeUndefined();
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
    // Its last command is one that install takes.
    const last = commands.at(-1)?.split(" ").slice(1) ?? [];
    if (last.length > 0) expect((await place.run(...last)).status).toBe(0);
    expect((await place.run("learn")).stdout).toMatch(
      /^Claude Code: 2 sessions, 1 with large results/,
    );
  });

  it("proposes to exclude a tool whose results are needed at once, and never again", async () => {
    const place = new TestFolder();
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
    const { stdout } = await place.run("learn");
    expect(stdout).toMatch(/^ {2}context-offload install claude-code --exclude read_log$/m);
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
