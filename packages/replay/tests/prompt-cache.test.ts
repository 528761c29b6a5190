import { describe, expect, it } from "vitest";
import { PromptCache } from "../src/prompt-cache.js";

const prices = { read: 0.1, write: 1.25 };
const part = (text: string, tokens: number) => ({ text, tokens });

describe("the price with a prompt cache", () => {
  it("writes what is new and reads what is common at the start", () => {
    const cache = new PromptCache(prices);
    cache.send([part("a", 100), part("b", 200)]);
    expect(cache.spent.price).toBeCloseTo(375);
    cache.send([part("a", 100), part("b", 200), part("c", 40)]);
    expect(cache.spent.price).toBeCloseTo(375 + 30 + 50);
    expect(cache.spent).toMatchObject({ requests: 2, tokens: 640 });
  });

  it("writes everything after the first part that changed", () => {
    const cache = new PromptCache(prices);
    cache.send([part("a", 100), part("b", 200), part("c", 40)]);
    const before = cache.spent.price;
    cache.send([part("a", 100), part("B", 20), part("c", 40)]);
    expect(cache.spent.price - before).toBeCloseTo(10 + 25 + 50);
  });

  it("reads nothing after a pause that is too long", () => {
    const cache = new PromptCache({ ...prices, coldAfterMs: 300_000 });
    cache.send([part("a", 100)], 0);
    cache.send([part("a", 100)], 300_000);
    expect(cache.spent.price).toBeCloseTo(125 + 10);
    cache.send([part("a", 100)], 600_001);
    expect(cache.spent.price).toBeCloseTo(125 + 10 + 125);
  });
});
