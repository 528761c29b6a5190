import { DEFAULTS } from "../../core/defaults.js";
import type {
  IdQuery,
  KeptLimits,
  MetadataStore,
  NewRecord,
  Removal,
} from "../../core/workspace/artifacts/artifact-store.js";
import {
  isRenewal,
  tombstoneOf,
  type ArtifactRecord,
} from "../../core/workspace/artifacts/artifact.js";
import { bySession } from "../../core/workspace/artifacts/choose-oldest.js";
import { CauseError } from "../cause-error.js";
import { CHUNK_BYTES } from "../joined-store/chunked-content.js";
import { contentKey } from "../joined-store/content-keys.js";
import type { OneDatabase } from "../joined-store/join-stores.js";
import {
  changeIn,
  indexKey,
  listedIn,
  PAGE,
  recordIn,
  SessionListings,
  type Row,
} from "../joined-store/session-listings.js";
import { bytesOfBlob, type SqliteValue } from "./sqlite-client.js";
import { WRITE_CHUNK } from "./sqlite-content.js";
import type { SqliteDatabase, SqliteStatements } from "./sqlite-database.js";
import { fieldsOf, planQuery } from "./sqlite-query.js";

/** Changes are numbered by the clock, so that after a restore new ones are above all that was seen before. */
const NEXT_SEQ = `INSERT INTO context_offload_sessions
    (namespace, session, name, epoch, last_seq, artifacts, bytes, written)
  VALUES (?, ?, ?, hex(randomblob(8)), ?, ?, ?, ?)
  ON CONFLICT (namespace, session) DO UPDATE SET last_seq = max(last_seq + ?, excluded.last_seq),
    artifacts = artifacts + excluded.artifacts, bytes = bytes + excluded.bytes,
    written = max(written, excluded.written)
  RETURNING last_seq`;
const COUNT = `INSERT INTO context_offload_namespaces (namespace, artifacts, bytes) VALUES (?, ?, ?)
  ON CONFLICT (namespace) DO UPDATE
    SET artifacts = artifacts + excluded.artifacts, bytes = bytes + excluded.bytes`;
const FIND = `SELECT rowid, session, artifact, changed, record FROM context_offload_artifacts
  WHERE namespace = ? AND session = ? AND artifact = ?`;
const PUT = `INSERT INTO context_offload_artifacts
    (namespace, session, artifact, changed, created, context, bytes, location, record)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const ADD_FIELD = `INSERT INTO context_offload_fields (namespace, field, session, changed)
  VALUES (?, ?, ?, ?)`;
const RENEW = `UPDATE context_offload_artifacts SET changed = ?, created = ?, record = ?
  WHERE namespace = ? AND session = ? AND artifact = ?`;
const RENEW_FIELD = `UPDATE context_offload_fields SET changed = ?
  WHERE namespace = ? AND field = ? AND session = ? AND changed = ?`;
/** In place, before rows are removed: SQLite may copy rows within a page that loses others, and leave the copies. */
const OVERWRITE = `UPDATE context_offload_artifacts SET record = zeroblob(length(CAST(record AS BLOB)))
  WHERE rowid IN (SELECT value FROM json_each(?))`;
const REMOVE = `DELETE FROM context_offload_artifacts
  WHERE rowid IN (SELECT value FROM json_each(?))`;
const REMOVE_FIELDS = `DELETE FROM context_offload_fields
  WHERE (namespace, field, session, changed) IN (
    SELECT ?, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))`;
const BURY = `INSERT OR REPLACE INTO context_offload_tombstones
    (namespace, session, artifact, changed, until, record)
  SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`;
const UNBURY = `DELETE FROM context_offload_tombstones
  WHERE namespace = ? AND session = ? AND artifact = ?`;
const ADD_CHILD = `INSERT INTO context_offload_children (namespace, session, child, name, changed)
  VALUES (?, ?, ?, ?, ?)`;
const FIND_CHILD = `SELECT 1 AS found FROM context_offload_children
  WHERE namespace = ? AND session = ? AND child = ?`;
const RENEW_PARENTS = `UPDATE context_offload_sessions SET epoch = hex(randomblob(8))
  WHERE namespace = ? AND session IN (
    SELECT session FROM context_offload_children WHERE namespace = ? AND child = ?)`;
const HEAD = `SELECT epoch, last_seq, artifacts FROM context_offload_sessions
  WHERE namespace = ? AND session = ?`;
const CHANGES = `SELECT changed, 0 AS removed, session, artifact, record, NULL AS child
    FROM context_offload_artifacts
    WHERE namespace = ? AND session = ? AND changed > ?
  UNION ALL
  SELECT changed, 1, session, artifact, record, NULL FROM context_offload_tombstones
    WHERE namespace = ? AND session = ? AND changed > ?
  UNION ALL
  SELECT changed, 0, NULL, NULL, NULL, name FROM context_offload_children
    WHERE namespace = ? AND session = ? AND changed > ?
  ORDER BY changed LIMIT ${PAGE}`;
const SESSIONS = `SELECT session, name FROM context_offload_sessions
  WHERE namespace = ? AND session > ? ORDER BY session LIMIT ${PAGE}`;
const SUMMARIES = `SELECT name, artifacts, bytes, written FROM context_offload_sessions
  WHERE namespace = ? AND session > ? AND artifacts > 0 ORDER BY session LIMIT ?`;

/** What exists in a namespace, in SQLite. */
export function sqliteMetadataIn(database: SqliteDatabase, namespace: string): MetadataStore {
  const ns = indexKey(namespace);

  const listings = new SessionListings((sessionId, after) =>
    database.read((sql) => {
      const key = [ns, indexKey(sessionId)] as const;
      const row = sql.get(HEAD, ...key);
      if (!row) return { head: undefined, changes: [] };
      const since = [...key, after] as const;
      const changes = sql.all(CHANGES, ...since, ...since, ...since).map(changeIn);
      const { epoch, last_seq: last, artifacts } = row;
      const head = { epoch: epoch as string, last: Number(last), artifacts: Number(artifacts) };
      return { head, changes };
    }),
  );

  return {
    add: (record) => database.write((sql) => addTo(sql, record, ns).record),

    async sessions() {
      const names: string[] = [];
      for (let after = ""; ;) {
        const page = await database.read((sql) => sql.all(SESSIONS, ns, after));
        for (const { name } of page) names.push(JSON.parse(name as string) as string);
        if (page.length < PAGE) return names;
        after = page.at(-1)?.["session"] as string;
      }
    },

    summarize: ({ after, limit }) =>
      database.read((sql) => {
        const from = after === undefined ? "" : indexKey(after);
        return sql.all(SUMMARIES, ns, from, limit).map((row) => ({
          sessionId: JSON.parse(row["name"] as string) as string,
          artifacts: Number(row["artifacts"]),
          bytes: Number(row["bytes"]),
          lastWrittenAt: row["written"] as string,
        }));
      }),

    listSession: (sessionId) => listings.list(sessionId),

    query: (query) =>
      database.read((sql) => {
        const { page, count } = planQuery(sql, query, ns);
        const artifacts = sql.all(page.sql, ...page.values).map(listedIn);
        if (!query.countRest) return { artifacts };
        const total = Number(sql.get(count.sql, ...count.values)?.["count"]);
        return { artifacts, leftOut: Math.max(total - artifacts.length, 0) };
      }),

    async find(query) {
      const { artifacts, wasRemoved } = await findWithContent(database, ns, query);
      return { artifacts, wasRemoved };
    },

    renew: (record, createdAt) =>
      database.write((sql) => {
        const row = sql.get(FIND, ...keyOf(ns, record));
        return row && recordIn(row).location === record.location
          ? renewIn(sql, ns, row, createdAt)
          : undefined;
      }),

    async remove(record) {
      const isUnused = await database.write((sql) => {
        const row = sql.get(FIND, ...keyOf(ns, record));
        if (!row) return true;
        const there = recordIn(row);
        if (there.location !== record.location) return true;
        if (there.createdAt !== record.createdAt) return false;
        removeRecords(sql, ns, [row]);
        return true;
      });
      await database.overwriteLog();
      return isUnused;
    },

    async removeOldest(removal) {
      const removed: ArtifactRecord[] = [];
      while (removed.length < removal.limit) {
        // In slices, so that others can write in between.
        const limit = Math.min(SLICE, removal.limit - removed.length);
        const slice = await database.write((sql) =>
          removeRecords(sql, ns, chooseOldest(sql, ns, { ...removal, limit })),
        );
        removed.push(...slice);
        if (slice.length === 0) break;
      }
      if (removed.length > 0) await database.overwriteLog();
      return removed;
    },

    async forget(sessionId) {
      const only = sessionId === undefined ? [] : [indexKey(sessionId)];
      const where = `namespace = ?${sessionId === undefined ? "" : " AND session = ?"}`;
      await removeRows(database, "tombstones", "session, artifact", where, [ns, ...only]);
      await removeRows(database, "children", "session, child", where, [ns, ...only]);
      if (sessionId !== undefined) {
        // Hosts that know a link read its session anew.
        await database.write((sql) => {
          sql.run(RENEW_PARENTS, ns, ns, ...only);
        });
        const links = "namespace = ? AND child = ?";
        await removeRows(database, "children", "session, child", links, [ns, ...only]);
      }
      // Unless something was put at this moment.
      const empty = `${where} AND artifacts = 0`;
      await removeRows(database, "sessions", "session", empty, [ns, ...only]);
      await database.overwriteLog();
    },

    async sweep() {
      const ended = "namespace = ? AND until <= ?";
      const values = [ns, new Date().toISOString()];
      const count = await removeRows(database, "tombstones", "session, artifact", ended, values);
      if (count === 0) return;
      const idle = (Date.now() - DEFAULTS.orphanAgeMs) * 1_000;
      await removeRows(database, "sessions", "session", EMPTY, [ns, idle]);
      await database.overwriteLog();
    },

    addChild: (sessionId, childSessionId) =>
      database.write((sql) => {
        const key = [ns, indexKey(sessionId), indexKey(childSessionId)] as const;
        if (sql.get(FIND_CHILD, ...key)) return;
        sql.run(ADD_CHILD, ...key, JSON.stringify(childSessionId), nextSeq(sql, ns, sessionId));
      }),
  };
}

/** Short content together with its record: one transaction for a put, one statement for a get. */
export function sqliteTogether(database: SqliteDatabase, namespace: string): OneDatabase {
  const ns = indexKey(namespace);
  return {
    maxBytes: CHUNK_BYTES,
    add: (record, content) =>
      database.write((sql) => {
        const added = addTo(sql, record, ns);
        if (added.isNew) {
          const key = contentKey(record.location);
          sql.run(WRITE_CHUNK, ns, key, 0, content.length, Date.now(), content);
        }
        return added.record;
      }),
    find: (query) => findWithContent(database, ns, query),
  };
}

/** Namespace, session and artifact. */
type RowKey = readonly [namespace: string, session: string, artifact: string];

function keyOf(ns: string, { sessionId, artifactId }: ArtifactRecord): RowKey {
  return [ns, indexKey(sessionId), indexKey(artifactId)];
}

/** What a change adds to the numbers of a session. */
interface Usage {
  readonly artifacts: number;
  readonly bytes: number;
  readonly written: string;
}

const NO_USAGE: Usage = { artifacts: 0, bytes: 0, written: "" };

/** The number of a change of a session, or of the last of several. */
function nextSeq(
  sql: SqliteStatements,
  ns: string,
  sessionId: string,
  { artifacts, bytes, written }: Usage = NO_USAGE,
  changes = 1,
): number {
  const name = JSON.stringify(sessionId);
  const now = Date.now() * 1_000;
  const key = [ns, indexKey(sessionId), name] as const;
  const row = sql.get(NEXT_SEQ, ...key, now, artifacts, bytes, written, changes);
  if (artifacts !== 0) sql.run(COUNT, ns, artifacts, bytes);
  return Number(row?.["last_seq"]);
}

function addTo(
  sql: SqliteStatements,
  { candidateIds, ...rest }: NewRecord,
  ns: string,
): { readonly record: ArtifactRecord; readonly isNew: boolean } {
  const { sessionId, size, createdAt, metadata, location } = rest;
  for (const artifactId of candidateIds) {
    const record: ArtifactRecord = { artifactId, ...rest };
    const key = keyOf(ns, record);
    const row = sql.get(FIND, ...key);
    if (row) {
      const there = recordIn(row);
      if (there.hash !== rest.hash || there.type !== rest.type) continue;
      return { record: renewIn(sql, ns, row, createdAt), isNew: false };
    }
    const usage = { artifacts: 1, bytes: size.bytes, written: createdAt };
    const seq = nextSeq(sql, ns, sessionId, usage);
    const context = metadata.context_type;
    const text = JSON.stringify(record);
    sql.run(UNBURY, ...key);
    sql.run(PUT, ...key, seq, createdAt, context, size.bytes, location, text);
    for (const field of fieldsOf(record)) sql.run(ADD_FIELD, ns, field, key[1], seq);
    return { record, isNew: true };
  }
  throw new CauseError("every id for this content holds other content");
}

function renewIn(sql: SqliteStatements, ns: string, row: Row, createdAt: string): ArtifactRecord {
  const there = recordIn(row);
  if (!isRenewal(there, createdAt)) return there;
  const renewed = { ...there, createdAt };
  const key = keyOf(ns, there);
  const usage = { ...NO_USAGE, written: createdAt };
  const seq = nextSeq(sql, ns, there.sessionId, usage);
  sql.run(RENEW, seq, createdAt, JSON.stringify(renewed), ...key);
  for (const field of fieldsOf(there)) {
    sql.run(RENEW_FIELD, seq, ns, field, key[1], Number(row["changed"]));
  }
  return renewed;
}

/** Nothing of artifacts is left but their tombstones, by as many statements as they have sessions and a few. */
function removeRecords(sql: SqliteStatements, ns: string, rows: readonly Row[]): ArtifactRecord[] {
  if (rows.length === 0) return [];
  const records = rows.map(recordIn);
  const rowIds = JSON.stringify(rows.map(({ rowid }) => rowid));
  sql.run(OVERWRITE, rowIds);
  sql.run(REMOVE, rowIds);
  const fields = records.flatMap((record, at) =>
    fieldsOf(record).map((field) => [field, rows[at]?.["session"], rows[at]?.["changed"]]),
  );
  sql.run(REMOVE_FIELDS, ns, JSON.stringify(fields));
  const now = Date.now();
  for (const [sessionId, own] of bySession(records)) {
    const bytes = own.reduce((sum, { size }) => sum + size.bytes, 0);
    const usage = { artifacts: -own.length, bytes: -bytes, written: "" };
    const last = nextSeq(sql, ns, sessionId, usage, own.length);
    const tombstones = own.map((record, at) => {
      const [, session, artifact] = keyOf(ns, record);
      const tombstone = tombstoneOf(record, now);
      const changed = last - own.length + 1 + at;
      return [session, artifact, changed, tombstone.until, JSON.stringify(tombstone)];
    });
    sql.run(BURY, ns, JSON.stringify(tombstones));
  }
  return records;
}

/** Where an id is looked up: with its session by one index, without by another. */
const lookUp = (table: string, sessionId: string | undefined, ids: number, index: string) =>
  `FROM context_offload_${table} AS a INDEXED BY ${index}
    WHERE a.namespace = ? ${sessionId === undefined ? "" : "AND a.session = ?"}
      AND a.artifact IN (${Array.from({ length: ids }, () => "?").join(", ")})`;

async function findWithContent(
  database: SqliteDatabase,
  ns: string,
  { artifactIds, sessionId, limit }: IdQuery,
) {
  const count = artifactIds.length;
  const values = [
    ...[ns, ...(sessionId === undefined ? [] : [indexKey(sessionId)])],
    ...artifactIds.map(indexKey),
  ];
  const index = `context_offload_${sessionId === undefined ? "anywhere" : "by_id"}`;
  const found = lookUp("artifacts", sessionId, count, index);
  const content = `(SELECT c.data FROM context_offload_chunks AS c WHERE c.namespace = a.namespace
    AND c.key = a.location || ? AND c.part = 0 AND c.bytes IS NOT NULL)`;
  // Of many sessions that have the same id, hardly any is read.
  const data = sessionId === undefined ? "NULL" : content;
  const suffix = sessionId === undefined ? [] : [contentKey("")];
  return database.read((sql) => {
    const rows = sql.all(
      `SELECT a.session, a.artifact, a.record, ${data} AS data ${found} LIMIT ?`,
      ...[...suffix, ...values, limit],
    );
    const contents = new Map<ArtifactRecord, Uint8Array>();
    const artifacts = rows.map((row) => {
      const record = recordIn(row);
      if (row["data"] !== null) contents.set(record, bytesOfBlob(row["data"]));
      return record;
    });
    const wasRemoved =
      artifacts.length === 0 &&
      sql.get(
        `SELECT 1 AS found FROM context_offload_tombstones
          WHERE namespace = ? ${sessionId === undefined ? "" : "AND session = ?"}
            AND artifact IN (${artifactIds.map(() => "?").join(", ")}) AND until > ? LIMIT 1`,
        ...[...values, new Date().toISOString()],
      ) !== undefined;
    return { artifacts, contents, wasRemoved };
  });
}

/** How many artifacts one transaction removes. */
const SLICE = 200;

const COLUMNS = "rowid, session, artifact, changed, bytes, created, record";
const USED = "SELECT artifacts, bytes FROM context_offload_namespaces WHERE namespace = ?";
const USED_BY = `SELECT artifacts, bytes FROM context_offload_sessions
  WHERE namespace = ? AND session = ?`;

/** The rows of what is to be removed next, the oldest first. */
function chooseOldest(
  sql: SqliteStatements,
  ns: string,
  { sessionId, beyond, limit }: Removal,
): readonly Row[] {
  const session = sessionId === undefined ? undefined : indexKey(sessionId);
  const oldest = (before: string | undefined, of: string | undefined): readonly Row[] => {
    const where = [
      "namespace = ?",
      ...(of === undefined ? [] : ["session = ?"]),
      ...(before === undefined ? [] : ["created < ?"]),
    ];
    const values = [
      ns,
      ...(of === undefined ? [] : [of]),
      ...(before === undefined ? [] : [before]),
    ];
    const index = of === undefined ? "by_time" : "by_change";
    return sql.all(
      `SELECT ${COLUMNS} FROM context_offload_artifacts INDEXED BY context_offload_${index}
        WHERE ${where.join(" AND ")} ORDER BY created, session, changed LIMIT ?`,
      ...[...values, limit],
    );
  };
  if (!beyond) return oldest(undefined, session);
  const { olderThan = "", keepSince, perSession = {} } = beyond;
  const used = session === undefined ? sql.get(USED, ns) : sql.get(USED_BY, ns, session);
  const isFull = isBeyond(used, beyond);
  const first = oldest(isFull || olderThan > keepSince ? keepSince : olderThan, session);
  const chosen = takeBeyond(first, used, beyond, olderThan);
  if (chosen.length > 0) return chosen;
  for (const full of fullSessions(sql, ns, session, perSession)) {
    const of = full["session"] as string;
    const rows = takeBeyond(oldest(keepSince, of), full, perSession, olderThan);
    if (rows.length > 0) return rows;
  }
  return [];
}

/** Of rows from the oldest on, those that are too many, too much or too old. */
function takeBeyond(
  rows: readonly Row[],
  used: Row | undefined,
  limits: KeptLimits,
  olderThan: string,
): readonly Row[] {
  let artifacts = Number(used?.["artifacts"]);
  let bytes = Number(used?.["bytes"]);
  const end = rows.findIndex((row) => {
    if (!isBeyond({ artifacts, bytes }, limits) && (row["created"] as string) >= olderThan) {
      return true;
    }
    artifacts -= 1;
    bytes -= Number(row["bytes"]);
    return false;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

function isBeyond(used: Row | undefined, { maxBytes, maxArtifacts }: KeptLimits): boolean {
  return (
    Number(used?.["artifacts"] ?? 0) > (maxArtifacts ?? Infinity) ||
    Number(used?.["bytes"] ?? 0) > (maxBytes ?? Infinity)
  );
}

/** Sessions that hold more than each may, by index. */
function fullSessions(
  sql: SqliteStatements,
  ns: string,
  session: string | undefined,
  { maxBytes, maxArtifacts }: KeptLimits,
): readonly Row[] {
  const only = session === undefined ? [] : [session];
  return [["artifacts", maxArtifacts] as const, ["bytes", maxBytes] as const].flatMap(
    ([column, most]) =>
      most === undefined
        ? []
        : sql.all(
            `SELECT session, artifacts, bytes FROM context_offload_sessions
            WHERE namespace = ? AND ${column} > ? ${session === undefined ? "" : "AND session = ?"}
            LIMIT ${PAGE}`,
            ...[ns, most, ...only],
          ),
  );
}

/** Sessions of which nothing is left. One that was written to a moment ago is kept. */
const EMPTY = `namespace = ? AND artifacts = 0 AND last_seq < ?
  AND NOT EXISTS (SELECT 1 FROM context_offload_tombstones AS t
    WHERE t.namespace = s.namespace AND t.session = s.session)
  AND NOT EXISTS (SELECT 1 FROM context_offload_children AS c
    WHERE c.namespace = s.namespace AND c.session = s.session)`;

/** Removes rows in slices; how many there were. */
async function removeRows(
  database: SqliteDatabase,
  table: string,
  key: string,
  where: string,
  values: readonly SqliteValue[],
): Promise<number> {
  const remove = `DELETE FROM context_offload_${table} WHERE (namespace, ${key}) IN (
      SELECT namespace, ${key} FROM context_offload_${table} AS s WHERE ${where} LIMIT ${PAGE})
    RETURNING 1`;
  for (let count = 0; ;) {
    const removed = await database.write((sql) => sql.all(remove, ...values).length);
    count += removed;
    if (removed < PAGE) return count;
  }
}
