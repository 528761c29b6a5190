import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContentSample } from "../../../../../src/core/lib/digest/digest.js";
import { createSampler } from "../../../../../src/core/workspace/artifacts/stream-sample.js";
import { encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";
import { anyCuts, anyText, cutAt, splitLines } from "../../lib/text/texts.js";

/** More than both ends together. */
const LONG = 400_000;

function sampleOf(text: string, chunks: readonly Uint8Array[] = [encodeWtf8(text)]): ContentSample {
  const sampler = createSampler();
  for (const chunk of chunks) sampler.push(chunk);
  return sampler.sample({ chars: text.length, lines: splitLines(text).length });
}

/** Both ends are what the text begins and ends with, and the tail's line number is right. */
function expectEnds(text: string, { head, tail, tailLine, complete }: ContentSample): void {
  expect(complete).toBe(false);
  expect(text.startsWith(head)).toBe(true);
  expect(text.endsWith(tail)).toBe(true);
  const before = text.slice(0, text.length - tail.length);
  expect(tailLine).toBe(before.split("\n").length);
}

describe("the sampler of a stream", () => {
  it("keeps a short text whole, wherever it was cut", () => {
    fc.assert(
      fc.property(anyText, anyCuts, (text, cuts) => {
        const lines = splitLines(text).length;
        expect(sampleOf(text, cutAt(encodeWtf8(text), cuts))).toEqual({
          ...{ head: text, tail: "", tailLine: lines + 1, chars: text.length, lines },
          complete: true,
        });
      }),
    );
  });

  it.each([262_143, 262_144, 262_145, 327_679, 327_680])("keeps %i bytes whole", (bytes) => {
    const text = "0123456789".repeat(40_000).slice(0, bytes);
    expect(sampleOf(text)).toMatchObject({ head: text, tail: "", complete: true });
  });

  it("of one byte more keeps the two ends", () => {
    const text = "0123456789".repeat(40_000).slice(0, 327_681);
    const sample = sampleOf(text);
    expectEnds(text, sample);
    expect([sample.head.length, sample.tail.length]).toEqual([262_144, 65_536]);
  });

  it.each([1_000, 65_535, 65_536, 65_537, 131_073, 300_001])(
    "keeps the same ends in chunks of %i bytes",
    (size) => {
      const text = Array.from({ length: 20_000 }, (_, at) => `line ${at} 漢字 😀`).join("\n");
      const bytes = encodeWtf8(text);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const sample = sampleOf(text, chunks);
      expectEnds(text, sample);
      expect(sample).toEqual(sampleOf(text));
    },
  );

  it("cuts at line ends where there are many lines", () => {
    const text = "a line of some length\n".repeat(LONG / 20);
    const sample = sampleOf(text);
    expectEnds(text, sample);
    expect(sample.head.endsWith("\n")).toBe(true);
    expect(sample.tail.startsWith("a line")).toBe(true);
    expect(sample.head.length).toBeGreaterThan(262_000);
    expect(sample.tail.length).toBeGreaterThan(65_000);
  });

  it.each(["é", "漢", "😀", "a漢", "aé😀"])(
    "cuts between characters in one long line of %s",
    (unit) => {
      for (const start of ["", "x", "xy", "xyz"]) {
        const text = start + unit.repeat(LONG);
        const sample = sampleOf(text);
        expectEnds(text, sample);
        expect(encodeWtf8(sample.head).length).toBeGreaterThan(262_144 - 4);
        expect(encodeWtf8(sample.tail).length).toBeGreaterThan(65_536 - 4);
      }
    },
  );

  it("keeps nearly all of both ends though the only line ends are far out", () => {
    const text = `title\n${"x".repeat(LONG)}\nthe end`;
    const sample = sampleOf(text);
    expectEnds(text, sample);
    expect(sample.head.length).toBeGreaterThan(262_000);
    expect(sample.tail.length).toBeGreaterThan(65_000);
    expect(sample.tailLine).toBe(2);
  });

  it("keeps what it was given, though the memory is used again", () => {
    const sampler = createSampler();
    const chunk = new Uint8Array(50_000);
    for (let at = 0; at < 10; at++) sampler.push(chunk.fill(48 + at));
    const { head, tail } = sampler.sample({ chars: 500_000, lines: 1 });
    expect(head.slice(0, 50_000)).toBe("0".repeat(50_000));
    expect(tail).toBe("8".repeat(15_536) + "9".repeat(50_000));
  });
});
