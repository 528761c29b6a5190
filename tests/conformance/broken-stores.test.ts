import { describe, expect, it } from "vitest";
import type { ArtifactStore, ListedArtifact } from "../../src/stores.js";
import type { OpenStore } from "../../src/index.js";
import { openMemory } from "../../src/core/workspace/artifacts/memory-store.js";
import { queryArtifacts } from "../../src/core/workspace/artifacts/list-artifacts.js";
import { chooseOldest } from "../../src/core/workspace/artifacts/choose-oldest.js";
import { sha256 } from "../../src/infrastructure/hash.js";
import { storeSuite } from "../../src/testing/index.js";

/** A store that is right but for what it changes. */
function changed(
  change: (store: ArtifactStore, namespace: string) => Partial<ArtifactStore>,
): OpenStore {
  const open = openMemory(sha256);
  return (namespace) => {
    const store = open(namespace);
    const honest: ArtifactStore = {
      put: (artifact) => store.put(artifact),
      renew: (record, createdAt) => store.renew(record, createdAt),
      sessions: () => store.sessions(),
      listSession: (sessionId) => store.listSession(sessionId),
      query: (query) => queryArtifacts(store, query),
      open: (record) => store.open(record),
      openDerived: (record, name, make) => store.openDerived(record, name, make),
      remove: (record) => store.remove(record),
      purge: (sessionId) => store.purge(sessionId),
      addChild: (sessionId, child) => store.addChild(sessionId, child),
      verify: (options) => store.verify(options),
    };
    return { ...honest, ...change(store, namespace) };
  };
}

/** Changes bytes on their way in. */
const putting = (change: (bytes: Uint8Array) => Uint8Array) =>
  changed((store) => ({
    put: (artifact) =>
      store.put({
        ...artifact,
        content:
          artifact.content instanceof Uint8Array
            ? change(artifact.content)
            : (async function* (stream) {
                for await (const chunk of stream) yield change(chunk);
              })(artifact.content),
      }),
  }));

/** Reads another range than the one that was asked for. */
const reading = (change: (start: number, end: number) => readonly [number, number]) =>
  changed((store) => ({
    open: async (record) => {
      const content = await store.open(record);
      return { ...content, read: (start, end) => content.read(...change(start, end)) };
    },
  }));

const listing = (
  change: (page: readonly ListedArtifact[], after?: string) => readonly ListedArtifact[],
) =>
  changed((store) => ({
    query: async (query) => {
      const page = await queryArtifacts(store, query);
      return { ...page, artifacts: change(page.artifacts, query.after) };
    },
  }));

/** Stores that each do one thing wrong, and the concern whose checks must object. */
const broken: Record<string, { open: OpenStore; concern: string }> = {
  "a removal that does nothing": {
    open: changed(() => ({ remove: () => Promise.resolve() })),
    concern: "removal",
  },
  "a removal that keeps the content": {
    open: changed((store) => {
      const contents = new Map<string, Awaited<ReturnType<ArtifactStore["open"]>>>();
      return {
        open: async (record) => {
          const kept = contents.get(record.location) ?? (await store.open(record));
          contents.set(record.location, kept);
          return kept;
        },
        remove: async (record) => {
          contents.set(record.location, await store.open(record));
          await store.remove(record);
        },
      };
    }),
    concern: "removal",
  },
  "parts of a verification that are each all of it": {
    open: changed((store) => ({
      verify: async (options) => {
        const isFirst = options.limit !== undefined && options.after === undefined;
        return { ...(await store.verify(options)), next: isFirst ? "the second" : undefined };
      },
    })),
    concern: "faults",
  },
  "a tombstone that shows another hash": {
    open: changed((store) => ({
      listSession: async (sessionId) => {
        const listing = await store.listSession(sessionId);
        const removed = [...listing.removed].map(
          ([id, tombstone]) => [id, { ...tombstone, shownHash: "00000000" }] as const,
        );
        return { ...listing, removed: new Map(removed) };
      },
    })),
    concern: "removal",
  },
  "a purge that leaves tombstones": {
    open: changed((store) => ({
      purge: async (sessionId) => {
        const sessions = sessionId === undefined ? await store.sessions() : [sessionId];
        let artifacts = 0;
        for (const id of sessions) {
          const records = [...(await store.listSession(id)).artifacts.values()];
          for (const record of records) await store.remove(record);
          artifacts += records.length;
        }
        return { artifacts };
      },
    })),
    concern: "removal",
  },
  "a search by id that ignores the session": {
    open: changed((store) => ({
      find: async ({ artifactIds, limit }) => {
        const { artifacts } = await queryArtifacts(store, { artifactIds, limit });
        return { artifacts: artifacts.map(({ record }) => record), wasRemoved: false };
      },
    })),
    concern: "by index",
  },
  "a retention that takes the newest": {
    open: changed((store) => ({
      removeOldest: async ({ beyond, limit }) => {
        const { artifacts } = await queryArtifacts(store, { newestFirst: true, limit: 100 });
        const records = artifacts.map(({ record }) => record);
        const chosen = records.slice(0, chooseOldest(records, { beyond, limit }).length);
        for (const record of chosen) await store.remove(record);
        return chosen;
      },
    })),
    concern: "by index",
  },
  "a put that truncates": {
    open: putting((bytes) => bytes.subarray(0, 1_000_000)),
    concern: "exactness",
  },
  "a put that loses the last byte": {
    open: putting((bytes) => bytes.subarray(0, Math.max(bytes.length - 1, 0))),
    concern: "basics",
  },
  "text that loses surrogates": {
    open: putting((bytes) => new TextEncoder().encode(new TextDecoder().decode(bytes))),
    concern: "exactness",
  },
  "text that ends at NUL": {
    open: putting((bytes) => (bytes.includes(0) ? bytes.subarray(0, bytes.indexOf(0)) : bytes)),
    concern: "exactness",
  },
  "a listing that forgets a page": {
    open: listing((page, after) => (after === undefined ? page : page.slice(0, 0))),
    concern: "paging",
  },
  "a listing that repeats the last artifact of a page": {
    open: changed((store) => {
      let last: ListedArtifact | undefined;
      return {
        query: async (query) => {
          const page = await queryArtifacts(store, query);
          const artifacts =
            query.after !== undefined && last
              ? [last, ...page.artifacts].slice(0, query.limit)
              : page.artifacts;
          last = page.artifacts.at(-1);
          return { ...page, artifacts };
        },
      };
    }),
    concern: "paging",
  },
  "a listing that ignores the order by time": {
    open: changed((store) => ({
      query: (query) => queryArtifacts(store, { ...query, newestFirst: false }),
    })),
    concern: "paging",
  },
  "a filter that is ignored": {
    open: changed((store) => ({
      query: ({ filter, ...query }) => queryArtifacts(store, { ...query, ...(filter ? {} : {}) }),
    })),
    concern: "listing and filters",
  },
  "ranges that start one byte late": {
    open: reading((start, end) => [start + 1, end]),
    concern: "ranges",
  },
  "ranges that include their end": {
    open: reading((start, end) => [start, end + 1]),
    concern: "ranges",
  },
  "ranges that miss their last byte at a boundary": {
    open: reading((start, end) => [start, end % 65_536 === 1 ? end - 1 : end]),
    concern: "ranges",
  },
  "a leak across namespaces": {
    open: (() => {
      const open = openMemory(sha256);
      return () => open("shared");
    })(),
    concern: "isolation",
  },
  "content that other namespaces can open": {
    open: (() => {
      const all: ArtifactStore[] = [];
      const open = changed((store) => {
        all.push(store);
        return {
          open: async (record) => {
            for (const one of all) {
              const content = await one.open(record).catch(() => undefined);
              if (content) return content;
            }
            return store.open(record);
          },
        };
      });
      return open;
    })(),
    concern: "isolation",
  },
  "a put that answers before a fresh process could read it": {
    open: (() => {
      const storage = openMemory(sha256);
      return (namespace) => {
        const store = storage(namespace);
        const own = openMemory(sha256)(namespace);
        return {
          ...changed(() => ({}))(namespace),
          listSession: async (sessionId) => {
            const { artifacts, removed, children } = await store.listSession(sessionId);
            const late = (await own.listSession(sessionId)).artifacts;
            return { artifacts: new Map([...artifacts, ...late]), removed, children };
          },
          open: (record) => store.open(record).catch(() => own.open(record)),
          put: async (artifact) => {
            const record = await own.put(artifact);
            // Written after the answer.
            setTimeout(() => void store.put(artifact), 50);
            return record;
          },
        };
      };
    })(),
    concern: "basics",
  },
  "a put that overwrites other content": {
    open: changed((store) => ({
      put: async (artifact) => {
        const there = (await store.listSession(artifact.sessionId)).artifacts.get(
          artifact.wantedId ?? "",
        );
        if (there) await store.remove(there);
        return store.put(artifact);
      },
    })),
    concern: "basics",
  },
  "a put that loses races": {
    open: changed((store) => ({
      put: async (artifact) => {
        const find = async () =>
          (await store.listSession(artifact.sessionId)).artifacts.get(artifact.wantedId ?? "");
        const there = await find();
        await new Promise((resolve) => setTimeout(resolve, 1));
        const later = await find();
        return !there && later ? later : store.put(artifact);
      },
    })),
    concern: "concurrency",
  },
  "a put that returns the old record": {
    open: changed((store) => ({
      put: async (artifact) => {
        const { artifacts } = await store.listSession(artifact.sessionId);
        const there = artifacts.get(artifact.wantedId ?? "");
        const { createdAt = artifact.createdAt } = there ?? {};
        return store.put({ ...artifact, createdAt });
      },
    })),
    concern: "renewal",
  },
  "a put that says it renewed and did not": {
    open: changed((store) => ({
      put: async (artifact) => {
        const { artifacts } = await store.listSession(artifact.sessionId);
        const there = artifacts.get(artifact.wantedId ?? "");
        const { createdAt = artifact.createdAt } = there ?? {};
        const record = await store.put({ ...artifact, createdAt });
        return { ...record, createdAt: artifact.createdAt };
      },
    })),
    concern: "renewal",
  },
  "a renewal that does nothing": {
    open: changed(() => ({ renew: (record) => Promise.resolve(record) })),
    concern: "renewal",
  },
  "a removal of what was renewed since": {
    open: changed((store) => ({
      remove: async (record) => {
        const { artifacts } = await store.listSession(record.sessionId);
        const there = artifacts.get(record.artifactId);
        if (there) await store.remove(there);
      },
    })),
    concern: "renewal",
  },
  "a verification that cannot be aborted": {
    open: changed((store) => ({ verify: () => store.verify({}) })),
    concern: "faults",
  },
  "a failed stream that is stored as far as it came": {
    open: changed((store) => ({
      put: (artifact) => {
        const { content } = artifact;
        if (content instanceof Uint8Array) return store.put(artifact);
        async function* asFarAsItCame(stream: AsyncIterable<Uint8Array>) {
          try {
            yield* stream;
          } catch {
            // Nobody will know.
          }
        }
        return store.put({ ...artifact, content: asFarAsItCame(content) });
      },
    })),
    concern: "faults",
  },
};

describe("the suite for stores", () => {
  it("passes a store that is right", async () => {
    for (const { run } of storeSuite({ open: changed(() => ({})) })) await run();
  });

  it.each(Object.entries(broken))("objects to %s", async (_what, { open, concern }) => {
    const checks = storeSuite({ open }).filter((check) => check.concern === concern);
    const outcomes = await Promise.allSettled(checks.map(({ run }) => run()));
    expect(outcomes.map(({ status }) => status)).toContain("rejected");
  });
});
