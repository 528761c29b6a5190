import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryContent } from "../../../src/core/workspace/memory-content.js";
import { getOriginal } from "../../../src/core/workspace/get-original.js";
import { viewKind } from "../../../src/core/workspace/readable-view.js";
import type { ArtifactRecord } from "../../../src/core/workspace/artifact.js";
import type { ArtifactStore } from "../../../src/core/workspace/artifact-store.js";
import { sha256 } from "../../../src/infrastructure/hash.js";
import { createWorkspace, estimateTokens } from "../../../src/index.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { openWorkspace, workspaceOf } from "./open-workspace.js";

const MEGABYTE = 1_048_576;

/** What a store would say of a content that is too large to be made for a test. */
async function pretendSize(size: Partial<ArtifactRecord["size"]>): Promise<ArtifactRecord> {
  const workspace = await openWorkspace();
  const { record } = await workspace.put({ content: "{}" });
  return { ...record, size: { ...record.size, ...size } };
}

test("JSON on one line is indented up to 64 MB [DESIGN-W-read-view-limit]", async () => {
  expect(viewKind(await pretendSize({ bytes: 64 * MEGABYTE }))).toBe("one-line");
  expect(viewKind(await pretendSize({ bytes: 64 * MEGABYTE + 1 }))).toBe("stored");
  expect(viewKind({ ...(await pretendSize({ bytes: 65 * MEGABYTE })), type: "JSON" })).toBe(
    "stored",
  );
});

test("a content that is too long for a string comes back as its bytes [DESIGN-W-stream-original]", async () => {
  const record = await pretendSize({ chars: 2 ** 29 });
  const bytes = Buffer.from("{}");
  const store = { open: () => Promise.resolve(memoryContent(bytes)) } as unknown as ArtifactStore;
  const original = await getOriginal(store, record, sha256, undefined);
  const pieces: Uint8Array[] = [];
  for await (const piece of original as AsyncIterable<Uint8Array>) pieces.push(piece);
  expect(Buffer.concat(pieces)).toEqual(bytes);
});

test.each(["a", " ", "\n", "7", "漢"])(
  "the tokens of 100,000 and of 5,000,000 times %j are counted at once [DESIGN-W-tokens-long]",
  (character) => {
    for (const count of [100_000, 5_000_000]) {
      const text = character.repeat(count);
      const start = performance.now();
      expect(estimateTokens(text)).toBeGreaterThan(0);
      expect(performance.now() - start).toBeLessThan(250);
    }
  },
);

describe("an artifact exists when its line does [DESIGN-STORE]", () => {
  test("content without a line is no artifact, and the same content takes it over", async () => {
    const root = await makeTempFolder();
    const { record } = await createWorkspace({ root }).put({ content: "text" }, { bizId: "a" });
    const manifest = join(dirname(record.location), "manifest.jsonl");
    const [header = ""] = (await readFile(manifest, "utf8")).split("\n");
    await writeFile(manifest, header);

    const workspace = createWorkspace({ root });
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
    await expect(workspace.getKnowledgeById("a")).rejects.toMatchObject({
      code: "UNKNOWN_ARTIFACT",
    });
    expect((await workspace.verify()).orphaned).toEqual([record.location]);

    expect((await workspace.put({ content: "text" }, { bizId: "a" })).record.artifactId).toBe("a");
    expect((await workspace.getKnowledgeById("a")).text).toBe("text");
    expect((await workspace.verify()).orphaned).toEqual([]);
  });
});

describe("every verb stops for its signal [DESIGN-W-read-signal] [DESIGN-8]", () => {
  const options = { signal: AbortSignal.abort(new Error("enough")) };
  const artifact = { content: "b" };

  test.each<[string, (workspace: Awaited<ReturnType<typeof workspaceOf>>) => Promise<unknown>]>([
    ["put", (workspace) => workspace.put(artifact, options)],
    ["offloadByWorkspace", (workspace) => workspace.offloadByWorkspace(artifact, options)],
    ["getKnowledgeById", (workspace) => workspace.getKnowledgeById("a", options)],
    ["getKnowledgeByLines", (workspace) => workspace.getKnowledgeByLines("a", 1, 1, options)],
    ["grepKnowledge", (workspace) => workspace.grepKnowledge("a", "x", options)],
    ["queryKnowledge", (workspace) => workspace.queryKnowledge("a", options)],
    ["queryArtifacts", (workspace) => workspace.queryArtifacts({}, options)],
    ["getToolResultOffloadInfo", (workspace) => workspace.getToolResultOffloadInfo(options)],
    ["getOriginal", (workspace) => workspace.getOriginal("a", options)],
    ["remove", (workspace) => workspace.remove("a", options)],
    ["verify", (workspace) => workspace.verify(options)],
  ])("%s", async (_, call) => {
    const workspace = await workspaceOf("{}");
    await expect(call(workspace)).rejects.toThrow("enough");
    const { artifacts } = await workspace.queryArtifacts();
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(["a"]);
  });
});
