import { describe, expect, it } from "vitest";
import type { Content, ContentSource, ArtifactInput } from "../../../../../src/index.js";
import { collectPieces } from "../../../../../src/core/lib/text/byte-source.js";
import { encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";
import {
  prepareContent,
  type KnownContent,
} from "../../../../../src/core/workspace/artifacts/prepare-content.js";
import { escapeMarkup } from "../../../../../src/core/workspace/reference/markup.js";
import { coreOf } from "../../../../../src/core/workspace/workspace-core.js";
import type { StoreOptions } from "../../../../../src/core/workspace/workspace-types.js";
import { checkHash } from "../../../../../src/testing/memory-store.js";
import { openMemoryWorkspace } from "../../../../support/memory-workspace.js";
import { rejectionOf } from "../../../../support/rejection.js";

describe("a bad artifact is refused", () => {
  it.each<[string, unknown, object]>([
    ["artifact", undefined, {}],
    ["content", {}, {}],
    ["content", { content: 7 }, {}],
    ["artifactId", { content: "x", artifactId: 7 }, {}],
    ["toolCallId", { content: "x" }, { toolCallId: 7 }],
    ["sessionId", { content: "x" }, { sessionId: {} }],
    ["metadata", { content: "x", metadata: "tool_name" }, {}],
    ["metadata", { content: "x", metadata: { big: 10n } }, {}],
  ])("%s", async (argument, artifact, options) => {
    const workspace = openMemoryWorkspace();
    const error = await rejectionOf(
      workspace.put(artifact as ArtifactInput, { sessionId: "default", ...options }),
    );
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument });
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
  });
});
describe("a prepared artifact", () => {
  const prepare = (input: ArtifactInput, options: StoreOptions = {}) => {
    const workspace = openMemoryWorkspace();
    return { workspace, prepared: coreOf(workspace).prepare(input, options) };
  };

  it("shows the reference that storing gives, before it is stored", async () => {
    const { workspace, prepared } = prepare({ content: "text" }, { toolCallId: "a" });
    const reference = prepared.reference();
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
    expect(
      (await workspace.put({ content: "text" }, { sessionId: "default", toolCallId: "a" }))
        .reference,
    ).toBe(reference);
    expect(prepared.reference("other")).toBe(reference.replace('id="a"', 'id="other"'));
  });

  it.each<[string, ArtifactInput, StoreOptions, string]>([
    ["its own", { content: "x", artifactId: "own" }, { toolCallId: "call" }, "own"],
    ["the call's", { content: "x" }, { toolCallId: "call" }, "call"],
    ["that of the metadata", { content: "x", metadata: { biz_id: "meta" } }, {}, "meta"],
    ["that of the call", { content: "x", metadata: { biz_id: "no" } }, { toolCallId: "c" }, "c"],
    ["one of its content", { content: "x", artifactId: "" }, { toolCallId: "" }, "unknown-"],
  ])("has the id that it should: %s", async (_, input, options, id) => {
    const { record } = await prepare(input, options).prepared.store();
    expect(record.artifactId.startsWith(id)).toBe(true);
  });

  it("lets the parent session read it, and stops a stream that is aborted", async () => {
    const options = { toolCallId: "a", sessionId: "child", parentSessionId: "parent" };
    const { workspace, prepared } = prepare({ content: "x" }, options);
    await prepared.store();
    expect(await workspace.getOriginal("a", { sessionId: "parent" })).toBe("x");
    const controller = new AbortController();
    const content = (async function* () {
      yield new Uint8Array([65]);
      await Promise.resolve();
      controller.abort(new Error("enough"));
      yield new Uint8Array([66]);
    })();
    const { signal } = controller;
    await expect(prepare({ content }, { signal }).prepared.store()).rejects.toThrow("enough");
  });
});

function prepare(source: ContentSource, known?: KnownContent, digestChars = 1_200) {
  const calls = { countTokens: 0, hash: 0 };
  const options = {
    digestChars,
    countTokens: (text: string) => ((calls.countTokens += 1), text.length),
    hash: (data: string | Uint8Array) => ((calls.hash += 1), checkHash(data)),
  };
  return { prepared: prepareContent(source, options, known), calls };
}
async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    await Promise.resolve();
    yield encodeWtf8(text);
  }
}
describe("prepared content", () => {
  it("is counted and hashed when it is asked for, and once", () => {
    const { prepared, calls } = prepare("text");
    expect(calls).toEqual({ countTokens: 0, hash: 0 });
    for (const round of [1, 2]) {
      expect(prepared.tokens(), `round ${round}`).toBe(4);
      expect(prepared.hash?.()).toBe(checkHash("text"));
      expect(prepared.digest()).toBe(prepared.digest());
      expect(prepared.bytes()).toBe(prepared.bytes());
      expect(prepared.size().tokens).toBe(4);
    }
    expect(calls).toEqual({ countTokens: 1, hash: 1 });
  });

  it("takes what is known already", () => {
    const { prepared, calls } = prepare("text", { hash: "abc", tokens: 99 });
    expect([prepared.hash?.(), prepared.tokens()]).toEqual(["abc", 99]);
    expect(calls).toEqual({ countTokens: 0, hash: 0 });
  });

  it.each<[string, Content, string, object]>([
    ["a text", "é\n😀", "TEXT", { bytes: 7, chars: 4, lines: 2, tokens: 4 }],
    ["nothing", "", "TEXT", { bytes: 0, chars: 0, lines: 0, tokens: 0 }],
    [
      "one line of JSON, read indented",
      '{"a":[1]}',
      "TEXT",
      { bytes: 9, chars: 9, lines: 1, viewLines: 5, tokens: 9 },
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
      { bytes: 31, chars: 31, lines: 1, viewLines: 2, tokens: 3 },
    ],
  ])("has the type and size of %s", (_, content, type, size) => {
    const { prepared } = prepare(content);
    expect(prepared.type).toBe(type);
    expect(prepared.size()).toEqual(size);
  });

  it("does not indent a long line of JSON just to count its lines", () => {
    const { prepared } = prepare(JSON.stringify(Array.from({ length: 90_000 }, (_, at) => at)));
    expect(prepared.viewLines()).toBeUndefined();
    expect(prepared.size()).not.toHaveProperty("viewLines");
  });

  it.each([80, 300, 1_200])("has a digest that fits %i characters when it is escaped", (chars) => {
    const { prepared } = prepare("<&>".repeat(5_000), undefined, chars);
    const escaped = escapeMarkup(prepared.digest().text);
    expect(escaped.length).toBeGreaterThan(0);
    expect(escaped.length).toBeLessThanOrEqual(chars);
  });

  it("refuses a value that JSON cannot hold", () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(() => prepare(cyclic).prepared.bytes()).toThrow(
      expect.objectContaining({ code: "CONTENT_NOT_SERIALIZABLE" }),
    );
  });
});
describe("a prepared stream", () => {
  it("is known when it has passed, and its bytes are those that came", async () => {
    const { prepared } = prepare(chunksOf("one\n", "two\n", "é"));
    const bytes = prepared.bytes();
    if (!(Symbol.asyncIterator in bytes)) throw new Error("a stream was expected");
    expect(await collectPieces(bytes)).toEqual(encodeWtf8("one\ntwo\né"));
    expect(prepared.size()).toEqual({ bytes: 10, chars: 9, lines: 3, tokens: 9 });
    expect(prepared.hash).toBeUndefined();
    expect(prepared.content).toBeUndefined();
    expect(prepared.viewLines()).toBe(3);
  });

  it("estimates the tokens of what is too long to be looked at as a whole", async () => {
    const { prepared } = prepare(chunksOf(...Array.from({ length: 60 }, () => "x".repeat(10_000))));
    const bytes = prepared.bytes() as AsyncIterable<Uint8Array>;
    expect((await collectPieces(bytes)).length).toBe(600_000);
    expect(prepared.tokens()).toBe(600_000);
  });

  it.each([["text"], [7], [new Uint16Array(2)], [null]])(
    "of what is not bytes is refused: %j",
    async (chunk) => {
      const source = (async function* () {
        await Promise.resolve();
        yield chunk as never;
      })();
      const bytes = prepare(source).prepared.bytes() as AsyncIterable<Uint8Array>;
      await expect(collectPieces(bytes)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    },
  );
});
