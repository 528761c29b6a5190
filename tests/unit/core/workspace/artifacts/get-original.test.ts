import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rejectionOf } from "../../../../support/rejection.js";
import { memoryWorkspaceOf, openMemoryWorkspace } from "../../../../support/memory-workspace.js";
import { anyString } from "../../../../support/any-string.js";

const { assert, asyncProperty, jsonValue, string, uint8Array } = fc;

async function* streamOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield chunk;
  }
}

async function bytesOf(original: unknown): Promise<Buffer> {
  if (typeof original === "string") return Buffer.from(original);
  const chunks: Uint8Array[] = [];
  for await (const chunk of original as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe("the original", () => {
  it.each([
    ["CRLF", "one\r\ntwo\r\n"],
    ["a lone carriage return", "one\rtwo"],
    ["NUL", "a\0b"],
    ["a byte order mark", "\ufeffa\ufeff"],
    ["a high surrogate alone", "a\ud83d"],
    ["a low surrogate alone", "\udca9b"],
    ["surrogates in the wrong order", "\udca9\ud83d"],
    ["nothing", ""],
    ["blanks", " \n\t\n"],
    ["JSON with blanks", '  { "a" : 1.0 }\n'],
    ["a replacement character", "a\ufffdb"],
  ])("is the same string: %s", async (_, content) => {
    expect(await (await memoryWorkspaceOf(content)).getOriginal("a")).toBe(content);
  });

  it("property: any string, in a fresh workspace on the same folder", async () => {
    const workspace = openMemoryWorkspace();
    const unit = fc.oneof(fc.constantFrom("\r", "\n", "\0", "\ufeff"), anyString());
    const loose = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => {
      return String.fromCharCode(...units);
    });
    await assert(
      asyncProperty(fc.oneof(string({ unit }), loose), async (content) => {
        const { record } = await workspace.put({ content }, { sessionId: "default" });
        expect(await workspace.getOriginal(record.artifactId)).toBe(content);
      }),
      { numRuns: 200 },
    );
  });

  it("property: any array of JSON values", async () => {
    const workspace = openMemoryWorkspace();
    await assert(
      asyncProperty(fc.array(jsonValue({ noUnicodeString: false })), async (content) => {
        const { record } = await workspace.put({ content }, { sessionId: "default" });
        const original = await workspace.getOriginal(record.artifactId);
        expect(original).toEqual(JSON.parse(JSON.stringify(content)));
        expect(record.type).toBe("JSON");
      }),
      { numRuns: 100 },
    );
  });

  it("of bytes that are text is the text, however they were cut", async () => {
    const bytes = Buffer.from("é😀\n漢");
    const workspace = openMemoryWorkspace();
    for (let cut = 0; cut <= bytes.length; cut++) {
      const content = streamOf(bytes.subarray(0, cut), bytes.subarray(cut));
      await workspace.put({ content }, { toolCallId: "a", sessionId: `s${cut}` });
      expect(await workspace.getOriginal("a", { sessionId: `s${cut}` })).toBe("é😀\n漢");
    }
  });

  it.each([
    ["a lone byte", [0x61, 0xff, 0x62]],
    ["three of an emoji's four bytes", [0x61, 0xf0, 0x9f, 0x98, 0x62]],
  ])("of bytes that are not text is the bytes: %s", async (_, values) => {
    const bytes = Uint8Array.from(values);
    const workspace = await memoryWorkspaceOf(streamOf(bytes));
    expect(await bytesOf(await workspace.getOriginal("a"))).toEqual(Buffer.from(bytes));
  });

  it("property: any bytes", async () => {
    const workspace = openMemoryWorkspace();
    const oddByte = fc.constantFrom(0xf0, 0x9f, 0x98, 0xed, 0xa0, 0x80, 0xef, 0xbb, 0xbf, 0x61);
    const odd = fc.array(oddByte, { maxLength: 12 }).map((values) => Uint8Array.from(values));
    await assert(
      asyncProperty(fc.oneof(uint8Array(), odd), async (bytes) => {
        const { record } = await workspace.put(
          { content: streamOf(bytes) },
          { sessionId: "default" },
        );
        const original = await workspace.getOriginal(record.artifactId);
        // What is given as a text is one that holds these very bytes.
        if (typeof original !== "string" || !/\p{Surrogate}/u.test(original)) {
          expect(await bytesOf(original)).toEqual(Buffer.from(bytes));
        }
        expect(record.size.bytes).toBe(bytes.length);
      }),
      { numRuns: 200 },
    );
  });

  it("a stream of what is not bytes is refused, and nothing is stored", async () => {
    const workspace = openMemoryWorkspace();
    const content = (async function* () {
      await Promise.resolve();
      yield "text" as unknown as Uint8Array;
    })();
    await expect(
      workspace.put({ content }, { sessionId: "default", toolCallId: "a" }),
    ).rejects.toThrow();
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
  });

  it("content that JSON cannot hold is refused", async () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    const error = await rejectionOf(
      openMemoryWorkspace().put({ content: cyclic }, { sessionId: "default" }),
    );
    expect(error.code).toBe("CONTENT_NOT_SERIALIZABLE");
  });
});
