import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type {
  AnthropicContentBlock,
  AnthropicMessage,
  AnthropicToolResultBlock,
  AnthropicToolUseBlock,
} from "../../../src/formats/anthropic-types.js";

const FILE = new URL("../../../examples/conversations/checkout-outage.json", import.meta.url);

const text = readFileSync(FILE, "utf8");
const messages = JSON.parse(text) as AnthropicMessage[];

function blocksOf({ content }: AnthropicMessage): AnthropicContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function callsOf(message: AnthropicMessage | undefined): AnthropicToolUseBlock[] {
  return message ? blocksOf(message).filter((block) => block.type === "tool_use") : [];
}

function resultsOf(message: AnthropicMessage | undefined): AnthropicToolResultBlock[] {
  return message ? blocksOf(message).filter((block) => block.type === "tool_result") : [];
}

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

  it("answers every call in the very next message, and answers nothing else", () => {
    for (const [at, message] of messages.entries()) {
      const called = callsOf(message).map(({ id }) => id);
      const answered = resultsOf(messages[at + 1]).map(({ tool_use_id }) => tool_use_id);
      expect(answered, `message ${at}`).toEqual(called);
    }
    expect(resultsOf(messages[0])).toEqual([]);
  });

  it("has well-formed ids, each used once", () => {
    const ids = messages.flatMap(callsOf).map(({ id }) => id);
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
      Array.isArray(content) ? content.filter((block) => block.type === "image") : [],
    );
    expect(pictures).toHaveLength(1);
    const source = pictures[0]?.source;
    const data = source?.type === "base64" ? Buffer.from(source.data, "base64") : Buffer.alloc(0);
    expect(data.subarray(1, 4).toString()).toBe("PNG");
  });

  it("names nobody's address but those reserved for examples", () => {
    expect(text).not.toMatch(/[\w.]+@[\w-]+\.[a-z]{2,}/i);
    for (const [address] of text.matchAll(/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g)) {
      expect(address).toMatch(/^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/);
    }
    for (const [, host] of text.matchAll(/https:\/\/([\w.-]+)/g)) {
      expect(host).toMatch(/(^|\.)example\.com$/);
    }
  });
});
