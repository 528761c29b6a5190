import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestFolder } from "../../packages/cli/tests/support/command.js";
import { FIXTURES } from "../conformance/fixtures.js";

const START = fileURLToPath(new URL("../../scripts/start.mjs", import.meta.url));
const MAIN = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
const SAMPLE = fileURLToPath(
  new URL("../../examples/conversations/checkout-outage.json", import.meta.url),
);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "main-job-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(script: string, ...args: string[]) {
  return spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: "utf8" });
}

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

describe("npm start", () => {
  it("offloads the sample, shows what that saves, and nothing is lost", () => {
    mkdirSync(join(folder, "examples/conversations"), { recursive: true });
    const text = readFileSync(SAMPLE, "utf8");
    write("examples/conversations/checkout-outage.json", text);
    const { status, stdout, stderr } = run(START);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^\d\d of 35 tool results offloaded, stored in \.offload$/m);
    expect(stdout).toMatch(/tokens \(\d\d %\) saved/);
    expect(stdout).not.toContain("\u001b");
    // One result before and after, the name of the reading tool, and all of it in 80 columns.
    const [before = "", after = ""] = stdout.split(/^After: /m);
    expect(before).toMatch(/^Before: what run_command returned, \d+ lines, [\d,]+ tokens\n│ 2025/m);
    expect(after).toMatch(/^a reference with a digest, [\d,]+ tokens\n│ <knowledge_list>\n│ <know/);
    expect(after).toMatch(/^│ \d+: .*\b(?:ERROR|failed)\b/m);
    expect(after).toMatch(/^│ More: read_stored\n│ <\/knowledge_list>$/m);
    expect(after).toMatch(/reads the rest with read_stored/);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    // Where neither git nor anybody else sees it.
    expect(read(".offload/.gitignore")).toBe("*\n");
    expect(readdirSync(folder).sort()).toEqual([".offload", "examples"]);
    const output = ".offload/checkout-outage.offloaded.json";
    expect(read(output).length).toBeLessThan(text.length / 2);
    expect(run(MAIN, "verify").status).toBe(0);
    expect(run(MAIN, "restore", output).status).toBe(0);
    expect(read("checkout-outage.restored.json")).toBe(text);
  });

  it("takes your own conversation, and does the same again without changing a file", () => {
    write("talk.json", readFileSync(SAMPLE, "utf8"));
    const first = run(START, "talk.json");
    const before = read("talk.offloaded.json");
    const second = run(START, "talk.json");
    expect([first.status, second.status]).toEqual([0, 0]);
    expect(first.stdout).toMatch(/^Before: /m);
    expect(second.stdout).toBe(first.stdout);
    expect(read("talk.offloaded.json")).toBe(before);
  });

  it("passes the exit code and the error on", () => {
    const { status, stdout, stderr } = run(START, "missing.json");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^context-offload: missing\.json: [^\n]+\n$/);
  });
});

describe("context-offload run", () => {
  // Instances of classes are not a file.
  const recorded = FIXTURES.filter(({ name }) => name !== "LangChain");
  it.each(recorded)(
    "takes a conversation of $name, and restores it byte for byte",
    async ({ build }) => {
      const log = "GET /v1/orders 200 12 ms, nothing to see here\n".repeat(400);
      const result = { toolName: "read_log", input: {}, isError: false };
      const messages = build([
        { say: "Both logs.", results: [{ ...result, id: "c1", text: `one\n${log}` }] },
        { say: "And again.", results: [{ ...result, id: "c2", text: `two\n${log}` }] },
        { say: "One more.", results: [{ ...result, id: "c3", text: "short" }] },
      ]);
      const isText = typeof messages[0] === "string";
      const ending = isText ? "jsonl" : "json";
      const lines = messages.map((line) => `${String(line).trimEnd()}\n`);
      const text = isText ? lines.join("") : JSON.stringify(messages);
      const place = new TestFolder();
      const file = place.write(`talk.${ending}`, text);
      const { status, stdout, stderr } = await place.run("run", file);
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/^2 of 3 tool results offloaded, /m);
      expect(place.read(`talk.offloaded.${ending}`).length).toBeLessThan(text.length / 3);
      await place.run("restore", `talk.offloaded.${ending}`);
      expect(place.read(`talk.restored.${ending}`)).toBe(text);
    },
  );
});
