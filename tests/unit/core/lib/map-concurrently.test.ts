import { describe, expect, it } from "vitest";
import { mapConcurrently } from "../../../../src/core/lib/concurrency.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("mapConcurrently", () => {
  it("starts in order, keeps the order of results and never exceeds the limit", async () => {
    const started: number[] = [];
    let underWay = 0;
    let most = 0;
    const results = await mapConcurrently([5, 1, 4, 2, 3], 2, async (item) => {
      started.push(item);
      most = Math.max(most, ++underWay);
      for (let turns = 0; turns < item; turns++) await turn();
      underWay--;
      return item * 10;
    });
    expect(results).toEqual([50, 10, 40, 20, 30]);
    expect(started).toEqual([5, 1, 4, 2, 3]);
    expect(most).toBe(2);
  });

  it("throws the first error only when nothing is under way any more, and starts nothing after it", async () => {
    const ended: number[] = [];
    const started: number[] = [];
    const failing = mapConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
      started.push(item);
      if (item === 2) throw new Error("two");
      for (let turns = 0; turns < 10; turns++) await turn();
      ended.push(item);
    });
    await expect(failing).rejects.toThrow("two");
    expect(started).toEqual([1, 2]);
    expect(ended).toEqual([1]);
  });

  it("has nothing to do for no items", async () => {
    expect(await mapConcurrently([], 8, () => Promise.reject(new Error("never")))).toEqual([]);
  });
});
