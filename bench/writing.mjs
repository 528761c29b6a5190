import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createToolResultOffload,
  createWorkspace,
  offloadToolResult,
  offloadToolResults,
} from "context-offload";
import { NodeFileWriter } from "context-offload/files";
import { importPeer, measure } from "./harness.mjs";
import { logPieces } from "./samples.mjs";

const BARE = "write to a temporary file and rename";
const OURS = ["workspace.put", "createToolResultOffload().process", "offloadToolResult (direct)"];

/** @typedef {(text: string, call: number) => Promise<() => unknown>} Way stores, and returns how to clean up */

/**
 * How long it takes until one tool result is stored, as ratios to writing the same bytes to a
 * temporary file and renaming it, with the peers in the same run.
 *
 * @param {string} folder
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function benchArrival(folder) {
  const log = Buffer.concat([...logPieces(1_000_000)]).toString();
  const sample = new URL("../examples/conversations/checkout-outage.json", import.meta.url);
  const conversation = JSON.parse(await readFile(sample, "utf8"));
  const rows = [];
  for (const [label, text] of /** @type {const} */ ([
    ["10 kB", log.slice(0, 10_000)],
    ["100 kB", log.slice(0, 100_000)],
    ["1 MB", log.slice(0, 1_000_000)],
    ["0.9 MB of JSON", JSON.stringify(Array(5).fill(conversation))],
  ])) {
    const ways = await createWays(join(folder, label.replaceAll(" ", "-")));
    let call = 0;
    const took = await measure(
      Object.fromEntries(
        Object.entries(ways).map(([name, way]) => [
          name,
          // Different content each time, as in real use; joined beforehand.
          () => way(Buffer.from(text + " ".repeat(++call % 50)).toString(), call),
        ]),
      ),
      { rounds: 200, ...(label === "10 kB" ? { warmUp: 2_000 } : {}) },
    );
    for (const name of Object.keys(ways)) {
      if (name === BARE) continue;
      const limit = OURS.indexOf(name) === 0 ? 1.5 : null;
      rows.push({
        what: `${name}, ${label}`,
        against: BARE,
        ours: took[name] ?? 0,
        theirs: took[BARE] ?? 0,
        aim: limit === null ? "none" : `at most ${limit}`,
        limit,
      });
    }
  }
  return rows;
}

/**
 * @param {string} folder
 * @returns {Promise<Record<string, Way>>}
 */
async function createWays(folder) {
  const { FilesystemBackend } = await importPeer("deepagents");
  const { LocalFileStorage } = await importPeer("@strands-agents/sdk/storage");
  const { Offloader } = await importPeer("@context-chef/core");
  const workspace = createWorkspace({ root: join(folder, "workspace") });
  const offload = createToolResultOffload({ workspace, tokenThreshold: 1, inlineChars: 0 });
  const [bare, direct, deepagents, strands, chef] = await Promise.all(
    ["bare", "direct", "deepagents", "strands", "chef"].map(async (name) => {
      await mkdir(join(folder, name), { recursive: true });
      return join(folder, name);
    }),
  );
  const backend = new FilesystemBackend({ rootDir: deepagents, virtualMode: true });
  const storage = new LocalFileStorage(strands);
  const chefOffloader = new Offloader({ threshold: 1, storageDir: chef });
  const scope = { sessionId: "bench" };
  return {
    [BARE]: async (text, call) => {
      const temporary = join(bare ?? "", `.${randomBytes(9).toString("hex")}.tmp`);
      await writeFile(temporary, text);
      const path = join(bare ?? "", `${call}.md`);
      await rename(temporary, path);
      return () => unlink(path);
    },
    "workspace.put": async (text, call) => {
      const { record } = await workspace.put(
        { content: text },
        { toolCallId: `put-${call}`, ...scope },
      );
      return () => workspace.remove(record.artifactId, scope);
    },
    "createToolResultOffload().process": async (text, call) => {
      const { decision } = await offload.process(
        { content: text, toolName: "bash", toolCallId: `process-${call}` },
        scope,
      );
      const { artifactId } = decision;
      if (artifactId === undefined) throw new Error("it should have been stored");
      return () => workspace.remove(artifactId, scope);
    },
    "offloadToolResult (direct)": async (text, call) => {
      const content = [{ type: "tool_result", tool_use_id: `direct-${call}`, content: text }];
      const { file } = await offloadToolResult(
        { role: "user", content },
        { ...scope, outputDir: direct ?? "" },
      );
      return () => unlink(file);
    },
    "deepagents, its file backend": async (text, call) => {
      const { error } = await backend.write(`/large_tool_results/${call}.txt`, text);
      if (error) throw new Error(error);
      return () => unlink(join(deepagents ?? "", `large_tool_results/${call}.txt`));
    },
    "Strands, file storage": async (text, call) => {
      await storage.write(`bench/${call}`, new TextEncoder().encode(text));
      return () => unlink(join(strands ?? "", `bench/${call}`));
    },
    "context-chef (blocks the event loop)": async (text) => {
      const { uri } = chefOffloader.offload(text);
      if (!uri) throw new Error("it should have been stored");
      return () => undefined;
    },
  };
}

const RESULTS = 1_000;
const CHARS = 10_000;

/**
 * A history pass that offloads 1,000 results of 10 kB, against the same writes one after the other.
 *
 * @param {string} folder
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function benchOverlappingWrites(folder) {
  const messages = Array.from({ length: RESULTS }, (_, index) => ({
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: `t${index}`,
        content: `${index} `.padEnd(CHARS, "data "),
      },
    ],
  }));
  const writer = new NodeFileWriter();
  let round = 0;
  const took = await measure(
    {
      "one after the other": async () => {
        const target = join(folder, `sequential-${round}`);
        for (const { content } of messages) {
          for (const block of content) {
            await writer.writeFile(join(target, `${block.tool_use_id}.md`), block.content);
          }
        }
      },
      ours: async () => {
        const { offloadedCount } = await offloadToolResults(messages, {
          outputDir: join(folder, `overlapping-${round++}`),
        });
        if (offloadedCount !== RESULTS) throw new Error("every result should have left");
      },
    },
    { rounds: 9, warmUp: 2 },
  );
  await rm(folder, { recursive: true, force: true });
  return [
    {
      what: "history that offloads 1,000 results of 10 kB",
      against: "the same writes one after the other",
      ours: took["ours"] ?? 0,
      theirs: took["one after the other"] ?? 0,
      aim: "under 1",
      limit: 1,
    },
  ];
}
