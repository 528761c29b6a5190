import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectPieces, readPieces } from "../../src/core/lib/text/byte-source.js";
import { openMemory } from "../../src/core/workspace/artifacts/memory-store.js";
import { sha256 } from "../../src/infrastructure/hash.js";
import { createWorkspace, type OpenStore, type Workspace } from "../../src/index.js";
import { objectStore } from "../../src/infrastructure/object-store/object-store.js";
import { postgresStore } from "../../src/infrastructure/postgres-store/postgres-store.js";
import { sqliteMetadata, sqliteStore } from "../../src/infrastructure/sqlite-store/sqlite-store.js";
import { fileStore } from "../../src/presets/stores.js";
import type { ArtifactRecord, ArtifactStore } from "../../src/stores.js";
import { runs } from "../support/adversarial-runs.js";
import { BUCKET, startObjects, type RealObjects } from "../support/real-objects.js";
import { startPostgres, type RealPostgres } from "../support/real-postgres.js";

const folder = mkdtempSync(join(tmpdir(), "context-offload-exchange-"));
let server: RealPostgres | undefined;
let objects: RealObjects | undefined;
const pools: pg.Pool[] = [];
beforeAll(async () => {
  [server, objects] = await Promise.all([startPostgres(), startObjects()]);
});
afterAll(async () => {
  for (const pool of pools) await pool.end();
  await Promise.all([server?.end(), objects?.end()]);
  rmSync(folder, { recursive: true, force: true });
});

const openPool = (): pg.Pool => {
  const pool = new pg.Pool({ connectionString: server?.url, max: 2, idleTimeoutMillis: 500 });
  pool.on("error", () => undefined);
  pools.push(pool);
  return pool;
};

const STORES: Record<string, () => OpenStore> = {
  memory: () => openMemory(sha256),
  files: () => fileStore(join(folder, "files")),
  SQLite: () => sqliteStore(new Database(join(folder, "sealed.db"))),
  PostgreSQL: () => postgresStore(openPool()),
  "object storage": () => {
    if (!objects) throw new Error("the server was not started");
    const metadata = sqliteMetadata(new Database(join(folder, "objects.db")));
    return objectStore({ client: objects.client(), bucket: BUCKET, metadata });
  },
};

interface Place {
  readonly namespace: string;
  readonly sessionId: string;
  readonly artifactId: string;
}

/** Two artifacts of one session, one of another session, and one of another namespace. */
const PLACES: readonly Place[] = [
  { namespace: "one", sessionId: "s1", artifactId: "x" },
  { namespace: "one", sessionId: "s1", artifactId: "y" },
  { namespace: "one", sessionId: "s2", artifactId: "x" },
  { namespace: "two", sessionId: "s1", artifactId: "x" },
];
const nameOf = ({ namespace, sessionId, artifactId }: Place) =>
  `${namespace}-${sessionId}-${artifactId}`;
const DERIVED = ["view", "index", "view-index"];

/** One line of JSON, whose view and line index are kept. */
const contentOf = (place: Place) =>
  JSON.stringify(
    Array.from({ length: 26_000 }, (_, row) => ({ row, note: `a secret of ${nameOf(place)}` })),
  );

/** All that is stored for an artifact, as whoever has the storage but not the key sees it. */
interface AtRest {
  readonly record: ArtifactRecord;
  readonly content: Uint8Array;
  readonly derived: Readonly<Record<string, Uint8Array>>;
}

const bytesOf = async (content: Awaited<ReturnType<ArtifactStore["open"]>>) => {
  const bytes = await collectPieces(readPieces(content));
  await content.close();
  return bytes;
};

async function* failing(): AsyncGenerator<Uint8Array> {
  yield await Promise.reject(new Error("none is kept"));
}

async function readAtRest(store: ArtifactStore, place: Place): Promise<AtRest> {
  const { artifacts } = await store.listSession(place.sessionId);
  const record = artifacts.get(place.artifactId);
  if (!record) throw new Error(`${nameOf(place)} is not there`);
  const derived: Record<string, Uint8Array> = {};
  for (const name of DERIVED) {
    const kept = await store.openDerived(record, name, failing).catch(() => undefined);
    if (kept) derived[name] = await bytesOf(kept);
  }
  return { record, content: await bytesOf(await store.open(record)), derived };
}

/** Replaces what is stored by something else, with sizes and plain hashes that fit. */
async function writeAtRest(store: ArtifactStore, place: Place, wanted: AtRest): Promise<void> {
  const { artifacts } = await store.listSession(place.sessionId);
  const there = artifacts.get(place.artifactId);
  if (there) await store.remove(there);
  const { type, size, createdAt, metadata } = wanted.record;
  const stored = await store.put({
    ...{ sessionId: place.sessionId, wantedId: place.artifactId, type, createdAt, metadata },
    content: wanted.content,
    size: () => ({ ...size, bytes: wanted.content.length }),
  });
  expect(stored.artifactId).toBe(place.artifactId);
  for (const [name, bytes] of Object.entries(wanted.derived)) {
    const kept = await store.openDerived(stored, name, async function* () {
      yield await Promise.resolve(bytes);
    });
    await kept.close();
  }
}

/** What a reader gets: a text, or the code of the error. */
const outcomeOf = (reading: Promise<unknown>) =>
  reading.then(
    (read) => (typeof read === "string" ? read : JSON.stringify(read)),
    (error: unknown) => (error as { code: string }).code,
  );

describe.each(Object.entries(STORES))("sealed things exchanged in %s", (name, openStorage) => {
  const key = randomBytes(32);
  let storage: OpenStore;
  const originals = new Map<Place, AtRest>();
  const open = (namespace: string): Workspace =>
    createWorkspace({ store: storage, namespace, encryption: { key } });
  const readings = async (place: Place) => {
    const { sessionId, artifactId } = place;
    const workspace = open(place.namespace);
    const scope = { sessionId };
    const outcomes = {
      original: await outcomeOf(workspace.getOriginal(artifactId, scope)),
      lines: await outcomeOf(workspace.getKnowledgeByLines(artifactId, 1, 60, scope)),
      search: await outcomeOf(workspace.grepKnowledge(artifactId, "secret", scope)),
      anywhere: await outcomeOf(workspace.getOriginal(artifactId)),
    };
    await workspace.close();
    return outcomes;
  };

  beforeAll(async () => {
    storage = openStorage();
    for (const place of PLACES) {
      const { sessionId, artifactId } = place;
      const workspace = open(place.namespace);
      await workspace.put({ content: contentOf(place) }, { toolCallId: artifactId, sessionId });
      await workspace.getKnowledgeByLines(artifactId, 1, 5, { sessionId });
      await workspace.close();
      const atRest = await readAtRest(storage(place.namespace), place);
      originals.set(place, atRest);
      // Otherwise the test would exchange less than it says.
      if (name !== "memory") expect(Object.keys(atRest.derived)).toContain("view");
    }
  }, 60_000);

  const parts = fc.subarray(["record", "content", ...DERIVED], { minLength: 1 });
  const places = fc.shuffledSubarray([...PLACES], { minLength: 2, maxLength: 2 });

  it("are damage, and never foreign content", async () => {
    const exchange = async (
      [target, source]: readonly Place[],
      taken: readonly string[],
      isSwap: boolean,
    ) => {
      if (!target || !source) return;
      const mixOf = (place: Place, other: Place): AtRest => {
        const [own, foreign] = [originals.get(place), originals.get(other)];
        if (!own || !foreign) throw new Error("it was not stored");
        const pick = <T>(part: string, mine: T, theirs: T): T =>
          taken.includes(part) ? theirs : mine;
        const derived = DERIVED.flatMap((name) => {
          const bytes = pick(name, own.derived[name], foreign.derived[name]);
          return bytes ? [[name, bytes] as const] : [];
        });
        return {
          record: pick("record", own.record, foreign.record),
          content: pick("content", own.content, foreign.content),
          derived: Object.fromEntries(derived),
        };
      };
      const changed = isSwap ? [target, source] : [target];
      for (const place of changed) {
        const mixed = mixOf(place, place === target ? source : target);
        await writeAtRest(storage(place.namespace), place, mixed);
      }
      try {
        // Memory keeps nothing that is derived.
        const isChanged = taken.some(
          (part) => !DERIVED.includes(part) || originals.get(target)?.derived[part] !== undefined,
        );
        for (const place of [target, source]) {
          const outcomes = await readings(place);
          const shown = JSON.stringify(outcomes);
          for (const other of PLACES) {
            if (other !== place) expect(shown).not.toContain(`secret of ${nameOf(other)}`);
          }
          const isDamaged = isChanged && changed.includes(place);
          // An index of lines is read only for its own text.
          const isRead = taken.some((part) => part !== "index");
          if (isDamaged && isRead) expect(shown).toContain("ARTIFACT_DAMAGED");
          if (!isDamaged) expect(outcomes.original).toBe(contentOf(place));
        }
        for (const { namespace, sessionId, artifactId } of isChanged ? changed : []) {
          const workspace = open(namespace);
          const { damaged } = await workspace.verify();
          await workspace.close();
          expect(damaged).toContainEqual(expect.objectContaining({ sessionId, artifactId }));
        }
      } finally {
        for (const place of changed) {
          const own = originals.get(place);
          if (own) await writeAtRest(storage(place.namespace), place, own);
        }
      }
    };
    await fc.assert(fc.asyncProperty(places, parts, fc.boolean(), exchange), {
      numRuns: runs(4),
      examples: [
        [[PLACES[0], PLACES[1]] as Place[], ["record", "content", ...DERIVED], true],
        [[PLACES[0], PLACES[2]] as Place[], ["view"], false],
        [[PLACES[0], PLACES[3]] as Place[], ["record", "content", ...DERIVED], false],
      ],
    });
    for (const namespace of ["one", "two"]) {
      const workspace = open(namespace);
      expect((await workspace.verify()).damaged).toEqual([]);
      await workspace.close();
    }
  }, 240_000);

  it("stand for nothing of another kind, of the same artifact either", async () => {
    const [place] = PLACES as [Place];
    const own = originals.get(place);
    if (!own?.derived["view"]) return;
    const { view, ...others } = own.derived;
    const [other = "index"] = Object.keys(others);
    const exchanged = [
      { ...own, derived: { ...own.derived, view: others[other] ?? own.content } },
      { ...own, derived: { ...own.derived, view: own.content } },
      { ...own, content: view },
    ];
    for (const mixed of exchanged) {
      await writeAtRest(storage(place.namespace), place, mixed);
      try {
        expect(JSON.stringify(await readings(place))).toContain("ARTIFACT_DAMAGED");
      } finally {
        await writeAtRest(storage(place.namespace), place, own);
      }
    }
  });

  it("give a session no access to another one", async () => {
    const store = storage("children");
    const workspace = open("children");
    for (const sessionId of ["parent", "child", "other", "foreign"]) {
      const place = { toolCallId: sessionId, sessionId };
      const link = sessionId === "child" ? { parentSessionId: "parent" } : {};
      await workspace.put({ content: `secret of ${sessionId}` }, { ...place, ...link });
    }
    const [sealed = ""] = (await store.listSession("parent")).children;
    expect(sealed).not.toContain("child");
    for (const name of [sealed, "foreign"]) await store.addChild("other", name);
    const fresh = open("children");
    const read = (id: string, sessionId: string) => outcomeOf(fresh.getOriginal(id, { sessionId }));
    expect(await read("child", "parent")).toBe("secret of child");
    expect(await read("child", "other")).toBe("UNKNOWN_ARTIFACT");
    expect(await read("foreign", "other")).toBe("UNKNOWN_ARTIFACT");
    expect((await fresh.verify()).unreadable).toHaveLength(2);
  });
});

describe("rows of a database that were moved as they are", () => {
  const key = randomBytes(32);
  const SECRETS = { t1: "ALLOW: approved", t2: "DENY: refused" };
  interface Opened {
    readonly store: OpenStore;
    readonly run: (sql: string) => Promise<unknown>;
    readonly columnsOf: (table: string) => Promise<string[]>;
  }
  const DATABASES: Record<string, () => Opened> = {
    SQLite: () => {
      const client = new Database(join(folder, "moved.db"));
      return {
        store: sqliteStore(client),
        run: (sql) => Promise.resolve(client.exec(sql)),
        columnsOf: (table) => {
          const rows = client.prepare("SELECT name FROM pragma_table_info(?)").all(table);
          return Promise.resolve((rows as { name: string }[]).map(({ name }) => name));
        },
      };
    },
    PostgreSQL: () => {
      const pool = openPool();
      return {
        store: postgresStore(pool),
        run: (sql) => pool.query(sql),
        columnsOf: async (table) =>
          (await pool.query(`SELECT * FROM ${table} LIMIT 0`)).fields.map(({ name }) => name),
      };
    },
  };

  const TABLES = ["sessions", "artifacts", "chunks"] as const;

  it.each(Object.entries(DATABASES))("are not taken for others in %s", async (_, connect) => {
    const { store, run, columnsOf } = connect();
    const open = (namespace = "rows") => createWorkspace({ store, namespace, encryption: { key } });
    const first = open();
    for (const [toolCallId, content] of Object.entries(SECRETS)) {
      await first.put({ content }, { toolCallId, sessionId: "s" });
    }
    const copied = async (
      table: (typeof TABLES)[number],
      changes: Readonly<Record<string, string>>,
    ) => {
      const columns = await columnsOf(`context_offload_${table}`);
      const values = columns.map((column) => changes[column] ?? column).join(", ");
      return run(
        `INSERT INTO context_offload_${table} (${columns.join(", ")})
          SELECT ${values} FROM context_offload_${table} WHERE namespace = 'rows'`,
      );
    };
    // Everything to another namespace, and the records to another session, as they are.
    for (const table of TABLES) await copied(table, { namespace: "'elsewhere'" });
    await copied("sessions", { session: "'s2'", name: `'"s2"'` });
    await copied("artifacts", { session: "'s2'" });
    for (const id of ["t1", "t2"]) {
      const read = (workspace: Workspace, sessionId: string) =>
        outcomeOf(workspace.getOriginal(id, { sessionId }));
      expect(await read(open(), "s")).toBe(SECRETS[id as "t1"]);
      expect(await read(open("elsewhere"), "s")).toBe("ARTIFACT_DAMAGED");
      expect(await read(open(), "s2")).toBe("ARTIFACT_DAMAGED");
    }
    expect((await open("elsewhere").verify()).damaged).toHaveLength(2);
    expect((await open().verify()).damaged).toHaveLength(2);

    // Two rows of a session get each other's id.
    for (const [from, to] of [
      ["t1", "t3"],
      ["t2", "t1"],
      ["t3", "t2"],
    ] as const) {
      await run(
        `UPDATE context_offload_artifacts SET artifact = '${to}'
          WHERE namespace = 'rows' AND session = 's' AND artifact = '${from}'`,
      );
    }
    for (const id of ["t1", "t2"]) {
      expect(await outcomeOf(open().getOriginal(id, { sessionId: "s" }))).toBe("ARTIFACT_DAMAGED");
    }
    expect((await open().verify()).damaged).toHaveLength(4);
  });
});
