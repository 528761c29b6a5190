import { describe, expect, it } from "vitest";
import type { ByteSource } from "../../../../../src/stores.js";
import { collectPieces, readPieces } from "../../../../../src/core/lib/text/byte-source.js";
import { memorySource } from "./texts.js";

const MEGABYTE = 1_048_576;

describe("reading piece by piece", () => {
  it.each([0, 1, MEGABYTE - 1, MEGABYTE, MEGABYTE + 1, 3 * MEGABYTE + 7])(
    "%i bytes come whole, at most 1 MB at a time",
    async (length) => {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 31) & 0xff);
      const sizes: number[] = [];
      async function* watched() {
        for await (const piece of readPieces(memorySource(bytes))) {
          sizes.push(piece.length);
          yield piece;
        }
      }
      expect(Buffer.compare(await collectPieces(watched()), bytes)).toBe(0);
      expect(sizes).toHaveLength(Math.ceil(length / MEGABYTE));
      expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(MEGABYTE);
    },
  );

  it("reads a piece only when it is asked for", async () => {
    const asked: number[] = [];
    const source: ByteSource = {
      size: 5 * MEGABYTE,
      read: (start) => {
        asked.push(start);
        return Promise.resolve(new Uint8Array(1));
      },
    };
    const pieces = readPieces(source);
    expect(asked).toEqual([]);
    await pieces.next();
    await pieces.next();
    expect(asked).toEqual([0, MEGABYTE]);
    await pieces.return(undefined);
    expect((await pieces.next()).done).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it("stops before the next piece when it is told to", async () => {
    const controller = new AbortController();
    const pieces = readPieces(memorySource(new Uint8Array(3 * MEGABYTE)), controller.signal);
    await pieces.next();
    controller.abort(new Error("enough"));
    await expect(pieces.next()).rejects.toThrow("enough");
  });

  it("passes on what the source failed with", async () => {
    const source: ByteSource = { size: 1, read: () => Promise.reject(new Error("no disk")) };
    await expect(collectPieces(readPieces(source))).rejects.toThrow("no disk");
  });

  it("collects no pieces, empty pieces and pieces of any size", async () => {
    async function* pieces(...sizes: number[]) {
      for (const size of sizes) yield await Promise.resolve(new Uint8Array(size).fill(size));
    }
    expect(await collectPieces(pieces())).toEqual(new Uint8Array(0));
    expect(await collectPieces(pieces(0, 2, 0, 1))).toEqual(Uint8Array.of(2, 2, 1));
  });
});
