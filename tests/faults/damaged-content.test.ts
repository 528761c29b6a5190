import { appendFile, open, truncate, utimes } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { ArtifactRecord, Workspace } from "../../src/index.js";
import { rejectionOf } from "../support/rejection.js";
import { bytesOf, makeStore, openStore } from "../support/store-files.js";

const LINES = Array.from({ length: 200_000 }, (_, at) => `line ${at + 1}`).join("\n");
const JSON_TEXT = JSON.stringify(Array.from({ length: 200_000 }, (_, at) => ({ at })));
const BLOCKS = [{ type: "text", text: LINES }, { type: "other" }];
const SMALL = LINES.slice(0, 500);
const LONG_AGO = new Date(2020, 1, 1);

/** Changes one bit, so that the file is as long and, apart from the times of the system, as old as before. */
async function flipBit({ location, size }: ArtifactRecord): Promise<void> {
  const file = await open(location, "r+");
  const at = Math.floor(size.bytes / 2);
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at);
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
  await file.close();
  await utimes(location, LONG_AGO, LONG_AGO);
}

const DAMAGES: [string, (record: ArtifactRecord) => Promise<void>][] = [
  ["a flipped bit", flipBit],
  ["a missing byte", ({ location, size }) => truncate(location, size.bytes - 1)],
  ["one byte more", ({ location }) => appendFile(location, "!")],
];

type Verb = (workspace: Workspace) => Promise<unknown>;
const ORIGINAL: [string, Verb] = ["getOriginal", (w) => w.getOriginal("a")];
const READS: [string, Verb][] = [
  ORIGINAL,
  ["getKnowledgeById", (w) => w.getKnowledgeById("a")],
  ["getKnowledgeByLines", (w) => w.getKnowledgeByLines("a", 1, 2)],
  ["a range of characters", (w) => w.getKnowledgeById("a", { startChar: 5, endChar: 9 })],
  ["the raw view", (w) => w.getKnowledgeById("a", { view: "raw" })],
  ["grepKnowledge", (w) => w.grepKnowledge("a", "no such thing")],
  ["grepKnowledge with matches", (w) => w.grepKnowledge("a", "1")],
];
const QUERY: [string, Verb] = ["queryKnowledge", (w) => w.queryKnowledge("a", { limit: 1 })];
const CONTENTS: [string, string | readonly unknown[], [string, Verb][]][] = [
  ["a small text", SMALL, READS],
  ["a large text", LINES, READS],
  ["large JSON in a text", JSON_TEXT, [...READS, QUERY]],
  ["large blocks", BLOCKS, [...READS, QUERY]],
];

const CASES = CONTENTS.flatMap(([what, content, verbs]) =>
  verbs.flatMap(([name, verb]) =>
    DAMAGES.map(([damage, spoil]) => ({ what, content, name, verb, damage, spoil })),
  ),
);

describe("damaged content is not served as if it were whole", () => {
  it.each(CASES)("$damage in $what: $name", async ({ content, verb, spoil }) => {
    const { root, workspace } = await makeStore();
    const { record } = await workspace.put({ content }, { toolCallId: "a", sessionId: "s" });
    await spoil(record);
    for (const one of [workspace, openStore(root)]) {
      const error = await rejectionOf(verb(one));
      expect(error).toMatchObject({ code: "ARTIFACT_DAMAGED", artifactId: "a" });
      expect(error.message).toContain("run the tool again");
      expect(error.message).not.toContain(root);
    }
    // Nothing of the damaged content was cached: storing it once more repairs it.
    await workspace.put({ content }, { toolCallId: "a", sessionId: "s" });
    await verb(workspace);
    expect(await workspace.getOriginal("a")).toEqual(content);
  });

  it("is noticed although the content was intact when it was read before", async () => {
    const { workspace } = await makeStore();
    for (const content of [SMALL, LINES]) {
      const { record } = await workspace.put({ content }, { sessionId: "default" });
      const grep = () => workspace.grepKnowledge(record.artifactId, "line 17$");
      expect((await grep()).range.of).toBe(1);
      await flipBit(record);
      expect((await rejectionOf(grep())).code).toBe("ARTIFACT_DAMAGED");
    }
  });

  it("a stream of bytes that are not text", async () => {
    const { workspace } = await makeStore();
    const bytes = Buffer.alloc(2_000_000, 0xff);
    const content = (async function* () {
      yield await Promise.resolve(bytes);
    })();
    const { record } = await workspace.put({ content }, { sessionId: "default", toolCallId: "a" });
    expect((await bytesOf(await workspace.getOriginal("a"))).equals(bytes)).toBe(true);
    const begun = await workspace.getOriginal("a");
    await flipBit(record);
    expect((await rejectionOf(bytesOf(begun))).code).toBe("ARTIFACT_DAMAGED");
    expect((await rejectionOf(workspace.getOriginal("a"))).code).toBe("ARTIFACT_DAMAGED");
  });
});
