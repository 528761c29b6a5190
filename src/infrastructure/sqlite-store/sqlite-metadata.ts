import {
  isRenewal,
  tombstoneOf,
  type ArtifactRecord,
} from "../../core/workspace/artifacts/artifact.js";
import type {
  ArtifactQuery,
  MetadataStore,
  NewRecord,
} from "../../core/workspace/artifacts/artifact-store.js";
import {
  changeIn,
  indexKey,
  listedIn,
  PAGE,
  parseListCursor,
  recordIn,
  SessionListings,
} from "../joined-store/session-listings.js";
import { CauseError } from "../cause-error.js";
import type { SqliteValue } from "./sqlite-client.js";
import type { SqliteDatabase, SqliteStatements } from "./sqlite-database.js";

const NEXT_SEQ = `INSERT INTO context_offload_sessions (namespace, session, name, last_seq)
  VALUES (?, ?, ?, 1)
  ON CONFLICT (namespace, session) DO UPDATE SET last_seq = last_seq + 1 RETURNING last_seq`;
const FIND = `SELECT session, artifact, removed, record FROM context_offload_artifacts
  WHERE namespace = ? AND session = ? AND artifact = ?`;
const PUT = `INSERT INTO context_offload_artifacts
    (namespace, session, artifact, seq, changed, removed, record)
  VALUES (?, ?, ?, ?, ?, 0, ?)
  ON CONFLICT (namespace, session, artifact) DO UPDATE
    SET seq = excluded.seq, changed = excluded.changed, removed = 0, record = excluded.record`;
const RENEW = `UPDATE context_offload_artifacts SET seq = ?, changed = ?, record = ?
  WHERE namespace = ? AND session = ? AND artifact = ?`;
const REMOVE = `UPDATE context_offload_artifacts SET removed = 1, changed = ?, record = ?
  WHERE namespace = ? AND session = ? AND artifact = ?`;
const HEAD = `SELECT last_seq, (SELECT count(*) FROM context_offload_artifacts AS a
    WHERE a.namespace = s.namespace AND a.session = s.session AND removed = 0) AS artifacts
  FROM context_offload_sessions AS s WHERE namespace = ? AND session = ?`;
const SUMMARIES = `SELECT name, count(*) AS artifacts, sum(record ->> '$.size.bytes') AS bytes,
    max(record ->> '$.createdAt') AS written
  FROM context_offload_sessions AS s JOIN context_offload_artifacts AS a USING (namespace, session)
  WHERE namespace = ? AND session > ? AND removed = 0 GROUP BY session ORDER BY session LIMIT ?`;
const ADD_CHILD = `INSERT INTO context_offload_children (namespace, session, child, name, changed)
  VALUES (?, ?, ?, ?, ?)`;
const FIND_CHILD = `SELECT 1 AS found FROM context_offload_children
  WHERE namespace = ? AND session = ? AND child = ?`;
const CHANGES = `SELECT changed, removed, session, artifact, record, NULL AS child
    FROM context_offload_artifacts
    WHERE namespace = ? AND session = ? AND changed > ?
  UNION ALL
  SELECT changed, 0, NULL, NULL, NULL, name FROM context_offload_children
    WHERE namespace = ? AND session = ? AND changed > ?
  ORDER BY changed LIMIT ${PAGE}`;
const SESSIONS = `SELECT name FROM context_offload_sessions WHERE namespace = ? ORDER BY session`;

/** What exists in a namespace, in SQLite. */
export function sqliteMetadataIn(database: SqliteDatabase, namespace: string): MetadataStore {
  const ns = indexKey(namespace);
  const keyOf = ({ sessionId, artifactId }: ArtifactRecord): RowKey => {
    return [ns, indexKey(sessionId), indexKey(artifactId)];
  };
  const nextSeq = (sql: SqliteStatements, sessionId: string) =>
    sql.get(NEXT_SEQ, ns, indexKey(sessionId), JSON.stringify(sessionId))?.["last_seq"] as number;

  const listings = new SessionListings((sessionId, after) => {
    const since = [ns, indexKey(sessionId), after] as const;
    return database.read((sql) => {
      const row = sql.get(HEAD, ns, indexKey(sessionId));
      const changes = sql.all(CHANGES, ...since, ...since).map(changeIn);
      if (!row) return { head: undefined, changes };
      const [last, artifacts] = [Number(row["last_seq"]), Number(row["artifacts"])];
      return { head: { epoch: "", last, artifacts }, changes };
    });
  });

  return {
    add: (record) =>
      database.write((sql) => addTo(sql, record, ns, () => nextSeq(sql, record.sessionId))),

    sessions: () =>
      database.read((sql) =>
        sql.all(SESSIONS, ns).map(({ name }) => JSON.parse(name as string) as string),
      ),

    listSession: (sessionId) => listings.list(sessionId),

    async query(query) {
      const { where, order, values } = conditions(query, ns);
      const [rows, count] = await database.read((sql) => [
        sql.all(
          `SELECT session, artifact, changed, record FROM context_offload_artifacts
            WHERE ${where} ORDER BY ${order} LIMIT ?`,
          ...values,
          query.limit,
        ),
        query.countRest
          ? sql.get(
              `SELECT count(*) AS count FROM context_offload_artifacts WHERE ${where}`,
              ...values,
            )
          : undefined,
      ]);
      return {
        artifacts: rows.map(listedIn),
        leftOut: count && (count["count"] as number) - rows.length,
      };
    },

    renew: (record, createdAt) =>
      database.write((sql) => {
        const there = findIn(sql, keyOf(record));
        if (there?.location !== record.location) return undefined;
        return renewIn(sql, there, createdAt, keyOf(record), () => nextSeq(sql, record.sessionId));
      }),

    remove: (record) =>
      database.write((sql) => {
        const there = findIn(sql, keyOf(record));
        if (there?.location !== record.location) return true;
        if (there.createdAt !== record.createdAt) return false;
        removeIn(sql, there, keyOf(record), nextSeq(sql, record.sessionId));
        return true;
      }),

    find: ({ artifactIds, sessionId, limit }) =>
      database.read((sql) => {
        const { where, values } = conditions({ artifactIds, sessionId, limit }, ns);
        const rows = sql.all(
          `SELECT session, artifact, removed, record FROM context_offload_artifacts
            WHERE ${where.replace("removed = 0", "1 = 1")} ORDER BY removed LIMIT ?`,
          ...[...values, limit],
        );
        const artifacts = rows.filter(({ removed }) => removed === 0).map(recordIn);
        return { artifacts, wasRemoved: rows.length > artifacts.length };
      }),

    summarize: ({ after, limit }) =>
      database.read((sql) =>
        sql.all(SUMMARIES, ns, after === undefined ? "" : indexKey(after), limit).map((row) => ({
          sessionId: JSON.parse(row["name"] as string) as string,
          artifacts: Number(row["artifacts"]),
          bytes: Number(row["bytes"]),
          lastWrittenAt: row["written"] as string,
        })),
      ),

    async removeOldest({ sessionId, beyond, limit }) {
      if (beyond) throw new CauseError("not yet");
      return database.write((sql) => {
        const { where, values } = conditions({ sessionId, limit }, ns);
        const rows = sql.all(
          `SELECT session, artifact, record FROM context_offload_artifacts
            WHERE ${where} ORDER BY ${CREATED} LIMIT ?`,
          ...[...values, limit],
        );
        return rows.map(recordIn).map((record) => {
          removeIn(sql, record, keyOf(record), nextSeq(sql, record.sessionId));
          return record;
        });
      });
    },

    forget: (sessionId) =>
      database.write((sql) => {
        const only = sessionId === undefined ? "" : " AND session = ?";
        const values = sessionId === undefined ? [ns] : [ns, indexKey(sessionId)];
        for (const table of ["artifacts", "children", "sessions"]) {
          sql.run(`DELETE FROM context_offload_${table} WHERE namespace = ?${only}`, ...values);
        }
        if (sessionId === undefined) return;
        const child = "DELETE FROM context_offload_children WHERE namespace = ? AND child = ?";
        sql.run(child, ...values);
      }),

    sweep: () => Promise.resolve(),

    addChild: (sessionId, childSessionId) =>
      database.write((sql) => {
        const key = [ns, indexKey(sessionId), indexKey(childSessionId)] as const;
        if (sql.get(FIND_CHILD, ...key)) return;
        const name = JSON.stringify(childSessionId);
        sql.run(ADD_CHILD, ...key, name, nextSeq(sql, sessionId));
      }),
  };
}

/** Namespace, session and artifact. */
type RowKey = readonly [namespace: string, session: string, artifact: string];

/** The record with this key, unless it was removed. */
function findIn(sql: SqliteStatements, key: RowKey): ArtifactRecord | undefined {
  const row = sql.get(FIND, ...key);
  return row && row["removed"] === 0 ? recordIn(row) : undefined;
}

function removeIn(sql: SqliteStatements, record: ArtifactRecord, key: RowKey, seq: number): void {
  sql.run(REMOVE, seq, JSON.stringify(tombstoneOf(record, Date.now())), ...key);
}

function renewIn(
  sql: SqliteStatements,
  there: ArtifactRecord,
  createdAt: string,
  key: RowKey,
  nextSeq: () => number,
): ArtifactRecord {
  if (!isRenewal(there, createdAt)) return there;
  const renewed = { ...there, createdAt };
  const seq = nextSeq();
  sql.run(RENEW, seq, seq, JSON.stringify(renewed), ...key);
  return renewed;
}

function addTo(
  sql: SqliteStatements,
  { candidateIds, ...rest }: NewRecord,
  ns: string,
  nextSeq: () => number,
): ArtifactRecord {
  for (const artifactId of candidateIds) {
    const key = [ns, indexKey(rest.sessionId), indexKey(artifactId)] as const;
    const there = findIn(sql, key);
    if (there) {
      if (there.hash !== rest.hash || there.type !== rest.type) continue;
      return renewIn(sql, there, rest.createdAt, key, nextSeq);
    }
    const record: ArtifactRecord = { artifactId, ...rest };
    const seq = nextSeq();
    sql.run(PUT, ...key, seq, seq, JSON.stringify(record));
    return record;
  }
  throw new CauseError("every id for this content holds other content");
}

const CREATED = "record ->> '$.createdAt'";

/** The conditions of a query, of which the namespace is the first, and its order. */
function conditions(
  { sessionId, artifactIds, filter = {}, exceptContext, newestFirst = false, after }: ArtifactQuery,
  ns: string,
): { readonly where: string; readonly order: string; readonly values: readonly SqliteValue[] } {
  const where = ["namespace = ?", "removed = 0"];
  const values: SqliteValue[] = [ns];
  const add = (condition: string, ...of: SqliteValue[]) => {
    where.push(condition);
    values.push(...of);
  };
  if (sessionId !== undefined) add("session = ?", indexKey(sessionId));
  if (artifactIds) {
    const keys = artifactIds.map(indexKey);
    add(`artifact IN (${keys.map(() => "?").join(", ")})`, ...keys);
  }
  if (after !== undefined) {
    const { session, changed: seq, createdAt } = parseListCursor(after);
    if (newestFirst) add(`(${CREATED}, session, seq) < (?, ?, ?)`, createdAt, session, seq);
    else add("(session, seq) > (?, ?)", session, seq);
  }
  if (exceptContext !== undefined) {
    add("record ->> '$.metadata.context_type' IS NOT ?", exceptContext);
  }
  for (const [key, value] of Object.entries(filter)) {
    if (value === undefined) continue;
    // A name in a path cannot hold every character; compared as JSON, a text is never a number.
    if (/^\w+$/.test(key)) add(`record -> '$.metadata.${key}' = ?`, JSON.stringify(value));
    else {
      const json = JSON.stringify(value);
      add(
        `EXISTS (SELECT 1 FROM json_each(record, '$.metadata') AS field
          WHERE field.key = ? ->> '$' AND field.type = json_type(?) AND field.atom IS ? ->> '$')`,
        ...[JSON.stringify(key), json, json],
      );
    }
  }
  const order = newestFirst ? `${CREATED} DESC, session DESC, seq DESC` : "session, seq";
  return { where: where.join(" AND "), order, values };
}
