import type { ArtifactQuery } from "../../core/workspace/artifacts/artifact-store.js";
import {
  CALL_KEY,
  MOMENT_KEY,
  OFFLOADED_KEY,
  WRAPPING_KEY,
  type ArtifactRecord,
} from "../../core/workspace/artifacts/artifact.js";
import { sha256 } from "../hash.js";
import { indexKey, parseListCursor } from "../joined-store/session-listings.js";
import type { SqliteValue } from "./sqlite-client.js";
import type { SqliteStatements } from "./sqlite-database.js";

/** What nobody filters by, or what has a column of its own. */
const NOT_INDEXED: ReadonlySet<string> = new Set([
  ...["context_type", "session_id"],
  ...[CALL_KEY, MOMENT_KEY, OFFLOADED_KEY, WRAPPING_KEY],
]);
/** A longer value is hardly asked for, but is found all the same. */
const MAX_INDEXED_CHARS = 200;
const FIELD_DIGITS = 24;

/**
 * A field of metadata as the index has it: as a hash, of which nothing can be read where a page of the
 * index once was. `undefined` for what is not indexed.
 */
function fieldOf(name: string, value: unknown): string | undefined {
  if (value === null || NOT_INDEXED.has(name)) return undefined;
  if (!["string", "number", "boolean"].includes(typeof value)) return undefined;
  if (typeof value === "string" && value.length > MAX_INDEXED_CHARS) return undefined;
  return sha256(JSON.stringify([name, value])).slice(0, FIELD_DIGITS);
}

/** The fields of a record that the index has. */
export function fieldsOf({ metadata }: ArtifactRecord): string[] {
  return Object.entries(metadata).flatMap(([name, value]) => fieldOf(name, value) ?? []);
}

/** A statement with its values. */
interface Statement {
  readonly sql: string;
  readonly values: readonly SqliteValue[];
}

const COLUMNS = "a.session, a.artifact, a.changed, a.record";
/** Where a range of this many is small, and may be sorted. */
const SMALL = 1_000;
const COUNT_FIELD = `SELECT count(*) AS count FROM (
  SELECT 1 FROM context_offload_fields WHERE namespace = ? AND field = ? LIMIT ${SMALL})`;
const HAS_FIELD = `EXISTS (SELECT 1 FROM context_offload_fields AS g
  WHERE g.namespace = ? AND g.field = ? AND g.session = a.session AND g.changed = a.changed)`;

/** The statements for a page of a query and for what is left: each goes along one index, and sorts at most what is small. */
export function planQuery(
  sql: SqliteStatements,
  query: ArtifactQuery,
  ns: string,
): { readonly page: Statement; readonly count: Statement } {
  const { sessionId, artifactIds, filter = {}, exceptContext, newestFirst = false } = query;
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
  const fields = wanted.flatMap(([name, value]) => fieldOf(name, value) ?? []);
  const others = wanted.filter(([name, value]) => fieldOf(name, value) === undefined);
  const where: string[] = [];
  const values: SqliteValue[] = [];
  const add = (condition: string, ...of: readonly SqliteValue[]) => {
    where.push(condition);
    values.push(...of);
  };

  const rare = artifactIds ? undefined : rarestField(sql, ns, fields);
  // Along the field, if it is rare or nothing else gives an order; the rest is looked up for each.
  const isAlong = rare && (!newestFirst || rare.count < SMALL);
  const at = isAlong ? "f" : "a";
  const from = isAlong
    ? `context_offload_fields AS f CROSS JOIN context_offload_artifacts AS a
        ON a.namespace = f.namespace AND a.session = f.session AND a.changed = f.changed`
    : `context_offload_artifacts AS a INDEXED BY context_offload_${indexFor(query)}`;
  add(`${at}.namespace = ?`, ns);
  if (isAlong) add("f.field = ?", rare.field);
  if (sessionId !== undefined) add(`${at}.session = ?`, indexKey(sessionId));
  if (artifactIds) {
    const keys = artifactIds.map(indexKey);
    add(`a.artifact IN (${keys.map(() => "?").join(", ")})`, ...keys);
  }
  if (query.after !== undefined) {
    const { session, changed, createdAt } = parseListCursor(query.after);
    if (newestFirst) {
      add("(a.created, a.session, a.changed) < (?, ?, ?)", createdAt, session, changed);
    } else add(`(${at}.session, ${at}.changed) > (?, ?)`, session, changed);
  }
  for (const field of fields) if (!isAlong || field !== rare.field) add(HAS_FIELD, ns, field);
  const context = filter["context_type"];
  for (const [name, value] of others) {
    if (name === "context_type" && typeof value === "string") add("a.context = ?", value);
    else add(FIELD_IN_RECORD, ...[name, value, value].map((one) => JSON.stringify(one)));
  }
  const isOther = typeof context === "string" && context !== exceptContext;
  if (exceptContext !== undefined && !isOther) add("a.context <> ?", exceptContext);
  const order = newestFirst
    ? "a.created DESC, a.session DESC, a.changed DESC"
    : `${at}.session, ${at}.changed`;
  const rest = `FROM ${from} WHERE ${where.join(" AND ")}`;
  return {
    page: {
      sql: `SELECT ${COLUMNS} ${rest} ORDER BY ${order} LIMIT ?`,
      values: [...values, query.limit],
    },
    count: { sql: `SELECT count(*) AS count ${rest}`, values },
  };
}

/** A name in a path cannot hold every character; compared as JSON, a text is never a number. */
const FIELD_IN_RECORD = `EXISTS (SELECT 1 FROM json_each(a.record, '$.metadata') AS field
  WHERE field.key = ? ->> '$' AND field.type = json_type(?) AND field.atom IS ? ->> '$')`;

function indexFor({ artifactIds, sessionId, newestFirst }: ArtifactQuery): string {
  if (artifactIds) return sessionId === undefined ? "anywhere" : "by_id";
  return newestFirst && sessionId === undefined ? "by_time" : "by_change";
}

/** The field that the fewest artifacts have, and how many, as far as that is worth counting. */
function rarestField(sql: SqliteStatements, ns: string, fields: readonly string[]) {
  const counted = fields.map((field) => {
    const count = Number(sql.get(COUNT_FIELD, ns, field)?.["count"]);
    return { field, count };
  });
  return counted.sort((one, other) => one.count - other.count)[0];
}
