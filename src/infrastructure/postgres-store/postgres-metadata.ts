import type {
  ArtifactQuery,
  MetadataStore,
  NewRecord,
} from "../../core/workspace/artifacts/artifact-store.js";
import { isRenewal, type ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
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

/**
 * The row of the session is locked until the statement has ended, so that the changes of a session are
 * numbered in the order in which others see them.
 */
const NEXT_SEQ = `INSERT INTO context_offload_sessions AS s (namespace, session, name, last_seq)
  VALUES ($1, $2, $3, 1)
  ON CONFLICT (namespace, session) DO UPDATE SET last_seq = s.last_seq + 1 RETURNING last_seq`;
const PUT = `WITH next AS (${NEXT_SEQ})
  INSERT INTO context_offload_artifacts AS a
    (namespace, session, artifact, seq, changed, removed, location, record, metadata)
  SELECT $1, $2, $4, last_seq, last_seq, false, $5, $6, $7::jsonb FROM next
  ON CONFLICT (namespace, session, artifact) DO UPDATE
    SET seq = excluded.seq, changed = excluded.changed, removed = false,
      location = excluded.location, record = excluded.record, metadata = excluded.metadata
    WHERE a.removed
  RETURNING record`;
const FIND = `SELECT session, artifact, removed, record FROM context_offload_artifacts
  WHERE namespace = $1 AND session = $2 AND artifact = $3`;
const RENEW = `WITH next AS (
    UPDATE context_offload_sessions SET last_seq = last_seq + 1
    WHERE namespace = $1 AND session = $2 RETURNING last_seq
  )
  UPDATE context_offload_artifacts AS a
  SET seq = next.last_seq, changed = next.last_seq, record = $6 FROM next
  WHERE namespace = $1 AND session = $2 AND artifact = $3 AND location = $4 AND NOT removed
    AND created < $5
  RETURNING record`;
const REMOVE = `WITH next AS (
    UPDATE context_offload_sessions SET last_seq = last_seq + 1
    WHERE namespace = $1 AND session = $2 RETURNING last_seq
  )
  UPDATE context_offload_artifacts SET removed = true, changed = next.last_seq FROM next
  WHERE namespace = $1 AND session = $2 AND artifact = $3 AND location = $4 AND NOT removed
    AND created = $5`;
const ADD_CHILD = `WITH next AS (${NEXT_SEQ})
  INSERT INTO context_offload_children (namespace, session, child, name, changed)
  SELECT $1, $2, $4, $5, last_seq FROM next
  ON CONFLICT (namespace, session, child) DO NOTHING`;
/** Nothing that is ordered by is cast: PostgreSQL would sort by the cast value, which no index has. */
const CHANGES = `(SELECT changed, removed, session, artifact, record, NULL AS child
    FROM context_offload_artifacts
    WHERE namespace = $1 AND session = $2 AND changed > $3 ORDER BY changed LIMIT ${PAGE})
  UNION ALL
  (SELECT changed, false, NULL, NULL, NULL, name FROM context_offload_children
    WHERE namespace = $1 AND session = $2 AND changed > $3 ORDER BY changed LIMIT ${PAGE})
  ORDER BY changed LIMIT ${PAGE}`;
const SESSIONS = `SELECT name FROM context_offload_sessions WHERE namespace = $1 ORDER BY session`;

/** What exists in a namespace, in PostgreSQL. */
export function postgresMetadataIn(database: PostgresDatabase, namespace: string): MetadataStore {
  const ns = indexKey(namespace);

  const listings = new SessionListings(async (sessionId, after) =>
    (await database.run(CHANGES, [ns, indexKey(sessionId), after])).map(changeIn),
  );

  const find = async (sessionId: string, artifactId: string) => {
    const key = [ns, indexKey(sessionId), indexKey(artifactId)];
    const [row] = await database.run(FIND, key);
    return row && row["removed"] === false ? recordIn(row) : undefined;
  };

  const renew = async (record: ArtifactRecord, createdAt: string) => {
    const { sessionId, artifactId, location } = record;
    const there = await find(sessionId, artifactId);
    if (there?.location !== location) return undefined;
    if (!isRenewal(there, createdAt)) return there;
    const renewed = { ...there, createdAt };
    const [updated] = await database.run(RENEW, [
      ...[ns, indexKey(sessionId), indexKey(artifactId)],
      ...[location, createdAt, JSON.stringify(renewed)],
    ]);
    if (updated) return renewed;
    // Removed in between, or renewed by another process.
    const now = await find(sessionId, artifactId);
    return now?.location === location ? now : undefined;
  };

  const add = async ({ candidateIds, ...rest }: NewRecord): Promise<ArtifactRecord> => {
    const session = indexKey(rest.sessionId);
    for (const artifactId of candidateIds) {
      const record: ArtifactRecord = { artifactId, ...rest };
      const artifact = indexKey(artifactId);
      // Again if the artifact that had the id is removed in between.
      for (;;) {
        const [stored] = await database.run(PUT, [
          ...[ns, session, JSON.stringify(rest.sessionId), artifact],
          ...[rest.location, JSON.stringify(record), plainJson(rest.metadata)],
        ]);
        if (stored) return record;
        const there = await find(rest.sessionId, artifactId);
        if (there && (there.hash !== rest.hash || there.type !== rest.type)) break;
        const renewed = there && (await renew(there, rest.createdAt));
        if (renewed) return renewed;
      }
    }
    throw new CauseError("every id for this content holds other content");
  };

  return {
    add,
    renew,

    async sessions() {
      const rows = await database.run(SESSIONS, [ns]);
      return rows.map(({ name }) => JSON.parse(name as string) as string);
    },

    listSession: (sessionId) => listings.list(sessionId),

    async query(query) {
      const { where, order, values } = conditions(query, ns);
      const rows = await database.run(
        `SELECT session, artifact, seq, record FROM context_offload_artifacts
          WHERE ${where} ORDER BY ${order} LIMIT $${values.length + 1}`,
        [...values, query.limit],
      );
      const artifacts = rows.map(listedIn);
      if (!query.countRest) return { artifacts };
      const counting = `SELECT count(*) AS count FROM context_offload_artifacts WHERE ${where}`;
      const [total] = await database.run(counting, values);
      return { artifacts, leftOut: Math.max(Number(total?.["count"]) - rows.length, 0) };
    },

    async remove({ sessionId, artifactId, location, createdAt }) {
      const key = [ns, indexKey(sessionId), indexKey(artifactId)];
      await database.run(REMOVE, [...key, location, createdAt]);
      return (await find(sessionId, artifactId))?.location !== location;
    },

    async addChild(sessionId, childSessionId) {
      const names = [sessionId, childSessionId].map((name) => JSON.stringify(name));
      const [session, child] = [indexKey(sessionId), indexKey(childSessionId)];
      await database.run(ADD_CHILD, [ns, session, names[0], child, names[1]]);
    },
  };
}

/** The conditions of a query, of which the namespace is the first, and its order. */
function conditions(
  {
    sessionId,
    artifactIds,
    filter = {},
    exceptContext,
    removed = false,
    newestFirst = false,
    after,
  }: ArtifactQuery,
  ns: string,
): { readonly where: string; readonly order: string; readonly values: readonly unknown[] } {
  const where = ["namespace = $1", removed ? "removed" : "NOT removed"];
  const values: unknown[] = [ns];
  const place = (value: unknown) => `$${values.push(value)}`;
  if (sessionId !== undefined) where.push(`session = ${place(indexKey(sessionId))}`);
  if (artifactIds) where.push(`artifact = ANY(${place(artifactIds.map(indexKey))}::text[])`);
  if (after !== undefined) {
    const { session, seq, createdAt } = parseListCursor(after);
    const start = `${place(session)}::text, ${place(seq)}::bigint`;
    where.push(
      newestFirst
        ? `(created, session, seq) < (${place(createdAt)}::text, ${start})`
        : `(session, seq) > (${start})`,
    );
  }
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
  if (wanted.length > 0) {
    where.push(`metadata @> ${place(plainJson(Object.fromEntries(wanted)))}::jsonb`);
  }
  if (exceptContext !== undefined) {
    where.push(`metadata ->> 'context_type' IS DISTINCT FROM ${place(exceptContext)}::text`);
  }
  const order = newestFirst ? "created DESC, session DESC, seq DESC" : "session, seq";
  return { where: where.join(" AND "), order, values };
}
