/**
 * How much memory `context-offload run` takes for a session in lines, which goes through as a stream.
 *
 * node bench/run-memory.mjs [megabytes = 1000]
 */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeRecordedSession } from "./recorded-session.mjs";

const LIMIT_MB = 300;
const MAIN = fileURLToPath(new URL("../packages/cli/dist/main.js", import.meta.url));
const PRINT_PEAK =
  "data:text/javascript,process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))";

/**
 * @param {string} folder
 * @param {number} megabytes
 */
export async function peakOfRun(folder, megabytes) {
  await mkdir(folder, { recursive: true });
  const session = join(folder, "session.jsonl");
  await writeRecordedSession(session, megabytes * 1_000_000);
  const start = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", PRINT_PEAK, MAIN, "run", "--quiet", session],
    { cwd: folder, encoding: "utf8" },
  );
  const seconds = (performance.now() - start) / 1_000;
  if (status !== 0) throw new Error(stderr);
  const peakMb = Math.round((Number(/peak (\d+)/.exec(stderr)?.[1]) * 1_024) / 1_000_000);
  const { size } = await stat(join(folder, "session.offloaded.jsonl"));
  return { megabytes, peakMb, seconds: Math.round(seconds), writtenMb: Math.round(size / 1e6) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = await mkdtemp(join(tmpdir(), "run-memory-"));
  try {
    const found = await peakOfRun(folder, Number(process.argv[2] ?? 1_000));
    const { megabytes, peakMb, seconds, writtenMb } = found;
    console.log(
      `session of ${megabytes} MB: ${peakMb} MB of memory at most (limit ${LIMIT_MB}), ` +
        `${seconds} s, ${writtenMb} MB afterwards`,
    );
    if (peakMb > LIMIT_MB) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
