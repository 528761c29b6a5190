import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type {
  AnthropicMessage,
  AnthropicToolResultBlock,
} from "../../src/formats/anthropic-types.js";

const SCRIPT = fileURLToPath(new URL("../../examples/offload-conversation.mjs", import.meta.url));
const SAMPLE = fileURLToPath(
  new URL("../../examples/conversations/checkout-outage.json", import.meta.url),
);
const CHAR_THRESHOLD = 100;

const sample = parse<AnthropicMessage[]>(readFileSync(SAMPLE, "utf8"));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "main-job-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- names what a file holds
function parse<T>(text: string): T {
  return JSON.parse(text) as T;
}

function run(args: readonly string[] = [], environment: NodeJS.ProcessEnv = {}) {
  const unset = { OFFLOAD_CHAR_THRESHOLD: undefined, OFFLOAD_RATIO_THRESHOLD: undefined };
  const env = { ...process.env, ...unset, ...environment };
  return spawnSync(process.execPath, [SCRIPT, ...args], { cwd: folder, encoding: "utf8", env });
}

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

function readAll(path: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(folder, path))
      .sort()
      .map((name) => [name, read(join(path, name))]),
  );
}

function resultsOf(messages: readonly AnthropicMessage[]): AnthropicToolResultBlock[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter((block) => block.type === "tool_result"),
  );
}

function charsOf({ content }: AnthropicToolResultBlock): number {
  return typeof content === "string" ? content.length : JSON.stringify(content).length;
}

/** Takes the contents of all tool results away; what is left must be the same before and after. */
function skeletonOf(messages: readonly AnthropicMessage[]): unknown {
  return parse(
    JSON.stringify(messages, function (this: { type?: unknown }, key, value: unknown) {
      return key === "content" && this.type === "tool_result" ? null : value;
    }),
  );
}

/** Checks that what left is in its file, byte for byte, and that all else is as it was. */
function expectOffloaded(
  before: readonly AnthropicMessage[],
  after: readonly AnthropicMessage[],
  outputDir: string,
) {
  expect(skeletonOf(after)).toEqual(skeletonOf(before));
  const [had, has] = [resultsOf(before), resultsOf(after)];
  let departed = 0;
  for (const [at, result] of had.entries()) {
    if (charsOf(result) < CHAR_THRESHOLD) {
      expect(has[at]).toEqual(result);
      continue;
    }
    const name = `tool-result-${result.tool_use_id}.md`;
    expect(has[at]?.content).toBe(`[Content offloaded to: ./${name}]`);
    const { content } = result;
    const stored = typeof content === "string" ? content : JSON.stringify(content, null, 2);
    const bytes = readFileSync(join(folder, outputDir, name));
    expect(bytes.equals(Buffer.from(stored)), name).toBe(true);
    departed += 1;
  }
  expect(readdirSync(join(folder, outputDir))).toHaveLength(departed);
  return departed;
}

/** Checks the printed rows and totals against a count of our own. */
function expectPrinted(
  stdout: string,
  before: readonly AnthropicMessage[],
  after: readonly AnthropicMessage[],
) {
  const group = (count: number) => count.toLocaleString("en-US");
  const results = resultsOf(before);
  const left = results.filter((result) => charsOf(result) >= CHAR_THRESHOLD);
  for (const result of left) {
    const row = stdout.split("\n").find((line) => line.includes(`${result.tool_use_id}.md`)) ?? "";
    expect(row.split(/ {2,}/)).toContain(group(charsOf(result)));
  }
  const [was, is] = [JSON.stringify(before).length, JSON.stringify(after).length];
  const figures = (name: string) =>
    stdout
      .split("\n")
      .find((line) => line.startsWith(name))
      ?.split(/ {2,}/);
  const percent = `${((100 * (was - is)) / was).toFixed(1)} %`;
  expect(figures("characters")?.slice(1)).toEqual([
    group(was),
    group(is),
    group(was - is),
    percent,
  ]);
  const tokens = [was, is, was - is].map((chars) => group(Math.round(chars / 4)));
  expect(figures("tokens, roughly")?.slice(1, 4)).toEqual(tokens);
  const counts = `${left.length} left, ${results.length - left.length} stayed`;
  expect(stdout).toContain(
    `${before.length} messages, ${results.length} tool results: ${counts}\n`,
  );
  for (const line of stdout.split("\n")) {
    if (line.includes("─") || /^\d/.test(line)) expect(line.length).toBeLessThanOrEqual(100);
  }
}

describe("examples/offload-conversation.mjs", () => {
  it("offloads the sample into .offload, says so, and does the same again", () => {
    const first = run();
    expect(first.stderr).toBe("");
    expect(first.status).toBe(0);

    const after = parse<AnthropicMessage[]>(read(".offload/checkout-outage.offloaded.json"));
    const departed = expectOffloaded(sample, after, ".offload/checkout-outage");
    expect(departed).toBeGreaterThan(20);
    expectPrinted(first.stdout, sample, after);
    expect(first.stdout).toContain(join(".offload", "checkout-outage.offloaded.json"));
    expect(first.stdout).not.toContain("\u001b");

    const [conversation, files] = [
      read(".offload/checkout-outage.offloaded.json"),
      readAll(".offload/checkout-outage"),
    ];
    const second = run();
    expect(second.status).toBe(0);
    expect(second.stdout).toBe(first.stdout);
    expect(read(".offload/checkout-outage.offloaded.json")).toBe(conversation);
    expect(readAll(".offload/checkout-outage")).toEqual(files);
  });

  it("keeps an array an array, in the folder that is named", () => {
    const { status, stdout } = run([write("talk.json", JSON.stringify(sample)), "out/here"]);
    expect(status).toBe(0);
    const after = parse<AnthropicMessage[]>(read("out/here.offloaded.json"));
    expectOffloaded(sample, after, "out/here");
    expectPrinted(stdout, sample, after);
  });

  it("keeps the other fields of an object", () => {
    const request = {
      model: "some-model",
      max_tokens: 1_024,
      messages: sample,
      system: "Be kind.",
    };
    const { status, stdout } = run([write("request.json", JSON.stringify(request, null, 2))]);
    expect(status).toBe(0);
    const after = parse<typeof request>(read(".offload/request.offloaded.json"));
    expect(Object.keys(after)).toEqual(Object.keys(request));
    expect({ ...after, messages: [] }).toEqual({ ...request, messages: [] });
    expectOffloaded(sample, after.messages, ".offload/request");
    expectPrinted(stdout, sample, after.messages);
  });

  it.each(["talk.jsonl", "talk.log"])("keeps one message per line: %s", (name) => {
    const lines = `${sample.map((message) => JSON.stringify(message)).join("\r\n")}\n\n`;
    const { status, stdout } = run([write(name, lines)]);
    expect(status).toBe(0);
    const text = read(".offload/talk.offloaded.jsonl");
    expect(text.endsWith("}\n")).toBe(true);
    const after = text
      .trimEnd()
      .split("\n")
      .map((line) => parse<AnthropicMessage>(line));
    expectOffloaded(sample, after, ".offload/talk");
    expectPrinted(stdout, sample, after);
  });

  it("says so when the results are too small a part to leave", () => {
    const chat: AnthropicMessage[] = [
      { role: "user", content: "word ".repeat(1_000) },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: "x".repeat(500) }],
      },
    ];
    const { status, stdout } = run([write("chat.json", JSON.stringify(chat))]);
    expect(status).toBe(0);
    expect(stdout).toContain("Nothing left the conversation: its tool results are too short, or");
    expect(stdout).toContain("3 messages, 1 tool result: 0 left, 1 stayed");
    expect(parse(read(".offload/chat.offloaded.json"))).toEqual(chat);
    expect(readdirSync(join(folder, ".offload"))).toEqual(["chat.offloaded.json"]);
  });

  it("leaves an offloaded conversation as it is", () => {
    run([SAMPLE, "once"]);
    const { status, stdout } = run(["once.offloaded.json", "twice"]);
    expect(status).toBe(0);
    expect(stdout).toContain("Nothing left the conversation: what was long has left before.");
    expect(read("twice.offloaded.json")).toBe(read("once.offloaded.json"));
  });

  it("has no use for a conversation without results, and says that too", () => {
    const { status, stdout } = run([write("hello.jsonl", '{"role":"user","content":"hello"}\n')]);
    expect(status).toBe(0);
    expect(stdout).toContain("Nothing left the conversation: it holds no tool results.");
    expect(stdout).toContain("1 message, 0 tool results: 0 left, 0 stayed");
  });

  it.each<[string, string | undefined, RegExp]>([
    ["missing.json", undefined, /^missing\.json: cannot be read: ENOENT/],
    ["cut.json", '[{"role":"user",', /^cut\.json: not JSON: /],
    ["prose.json", "Dear diary,\n\ntoday\n", /^prose\.json: not JSON: /],
    ["empty.json", "", /^empty\.json: not JSON: /],
    ["other.json", '{"answer":42}', /^other\.json: wrong shape, expected an array of messages/],
    ["number.json", "42", /^number\.json: wrong shape, expected an array of messages/],
    [
      "broken.jsonl",
      '{"role":"user","content":"a"}\n\n{"role":"assistant"',
      /^broken\.jsonl, line 3: not JSON: /,
    ],
    ["stray.jsonl", '{"role":"user","content":"a"}\n[]\n', /^stray\.jsonl, line 2: not a message/],
    ["bare.json", '[{"role":"user"}]', /^INVALID_ARGUMENT: .*messages\[0\]\.content/],
  ])("answers bad input with one line: %s", (name, text, expected) => {
    if (text !== undefined) write(name, text);
    const { status, stdout, stderr } = run([name]);
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(expected);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(text === undefined ? [] : [name]);
  });

  it("prints the library's error with its code", () => {
    const environment = run([], { OFFLOAD_RATIO_THRESHOLD: "20%" });
    expect(environment.status).toBe(1);
    expect(environment.stderr).toMatch(/^INVALID_ENVIRONMENT: .*OFFLOAD_RATIO_THRESHOLD.*\n$/);

    const blocked = run([SAMPLE, write("blocker", "a file, not a folder")]);
    expect(blocked.status).toBe(1);
    expect(blocked.stderr).toMatch(/^WRITE_FAILED: .*\n$/);
    expect(readdirSync(folder)).toEqual(["blocker"]);
  });

  it("never overwrites the conversation that it reads, and knows two arguments only", () => {
    const text = JSON.stringify(sample);
    const same = run([write("talk.offloaded.json", text), "talk"]);
    expect(same.status).toBe(1);
    expect(same.stderr).toMatch(/^talk\.offloaded\.json: would be overwritten.*\n$/);
    expect(read("talk.offloaded.json")).toBe(text);

    for (const args of [["a", "b", "c"], ["--help"]]) {
      const { status, stderr } = run(args);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^usage: .*\n$/);
    }
  });
});
