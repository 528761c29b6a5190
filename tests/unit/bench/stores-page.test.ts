import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { listingTable, storesTable } from "../../../bench/stores-tables.mjs";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const aligned = (text: string) => text.replace(/ +\|/g, " |").replace(/-{3,}/g, "---");

describe("the page of stores", () => {
  const figures = JSON.parse(read("bench/stores.json")) as {
    results: Parameters<typeof storesTable>[0];
    listings: Parameters<typeof listingTable>[0];
  };

  it("has the figures of the last run", () => {
    const page = aligned(read("docs/stores.md"));
    expect(page).toContain(aligned(storesTable(figures.results)));
    expect(page).toContain(aligned(listingTable(figures.listings)));
  });

  it("has a listing that is as fast as aimed for, and hardly slower in a large namespace", () => {
    for (const { small, large } of Object.values(figures.listings)) {
      expect(large?.count).toBe(1_000_000);
      expect(large?.p99).toBeLessThan(5);
      expect(large?.p99).toBeLessThanOrEqual(2 * (small?.p99 ?? 0));
    }
  });
});
