import { describe, expect, it } from "vitest";
import {
  type Format,
  type FormatResult,
  type MessageVisitor,
  anthropicFormat,
} from "../../src/formats/index.js";
import { formatSuite } from "../../src/testing/index.js";
import { anthropicFixture } from "./fixtures.js";

type Message = Record<string, unknown> & { content: Record<string, unknown>[] };

const inBlocks = (message: unknown, change: (block: Record<string, unknown>) => object) => {
  const { content, ...rest } = message as Message;
  return { ...rest, content: content.map((block) => change(block)) };
};
const without = (block: Record<string, unknown>, key: string) =>
  Object.fromEntries(Object.entries(block).filter(([name]) => name !== key));

/** A format that tells something else than what it found. */
const telling = (change: (visitor: MessageVisitor) => Partial<MessageVisitor>) =>
  ({
    read(message, visitor, options) {
      const honest: MessageVisitor = {
        modelMessage: (replyId) => {
          visitor.modelMessage(replyId);
        },
        call: (id, name, input) => {
          visitor.call(id, name, input);
        },
        result: (result) => {
          visitor.result(result);
        },
        other: (chars, unknownType) => {
          visitor.other(chars, unknownType);
        },
      };
      anthropicFormat.read(message, { ...honest, ...change(visitor) }, options);
    },
  }) satisfies Partial<Format>;

const replacing = (change: (block: Record<string, unknown>) => object) =>
  ({
    replace: (message, texts, options) =>
      inBlocks(anthropicFormat.replace(message, texts, options), change),
  }) satisfies Partial<Format>;

const ignore = () => undefined;

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
    change: telling((visitor) => ({
      result: (result: FormatResult) => {
        if (result.slot === 0) visitor.result(result);
      },
    })),
    check: "reads calls and results, parallel ones in one turn too",
  },
  "forgets the names of calls": {
    change: telling(() => ({ call: ignore })),
    check: "reads calls and results, parallel ones in one turn too",
  },
  "drops the inputs of calls": {
    change: telling((visitor) => ({
      call: (id: string | undefined, name: string) => {
        visitor.call(id, name, undefined);
      },
    })),
    check: "tells the input of each call",
  },
  "makes up the inputs of calls": {
    change: telling((visitor) => ({
      call: (id: string | undefined, name: string) => {
        visitor.call(id, name, { of: "call_a" });
      },
    })),
    check: "tells the input of each call",
  },
  "takes every message for one of the model": {
    change: {
      read(message, visitor, options) {
        visitor.modelMessage();
        anthropicFormat.read(message, visitor, options);
      },
    },
    check: "tells the model's replies from other messages",
  },
  "does not know the model's messages": {
    change: telling(() => ({ modelMessage: ignore })),
    check: "tells the model's replies from other messages",
  },
  "counts nothing outside of results": {
    change: telling(() => ({ other: ignore })),
    check: "counts what is outside of results",
  },
  "counts results twice": {
    change: telling((visitor) => ({
      result: (result: FormatResult) => {
        visitor.other(result.chars);
        visitor.result(result);
      },
    })),
    check: "counts what is outside of results",
  },
  "drops unknown fields": {
    change: replacing((block) => without(block, "unknown_field")),
    check: "changes nothing but the content of results",
  },
  "drops the error flag": {
    change: replacing((block) => without(block, "is_error")),
    check: "keeps the error flag",
  },
  "drops cache marks": {
    change: replacing((block) => {
      const [first] = Array.isArray(block["content"]) ? (block["content"] as unknown[]) : [];
      return first ? { ...block, content: (first as { text: string }).text } : block;
    }),
    check: "keeps cache marks inside of content",
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
    change: telling((visitor) => ({
      result: (result: FormatResult) => {
        visitor.result({ ...result, soleText: undefined });
      },
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
    check: "describes its tools",
  },
  "hides the input of its tools": {
    change: { describeTools: (tools) => tools.map(({ name, description }) => [name, description]) },
    check: "describes its tools",
  },
  "reads no calls": {
    change: { readCall: ignore },
    check: "reads and answers calls of its tools",
  },
  "reads calls without their input": {
    change: { readCall: (call) => ({ name: (call as { name: string }).name, input: {} }) },
    check: "reads and answers calls of its tools",
  },
  "takes anything for a call": {
    change: {
      readCall: (call) =>
        anthropicFormat.readCall(call) ?? { name: "grep_knowledge", input: undefined },
    },
    check: "reads and answers calls of its tools",
  },
  "answers nothing": {
    change: { answerCall: ignore },
    check: "reads and answers calls of its tools",
  },
  "answers no call in particular": {
    change: {
      answerCall: (_call, answer) => anthropicFormat.answerCall({ id: "call_9" }, answer),
    },
    check: "reads and answers calls of its tools",
  },
  "answers without saying that it failed": {
    change: {
      answerCall: (call, { text }) => anthropicFormat.answerCall(call, { text, isError: false }),
    },
    check: "reads and answers calls of its tools",
  },
};

describe("the format suite", () => {
  it.each(Object.entries(broken))(
    "objects to a format that %s",
    async (_what, { change, check }) => {
      const format = { ...anthropicFormat, ...change } as Format;
      const failed: string[] = [];
      for (const { name, run } of formatSuite({ ...anthropicFixture, format })) {
        await run().catch(() => failed.push(name));
      }
      expect(failed).toContain(check);
    },
  );
});
