import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createWorkspace } from "context-offload";
import { runOrThrow } from "../scripts/run-command.mjs";
import { measure, median, ripgrepPath } from "./harness.mjs";
import { writeLog } from "./samples.mjs";

const BIG_BYTES = 200_000_000;
const LINES = 100;

/**
 * The end of a 200 MB artifact, and searches through it, against sed and ripgrep on the same file.
 *
 * @param {string} folder
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function benchWorkspaceRead(folder) {
  const path = join(folder, "big.log");
  await writeLog(path, BIG_BYTES);
  const root = join(folder, "workspace");
  const { record } = await createWorkspace({ root }).put(
    { content: createReadStream(path, { highWaterMark: 1 << 20 }) },
    { toolCallId: "big", sessionId: "bench" },
  );
  const last = record.size.lines;
  const first = last - LINES + 1;
  const file = record.location;

  const sed = () => runOrThrow("sed", ["-n", `${first},${last}p`, file]);
  const readEnd = async (/** @type {ReturnType<typeof createWorkspace>} */ workspace) => {
    const { text } = await workspace.getKnowledgeByLines("big", first, last);
    return text;
  };
  const expected = await sed();
  const workspace = createWorkspace({ root });
  const start = performance.now();
  const text = await readEnd(workspace);
  const firstTime = performance.now() - start;
  if (`${text}\n` !== expected) throw new Error("sed reads different lines");
  const took = await measure({ sed, ours: () => readEnd(workspace) }, { rounds: 9 });

  const rg = await ripgrepPath();
  const searches = [];
  for (const [label, pattern] of [
    ["a rare word", "zanzibar"],
    ["a pattern", "timeout after \\d{4} ms"],
  ]) {
    const ripgrep = () => runOrThrow(rg, ["--no-config", "-n", pattern ?? "", file]);
    const ours = async () => (await workspace.grepKnowledge("big", pattern ?? "")).text;
    if (`${await ours()}\n` !== (await ripgrep())) throw new Error("ripgrep finds different lines");
    const times = await measure({ ripgrep, ours }, { rounds: 9 });
    searches.push({
      what: `search of 200 MB for ${label}`,
      against: "ripgrep",
      ours: times["ours"] ?? 0,
      theirs: times["ripgrep"] ?? 0,
      aim: "none",
      limit: null,
    });
  }
  const common = { against: "sed -n", theirs: took["sed"] ?? 0, aim: "none", limit: null };
  return [
    { what: "100 lines at the end of 200 MB, first time", ours: firstTime, ...common },
    { what: "100 lines at the end of 200 MB, second time", ours: took["ours"] ?? 0, ...common },
    ...searches,
  ];
}

const FIRST_BYTES = 80_000_000;
const FIRST_ROUNDS = 5;

/**
 * The first search of an artifact of 80 MB against the second: no preparation should be needed.
 *
 * @param {string} folder
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function benchFirstGrep(folder) {
  const path = join(folder, "first.log");
  await writeLog(path, FIRST_BYTES);
  const workspace = createWorkspace({ root: join(folder, "first-grep") });
  await workspace.put({ content: "zanzibar\n" }, { toolCallId: "small", sessionId: "bench" });
  // Starts the worker.
  await workspace.grepKnowledge("small", "zanzibar");
  const first = [];
  const second = [];
  for (let round = 0; round < FIRST_ROUNDS; round++) {
    const content = createReadStream(path, { highWaterMark: 1 << 20 });
    const { record } = await workspace.put(
      { content },
      { toolCallId: `log-${round}`, sessionId: "bench" },
    );
    const grep = async () => {
      const start = performance.now();
      const { range } = await workspace.grepKnowledge(record.artifactId, "zanzibar");
      if (range.of !== 1) throw new Error("the word was not found");
      return performance.now() - start;
    };
    first.push(await grep());
    second.push(await grep());
    await workspace.remove(record.artifactId);
  }
  await workspace.close();
  return [
    {
      what: "first search of 80 MB",
      against: "the second search",
      ours: median(first),
      theirs: median(second),
      aim: "at most 1.3",
      limit: 1.3,
    },
  ];
}

const SESSIONS = 100;
const ARTIFACTS = 1_000;

/**
 * Listing 100,000 artifacts of 100 sessions, page by page, against parsing the same manifests.
 *
 * @param {string} folder
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function benchListing(folder) {
  const root = join(folder, "listing");
  await fillManifests(root);
  const parse = async () => {
    let lines = 0;
    const namespace = join(root, "v1", "default");
    for (const session of await readdir(namespace)) {
      const text = await readFile(join(namespace, session, "manifest.jsonl"), "utf8");
      for (const line of text.trimEnd().split("\n")) {
        JSON.parse(line);
        lines++;
      }
    }
    return lines;
  };
  const list = async (/** @type {ReturnType<typeof createWorkspace>} */ workspace) => {
    let count = 0;
    let cursor;
    do {
      const page = await workspace.queryArtifacts(
        { context_type: "tool_result" },
        { limit: 1_000, cursor },
      );
      count += page.artifacts.length;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    if (count !== SESSIONS * ARTIFACTS) throw new Error(`listed ${count}`);
  };
  const warm = createWorkspace({ root });
  const took = await measure(
    { parse, cold: () => list(createWorkspace({ root })), warm: () => list(warm) },
    { rounds: 5, warmUp: 1 },
  );
  const common = { against: "parsing the manifests' lines", theirs: took["parse"] ?? 0 };
  return [
    {
      what: "listing 100,000 artifacts of 100 sessions, fresh",
      ours: took["cold"] ?? 0,
      aim: "at most 1.5",
      limit: 1.5,
      ...common,
    },
    { what: "the same, again", ours: took["warm"] ?? 0, aim: "none", limit: null, ...common },
  ];
}

/**
 * Writes the manifests that 100,000 puts would have written; a listing does not need the content.
 *
 * @param {string} root
 */
async function fillManifests(root) {
  const { record } = await createWorkspace({ root }).put(
    { content: "x", metadata: { tool_name: "bash" } },
    { toolCallId: "toolu_0", sessionId: "session-0" },
  );
  const { type, size, hash, createdAt, metadata } = record;
  for (let session = 0; session < SESSIONS; session++) {
    const folder = join(root, "v1", "default", `session-${session}`);
    await mkdir(folder, { recursive: true });
    const lines = [JSON.stringify({ session: `session-${session}`, layout: 1 })];
    for (let index = 0; index < ARTIFACTS; index++) {
      lines.push(
        JSON.stringify({
          put: { artifactId: `toolu_${index}`, type, size, hash, createdAt, metadata },
        }),
      );
    }
    await writeFile(join(folder, "manifest.jsonl"), `${lines.join("\n")}\n`);
  }
}
