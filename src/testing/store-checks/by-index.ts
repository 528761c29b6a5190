import type { RemovalLimits } from "../../core/workspace/artifacts/artifact-store.js";
import { chooseOldest } from "../../core/workspace/artifacts/choose-oldest.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import {
  artifactOf,
  equal,
  listIds,
  storeCheck,
  textOf,
  type StoreContext,
} from "../store-context.js";

const check = storeCheck.bind(undefined, "by index");

/** Six artifacts in two sessions, each a minute younger and a byte longer than the one before. */
async function fill({ store }: Pick<StoreContext, "store">): Promise<ArtifactRecord[]> {
  const records: ArtifactRecord[] = [];
  for (const [at, id] of ["a", "b", "c", "d", "e", "f"].entries()) {
    const createdAt = `2026-01-02T03:0${at}:00.000Z`;
    const sessionId = at % 2 === 0 ? "s1" : "s2";
    const content = "x".repeat(10 + at);
    records.push(await store.put(artifactOf(content, { id, sessionId, createdAt })));
  }
  return records;
}

const LATER = "2027-01-01T00:00:00.000Z";

/** Limits, each with how many artifacts are beyond it at least. */
const LIMITS: readonly RemovalLimits[] = [
  { keepSince: LATER, maxArtifacts: 100, maxBytes: 100_000, olderThan: "2026-01-01T00:00:00.000Z" },
  { keepSince: LATER, maxArtifacts: 4 },
  { keepSince: LATER, maxBytes: 0 },
  { keepSince: LATER, olderThan: "2026-01-02T03:03:00.000Z" },
  { keepSince: LATER, perSession: { maxArtifacts: 1 } },
  { keepSince: LATER, perSession: { maxBytes: 0 }, maxArtifacts: 5 },
  { keepSince: "2026-01-02T03:02:00.000Z", maxArtifacts: 0 },
  { keepSince: LATER, maxArtifacts: 0 },
];

export const BY_INDEX = [
  check("an artifact is found by id, in its session or in all", async (context) => {
    const { store, open } = context;
    await fill(context);
    const reader = open();
    const other = await store.put(artifactOf("other", { id: "a", sessionId: "s2" }));
    if (!reader.find) return;
    const anywhere = await reader.find({ artifactIds: ["a", "nowhere"], limit: 10 });
    const sessions = anywhere.artifacts.map(({ sessionId }) => sessionId).sort();
    equal(sessions, ["s1", "s2"], "the sessions that have the id");
    const own = await reader.find({ artifactIds: ["a"], sessionId: "s2", limit: 10 });
    equal(
      own.artifacts.map(({ hash }) => hash),
      [other.hash],
      "what the session has",
    );
    const [found] = own.artifacts;
    equal(found && (await textOf(reader, found)), "other", "its content");
    equal(own.wasRemoved, false, "whether it was removed");
    await store.remove(other);
    const gone = await reader.find({ artifactIds: ["a"], sessionId: "s2", limit: 10 });
    equal([gone.artifacts.length, gone.wasRemoved], [0, true], "what is found once it was removed");
    const never = await reader.find({ artifactIds: ["nowhere"], sessionId: "s2", limit: 10 });
    equal([never.artifacts.length, never.wasRemoved], [0, false], "what never was");
  }),

  check("what sessions hold is counted, in pages", async (context) => {
    const { store, open } = context;
    const records = await fill(context);
    if (!store.summarize) return;
    const expected = [
      { sessionId: "s1", artifacts: 3, lastWrittenAt: "2026-01-02T03:04:00.000Z" },
      { sessionId: "s2", artifacts: 3, lastWrittenAt: "2026-01-02T03:05:00.000Z" },
    ];
    const first = await open().summarize?.({ limit: 1 });
    const second = await open().summarize?.({ limit: 5, after: "s1" });
    const found = [...(first ?? []), ...(second ?? [])];
    equal(
      found.map(({ bytes, ...rest }) => ({ ...rest, hasBytes: bytes >= 36 })),
      expected.map((rest) => ({ ...rest, hasBytes: true })),
      "the summaries",
    );
    for (const record of records) if (record.sessionId === "s1") await store.remove(record);
    const left = await store.summarize({ limit: 5 });
    equal(
      left.map(({ sessionId }) => sessionId),
      ["s2"],
      "sessions that hold something",
    );
  }),

  check("the oldest are removed as far as the limits say", async ({ open, namespace }) => {
    for (const [at, beyond] of LIMITS.entries()) {
      const store = open(`${namespace}-${at}`);
      const records = await fill({ store });
      if (!store.removeOldest) return;
      const expected = chooseOldest(records, { beyond, limit: 100 });
      const removed: ArtifactRecord[] = [];
      for (let more = true; more;) {
        const slice = await store.removeOldest({ beyond, limit: 2 });
        removed.push(...slice);
        more = slice.length === 2;
      }
      const ids = (of: readonly ArtifactRecord[]) => of.map(({ artifactId }) => artifactId).sort();
      equal(ids(removed), ids(expected), `what is beyond ${JSON.stringify(beyond)}`);
      const kept = records.filter((record) => !expected.includes(record));
      equal((await listIds(open(`${namespace}-${at}`), {}, 10)).sort(), ids(kept), "what is kept");
    }
  }),

  check("a session is emptied in one go, and is told what it held", async (context) => {
    const { store, open } = context;
    await fill(context);
    if (!store.removeOldest) return;
    const removed = await store.removeOldest({ sessionId: "s1", limit: 10 });
    equal(
      removed.map(({ artifactId }) => artifactId),
      ["a", "c", "e"],
      "what was removed",
    );
    const { artifacts, removed: gone } = await open().listSession("s1");
    equal([artifacts.size, [...gone.keys()].sort()], [0, ["a", "c", "e"]], "what is left of it");
    equal(await listIds(open(), {}, 10), ["b", "d", "f"], "what is left");
  }),
];
