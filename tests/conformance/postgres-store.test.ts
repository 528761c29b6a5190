import pg from "pg";
import { afterAll, beforeAll, describe, it } from "vitest";
import { postgresStore } from "../../src/infrastructure/postgres-store/postgres-store.js";
import { defineStoreTests } from "../../src/testing/index.js";
import { startPostgres, type RealPostgres } from "../support/real-postgres.js";

let server: RealPostgres | undefined;
const pools: pg.Pool[] = [];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  for (const pool of pools) await pool.end();
  await server?.end();
});

function open(namespace: string) {
  const pool = new pg.Pool({ connectionString: server?.url, max: 2, idleTimeoutMillis: 500 });
  pools.push(pool);
  return postgresStore(pool)(namespace);
}

defineStoreTests("PostgreSQL", { open }, { describe, it });
