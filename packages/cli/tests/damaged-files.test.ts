import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { conversationOf, logLine, MAIN, ONE_SENTENCE, RUN, TestFolder } from "./support/command.js";

const CHAT = JSON.stringify(conversationOf("t1", "hello"));

describe("a folder with damaged files", () => {
  it("goes through to its end, and names each that is skipped; one that is named is refused", async () => {
    const place = new TestFolder();
    const damaged: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
      ["cut.json", CHAT.slice(0, 100), /: broken JSON at line 1, column \d+: /],
      ["empty.json", "", /: is empty; /],
      ["latin.json", Buffer.from('["caf\u00e9 au lait"]', "latin1"), /: is not UTF-8/],
      ["lines.jsonl", '{"role":"user","content":"a"}\n'.repeat(3) + '{"ro', /JSON at line 4: /],
    ];
    for (const [name, text] of damaged) place.write(`logs/${name}`, text);
    place.write("logs/a.json", CHAT);
    place.write("logs/z.json", CHAT);
    place.write("logs/package.json", "{}");
    for (const flags of [[], ["--dry-run"]]) {
      const { status, stdout, stderr } = await place.run(
        ...RUN,
        "logs",
        "--out",
        "short",
        ...flags,
      );
      expect(status).toBe(0);
      expect(stdout).toContain("2 of 2 tool results");
      const lines = stderr.trimEnd().split("\n");
      expect(lines).toHaveLength(damaged.length + 1);
      for (const [index, [name, , why]] of damaged.entries()) {
        expect(lines[index]?.startsWith(`skipped logs/${name}: `)).toBe(true);
        expect(lines[index]).toMatch(why);
      }
      expect(lines.at(-1)).toBe("skipped 1 file without a conversation");
    }
    expect(readdirSync(place.path("short"))).toEqual(["a.offloaded.json", "z.offloaded.json"]);
    for (const [name] of damaged) {
      const { status, stdout, stderr } = await place.run(...RUN, `logs/${name}`);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(ONE_SENTENCE);
    }
  });
});

describe("a log that ends within a character", () => {
  const log = conversationOf("t1", "hello")
    .map((message) => `${logLine("u", message)}\n`)
    .join("");

  it.each([
    ["\u00e9", 1],
    ["\u20ac", 1],
    ["\u20ac", 2],
    ["\u{1f480}", 3],
  ])("is restored byte for byte, with %s cut after %i of its bytes", async (char, kept) => {
    const place = new TestFolder();
    const start = Buffer.from(`${log}{"type":"us\u{1f480}`);
    const cut = Buffer.concat([start, Buffer.from(char).subarray(0, kept)]);
    place.write("log.jsonl", cut);
    const { status, stdout, stderr } = await place.run(...RUN, "log.jsonl");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("left 1 broken line of log.jsonl as found");
    expect(place.readBytes("log.offloaded.jsonl").subarray(-kept)).toEqual(cut.subarray(-kept));
    expect((await place.run("restore", "-q", "log.offloaded.jsonl")).stderr).toBe("");
    expect(place.readBytes("log.restored.jsonl").equals(cut)).toBe(true);
  });

  it("goes through a pipe as well, and is refused where lines must not be broken", async () => {
    const place = new TestFolder();
    const cut = Buffer.concat([Buffer.from(`${log}{"type":"us`), Buffer.from([0xf0, 0x9f, 0x92])]);
    const pipe = (args: string[], input: Buffer) =>
      spawnSync(process.execPath, [MAIN, ...args], { cwd: place.folder, env: place.env(), input });
    const short = pipe([...RUN, "-"], cut).stdout;
    expect(short.length).toBeLessThan(cut.length / 2);
    expect(pipe(["restore", "-", "--session", "stdin"], short).stdout.equals(cut)).toBe(true);
    place.write("chat.json", Buffer.concat([Buffer.from(CHAT), Buffer.from([0xe2])]));
    expect((await place.run(...RUN, "chat.json")).stderr).toMatch(
      /chat\.json: broken JSON at line 1, column/,
    );
  });
});

it("keeps a byte order mark, and does not count its line as broken, in a file of many windows", async () => {
  const place = new TestFolder();
  const lines = Array.from({ length: 30 }, (_, at) =>
    conversationOf(`t${at}`, "line ".repeat(400), 20).map((message) => logLine("u", message)),
  ).flat();
  const text = `\ufeff${lines.join("\n")}\n`;
  expect(text.length).toBeGreaterThan(1_100_000);
  place.write("log.jsonl", text);
  const { status, stdout, stderr } = await place.run(...RUN, "log.jsonl");
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).not.toContain("broken");
  expect(place.read("log.offloaded.jsonl").lastIndexOf("\ufeff")).toBe(0);
  expect((await place.run("restore", "-q", "log.offloaded.jsonl")).stderr).toBe("");
  expect(place.read("log.restored.jsonl")).toBe(text);
});
