import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/index.js";
import { listTree } from "../../support/list-tree.js";
import { rejectionOf } from "../../support/rejection.js";
import { runProgram } from "../../support/run-program.js";
import { bytesOf, makeStore, openStore } from "../../support/store-files.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { anyCuts, anyText, cutAt } from "../../unit/core/lib/text/texts.js";

const SCOPE = { sessionId: "s1" };

async function* streamOf(chunks: readonly Uint8Array[], failure?: Error) {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
  if (failure) throw failure;
}

const LINES = Array.from({ length: 4_000 }, (_, at) => `2024-05-01 INFO step ${at} é漢😀`);

describe("content that comes as a stream", () => {
  it("is described as it is, wherever it was cut, and is what the string is", async () => {
    const { workspace } = await makeStore();
    let number = 0;
    const scope = () => ({ toolCallId: "a", sessionId: `s${number++}` });
    await fc.assert(
      fc.asyncProperty(anyText, anyCuts, async (text, cuts) => {
        const whole = (await workspace.put({ content: text }, scope())).record;
        const bytes = await readFile(whole.location);
        const { record } = await workspace.put({ content: streamOf(cutAt(bytes, cuts)) }, scope());
        expect(record.size).toEqual(whole.size);
        expect(record.hash).toBe(whole.hash);
        expect(record.hash).toBe(createHash("sha256").update(bytes).digest("hex"));
        expect(await workspace.getOriginal("a", record)).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it("is the same artifact as the string, with the same reference", async () => {
    const { workspace } = await makeStore();
    const text = LINES.join("\n");
    for (const size of [1, 3, 100_000, text.length * 2]) {
      const bytes = Buffer.from(size === 1 ? text.slice(0, 2_000) : text);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const streamed = await workspace.put(
        { content: streamOf(chunks) },
        { toolCallId: `c${size}`, ...SCOPE },
      );
      const whole = await workspace.put(
        { content: bytes.toString() },
        { toolCallId: `c${size}`, ...SCOPE },
      );
      expect(streamed).toEqual(whole);
    }
  });

  it("a long one: digest and tokens by its two ends", async () => {
    const { workspace } = await makeStore();
    const text = Array.from({ length: 30 }, () => LINES.join("\n")).join("\n");
    const { record, reference } = await workspace.put(
      { content: streamOf(cutAt(Buffer.from(text), [0.1, 0.5, 0.77])) },
      { toolCallId: "a", ...SCOPE },
    );
    expect(record.size).toMatchObject({ chars: text.length, lines: 120_000 });
    const tokens = estimateTokens(text);
    expect(record.size.tokens / tokens).toBeGreaterThan(0.9);
    expect(record.size.tokens / tokens).toBeLessThan(1.1);
    expect(reference).toContain("step 0 ");
    expect(reference).toContain("step 3999 ");
    expect(reference).toContain("120000");
    expect(reference).not.toContain("\ufffd");
  });

  it("an empty one, and one of empty chunks", async () => {
    const { workspace } = await makeStore();
    for (const chunks of [[], [Buffer.alloc(0), Buffer.alloc(0)]]) {
      const { record } = await workspace.put(
        { content: streamOf(chunks) },
        { toolCallId: "a", ...SCOPE },
      );
      expect(record).toMatchObject({
        artifactId: "a",
        size: { bytes: 0, chars: 0, lines: 0, tokens: 0 },
      });
    }
    expect(await workspace.getOriginal("a")).toBe("");
    expect((await workspace.getKnowledgeById("a")).text).toBe("");
  });

  it("a readable stream of Node, of a file and of the web", async () => {
    const { workspace } = await makeStore();
    const bytes = Buffer.from(LINES.join("\n"));
    const file = join(await makeTempFolder(), "file");
    await writeFile(file, bytes);
    for (const content of [
      Readable.from([bytes.subarray(0, 1_001), bytes.subarray(1_001)]),
      createReadStream(file, { highWaterMark: 777 }),
      Readable.toWeb(createReadStream(file)) as unknown as AsyncIterable<Uint8Array>,
    ]) {
      const { record } = await workspace.put({ content }, { toolCallId: "a", ...SCOPE });
      expect(record.artifactId).toBe("a");
    }
    expect(await workspace.getOriginal("a")).toBe(bytes.toString());
  });

  it.each([8_000, 300_000])("chunks of %i bytes whose memory is used again", async (size) => {
    const { workspace } = await makeStore();
    const bytes = Buffer.from(LINES.join("\n").repeat(10));
    async function* reusing() {
      const chunk = Buffer.alloc(size);
      for (let at = 0; at < bytes.length; at += size) {
        const length = bytes.copy(chunk, 0, at);
        yield await Promise.resolve(chunk.subarray(0, length));
      }
    }
    await workspace.put({ content: reusing() }, { toolCallId: "a", ...SCOPE });
    expect((await workspace.getOriginal("a")) === bytes.toString()).toBe(true);
  });
});

describe("a stream that goes wrong", () => {
  it.each([
    ["at once", 0],
    ["after a byte", 1],
    ["in the middle", 400],
  ])("%s stores nothing and rejects with the cause", async (_, chunks) => {
    const { workspace, sessionFolder } = await makeStore();
    await workspace.put({ content: "first" }, { toolCallId: "first", ...SCOPE });
    for (let round = 0; round < 30; round++) {
      const failure = new Error(`broke off in round ${round}`);
      const content = streamOf(Array<Uint8Array>(chunks).fill(Buffer.alloc(10_000)), failure);
      const error = await rejectionOf(workspace.put({ content }, { toolCallId: "a", ...SCOPE }));
      expect(error.code).toBe("CALLER_FAILED");
      expect(error.cause).toBe(failure);
      expect(error.message).toContain(failure.message);
    }
    expect(await listTree(sessionFolder("s1"))).toEqual(["first.txt", "manifest.jsonl"]);
    expect((await workspace.queryArtifacts()).artifacts).toHaveLength(1);
  });

  it("of texts, or of arrays that are not bytes: says what it should be", async () => {
    const { workspace, sessionFolder } = await makeStore();
    const texts = Readable.from([Buffer.from("text")]).setEncoding("utf8");
    const numbers = streamOf([new Uint16Array([1, 2])] as unknown as Uint8Array[]);
    for (const content of [texts, numbers]) {
      const error = await rejectionOf(workspace.put({ content }, { toolCallId: "a", ...SCOPE }));
      expect(error.code).toBe("INVALID_ARGUMENT");
      expect(error.message).toContain("Uint8Array");
    }
    expect(await listTree(sessionFolder("s1"))).toEqual([]);
  });
});

describe("bytes that are not text", () => {
  it.each([
    ["any byte", Buffer.from(Array.from({ length: 256 }, (_, at) => at))],
    // As long as the mark that stands for what could not be decoded.
    ["a character without its last byte", Buffer.from("f09f98202020", "hex")],
    ["a surrogate pair as two", Buffer.from("eda0bdedb880", "hex")],
    ["a character cut off at the end", Buffer.from("e6bc", "hex")],
  ])("%s: come back exactly, as a stream", async (_, bytes) => {
    const { root, workspace } = await makeStore();
    await workspace.put({ content: streamOf(cutAt(bytes, [0.3])) }, { toolCallId: "a", ...SCOPE });
    expect(await bytesOf(await openStore(root).getOriginal("a"))).toEqual(bytes);
    expect(typeof (await workspace.getKnowledgeById("a")).text).toBe("string");
  });
});

const LONG = `
  import { createHash } from "node:crypto";
  import { readFileSync } from "node:fs";
  import { createWorkspace } from "context-offload";
  // What a process inherits in maxRSS is the size of the one that started it, which is large here.
  const peakKb = () =>
    process.platform === "linux"
      ? Number(/^VmHWM:\\s*(\\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1])
      : process.resourceUsage().maxRSS;
  const [root, megabytes, chunkBytes] = process.argv.slice(1);
  const workspace = createWorkspace({ root });
  const line = Buffer.from("0123456789 漢字 abcdefghijklmnopqrstuvwxyz é\\n".repeat(30_000));
  const total = Number(megabytes) * 1_048_576;
  async function* chunks() {
    const size = Number(chunkBytes);
    for (let at = 0; at < total; at += size) {
      const from = at % (line.length - size);
      yield line.subarray(from, from + Math.min(size, total - at));
    }
  }
  const sum = createHash("sha256");
  for await (const chunk of chunks()) sum.update(chunk);
  const { record } = await workspace.put({ content: chunks() }, { toolCallId: "long", sessionId: "s1" });
  const original = await workspace.getOriginal("long");
  let read = 0;
  const again = createHash("sha256");
  if (typeof original !== "string") for await (const piece of original) again.update(piece), (read += piece.length);
  console.log(JSON.stringify({
    right: record.hash === sum.digest("hex") && record.size.bytes === total,
    asStream: typeof original !== "string",
    readRight: read === total && again.digest("hex") === record.hash,
    maxRssMb: Math.round(peakKb() / 1024),
  }));
`;

describe("a long stream, in a process of its own", () => {
  it("64 MB take little memory", async () => {
    const root = await makeTempFolder();
    const program = LONG.replace("await workspace.getOriginal", "");
    for (const chunkBytes of ["65536", "100"]) {
      const [line = ""] = await runProgram(program, [root, "64", chunkBytes]);
      const outcome = JSON.parse(line) as { right: boolean; maxRssMb: number };
      console.log(`64 MB by stream in chunks of ${chunkBytes} bytes: peak ${outcome.maxRssMb} MB`);
      expect(outcome.right).toBe(true);
      expect(outcome.maxRssMb).toBeLessThan(150);
    }
  });

  it("more than a string can hold comes back as a stream", async () => {
    const [line = ""] = await runProgram(LONG, [await makeTempFolder(), "700", "1048576"]);
    const outcome = JSON.parse(line) as { maxRssMb: number };
    console.log(`700 MB by stream, there and back: peak ${outcome.maxRssMb} MB`);
    expect(outcome).toMatchObject({ right: true, asStream: true, readRight: true });
    expect(outcome.maxRssMb).toBeLessThan(200);
  });
});
