import { resolve } from "node:path";
import { requireCount } from "../core/arguments.js";
import { InvalidArgumentError } from "../core/errors/argument-errors.js";
import { once, onceResolved } from "../core/lib/concurrency.js";
import type {
  ArtifactStore,
  MetadataStore,
  OpenStore,
} from "../core/workspace/artifacts/artifact-store.js";
import type { RetryOptions } from "../infrastructure/joined-store/retry.js";
import { openObjects, openPostgres, openSqlite } from "../infrastructure/load-package.js";
import { fileStore, memoryStore } from "./stores.js";

const SCHEMES: Readonly<Record<string, (rest: string, scheme: string) => OpenStore>> = {
  memory: (rest) => {
    if (rest === "") return memoryStore();
    throw invalidStore("memory:…", '"memory:", with nothing after it');
  },
  file: (path) => fileStore(requirePath("file", path)),
  sqlite: (path) => {
    const { client, close, name } = ownSqlite(path);
    return owned(async () => {
      const { sqliteStore } = await loadSqliteStore();
      return sqliteStore(client, { name });
    }, close);
  },
  postgres: (rest, scheme) => {
    const { pool, close, options } = ownPostgres(`${scheme}:${rest}`);
    return owned(async () => {
      const { postgresStore } = await loadPostgresStore();
      return postgresStore(pool, options);
    }, close);
  },
  s3: (rest) => ownObjects(`s3:${rest}`),
};

// Literals in functions of their own: a bundler makes a chunk of each, which only its users load.
const loadSqliteStore = () => import("../infrastructure/sqlite-store/sqlite-store.js");
const loadPostgresStore = () => import("../infrastructure/postgres-store/postgres-store.js");
const loadObjectStore = () => import("../infrastructure/object-store/object-store.js");

/**
 * A store from a connection string. It is checked at once; its code and its client are loaded at first use.
 * Passwords are never repeated in errors.
 */
export function storeFrom(connection: string): OpenStore {
  const [, scheme = "", rest = ""] = /^([a-z0-9]+):(.*)$/s.exec(connection) ?? [];
  const open = SCHEMES[scheme === "postgresql" ? "postgres" : scheme];
  if (open && Object.hasOwn(SCHEMES, scheme.replace("postgresql", "postgres"))) {
    return open(rest, scheme);
  }
  throw invalidStore(
    scheme === "" ? "a text without a scheme" : `${scheme}:…`,
    "a store, or a connection string that begins with memory:, file:, sqlite:, postgres: or s3:",
  );
}

/** The received value is shortened to its scheme, since the rest may hold a password. */
function invalidStore(shown: string, expected: string): InvalidArgumentError {
  return new InvalidArgumentError("store", shown, expected);
}

function requirePath(scheme: string, path: string): string {
  if (path !== "") return path;
  throw invalidStore(`${scheme}:`, `${scheme}: and a path, such as ${scheme}:./offload`);
}

/** The path is taken as it is: in a URL, a blank or a `#` would be something else. */
function ownSqlite(rest: string) {
  const path = requirePath("sqlite", rest) === ":memory:" ? rest : resolve(rest);
  const { get, close } = lazily(
    () => openSqlite(path),
    (client) => {
      client.close();
      return Promise.resolve();
    },
  );
  return { client: get, close, name: `sqlite:${path}` };
}

function ownPostgres(connection: string) {
  const url = requireUrl("postgres", connection);
  const limits = takeLimits(url);
  const { host, pathname } = url;
  const { get, close } = lazily(
    () => openPostgres(url.href),
    (pool) => pool.end(),
  );
  return { pool: get, close, options: { ...limits, name: `postgres://${host}${pathname}` } };
}

/** How long the store is waited for; the client knows nothing of it. */
function takeLimits({ searchParams }: URL): RetryOptions {
  const limits: Record<string, number> = {};
  for (const name of ["deadlineMs", "attemptMs"]) {
    const given = searchParams.get(name);
    if (given === null) continue;
    limits[name] = requireCount(name, Number(given), undefined);
    searchParams.delete(name);
  }
  return limits;
}

function ownObjects(connection: string): OpenStore {
  const url = requireUrl("s3", connection);
  const limits = takeLimits(url);
  const { host, pathname, searchParams } = url;
  const { metadata, close: closeMetadata } = ownMetadata(searchParams.get("metadata") ?? "");
  const [endpoint, region] = ["endpoint", "region"].map(
    (name) => searchParams.get(name) ?? undefined,
  );
  const prefix = pathname.replace(/^\/+/, "");
  const { get, close } = lazily(
    () => openObjects({ endpoint, region }),
    (client) => {
      client.destroy();
      return Promise.resolve();
    },
  );
  const open = async (): Promise<OpenStore> => {
    const { objectStore } = await loadObjectStore();
    return objectStore({
      ...{ ...limits, client: get, bucket: host, metadata: await metadata() },
      prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`,
    });
  };
  return owned(open, async () => {
    await close();
    await closeMetadata();
  });
}

function ownMetadata(connection: string): {
  readonly metadata: () => Promise<(namespace: string) => MetadataStore>;
  readonly close: () => Promise<void>;
} {
  const [, scheme, rest = ""] = /^(sqlite|postgres(?:ql)?):(.*)$/s.exec(connection) ?? [];
  if (scheme === "sqlite") {
    const { client, close, name } = ownSqlite(rest);
    return {
      metadata: async () => (await loadSqliteStore()).sqliteMetadata(client, { name }),
      close,
    };
  }
  if (scheme !== undefined) {
    const { pool, close, options } = ownPostgres(connection);
    return {
      metadata: async () => (await loadPostgresStore()).postgresMetadata(pool, options),
      close,
    };
  }
  throw invalidStore(
    "s3:…",
    "s3://bucket/prefix?metadata= and a connection string of PostgreSQL or SQLite, percent-encoded",
  );
}

function requireUrl(scheme: string, connection: string): URL {
  try {
    const url = new URL(connection);
    if (scheme !== "s3" || url.host !== "") return url;
  } catch {
    // The error of URL repeats the whole text.
  }
  throw invalidStore(`${scheme}:…`, `a URL such as ${EXAMPLES[scheme] ?? scheme}`);
}

const EXAMPLES: Readonly<Record<string, string>> = {
  postgres: "postgres://user:password@host:5432/database",
  s3: "s3://bucket/prefix?metadata=sqlite:./offload.db",
};

/** Something that is opened at first use, and closed only if it was opened. */
function lazily<T>(open: () => Promise<T>, close: (opened: T) => Promise<void>) {
  let opening: Promise<T> | undefined;
  return {
    get: onceResolved(() => (opening = open())),
    close: once(async () => {
      const opened = await opening?.catch(() => undefined);
      if (opened !== undefined) await close(opened);
    }),
  };
}

/** Every store of a connection string is two halves joined, and lists in pages. */
type PagedStore = ArtifactStore &
  Required<Pick<ArtifactStore, "query" | "find" | "summarize" | "removeOldest">>;

/** A store that is loaded at first use and closes the client it was opened with. */
function owned(load: () => Promise<OpenStore>, close: () => Promise<void>): OpenStore {
  const loaded = once(load);
  return (namespace) => {
    const store = once(async () => (await loaded())(namespace) as PagedStore);
    return {
      put: async (artifact) => (await store()).put(artifact),
      renew: async (record, createdAt) => (await store()).renew(record, createdAt),
      sessions: async () => (await store()).sessions(),
      listSession: async (sessionId) => (await store()).listSession(sessionId),
      query: async (query) => (await store()).query(query),
      find: async (query) => (await store()).find(query),
      summarize: async (query) => (await store()).summarize(query),
      open: async (record) => (await store()).open(record),
      openDerived: async (record, name, make) => (await store()).openDerived(record, name, make),
      remove: async (record) => (await store()).remove(record),
      removeOldest: async (removal) => (await store()).removeOldest(removal),
      purge: async (sessionId) => (await store()).purge(sessionId),
      addChild: async (sessionId, childSessionId) =>
        (await store()).addChild(sessionId, childSessionId),
      verify: async (options) => (await store()).verify(options),
      close,
    };
  };
}
