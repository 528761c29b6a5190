/**
 * A server with 50 conversations at once, of 6 turns each: what a turn takes, and how much memory and how many
 * threads the process needs, by what its requests share. Each way runs in a process of its own. Needs a build.
 *
 *   node bench/server.mjs            prints the table
 *   node bench/server.mjs --write    also puts it into bench/server.json, which docs/server.md quotes
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverTable } from "./harness.mjs";

const WAYS = [
  "a workspace of its own",
  "one workspace, and an offloader of its own",
  "one workspace, and the offloader of its session",
];
const home = await mkdtemp(join(tmpdir(), "context-offload-bench-"));
try {
  /** @type {Record<string, import("./harness.mjs").ServerFigures>} */
  const results = {};
  for (const [index, way] of WAYS.entries()) {
    const program = new URL("server-process.mjs", import.meta.url);
    const child = fork(program, [way, join(home, `${index}`)]);
    const [figures] = await Promise.race([once(child, "message"), once(child, "exit")]);
    if (typeof figures !== "object") throw new Error(`${way}: the process ended with ${figures}`);
    results[way] = figures;
  }
  console.log(serverTable(results));
  if (process.argv.includes("--write")) {
    const file = new URL("server.json", import.meta.url);
    await writeFile(file, `${JSON.stringify({ node: process.version, results }, undefined, 2)}\n`);
  }
} finally {
  await rm(home, { recursive: true, force: true });
}
