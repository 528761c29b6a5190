import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  flowOf,
  Ledger,
  sumEntries,
  type LedgerEntry,
} from "../../../../src/core/workspace/ledger/ledger.js";
import { reportLedger } from "../../../../src/core/workspace/ledger/ledger-report.js";
import { DEFAULTS } from "../../../../src/core/defaults.js";
import { MemoryStore, checkHash } from "../../../../src/testing/memory-store.js";

/** A ledger over a store, as one process has it. */
function openLedger(store: MemoryStore, clock = { now: () => 1_000_000 }): Ledger {
  const nameOf = (name: string) => name;
  return new Ledger({
    openStore: () => store,
    clock,
    defer: () => undefined,
    hash: checkHash,
    nameOf,
  });
}

const carried = (artifactId: string, tokens = 1_000) => ({
  ...{ artifactId, toolName: "bash", tokens, referenceTokens: 100 },
});

const aRow = fc.record({
  artifactId: fc.constantFrom("a", "b", "c"),
  results: fc.constant(1),
  toolName: fc.constantFrom("bash", "grep"),
  at: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
  whole: fc.constant(500),
  reference: fc.constant(50),
  ...{ requests: fc.nat(9), saved: fc.nat(999), carriedReads: fc.nat(99) },
  ...{ reads: fc.nat(9), readTokens: fc.nat(99), forgottenTokens: fc.constant(7) },
});
const aDay = fc.record({
  ...{ requests: fc.nat(9), whole: fc.nat(999), references: fc.nat(99) },
  ...{ reads: fc.nat(99), fixed: fc.nat(99) },
});
const anEntry: fc.Arbitrary<LedgerEntry> = fc.record({
  version: fc.constant(1 as const),
  from: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
  to: fc.constant("2026-01-02T00:00:01Z"),
  days: fc.dictionary(fc.constantFrom("2026-01-01", "2026-01-02"), aDay),
  fixedTokens: fc.constant(120),
  rows: fc.uniqueArray(aRow, { selector: ({ artifactId }) => artifactId }),
  others: fc.constant([]),
  keptLarge: fc.dictionary(fc.constantFrom("fresh", "small"), fc.nat(9)),
});

describe("entries of the ledger", () => {
  it("property: their sum does not depend on how they are grouped", () => {
    fc.assert(
      fc.property(fc.array(anEntry, { minLength: 1 }), fc.nat(), (entries, at) => {
        const cut = at % entries.length;
        const groups = [entries.slice(0, cut), entries.slice(cut)].filter(
          ({ length }) => length > 0,
        );
        const sumsOf = (entry: LedgerEntry) => reportLedger(new Map([["s", entry]]));
        const { sessions, ...all } = sumsOf(sumEntries(entries));
        const { sessions: other, ...grouped } = sumsOf(sumEntries(groups.map(sumEntries)));
        expect(grouped.total).toEqual(all.total);
        expect(new Set(grouped.tools)).toEqual(new Set(all.tools));
        expect(other[0]?.days).toEqual(sessions[0]?.days);
        expect(other[0]?.keptLarge).toEqual(sessions[0]?.keptLarge);
      }),
    );
  });

  it("are bounded, and nothing is counted twice when two processes sum them up at once", async () => {
    const store = new MemoryStore();
    let now = 1_000_000;
    const [one, other] = [1, 2].map(() => openLedger(store, { now: () => (now += 1) }));
    const requests = 10 * DEFAULTS.ledgerEntries;
    for (let request = 0; request < requests; request += 2) {
      one?.request("s", [carried("a")], [], flowOf([carried("a")], [], 120));
      other?.request("s", [carried("a")], [], flowOf([carried("a")], [], 120));
      await Promise.all([one?.flush(), other?.flush()]);
    }
    const held = (await store.listSession("s")).artifacts.size;
    expect(held).toBeLessThan(3 * DEFAULTS.ledgerEntries);
    const { total } = reportLedger((await one?.sums()) ?? new Map());
    expect(total).toMatchObject({ requests, whole: 1_000 * requests, results: 1 });
  });

  it("tell the largest results one by one, and the others by tool", async () => {
    const ledger = openLedger(new MemoryStore());
    const count = DEFAULTS.ledgerRows + 50;
    const results = Array.from({ length: count }, (_, at) => carried(`r${at}`, 1_000 + at));
    ledger.request("s", results, [], flowOf(results, [], 120));
    const { sessions } = reportLedger(await ledger.sums());
    expect(sessions[0]?.artifacts).toHaveLength(DEFAULTS.ledgerRows);
    expect(sessions[0]?.results).toBe(count);
    expect(sessions[0]?.tools).toMatchObject([{ toolName: "bash", results: count }]);
  });

  it("harm nobody when the store fails", async () => {
    const store = new MemoryStore();
    store.put = () => Promise.reject(new Error("full"));
    const ledger = openLedger(store);
    ledger.arrival("s", carried("a"), 120);
    await expect(ledger.flush()).resolves.toBeUndefined();
  });
});

describe("the verdict about a tool", () => {
  const verdictFor = async (results: number, readInFull: number) => {
    const ledger = openLedger(new MemoryStore());
    const all = Array.from({ length: results }, (_, at) => carried(`r${at}`));
    for (const { artifactId } of all.slice(0, readInFull)) ledger.read("s", artifactId, 950);
    ledger.request("s", all, [], flowOf(all, [], 0));
    return reportLedger(await ledger.sums()).tools[0]?.verdict;
  };

  it.each([
    [9, 8, "exclude"],
    [9, 2, "pays"],
    [2, 2, "too few"],
  ])("of %i results, %i read back in full: %s", async (results, readInFull, verdict) => {
    expect(await verdictFor(results, readInFull)).toBe(verdict);
  });
});
