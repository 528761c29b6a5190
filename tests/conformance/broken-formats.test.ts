import { describe, expect, it } from "vitest";
import type { Format, MessageReading } from "../../src/core/engine/format.js";
import { anthropicFormat } from "../../src/formats/anthropic.js";
import { formatSuite } from "../../src/testing/index.js";
import { buildAnthropic } from "./fixtures.js";

type Message = Record<string, unknown> & { content: Record<string, unknown>[] };

const inBlocks = (message: unknown, change: (block: Record<string, unknown>) => object) => {
  const { content, ...rest } = message as Message;
  return { ...rest, content: content.map((block) => change(block)) };
};
const without = (block: Record<string, unknown>, key: string) =>
  Object.fromEntries(Object.entries(block).filter(([name]) => name !== key));
const reading = (change: (reading: MessageReading) => Partial<MessageReading>) => ({
  read: (message: unknown, options: { media: "keep" | "offload" }) => {
    const read = anthropicFormat.read(message, options);
    return { ...read, ...change(read) };
  },
});

/** Formats that each do one thing wrong, and the check that must object. */
const broken: Record<string, { change: Partial<Format>; check: string }> = {
  "refuses its own": {
    change: { mismatch: () => "not mine" },
    check: "says which conversations are its own",
  },
  "takes anything for its own": {
    change: { mismatch: () => undefined },
    check: "says which conversations are its own",
  },
  "finds only the first of parallel results": {
    change: reading(({ results }) => ({ results: results.slice(0, 1) })),
    check: "reads calls and results, parallel ones in one turn too",
  },
  "forgets the names of calls": {
    change: reading(() => ({ calls: [] })),
    check: "reads calls and results, parallel ones in one turn too",
  },
  "drops unknown fields": {
    change: {
      replace: (message, texts, options) =>
        inBlocks(anthropicFormat.replace(message, texts, options), (block) =>
          without(block, "unknown_field"),
        ),
    },
    check: "changes nothing but the content of results",
  },
  "drops the error flag": {
    change: {
      replace: (message, texts, options) =>
        inBlocks(anthropicFormat.replace(message, texts, options), (block) =>
          without(block, "is_error"),
        ),
    },
    check: "keeps the error flag",
  },
  "does not restore": {
    change: { restore: (message) => message },
    check: "restores exactly what went in",
  },
  "restores only a part": {
    change: {
      restore: (message, contents) =>
        anthropicFormat.restore(
          message,
          contents.map((one) => ({ ...one, content: JSON.stringify(one.content).slice(0, 100) })),
        ),
    },
    check: "brings back every result of an id that is used again",
  },
  "does not know its references again": {
    change: reading(({ results }) => ({
      results: results.map((result) => ({ ...result, soleText: undefined })),
    })),
    check: "does nothing the second time",
  },
  "changes the message it is given": {
    change: {
      replace: (message, texts, options) => {
        const replaced = anthropicFormat.replace(message, texts, options);
        Object.assign(message as object, replaced);
        return replaced;
      },
    },
    check: "restores exactly what went in",
  },
  "hides its tools": {
    change: { describeTools: () => [] },
    check: "describes, reads and answers calls of its tools",
  },
};

describe("the format suite", () => {
  it.each(Object.entries(broken))(
    "objects to a format that %s [DESIGN-O-suite-objects]",
    async (_what, { change, check }) => {
      const dialect = { ...anthropicFormat, ...change };
      const failed: string[] = [];
      for (const { name, run } of formatSuite({ dialect, build: buildAnthropic })) {
        await run().catch(() => failed.push(name));
      }
      expect(failed).toContain(check);
    },
  );
});
