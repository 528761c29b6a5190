import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Ledger,
  sumEntries,
  type CarriedRequest,
  type CarriedResult,
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

const request = (results: readonly CarriedResult[], fixed: number): CarriedRequest => ({
  ...{ results, reads: [], fixed, isForReading: false },
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
    for (let at = 0; at < requests; at += 2) {
      one?.request("s", request([carried("a")], 120));
      other?.request("s", request([carried("a")], 120));
      await Promise.all([one?.flush(), other?.flush()]);
    }
    const held = (await store.listSession("s")).artifacts.size;
    expect(held).toBeLessThan(3 * DEFAULTS.ledgerEntries);
    const { total } = reportLedger((await one?.sums()) ?? new Map());
    expect(total).toMatchObject({ requests, whole: 1_000 * requests, results: 1 });
  });

  it("count once where those that were summed up could not be removed", async () => {
    const store = new MemoryStore();
    store.remove = () => Promise.reject(new Error("killed"));
    let now = 1_000_000;
    const ledger = openLedger(store, { now: () => (now += 1) });
    const requests = 4 * DEFAULTS.ledgerEntries;
    for (let at = 0; at < requests; at++) {
      ledger.request("s", request([carried("a")], 120));
      await ledger.flush();
    }
    const { total } = reportLedger(await ledger.sums());
    expect(total).toMatchObject({ requests, whole: 1_000 * requests, fixed: 120 * requests });
  });

  it("count once where one process reads them while another sums them up and removes them", async () => {
    const store = new MemoryStore();
    let now = 1_000_000;
    const clock = { now: () => (now += 1) };
    const slow = new MemoryStore();
    // The same store, as a process has it that is held up after so many of its reads.
    let reads = 0;
    let onRead: () => Promise<void> = () => Promise.resolve();
    for (const verb of ["put", "remove", "listSession", "sessions"] as const) {
      slow[verb] = store[verb].bind(store) as never;
    }
    slow.open = async (record) => {
      if (++reads === 5) await onRead();
      return store.open(record);
    };
    const [quick, late] = [openLedger(store, clock), openLedger(slow, clock)];
    const note = async (ledger: Ledger) => {
      ledger.request("s", request([carried("a")], 120));
      await ledger.flush();
    };
    const before = 2 * DEFAULTS.ledgerEntries - 1;
    for (let at = 0; at < before; at++) await note(quick);
    onRead = async () => {
      for (let at = 0; at < 2; at++) await note(quick);
    };
    await note(late);
    expect(reads).toBeGreaterThan(5);
    const requests = before + 3;
    for (const ledger of [quick, late, openLedger(store)]) {
      const { total } = reportLedger(await ledger.sums());
      expect(total).toMatchObject({ requests, whole: 1_000 * requests, fixed: 120 * requests });
    }
  });

  it("wait for a store that refuses them, and count once where it had stored them", async () => {
    const store = new MemoryStore();
    let now = 1_000_000;
    const ledger = openLedger(store, { now: () => (now += 1) });
    const put = store.put.bind(store);
    const failures = [
      () => Promise.reject(new Error("full")),
      async (...given: Parameters<typeof put>) => {
        await put(...given);
        throw new Error("no answer");
      },
    ];
    for (const fail of failures) {
      store.put = fail;
      ledger.request("s", request([carried("a")], 120));
      await ledger.flush();
    }
    store.put = put;
    await ledger.flush();
    const { total } = reportLedger(await openLedger(store).sums());
    expect(total).toMatchObject({ requests: 2, whole: 2_000, results: 1 });
  });

  it("are forgotten with their session, those included that a store refused", async () => {
    const store = new MemoryStore();
    const ledger = openLedger(store);
    const put = store.put.bind(store);
    store.put = () => Promise.reject(new Error("full"));
    for (const session of ["s", "other"]) ledger.request(session, request([carried("a")], 120));
    await ledger.flush();
    store.put = put;
    await ledger.purge("s");
    expect(ledger.repeat("s", 10)).toBeUndefined();
    const { sessions } = reportLedger(await ledger.sums());
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["other"]);
  });

  it("are gathered into one while a store hangs", async () => {
    const store = new MemoryStore();
    const ledger = openLedger(store);
    const put = store.put.bind(store);
    let release = (): void => undefined;
    let puts = 0;
    store.put = async (artifact) => {
      if (++puts === 1) await new Promise<void>((resolve) => (release = resolve));
      return put(artifact);
    };
    const flushes: Promise<void>[] = [];
    for (let at = 0; at < 50; at++) {
      ledger.request("s", request([carried("a")], 120));
      flushes.push(ledger.flush());
      await Promise.resolve();
    }
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await Promise.all(flushes);
    expect(puts).toBe(2);
    expect(reportLedger(await ledger.sums()).total).toMatchObject({ requests: 50 });
  });

  it.each([
    ["", "not JSON", "null", "[]", '{"version":1}', '{"version":2,"rows":[]}'],
    [{ rows: [{ artifactId: 7 }] }, { days: { "2026-01-01": { requests: "many" } } }, { rows: {} }],
    [{ usage: { requests: null } }, { keptLarge: { fresh: "x" } }, { others: [null] }, { from: 1 }],
  ])("are left out where they are damaged: %j", async (...damaged) => {
    const store = new MemoryStore();
    const ledger = openLedger(store);
    ledger.request("s", request([carried("a")], 120));
    await ledger.flush();
    const [record] = (await store.listSession("s")).artifacts.values();
    const content = await store.open(record as never);
    const good = JSON.parse(
      new TextDecoder().decode(await content.read(0, content.size)),
    ) as object;
    for (const [at, one] of damaged.entries()) {
      const text = typeof one === "string" ? one : JSON.stringify({ ...good, ...one });
      await store.put({
        ...{ sessionId: "s", wantedId: `damaged-${at}`, type: "JSON", metadata: {} as never },
        ...{ content: new TextEncoder().encode(text), hash: () => checkHash(text) },
        ...{ size: () => ({ bytes: text.length, chars: 1, lines: 1, tokens: 0 }), createdAt: "" },
      });
    }
    const { total, sessions } = reportLedger(await ledger.sums());
    expect(total).toMatchObject({ requests: 1, whole: 1_000, results: 1 });
    expect(sessions).toHaveLength(1);
  });

  it("have room for many tools and long names only within bounds", async () => {
    const store = new MemoryStore();
    const ledger = openLedger(store);
    const results = Array.from({ length: 5 * DEFAULTS.ledgerRows }, (_, at) => ({
      ...{ artifactId: `r${at}`, toolName: `tool ${at} ${"x".repeat(5_000)}` },
      ...{ tokens: 1_000, referenceTokens: 100 },
    }));
    ledger.request("s", request(results, 120));
    const { total } = reportLedger(await ledger.sums());
    expect(total).toMatchObject({ results: results.length, whole: 1_000 * results.length });
    const [record] = (await store.listSession("s")).artifacts.values();
    expect(record?.size.bytes).toBeLessThan(1_500_000);
  });

  it("tell the largest results one by one, and the others by tool", async () => {
    const ledger = openLedger(new MemoryStore());
    const count = DEFAULTS.ledgerRows + 50;
    const results = Array.from({ length: count }, (_, at) => carried(`r${at}`, 1_000 + at));
    ledger.request("s", request(results, 120));
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

it("a request that only goes on from reading saves nothing: nobody would make it without offloading", async () => {
  const ledger = openLedger(new MemoryStore());
  const read = { artifactId: "a", tokens: 300, sentTokens: 300 };
  ledger.request("s", request([carried("a")], 120));
  ledger.request("s", { ...request([carried("a")], 120), reads: [read], isForReading: true });
  ledger.repeat("s", 50);
  const { sessions } = reportLedger(await ledger.sums());
  const flow = { whole: 1_000, references: 300, reads: 300 + 350, fixed: 360, requests: 3 };
  expect(sessions).toMatchObject([{ ...flow, net: 1_000 - 300 - 650 - 360 }]);
  expect(sessions[0]?.artifacts).toMatchObject([{ net: 1_000 - 300 - 600 }]);
});

it("figures over all requests and for each further request are never added up", async () => {
  const ledger = openLedger(new MemoryStore());
  for (const id of ["r1", "r2", "r3"]) {
    const result = carried(id);
    ledger.arrival("arriving", result, 120);
    ledger.request("seen", request([result], 120));
  }
  const { tools, total, eachRequest } = reportLedger(await ledger.sums());
  expect(tools).toMatchObject([
    { toolName: "bash", over: "each request", results: 3, net: 3 * 900 },
    { toolName: "bash", over: "all requests", results: 3, net: 3 * 900 },
  ]);
  expect(eachRequest.net).toBe(3 * 900 - 120);
  expect(total.net).toBe(3 * 900 - 3 * 120);
});

describe("the verdict about a tool", () => {
  const verdictFor = async (results: number, readInFull: number) => {
    const ledger = openLedger(new MemoryStore());
    const all = Array.from({ length: results }, (_, at) => carried(`r${at}`));
    for (const { artifactId } of all.slice(0, readInFull)) ledger.read("s", artifactId, 950);
    ledger.request("s", request(all, 0));
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
