import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** As much of a block as these tests look at. */
interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly Block[];
  readonly source?: { readonly type: string; readonly data?: string };
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

const FILE = new URL("../../../examples/conversations/checkout-outage.json", import.meta.url);

const text = readFileSync(FILE, "utf8");
const messages = JSON.parse(text) as Message[];

function blocksOf(message: Message | undefined, type: string): readonly Block[] {
  const content = message?.content ?? [];
  return typeof content === "string" ? [] : content.filter((block) => block.type === type);
}

const callsOf = (message: Message | undefined) => blocksOf(message, "tool_use");
const resultsOf = (message: Message | undefined) => blocksOf(message, "tool_result");

const results = messages.flatMap(resultsOf);
const texts = results.flatMap(({ content }) => (typeof content === "string" ? [content] : []));

function isJson(value: string): boolean {
  try {
    return typeof JSON.parse(value) === "object";
  } catch {
    return false;
  }
}

describe("the sample conversation", () => {
  it("is long, of a size worth offloading, and indented by one space", () => {
    expect(messages.length).toBeGreaterThanOrEqual(40);
    expect(text.length).toBeGreaterThan(120_000);
    expect(text.length).toBeLessThan(200_000);
    expect(text).toBe(`${JSON.stringify(messages, null, 1)}\n`);
  });

  it("starts with the user, takes turns and ends with the assistant's words", () => {
    expect(messages.map(({ role }) => role)).toEqual(
      messages.map((_, at) => (at % 2 === 0 ? "user" : "assistant")),
    );
    expect(messages.at(-1)?.role).toBe("assistant");
    expect(callsOf(messages.at(-1))).toEqual([]);
  });

  it("answers every call in the next message, and answers nothing else", () => {
    for (const [at, message] of messages.entries()) {
      const called = callsOf(message).map(({ id }) => id);
      const answered = resultsOf(messages[at + 1]).map(({ tool_use_id }) => tool_use_id);
      expect(answered, `message ${at}`).toEqual(called);
    }
    expect(resultsOf(messages[0])).toEqual([]);
  });

  it("has well-formed ids, each used once", () => {
    const ids = messages.flatMap(callsOf).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(30);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^toolu_01[A-Za-z0-9]{22}$/);
  });

  it.each<[string, (content: string) => boolean]>([
    ["a log with stack traces", (it) => /ERROR .*\n {4}at /.test(it) && it.length > 20_000],
    ["a journal", (it) => it.startsWith("-- Journal begins")],
    ["kubectl's output", (it) => /^NAME +READY +STATUS/.test(it)],
    ["indented JSON", (it) => isJson(it) && it.includes("\n  ")],
    ["JSON on one long line", (it) => isJson(it) && !it.includes("\n") && it.length > 5_000],
    ["TypeScript", (it) => it.includes("export async function placeOrder(")],
    ["Go", (it) => /^package limiter$/m.test(it)],
    ["SQL", (it) => /^ALTER TABLE orders$/m.test(it)],
    ["a psql table", (it) => /^-+\+-+/m.test(it) && /\(\d+ rows\)\n$/.test(it)],
    ["CSV", (it) => /^(\w+,){6}\w+\n/.test(it)],
    ["Markdown", (it) => it.startsWith("# Runbook")],
    ["a diff", (it) => it.startsWith("diff --git ")],
    ["an HTML page", (it) => it.includes("<!doctype html>")],
    ["a very short text", (it) => it === "ok"],
    ["a text of 40 characters", (it) => it.length === 40],
  ])("has %s among its results", (_, isKind) => {
    expect(texts.some(isKind)).toBe(true);
  });

  it("has an error, a picture, parallel calls and one cache mark", () => {
    expect(results.some(({ is_error }) => is_error)).toBe(true);
    expect(messages.some((message) => resultsOf(message).length === 3)).toBe(true);
    expect(text.match(/"cache_control"/g)).toHaveLength(1);

    const pictures = results.flatMap(({ content }) =>
      typeof content === "object" ? content.filter(({ type }) => type === "image") : [],
    );
    expect(pictures).toHaveLength(1);
    const data = Buffer.from(pictures[0]?.source?.data ?? "", "base64");
    expect(data.subarray(1, 4).toString()).toBe("PNG");
  });

  it("names nobody's address but those reserved for examples", () => {
    expect(text).not.toMatch(/[\w.]+@[\w-]+\.[a-z]{2,}/i);
    const addresses = [...text.matchAll(/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g)];
    const hosts = [...text.matchAll(/https:\/\/([\w.-]+)/g)];
    expect(addresses.length + hosts.length).toBeGreaterThan(0);
    for (const [address] of addresses) {
      expect(address).toMatch(/^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/);
    }
    for (const [, host] of hosts) {
      expect(host).toMatch(/(^|\.)example\.com$/);
    }
  });
});
