import { spawnSync } from "node:child_process";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createWorkspace } from "context-offload";
import { runOrThrow } from "../scripts/run-command.mjs";
import { logPieces, writeRecordedSession } from "./samples.mjs";

const BYTES = 1_000_000_000;

/**
 * The peak memory of a fresh process that only reads an artifact of 1 GB: lines at its end, and a
 * search through all of it.
 *
 * @param {string} folder
 * @returns {Promise<number>} in megabytes
 */
export async function peakOfReader(folder) {
  const root = join(folder, "reader");
  async function* pieces() {
    for (const piece of logPieces(BYTES)) yield await Promise.resolve(piece);
  }
  await createWorkspace({ root }).put(
    { content: pieces() },
    { toolCallId: "big", sessionId: "bench" },
  );
  const program = `
    import { createWorkspace } from "context-offload";
    import { peakMemory } from "./bench/harness.mjs";
    const workspace = createWorkspace({ root: process.argv[1] });
    const { size } = await workspace.getArtifact("big");
    await workspace.getKnowledgeByLines("big", size.lines - 99, size.lines);
    await workspace.grepKnowledge("big", "zanzibar", { deadlineMs: 60_000 });
    console.log(peakMemory());
  `;
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const printed = await runOrThrow(process.execPath, ["--input-type=module", "-e", program, root], {
    cwd,
  });
  return Math.round(Number(printed) / 2 ** 20);
}

const ROWS = 220_000;

/**
 * The cost of reading one pointer from 36 MB of JSON in a fresh process: the maximum growth of its
 * memory, and the time of the first and the second query.
 *
 * @param {string} root a folder for the workspace
 * @returns {Promise<{ form: string, megabytes: number, growthMb: number, firstMs: number, secondMs: number }[]>}
 */
export async function measureQueries(root) {
  const rows = Array.from({ length: ROWS }, (_, id) => ({
    id,
    name: `user ${id} "quoted"`,
    path: "C:\\temp\\file\n",
    tags: ["a", "b"],
    nested: { ok: id % 2 === 0, score: id / 7 },
  }));
  const text = JSON.stringify(rows);
  const forms = {
    "a text block that holds JSON": [{ type: "text", text }],
    "a JSON array": rows,
    "a JSON object": { rows },
    "a text that is JSON": text,
  };
  const workspace = createWorkspace({ root });
  const measured = [];
  for (const [form, content] of Object.entries(forms)) {
    const { record } = await workspace.put({ content }, { toolCallId: form, sessionId: "bench" });
    const pointer = `${form === "a JSON object" ? "/rows" : ""}/${ROWS - 2}/name`;
    const printed = await runOrThrow(
      process.execPath,
      ["--input-type=module", "-e", QUERY, root, record.artifactId, pointer],
      { cwd: fileURLToPath(new URL("..", import.meta.url)) },
    );
    const figures = JSON.parse(printed);
    measured.push({ form, megabytes: Math.round(record.size.bytes / 1e6), ...figures });
  }
  await workspace.close();
  return measured;
}

const QUERY = `
  import { createWorkspace } from "context-offload";
  import { peakMemory } from "./bench/harness.mjs";
  const [root, id, pointer] = process.argv.slice(1);
  const workspace = createWorkspace({ root });
  await workspace.getArtifact(id);
  const before = process.memoryUsage().rss;
  const times = [];
  for (let round = 0; round < 2; round++) {
    const start = performance.now();
    const { text } = await workspace.queryKnowledge(id, { pointer });
    if (!text.startsWith("user ")) throw new Error(text);
    times.push(Math.round(performance.now() - start));
  }
  const growthMb = Math.round((peakMemory() - before) / 1e6);
  console.log(JSON.stringify({ growthMb, firstMs: times[0], secondMs: times[1] }));
`;

const MAIN = fileURLToPath(new URL("../packages/cli/dist/main.js", import.meta.url));
const PRINT_PEAK =
  "data:text/javascript,process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))";

/**
 * How much memory `context-offload run` takes for a session in lines, which goes through as a stream.
 *
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
