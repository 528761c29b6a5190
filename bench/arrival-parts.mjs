/**
 * What the parts of storing one result take, as ratios to writing the same bytes to a temporary file
 * and renaming it: the bounds of what `workspace.put` can reach. ADR-013 quotes this table.
 *
 * node bench/arrival-parts.mjs [rounds = 800]
 */
import { createHash } from "node:crypto";
import fs from "node:fs";
import { mkdtemp, rename, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { digestText, estimateTokens } from "context-offload";
import { measure } from "./measure.mjs";
import { logPieces } from "./sample-log.mjs";

const LINE = Buffer.from(`${"x".repeat(370)}\n`);
const BARE = "a bare write and rename";

const WRITER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const fs = require("node:fs");
  const manifest = fs.openSync(workerData, "a");
  parentPort.on("message", ({ path, bytes, line }) => {
    const fd = fs.openSync(path, "wx", 0o600);
    fs.writeSync(fd, bytes);
    fs.closeSync(fd);
    fs.writeSync(manifest, line);
    parentPort.postMessage(path);
  });`;

const [open, write] = [promisify(fs.open), promisify(fs.write)];

const rounds = Number(process.argv[2] ?? 800);
const folder = await mkdtemp(join(tmpdir(), "context-offload-parts-"));
const manifest = fs.openSync(join(folder, "manifest"), "a");
const writer = new Worker(WRITER, { eval: true, workerData: join(folder, "worker-manifest") });
const log = Buffer.concat([...logPieces(100_000)]).toString();
try {
  for (const chars of [10_000, 100_000]) {
    let call = 0;
    const took = await measure(
      Object.fromEntries(
        Object.entries(createWays()).map(([name, way]) => [
          name,
          async () => {
            const path = join(folder, `${++call}`);
            await way(path, Buffer.from(log.slice(0, chars) + " ".repeat(call % 50)).toString());
            return () => unlink(path).catch(() => undefined);
          },
        ]),
      ),
      { rounds },
    );
    for (const [name, ms] of Object.entries(took)) {
      console.log(`${chars} ${(ms / (took[BARE] ?? 1)).toFixed(2)} ${name}`);
    }
    // Who shares a core with another thread sees it here.
    const alone = await digestTime(chars);
    const spinning = new Worker("for (;;);", { eval: true });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const beside = await digestTime(chars);
    await spinning.terminate();
    console.log(`${chars} ${(beside / alone).toFixed(2)} a digest beside a thread that counts`);
  }
} finally {
  await writer.terminate();
  await rm(folder, { recursive: true, force: true });
}

/** @returns {Record<string, (path: string, text: string) => unknown>} */
function createWays() {
  return {
    [BARE]: async (path, text) => {
      await writeFile(`${path}.tmp`, text);
      await rename(`${path}.tmp`, path);
    },
    "the three calls that write": async (path, text) => {
      await writeCalls(
        path,
        Buffer.from(text),
        () => undefined,
        () => undefined,
      );
    },
    "the same, with hash, tokens and digest meanwhile": async (path, text) => {
      const bytes = Buffer.from(text);
      await writeCalls(
        path,
        bytes,
        () => hashAndCount(bytes, text),
        () => digestText(text),
      );
    },
    "hash, tokens and digest alone": (_, text) => {
      hashAndCount(Buffer.from(text), text);
      digestText(text);
    },
    "the same, written by a worker": async (path, text) => {
      const bytes = Buffer.from(text);
      hashAndCount(bytes, text);
      const written = new Promise((resolve) => writer.once("message", resolve));
      writer.postMessage({ path, bytes, line: LINE });
      digestText(text);
      await written;
    },
    "the same, written synchronously": (path, text) => {
      const bytes = Buffer.from(text);
      hashAndCount(bytes, text);
      const fd = fs.openSync(path, "wx", 0o600);
      fs.writeSync(fd, bytes);
      fs.closeSync(fd);
      fs.writeSync(manifest, LINE);
      digestText(text);
    },
  };
}

/**
 * @param {string} path
 * @param {Buffer} bytes
 * @param {() => unknown} first what is done while the file is created
 * @param {() => unknown} second what is done while it is written
 */
async function writeCalls(path, bytes, first, second) {
  const opening = open(path, "wx", 0o600);
  first();
  const fd = await opening;
  const writing = write(fd, bytes);
  second();
  await writing;
  fs.closeSync(fd);
  await write(manifest, LINE);
}

/**
 * @param {Buffer} bytes
 * @param {string} text
 */
function hashAndCount(bytes, text) {
  createHash("sha256").update(bytes).digest("hex");
  estimateTokens(text);
}

/** @param {number} chars */
async function digestTime(chars) {
  const text = log.slice(0, chars);
  const { digest } = await measure({ digest: () => void digestText(text) }, { rounds });
  return digest ?? Number.NaN;
}
