import {
  type ArtifactQuery,
  type IdQuery,
  type MetadataStore,
  type NewRecord,
  type Removal,
  type RemovalLimits,
  type SummaryQuery,
} from "../../core/workspace/artifacts/artifact-store.js";
import {
  isRenewal,
  SHOWN_HASH_DIGITS,
  tombstoneOf,
  type ArtifactRecord,
} from "../../core/workspace/artifacts/artifact.js";
import { DEFAULTS } from "../../core/defaults.js";
import { CauseError } from "../cause-error.js";
import { CHUNK_BYTES } from "../joined-store/chunked-content.js";
import { contentKey } from "../joined-store/content-keys.js";
import type { OneDatabase } from "../joined-store/join-stores.js";
import {
  changeIn,
  indexKey,
  listedIn,
  PAGE,
  parseListCursor,
  recordIn,
  SessionListings,
  type SessionPage,
} from "../joined-store/session-listings.js";
import type { PostgresDatabase } from "./postgres-database.js";

/**
 * A value as JSON that jsonb can hold: NUL and lone surrogates, which it rejects, are escaped, and the
 * escape character is, too, so that two values are equal exactly if they were before.
 */
export function plainJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "string") return plainText(inner);
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, one]) => [plainText(key), one]));
  });
}

/** A character that texts hardly use. */
const ESCAPE = "\ue000";
/** The escape character and lone surrogates. */
const ODD = /[\ue000\p{Cs}]/gu;

function plainText(text: string): string {
  return text
    .replace(ODD, (odd) => `${ESCAPE}${odd.charCodeAt(0).toString(16)}`)
    .replaceAll("\0", `${ESCAPE}0000`);
}

/** Changes are numbered by the clock, so that after a failover or a restore new ones are above all that was seen before. */
const CLOCK = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
/**
 * The row of the session is locked until the statement has ended, so that the changes of a session are
 * numbered in the order in which others see them.
 */
const NEXT_SEQ = `INSERT INTO context_offload_sessions AS s (namespace, session, name, epoch, last_seq)
  VALUES ($1, $2, $3, md5(random()::text || clock_timestamp()::text), ${CLOCK})
  ON CONFLICT (namespace, session) DO UPDATE SET last_seq = greatest(s.last_seq + 1, ${CLOCK})
  RETURNING last_seq`;
const NEXT_OF_OLD = `UPDATE context_offload_sessions SET last_seq = greatest(last_seq + 1, ${CLOCK})
  WHERE namespace = $1 AND session = $2 RETURNING last_seq`;
const PUT = `next AS (${NEXT_SEQ}),
  put AS (
    INSERT INTO context_offload_artifacts AS a (namespace, session, artifact, changed, removed,
      created, bytes, shown, location, record, metadata)
    SELECT $1, $2, $4, last_seq, false, $5, $6, $7, $8, $9, $10::jsonb FROM next
    ON CONFLICT (namespace, session, artifact) DO UPDATE
      SET changed = excluded.changed, removed = false, created = excluded.created,
        bytes = excluded.bytes, shown = excluded.shown, location = excluded.location,
        record = excluded.record, metadata = excluded.metadata
      WHERE a.removed
    RETURNING bytes, created
  ),
  used AS (
    INSERT INTO context_offload_usage AS u (namespace, session, artifacts, bytes, written)
    SELECT $1, $2, 1, bytes, created FROM put
    ON CONFLICT (namespace, session) DO UPDATE SET artifacts = u.artifacts + 1,
      bytes = u.bytes + excluded.bytes, written = greatest(u.written, excluded.written)
  )`;
const ADD = `WITH ${PUT} SELECT 1 FROM put`;
/** With its content, which is a chunk that is also the last one. */
const ADD_WITH_CONTENT = `WITH ${PUT},
  content AS (
    INSERT INTO context_offload_chunks (namespace, key, part, bytes, data)
    SELECT $1, $11, 0, length($12::bytea), $12 FROM put
    ON CONFLICT (namespace, key, part) DO NOTHING
  )
  SELECT 1 FROM put`;
const FIND = `SELECT session, artifact, removed, record FROM context_offload_artifacts
  WHERE namespace = $1 AND artifact = ANY($2::text[])`;
const FIND_ONE = `SELECT session, artifact, removed, record FROM context_offload_artifacts
  WHERE namespace = $1 AND session = $2 AND artifact = $3`;
/**
 * With content that is a single chunk. It is asked for by whole keys, of which each has one row: PostgreSQL
 * would plan anything else anew with each call, which takes longer than the rest of it.
 */
const FIND_WITH_CONTENT = `SELECT a.session, a.artifact, a.removed, a.record, c.data
  FROM (
    SELECT session, artifact, removed, record, location FROM context_offload_artifacts
    WHERE namespace = $1 AND session = $2 AND artifact = $3 LIMIT 1
  ) AS a LEFT JOIN LATERAL (
    SELECT data FROM context_offload_chunks
    WHERE namespace = $1 AND key = (a.location || $4) COLLATE "C" AND part = 0
      AND bytes IS NOT NULL LIMIT 1
  ) AS c ON true`;
const RENEW = `WITH next AS (${NEXT_OF_OLD})
  UPDATE context_offload_artifacts AS a
  SET changed = next.last_seq, record = $6, created = $5 FROM next
  WHERE namespace = $1 AND session = $2 AND artifact = $3 AND location = $4 AND NOT removed
    AND created < $5
  RETURNING record`;
/** Nothing of an artifact is left but its tombstone; when that ends is kept in place of when it was created. */
const BURIED = `removed = true, bytes = 0, shown = '', location = '', metadata = '{}'`;
const REMOVE = `WITH next AS (${NEXT_OF_OLD}),
  old AS (
    SELECT bytes FROM context_offload_artifacts
    WHERE namespace = $1 AND session = $2 AND artifact = $3
  ),
  gone AS (
    UPDATE context_offload_artifacts SET ${BURIED}, changed = next.last_seq, created = $6, record = $7
    FROM next
    WHERE namespace = $1 AND session = $2 AND artifact = $3 AND location = $4 AND NOT removed
      AND created = $5
    RETURNING 1
  )
  UPDATE context_offload_usage AS u SET artifacts = u.artifacts - 1, bytes = u.bytes - old.bytes
  FROM gone, old WHERE u.namespace = $1 AND u.session = $2`;
const ADD_CHILD = `WITH next AS (${NEXT_SEQ})
  INSERT INTO context_offload_children (namespace, session, child, name, changed)
  SELECT $1, $2, $4, $5, last_seq FROM next
  ON CONFLICT (namespace, session, child) DO NOTHING`;
/**
 * The first row is about the session. A server that took over, or was restored, was started at another
 * time. Nothing that is ordered by is cast: PostgreSQL would sort by the cast value, which no index has.
 */
const CHANGES = `(SELECT 0::bigint AS changed, false AS removed, NULL AS session, NULL AS artifact,
      json_build_array(s.epoch || extract(epoch FROM pg_postmaster_start_time()), s.last_seq,
        (SELECT artifacts FROM context_offload_usage WHERE namespace = $1 AND session = $2)
      )::text AS record, NULL AS child
    FROM context_offload_sessions AS s WHERE namespace = $1 AND session = $2)
  UNION ALL
  (SELECT changed, removed, session, artifact, record, NULL FROM context_offload_artifacts
    WHERE namespace = $1 AND session = $2 AND changed > $3 ORDER BY changed LIMIT ${PAGE})
  UNION ALL
  (SELECT changed, false, NULL, NULL, NULL, name FROM context_offload_children
    WHERE namespace = $1 AND session = $2 AND changed > $3 ORDER BY changed LIMIT ${PAGE})
  ORDER BY changed LIMIT ${PAGE + 1}`;
/** Hosts that know a link to a session that is purged read its parents anew. */
const RENEW_PARENTS = `parent AS (
    UPDATE context_offload_sessions SET epoch = md5(random()::text || clock_timestamp()::text)
    WHERE namespace = $1 AND session <> $2 AND session IN (
      SELECT session FROM context_offload_children WHERE namespace = $1 AND child = $2)
  ),`;
const SESSIONS = `SELECT name FROM context_offload_sessions WHERE namespace = $1 ORDER BY session`;
const SUMMARIES = `SELECT s.name, u.artifacts, u.bytes, u.written
  FROM context_offload_usage AS u JOIN context_offload_sessions AS s
    ON s.namespace = $1 AND s.session = u.session
  WHERE u.namespace = $1 AND u.session > $2 AND u.artifacts > 0 ORDER BY u.session LIMIT $3`;
const NOW = `SELECT ${CLOCK} AS now WHERE $1::text IS NOT NULL`;

/** What exists in a namespace, in PostgreSQL. */
export function postgresMetadataIn(database: PostgresDatabase, namespace: string): MetadataStore {
  const ns = indexKey(namespace);

  const listings = new SessionListings(async (sessionId, after): Promise<SessionPage> => {
    const rows = await database.runOften(CHANGES, [ns, indexKey(sessionId), after]);
    const [first, ...changes] = rows;
    if (!first) return { head: undefined, changes: [] };
    const [epoch, last, artifacts] = JSON.parse(first["record"] as string) as [
      string,
      number,
      number | null,
    ];
    return { head: { epoch, last, artifacts: artifacts ?? 0 }, changes: changes.map(changeIn) };
  });

  return {
    add: (record) => addTo(database, ns, record, undefined),

    async renew({ sessionId, artifactId, location }, createdAt) {
      const there = await findOne(database, ns, sessionId, artifactId);
      return there?.location === location ? renewIn(database, ns, there, createdAt) : undefined;
    },

    async sessions() {
      const rows = await database.run(SESSIONS, [ns]);
      return rows.map(({ name }) => JSON.parse(name as string) as string);
    },

    async summarize({ after, limit }: SummaryQuery) {
      const from = after === undefined ? "" : indexKey(after);
      const rows = await database.run(SUMMARIES, [ns, from, limit]);
      return rows.map(({ name, artifacts, bytes, written }) => ({
        sessionId: JSON.parse(name as string) as string,
        artifacts: Number(artifacts),
        bytes: Number(bytes),
        lastWrittenAt: written as string,
      }));
    },

    listSession: (sessionId) => listings.list(sessionId),

    async query(query) {
      const { where, order, values } = conditions(query, ns);
      const rows = await database.run(
        `SELECT session, artifact, changed, record FROM context_offload_artifacts
          WHERE ${where} ORDER BY ${order} LIMIT $${values.length + 1}`,
        [...values, query.limit],
      );
      const artifacts = rows.map(listedIn);
      if (!query.countRest) return { artifacts };
      const counting = `SELECT count(*) AS count FROM context_offload_artifacts WHERE ${where}`;
      const [total] = await database.run(counting, values);
      return { artifacts, leftOut: Math.max(Number(total?.["count"]) - rows.length, 0) };
    },

    async find({ artifactIds, sessionId, limit }) {
      const values: unknown[] = [ns, artifactIds.map(indexKey), limit];
      const session =
        sessionId === undefined ? "" : `AND session = $${values.push(indexKey(sessionId))}`;
      const rows = await database.run(`${FIND} ${session} ORDER BY removed LIMIT $3`, values);
      const artifacts = rows.filter(({ removed }) => removed === false).map(recordIn);
      return { artifacts, wasRemoved: artifacts.length < rows.length };
    },

    async remove(record) {
      const { sessionId, artifactId, location, createdAt } = record;
      const key = [ns, indexKey(sessionId), indexKey(artifactId)];
      const tombstone = tombstoneOf(record, Date.now());
      const end = [tombstone.until, JSON.stringify(tombstone)];
      await database.runOften(REMOVE, [...key, location, createdAt, ...end]);
      return (await findOne(database, ns, sessionId, artifactId))?.location !== location;
    },

    async removeOldest(removal) {
      const { beyond, limit } = removal;
      if (!beyond) return removeAll(database, removal, (part) => chooseAll(part, ns));
      const { olderThan, maxBytes, maxArtifacts, perSession = {} } = beyond;
      const isLimited = (olderThan ?? maxBytes ?? maxArtifacts) !== undefined;
      const removed = isLimited
        ? await removeAll(database, removal, (part) => chooseBeyond(part, beyond, ns))
        : [];
      const isPerSession = (perSession.maxBytes ?? perSession.maxArtifacts) !== undefined;
      if (!isPerSession || removed.length === limit) return removed;
      const rest = { ...removal, limit: limit - removed.length };
      const choose = (part: Removal) => choosePerSession(part, beyond, ns);
      return [...removed, ...(await removeAll(database, rest, choose))];
    },

    async forget(sessionId) {
      const only = sessionId === undefined ? [] : [indexKey(sessionId)];
      const where = sessionId === undefined ? "" : "AND session = $2";
      const [clock] = await database.run(NOW, [ns]);
      // The row of the session first: what is put from now on belongs to a new one.
      await database.run(
        `WITH used AS (DELETE FROM context_offload_usage WHERE namespace = $1 ${where}),
          ${sessionId === undefined ? "" : RENEW_PARENTS}
          child AS (
            DELETE FROM context_offload_children
            WHERE namespace = $1 ${sessionId === undefined ? "" : "AND (session = $2 OR child = $2)"}
          )
          DELETE FROM context_offload_sessions WHERE namespace = $1 ${where}`,
        [ns, ...only],
      );
      await database.run(
        `DELETE FROM context_offload_artifacts AS a WHERE namespace = $1 ${where}
          AND (changed < $${only.length + 2} OR NOT EXISTS (
            SELECT FROM context_offload_sessions AS s WHERE s.namespace = $1 AND s.session = a.session))`,
        [ns, ...only, clock?.["now"]],
      );
    },

    async sweep() {
      const idle = (Date.now() - DEFAULTS.orphanAgeMs) * 1_000;
      await database.run(SWEEP, [ns, new Date().toISOString(), idle]);
    },

    async addChild(sessionId, childSessionId) {
      const names = [sessionId, childSessionId].map((name) => JSON.stringify(name));
      const [session, child] = [indexKey(sessionId), indexKey(childSessionId)];
      await database.run(ADD_CHILD, [ns, session, names[0], child, names[1]]);
    },
  };
}

/** Ended tombstones, and sessions of which nothing else was left. A session that is written to at this moment is kept. */
const SWEEP = `WITH ended AS (
    DELETE FROM context_offload_artifacts
    WHERE namespace = $1 AND removed AND artifact = ANY(ARRAY(
      SELECT artifact FROM context_offload_artifacts
      WHERE namespace = $1 AND removed AND created <= $2 LIMIT ${PAGE})) AND created <= $2
    RETURNING session
  ),
  idle AS (
    DELETE FROM context_offload_sessions AS s USING (SELECT DISTINCT session FROM ended) AS e
    WHERE s.namespace = $1 AND s.session = e.session AND s.last_seq < $3
      AND NOT EXISTS (SELECT FROM context_offload_artifacts AS a WHERE a.namespace = $1
        AND a.session = s.session AND NOT (a.removed AND a.created <= $2))
      AND NOT EXISTS (SELECT FROM context_offload_children AS c WHERE c.namespace = $1
        AND c.session = s.session)
    RETURNING s.session
  )
  DELETE FROM context_offload_usage AS u USING idle
  WHERE u.namespace = $1 AND u.session = idle.session`;

async function findOne(
  database: PostgresDatabase,
  ns: string,
  sessionId: string,
  artifactId: string,
): Promise<ArtifactRecord | undefined> {
  const values = [ns, indexKey(sessionId), indexKey(artifactId)];
  const [row] = await database.runOften(FIND_ONE, values);
  return row && row["removed"] === false ? recordIn(row) : undefined;
}

async function addTo(
  database: PostgresDatabase,
  ns: string,
  { candidateIds, ...rest }: NewRecord,
  content: Uint8Array | undefined,
): Promise<ArtifactRecord> {
  const { sessionId, createdAt, size, hash, location, metadata } = rest;
  const session = indexKey(sessionId);
  const renew = (record: ArtifactRecord) => renewIn(database, ns, record, createdAt);
  for (const artifactId of candidateIds) {
    const record: ArtifactRecord = { artifactId, ...rest };
    // Again if the artifact that had the id is removed in between.
    for (;;) {
      const [stored] = await database.runOften(content ? ADD_WITH_CONTENT : ADD, [
        ...[ns, session, JSON.stringify(sessionId), indexKey(artifactId), createdAt, size.bytes],
        ...[rest.shownHash ?? hash.slice(0, SHOWN_HASH_DIGITS), location],
        ...[JSON.stringify(record), plainJson({ [ns]: metadata })],
        ...(content ? [contentKey(location), asBuffer(content)] : []),
      ]);
      if (stored) return record;
      const there = await findOne(database, ns, sessionId, artifactId);
      if (there && (there.hash !== hash || there.type !== rest.type)) break;
      const renewed = there && (await renew(there));
      if (renewed) return renewed;
    }
  }
  throw new CauseError("every id for this content holds other content");
}

async function renewIn(
  database: PostgresDatabase,
  ns: string,
  record: ArtifactRecord,
  createdAt: string,
): Promise<ArtifactRecord | undefined> {
  const { sessionId, artifactId, location } = record;
  if (!isRenewal(record, createdAt)) return record;
  const renewed = { ...record, createdAt };
  const [updated] = await database.runOften(RENEW, [
    ...[ns, indexKey(sessionId), indexKey(artifactId)],
    ...[location, createdAt, JSON.stringify(renewed)],
  ]);
  if (updated) return renewed;
  // Removed in between, or renewed by another process.
  const now = await findOne(database, ns, sessionId, artifactId);
  return now?.location === location ? now : undefined;
}

/** Content that is written and read in one statement with its record. */
export function postgresTogether(database: PostgresDatabase, namespace: string): OneDatabase {
  const ns = indexKey(namespace);
  return {
    maxBytes: CHUNK_BYTES,
    add: (record, content) => addTo(database, ns, record, content),

    async find({ artifactIds, sessionId, limit }: IdQuery) {
      const keys = artifactIds.map(indexKey);
      const findIn = (session: string) => (key: string) =>
        database.runOften(FIND_WITH_CONTENT, [ns, session, key, contentKey("")]);
      const rows =
        sessionId === undefined
          ? await database.run(`${FIND} ORDER BY removed LIMIT $3`, [ns, keys, limit])
          : (await Promise.all(keys.map(findIn(indexKey(sessionId))))).flat();
      const contents = new Map<ArtifactRecord, Uint8Array>();
      const artifacts: ArtifactRecord[] = [];
      for (const row of rows) {
        if (row["removed"] === true) continue;
        const record = recordIn(row);
        artifacts.push(record);
        if (row["data"] instanceof Uint8Array) contents.set(record, row["data"]);
      }
      const wasRemoved = artifacts.length < rows.length;
      return { artifacts: artifacts.slice(0, limit), contents, wasRemoved };
    },
  };
}

/** `pg` sends a buffer as bytes. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** A statement that chooses what to remove, with the values that it needs. */
interface Chosen {
  /** Common table expressions, of which the last one, `chosen`, has the columns of `REMOVABLE`. */
  readonly tables: string;
  readonly values: readonly unknown[];
}

const REMOVABLE = "session, artifact, changed, created, bytes, shown, location, record";

/** Everything, or everything of a session. */
function chooseAll({ sessionId, limit }: Removal, ns: string): Chosen {
  const values: unknown[] = [ns, limit];
  const where = sessionId === undefined ? "" : `AND session = $${values.push(indexKey(sessionId))}`;
  const order = sessionId === undefined ? "created, session, changed" : "changed";
  return {
    tables: `chosen AS MATERIALIZED (
      SELECT ${REMOVABLE} FROM context_offload_artifacts
      WHERE namespace = $1 AND NOT removed ${where} ORDER BY ${order} LIMIT $2)`,
    values,
  };
}

/** Whether no other host is at it. The lock ends with the statement, so that a pooler may stand in between. */
function lock({ alone = false }: Removal): string {
  const got = alone ? "pg_try_advisory_xact_lock(7064553, hashtext($1::text))" : "true";
  return `lock AS MATERIALIZED (SELECT ${got} AS got)`;
}

/**
 * The oldest beyond the limits. Nothing is read of the artifacts unless something is too old or too much:
 * what there is altogether is known without them.
 */
function chooseBeyond(removal: Removal, beyond: RemovalLimits, ns: string): Chosen {
  const { sessionId, limit } = removal;
  const values: unknown[] = [ns, limit, beyond.keepSince, beyond.olderThan ?? ""];
  const place = (value: unknown) => `$${values.push(value)}`;
  const where = sessionId === undefined ? "" : `AND session = ${place(indexKey(sessionId))}`;
  const { maxBytes, maxArtifacts } = beyond;
  const bytes = maxBytes === undefined ? "0" : `sum(bytes) - ${place(maxBytes)}::bigint`;
  const count =
    maxArtifacts === undefined ? "0" : `sum(artifacts) - ${place(maxArtifacts)}::bigint`;
  const excess =
    maxBytes === undefined && maxArtifacts === undefined
      ? "SELECT 0 AS over_count, 0 AS over_bytes"
      : `SELECT ${count} AS over_count, ${bytes} AS over_bytes FROM context_offload_usage
          WHERE namespace = $1 ${where}`;
  return {
    tables: `${lock(removal)},
    excess AS MATERIALIZED (${excess}),
    bound AS MATERIALIZED (
      SELECT CASE WHEN over_count > 0 OR over_bytes > 0 THEN $3::text
        ELSE least($3::text COLLATE "C", $4::text) END COLLATE "C" AS until FROM excess),
    oldest AS (
      SELECT ${REMOVABLE}, row_number() OVER place AS at, sum(bytes) OVER place - bytes AS before
      FROM (
        SELECT ${REMOVABLE} FROM context_offload_artifacts
        WHERE (SELECT got FROM lock) AND namespace = $1 ${where} AND NOT removed
          AND created < (SELECT until FROM bound) ORDER BY created, session, changed LIMIT $2
      ) AS first
      WINDOW place AS (ORDER BY created, session, changed ROWS UNBOUNDED PRECEDING)),
    chosen AS MATERIALIZED (
      SELECT ${REMOVABLE} FROM oldest, excess
      WHERE created < $4 OR at <= over_count OR before < over_bytes)`,
    values,
  };
}

/** The oldest of each session that holds too much. */
function choosePerSession(removal: Removal, beyond: RemovalLimits, ns: string): Chosen {
  const { sessionId, limit } = removal;
  const values: unknown[] = [ns, limit, beyond.keepSince];
  const place = (value: unknown) => `$${values.push(value)}`;
  const where = sessionId === undefined ? "" : `AND session = ${place(indexKey(sessionId))}`;
  const { maxBytes, maxArtifacts } = beyond.perSession ?? {};
  const bytes = maxBytes === undefined ? "0" : `bytes - ${place(maxBytes)}::bigint`;
  const count = maxArtifacts === undefined ? "0" : `artifacts - ${place(maxArtifacts)}::bigint`;
  return {
    tables: `${lock(removal)},
    excess AS MATERIALIZED (
      SELECT session AS full_session, ${count} AS over_count, ${bytes} AS over_bytes
      FROM context_offload_usage
      WHERE (SELECT got FROM lock) AND namespace = $1 ${where} AND (${count} > 0 OR ${bytes} > 0)),
    chosen AS MATERIALIZED (
      SELECT ${REMOVABLE.split(", ")
        .map((column) => `oldest.${column}`)
        .join(", ")}
      FROM excess, LATERAL (
        SELECT ${REMOVABLE}, row_number() OVER place AS at, sum(bytes) OVER place - bytes AS before
        FROM context_offload_artifacts
        WHERE namespace = $1 AND session = full_session AND NOT removed AND created < $3
        WINDOW place AS (ORDER BY created, changed ROWS UNBOUNDED PRECEDING)
      ) AS oldest
      WHERE at <= over_count OR before < over_bytes ORDER BY created LIMIT $2)`,
    values,
  };
}

/** Removes as much as is wanted, if there is that much. What other hosts have removed in between is chosen no more. */
async function removeAll(
  database: PostgresDatabase,
  removal: Removal,
  choose: (removal: Removal) => Chosen,
): Promise<readonly ArtifactRecord[]> {
  const removed: ArtifactRecord[] = [];
  for (;;) {
    const limit = removal.limit - removed.length;
    const rows = await removeChosen(database, choose({ ...removal, limit }));
    for (const row of rows) if (row["gone"] === true) removed.push(recordIn(row));
    if (rows.length < limit || removed.length === removal.limit) return removed;
  }
}

/** Buries what was chosen, unless it was removed or renewed since, and returns it as it was. */
function removeChosen(
  database: PostgresDatabase,
  { tables, values }: Chosen,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const until = `$${values.length + 1}::text`;
  const sql = `WITH ${tables},
    numbered AS MATERIALIZED (
      SELECT *, row_number() OVER (PARTITION BY session ORDER BY changed) AS nth FROM chosen),
    sums AS (SELECT session, count(*) AS count FROM numbered GROUP BY session ORDER BY session),
    next AS (
      UPDATE context_offload_sessions AS s
      SET last_seq = greatest(s.last_seq, ${CLOCK}) + sums.count FROM sums
      WHERE s.namespace = $1 AND s.session = sums.session
      RETURNING s.session, s.last_seq - sums.count AS last_seq),
    gone AS (
      UPDATE context_offload_artifacts AS a
      SET ${BURIED}, changed = next.last_seq + n.nth, created = ${until},
        record = json_build_object('artifactId', n.record::json -> 'artifactId',
          'shownHash', n.shown, 'until', ${until})::text
      FROM numbered AS n JOIN next USING (session)
      WHERE a.namespace = $1 AND a.session = n.session AND a.artifact = n.artifact
        AND NOT a.removed AND a.created = n.created AND a.location = n.location
      RETURNING n.session, n.artifact, n.bytes),
    used AS (
      UPDATE context_offload_usage AS u
      SET artifacts = u.artifacts - gone.count, bytes = u.bytes - gone.bytes
      FROM (SELECT session, count(*) AS count, sum(bytes) AS bytes FROM gone GROUP BY session) AS gone
      WHERE u.namespace = $1 AND u.session = gone.session)
    SELECT session, artifact, n.record, gone.bytes IS NOT NULL AS gone
    FROM numbered AS n LEFT JOIN gone USING (session, artifact) ORDER BY n.created`;
  const end = new Date(Date.now() + DEFAULTS.tombstoneMs).toISOString();
  return database.run(sql, [...values, end]);
}

/** The conditions of a query, of which the namespace is the first, and its order. */
function conditions(
  { sessionId, artifactIds, filter = {}, exceptContext, newestFirst = false, after }: ArtifactQuery,
  ns: string,
): { readonly where: string; readonly order: string; readonly values: readonly unknown[] } {
  const where = ["namespace = $1", "NOT removed"];
  const values: unknown[] = [ns];
  const place = (value: unknown) => `$${values.push(value)}`;
  if (sessionId !== undefined) where.push(`session = ${place(indexKey(sessionId))}`);
  if (artifactIds) where.push(`artifact = ANY(${place(artifactIds.map(indexKey))}::text[])`);
  if (after !== undefined) {
    const { session, changed, createdAt } = parseListCursor(after);
    const start = `${place(session)}::text, ${place(changed)}::bigint`;
    where.push(
      newestFirst
        ? `(created, session, changed) < (${place(createdAt)}::text, ${start})`
        : `(session, changed) > (${start})`,
    );
  }
  // Nearly all artifacts have the same context, so that it is no use to look it up by index. PostgreSQL
  // takes what is equal for rare, and would sort everything for it, but not what a CASE returns.
  const { context_type: context, ...others } = filter;
  const contextOf = () => `metadata -> ${place(plainText(ns))}::text ->> 'context_type'`;
  if (typeof context === "string") {
    where.push(
      `CASE WHEN ${contextOf()} = ${place(plainText(context))}::text THEN true ELSE false END`,
    );
  }
  const rest = typeof context === "string" ? others : filter;
  const wanted = Object.entries(rest).filter(([, value]) => value !== undefined);
  if (wanted.length > 0) {
    // Under the namespace, so that the index leads to nothing of another one.
    where.push(`metadata @> ${place(plainJson({ [ns]: Object.fromEntries(wanted) }))}::jsonb`);
  }
  if (exceptContext !== undefined) {
    where.push(`${contextOf()} IS DISTINCT FROM ${place(plainText(exceptContext))}::text`);
  }
  const order = newestFirst ? "created DESC, session DESC, changed DESC" : "session, changed";
  return { where: where.join(" AND "), order, values };
}
