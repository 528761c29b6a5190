import { describe, expect, it } from "vitest";
import type { Content } from "../../../../../src/core/engine/format.js";
import { collectPieces } from "../../../../../src/core/lib/text/byte-source.js";
import { encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";
import type { ContentSource } from "../../../../../src/core/workspace/artifacts/artifact.js";
import {
  createDraft,
  type DraftOptions,
} from "../../../../../src/core/workspace/artifacts/draft.js";
import { escapeMarkup } from "../../../../../src/core/workspace/reference/markup.js";
import { checkHash } from "../../../../../src/testing/memory-store.js";

function drafted(content: ContentSource, known?: DraftOptions, digestChars = 1_200) {
  const calls = { countTokens: 0, hash: 0 };
  const wiring = {
    digestChars,
    notice: { readBy: "none", toolNames: {} } as const,
    countTokens: (text: string) => ((calls.countTokens += 1), text.length),
    hash: (data: string | Uint8Array) => ((calls.hash += 1), checkHash(data)),
  };
  return { draft: createDraft(wiring, { content }, known), calls };
}

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    await Promise.resolve();
    yield encodeWtf8(text);
  }
}

describe("a draft", () => {
  it("is counted and hashed when it is asked for, and once", () => {
    const { draft, calls } = drafted("text");
    expect(calls).toEqual({ countTokens: 0, hash: 0 });
    for (const round of [1, 2]) {
      expect(draft.tokens, `round ${round}`).toBe(4);
      expect(draft.hash).toBe(checkHash("text"));
      expect(draft.digest).toBe(draft.digest);
      expect(draft.bytes).toBe(draft.bytes);
      expect(draft.toArtifact("").size().tokens).toBe(4);
    }
    expect(calls).toEqual({ countTokens: 1, hash: 1 });
  });

  it("takes what is known already", () => {
    const { draft, calls } = drafted("text", { hash: "abc", tokens: 99 });
    expect([draft.hash, draft.tokens]).toEqual(["abc", 99]);
    expect(calls).toEqual({ countTokens: 0, hash: 0 });
  });

  it.each<[string, Content, string, object]>([
    ["a text", "é\n😀", "TEXT", { bytes: 7, chars: 4, lines: 2, tokens: 4 }],
    ["nothing", "", "TEXT", { bytes: 0, chars: 0, lines: 0, tokens: 0 }],
    [
      "one line of JSON, read indented",
      '{"a":[1]}',
      "TEXT",
      { bytes: 9, chars: 9, lines: 1, viewLines: 5, viewChars: 22, tokens: 9 },
    ],
    [
      "one line that only begins like JSON",
      "[INFO] ready",
      "TEXT",
      { bytes: 12, chars: 12, lines: 1, tokens: 12 },
    ],
    [
      "a lone text block, counted by its text",
      [{ type: "text", text: "a\nb" }],
      "JSON",
      { bytes: 31, chars: 31, lines: 1, viewLines: 2, viewChars: 3, tokens: 3 },
    ],
  ])("has the type and size of %s", (_, content, type, size) => {
    const { draft } = drafted(content);
    expect(draft.type).toBe(type);
    expect(draft.toArtifact("").size()).toEqual(size);
  });

  it("does not indent a long line of JSON just to count its lines", () => {
    const { draft } = drafted(JSON.stringify(Array.from({ length: 90_000 }, (_, at) => at)));
    expect(draft.entry.lines).toBeUndefined();
    expect(draft.toArtifact("").size()).not.toHaveProperty("viewLines");
  });

  it.each([80, 300, 1_200])("has a digest that fits %i characters when it is escaped", (chars) => {
    const { draft } = drafted("<&>".repeat(5_000), undefined, chars);
    const escaped = escapeMarkup(draft.digest.text);
    expect(escaped.length).toBeGreaterThan(0);
    expect(escaped.length).toBeLessThanOrEqual(chars);
  });

  it("refuses a value that JSON cannot hold", () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(() => drafted(cyclic).draft.bytes).toThrow(
      expect.objectContaining({ code: "CONTENT_NOT_SERIALIZABLE" }),
    );
  });
});

describe("a draft of a stream", () => {
  it("is known when it has passed, and its bytes are those that came", async () => {
    const { draft } = drafted(chunksOf("one\n", "two\n", "é"));
    const bytes = draft.bytes;
    if (!(Symbol.asyncIterator in bytes)) throw new Error("a stream was expected");
    expect(await collectPieces(bytes)).toEqual(encodeWtf8("one\ntwo\né"));
    expect(draft.toArtifact("").size()).toEqual({ bytes: 10, chars: 9, lines: 3, tokens: 9 });
    expect(draft.hash).toBeUndefined();
    expect(draft.content).toBeUndefined();
    expect(draft.entry.lines).toBe(3);
  });

  it("estimates the tokens of what is too long to be looked at as a whole", async () => {
    const { draft } = drafted(chunksOf(...Array.from({ length: 60 }, () => "x".repeat(10_000))));
    const bytes = draft.bytes as AsyncIterable<Uint8Array>;
    expect((await collectPieces(bytes)).length).toBe(600_000);
    expect(draft.tokens).toBe(600_000);
  });

  it.each([["text"], [7], [new Uint16Array(2)], [null]])(
    "of what is not bytes is refused: %j",
    async (chunk) => {
      const source = (async function* () {
        await Promise.resolve();
        yield chunk as never;
      })();
      const bytes = drafted(source).draft.bytes as AsyncIterable<Uint8Array>;
      await expect(collectPieces(bytes)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    },
  );
});
