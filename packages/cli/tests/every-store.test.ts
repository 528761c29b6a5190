import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { BUCKET, startObjects, type RealObjects } from "../../../tests/support/real-objects.js";
import { startPostgres, type RealPostgres } from "../../../tests/support/real-postgres.js";
import { conversationOf, RUN, TestFolder, SAMPLE, type Outcome } from "./support/command.js";

let postgres: RealPostgres;
let objects: RealObjects;
beforeAll(async () => {
  [postgres, objects] = await Promise.all([startPostgres(), startObjects()]);
}, 120_000);
afterAll(async () => {
  await Promise.all([postgres.end(), objects.end()]);
});

const CREDENTIALS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };
const s3Url = (metadata: string): string =>
  `s3://${BUCKET}/results?region=us-east-1&endpoint=${encodeURIComponent(objects.endpoint)}&metadata=${encodeURIComponent(metadata)}`;

/** Each with the address of its store, once the servers run. */
const STORES: readonly (readonly [string, () => string])[] = [
  ["PostgreSQL", () => postgres.url],
  ["S3 with SQLite", () => s3Url("sqlite:metadata.db")],
  ["S3 with PostgreSQL", () => s3Url(postgres.url)],
];

describe("every verb by --workspace URL", () => {
  it.each(STORES)(
    "works over %s",
    async (name, url) => {
      const place = new TestFolder();
      const namespace = name.replaceAll(" ", "-");
      const at = ["--workspace", url(), "--namespace", namespace];
      const run = (...args: string[]): Promise<Outcome> => place.run(...args, ...at);
      for (const [key, value] of Object.entries(CREDENTIALS)) vi.stubEnv(key, value);
      onTestFinished(() => void vi.unstubAllEnvs());
      // It must end by itself. The servers are in this process, which must not stand still meanwhile.
      const runProcess = async (...args: string[]): Promise<Outcome> => {
        const child = place.start([...args, ...at], CREDENTIALS);
        child.stdin.end();
        const closed = once(child, "close");
        const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
        await closed;
        return { status: child.exitCode, stdout, stderr };
      };
      const chat = JSON.stringify(conversationOf("log", "ERROR in a log"));
      place.write("chat.json", chat);
      expect(await runProcess(...RUN, "--quiet", "chat.json", SAMPLE)).toEqual({
        ...{ status: 0, stdout: "", stderr: "" },
      });
      expect((await runProcess("list")).stdout).toMatch(/^log +chat +read_log +400 /m);
      expect((await run("show", "log", "--raw")).stdout).toMatch(/^1 ERROR in a log\n/);
      expect((await run("lines", "log", "399-")).stdout).toBe(
        "399 ERROR in a log\n400 ERROR in a log\n",
      );
      expect(await run("grep", "^7 ERROR", "log")).toEqual({
        ...{ status: 0, stdout: "7:7 ERROR in a log\n", stderr: "" },
      });
      expect((await run("grep", "no such thing")).status).toBe(1);
      const json = "toolu_01ResRuzcK25fnBn2vBU828q";
      expect((await run("query", json, "/status")).stdout).toMatch(/success/);
      expect((await run("restore", "chat.offloaded.json", "--out", "back")).status).toBe(0);
      expect(place.read("back/chat.restored.json")).toBe(chat);
      const sample = await run("restore", "checkout-outage.offloaded.json", "--out", "back");
      expect([sample.status, sample.stderr]).toEqual([0, expect.any(String)]);
      expect(place.read("back/checkout-outage.restored.json")).toBe(readFileSync(SAMPLE, "utf8"));
      expect(await run("verify")).toMatchObject({ status: 0 });
      expect((await run("stats")).stdout).toMatch(/^read_log +1 /m);
      expect((await run("prune", "--max-artifacts", "1", "--force", "--yes")).stdout).toMatch(
        /Removed \d+ artifacts/,
      );
      expect((await run("list")).stdout.trim().split("\n")).toHaveLength(2);
      expect((await run("doctor")).stdout).toMatch(/^ok .*1 artifact, /m);
    },
    180_000,
  );
});
