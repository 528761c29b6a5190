import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createWorkspace } from "context-offload";
import { runOrThrow } from "../scripts/run-command.mjs";

const ROWS = 220_000;
const LIMIT_MB = 120;

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
  import { peakMemory } from "./bench/peak-memory.mjs";
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = await mkdtemp(join(tmpdir(), "context-offload-query-"));
  try {
    const measured = await measureQueries(root);
    console.log("| stored as | MB | memory grows by | first query | second query |");
    console.log("|---|---|---|---|---|");
    for (const { form, megabytes, growthMb, firstMs, secondMs } of measured) {
      console.log(`| ${form} | ${megabytes} | ${growthMb} MB | ${firstMs} ms | ${secondMs} ms |`);
    }
    const over = measured.filter(({ growthMb }) => growthMb > LIMIT_MB);
    if (over.length > 0) {
      console.error(`Memory grows by more than ${LIMIT_MB} MB.`);
      process.exitCode = 1;
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
