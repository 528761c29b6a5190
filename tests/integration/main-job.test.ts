import { spawnSync } from "node:child_process";
import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createOffloader, estimateTokens, parseConversation } from "../../src/index.js";
import { FIXTURES } from "../conformance/fixtures.js";

const SCRIPT = fileURLToPath(new URL("../../examples/offload-conversation.mjs", import.meta.url));
const SAMPLE = fileURLToPath(
  new URL("../../examples/conversations/checkout-outage.json", import.meta.url),
);
const TOOLS =
  "get_knowledge_by_id, get_knowledge_by_lines, grep_knowledge, query_knowledge, get_tool_result_offload_info";

const sampleText = readFileSync(SAMPLE, "utf8");
const sample = JSON.parse(sampleText) as object[];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "main-job-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(...args: string[]) {
  const env = { ...process.env, NO_COLOR: "1" };
  return spawnSync(process.execPath, [SCRIPT, ...args], { cwd: folder, encoding: "utf8", env });
}

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

function listFiles(): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(name, "utf8")]));
}

/** What was written, put back with the files that the program wrote beside it. */
async function restore(output: string, root: string): Promise<string> {
  const { format, messages, stringify } = parseConversation(read(output));
  const offloader = createOffloader({ root: join(folder, root), sessionId: "session-1", format });
  return stringify(await offloader.restore(messages));
}

describe("examples/offload-conversation.mjs", () => {
  it("offloads the sample into .offload, and nothing is lost", async () => {
    const { status, stdout, stderr } = run();
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const output = ".offload/checkout-outage.offloaded.json";
    expect(read(output).length).toBeLessThan(sampleText.length / 2);
    expect(JSON.parse(await restore(output, ".offload/checkout-outage"))).toEqual(sample);
    expect(stdout).toContain(join(".offload", "checkout-outage.offloaded.json"));
    expect(stdout).not.toContain("\u001b");
  });

  it("shows a before and after, the reference, the model's next call and its tools", () => {
    const { stdout } = run();
    const after = JSON.parse(read(".offload/checkout-outage.offloaded.json")) as object[];
    const count = (messages: readonly object[]) =>
      messages
        .reduce((sum, message) => sum + estimateTokens(JSON.stringify(message)), 0)
        .toLocaleString("en-US");
    expect(stdout).toMatch(new RegExp(`^before +${count(sample)} tokens`, "m"));
    expect(stdout).toMatch(new RegExp(`^after +${count(after)} tokens, \\d\\d % fewer$`, "m"));
    expect(stdout).toMatch(
      /^format anthropic, 58 messages, 35 tool results: 17 offloaded, 18 kept$/m,
    );
    expect(stdout).toMatch(/^9 +run_command +1\d,\d{3} +\d{3} {2}Log, 329 lines, sampled\.$/m);
    expect(stdout).toMatch(
      /^Message 9 before: what run_command returned\n {2}2025-03-11T14:18:00/m,
    );
    expect(stdout).toMatch(/^Message 9 after: a reference, \d{3} tokens\n {2}<knowledge_list>$/m);
    expect(stdout).toMatch(/^The model's next call: grep_knowledge \{.+\}\n {2}\d+:/m);
    expect(stdout).toContain(`Its tools: ${TOOLS}\n`);
    expect(stdout).toMatch(/^restored +every message, exactly as it was$/m);
  });

  it("does the same again, and changes no file", () => {
    const first = run();
    const files = listFiles();
    const second = run();
    expect(second.status).toBe(0);
    expect(second.stdout).toBe(first.stdout);
    // A cache of the readable view may come with the first reading.
    expect(listFiles()).toMatchObject(files);
  });

  // Instances of classes are no file.
  const recorded = FIXTURES.filter(({ name }) => name !== "LangChain");
  it.each(recorded)("takes a conversation of $name", async ({ build }) => {
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
    const { status, stdout, stderr } = run(write(`talk.${ending}`, text), "out/here");
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^format [a-z-]+, \d+ messages, 3 tool results: 2 offloaded, 1 kept$/m);
    expect(read(`out/here.offloaded.${ending}`).length).toBeLessThan(text.length / 3);
    const restored = await restore(`out/here.offloaded.${ending}`, "out/here");
    if (isText) expect(restored).toBe(text);
    else expect(JSON.parse(restored)).toEqual(messages);
  });

  it("keeps the other fields of an object", async () => {
    const request = {
      model: "some-model",
      max_tokens: 1_024,
      messages: sample,
      system: "Be kind.",
    };
    const { status } = run(write("request.json", JSON.stringify(request, null, 2)));
    expect(status).toBe(0);
    const after = JSON.parse(read(".offload/request.offloaded.json")) as typeof request;
    expect({ ...after, messages: [] }).toEqual({ ...request, messages: [] });
    const restored = await restore(".offload/request.offloaded.json", ".offload/request");
    expect(JSON.parse(restored)).toEqual(request);
  });

  it.each([
    ["talk.jsonl", ".offload/talk.offloaded.jsonl"],
    ["talk.log", ".offload/talk.offloaded.log"],
  ])("takes one message per line: %s", async (name, output) => {
    const text = sample.map((message) => `${JSON.stringify(message)}\n`).join("");
    const { status, stdout } = run(write(name, text));
    expect(status).toBe(0);
    expect(stdout).toMatch(/^format anthropic, 58 messages, 35 tool results/m);
    const lines = read(output).trimEnd().split("\n");
    const offloader = createOffloader({
      root: join(folder, ".offload/talk"),
      sessionId: "session-1",
    });
    const messages = lines.map((line) => JSON.parse(line) as object);
    expect(await offloader.restore(messages)).toEqual(sample);
  });

  it("says why nothing was offloaded", () => {
    const chat = [
      { role: "user", content: "Look." },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "short" }] },
    ];
    const short = run(write("chat.json", JSON.stringify(chat)));
    expect(short.status).toBe(0);
    expect(short.stdout).toMatch(/^Nothing was offloaded: the reason is .*minTokens\(400\)/m);
    expect(JSON.parse(read(".offload/chat.offloaded.json"))).toEqual(chat);

    const none = run(write("hello.json", '[{"role":"user","content":"hello"}]'));
    expect(none.status).toBe(0);
    expect(none.stdout).toContain("Nothing was offloaded: it has no tool results.");
  });

  it("does not overwrite its input, and takes the references of another workspace as text", () => {
    run(SAMPLE, "once");
    const { status, stdout } = run("once.offloaded.json", "once");
    expect(stdout).toBe("");
    expect(status).toBe(1); // its output would be its input

    // Another workspace does not hold what they refer to, so to it they are text like any other.
    const again = run("once.offloaded.json", "twice");
    expect(again.status).toBe(0);
    expect(again.stdout).toMatch(/^restored +every message, exactly as it was$/m);
  });

  it.each<[string, string | undefined]>([
    ["missing.json", undefined],
    ["cut.json", '[{"role":"user",'],
    ["prose.json", "Dear diary,\n\ntoday\n"],
    ["empty.json", ""],
    ["other.json", '{"answer":42}'],
    ["number.json", "42"],
    ["stray.json", '[{"role":"narrator","content":"Once upon a time"}]'],
    ["bare.json", '[{"role":"user"}]'],
    [
      "unanswered.json",
      JSON.stringify([
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: {} }] },
        { role: "user", content: [{ type: "tool-return", text: "what it saw" }] },
        { role: "assistant", content: "I see." },
      ]),
    ],
  ])("says why it cannot take a file, and writes nothing: %s", (name, text) => {
    if (text !== undefined) write(name, text);
    const { status, stdout, stderr } = run(name);
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr.startsWith(`${name}: `)).toBe(true);
    expect(stderr).toMatch(text === undefined ? /cannot be read: ENOENT/ : /: [A-Z]+_[A-Z]+: \S/);
    expect(stderr).not.toMatch(/\n +at /);
    expect(readdirSync(folder)).toEqual(text === undefined ? [] : [name]);
  });

  it("says that a folder cannot be written", () => {
    const { status, stderr } = run(SAMPLE, write("blocker", "a file, not a folder"));
    expect(status).toBe(1);
    expect(stderr).toMatch(/^WRITE_FAILED: /);
    expect(readdirSync(folder)).toEqual(["blocker"]);
  });

  it("never overwrites the conversation that it reads, and takes two arguments at most", () => {
    write("talk.offloaded.json", sampleText);
    linkSync(join(folder, "talk.offloaded.json"), join(folder, "other-name.json"));
    for (const name of ["talk.offloaded.json", "other-name.json"]) {
      const { status, stderr } = run(name, "talk");
      expect(status).toBe(1);
      expect(stderr).toMatch(/^\S+\.json: would be overwritten; .*\n$/);
      expect(read("talk.offloaded.json")).toBe(sampleText);
    }
    for (const args of [["a", "b", "c"], ["--help"]]) {
      const { status, stderr } = run(...args);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^usage: .*\n$/);
    }
  });
});
