import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createWorkspace } from "context-offload";
import { measure } from "./measure.mjs";

const SESSIONS = 100;
const ARTIFACTS = 1_000;

/**
 * Listing 100,000 artifacts of 100 sessions, page by page, against parsing the same manifests.
 *
 * @param {string} folder
 * @returns {Promise<import("./run.mjs").Row[]>}
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
