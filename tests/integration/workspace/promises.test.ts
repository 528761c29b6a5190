import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { hasView } from "../../../src/core/workspace/artifacts/readable-view.js";
import { createWorkspace, estimateTokens } from "../../../src/index.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { openWorkspace } from "./open-workspace.js";

const MEGABYTE = 1_048_576;

it("JSON on one line is indented up to 64 MB", async () => {
  const { record } = await (await openWorkspace()).put({ content: "{}" }, { sessionId: "default" });
  const viewAt = (bytes: number) => hasView({ ...record, size: { ...record.size, bytes } });
  expect(viewAt(64 * MEGABYTE)).toBe(true);
  expect(viewAt(64 * MEGABYTE + 1)).toBe(false);
});

it.each(["a", " ", "\n", "7", "漢"])(
  "the tokens of 100,000 and of 5,000,000 times %j are counted at once",
  (character) => {
    for (const count of [100_000, 5_000_000]) {
      const text = character.repeat(count);
      const start = performance.now();
      expect(estimateTokens(text)).toBeGreaterThan(0);
      expect(performance.now() - start).toBeLessThan(500);
    }
  },
);

it("content without a line in the manifest is not an artifact, and the same content takes it over", async () => {
  const root = await makeTempFolder();
  const { record } = await createWorkspace({ root }).put(
    { content: "text" },
    { sessionId: "default", toolCallId: "a" },
  );
  const manifest = join(dirname(record.location), "manifest.jsonl");
  const [header = ""] = (await readFile(manifest, "utf8")).split("\n");
  await writeFile(manifest, header);

  const workspace = createWorkspace({ root });
  expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
  await expect(workspace.getKnowledgeById("a")).rejects.toMatchObject({ code: "UNKNOWN_ARTIFACT" });
  expect((await workspace.verify()).orphaned).toEqual([record.location]);

  const again = await workspace.put({ content: "text" }, { sessionId: "default", toolCallId: "a" });
  expect(again.record.artifactId).toBe("a");
  expect((await workspace.getKnowledgeById("a")).text).toBe("text");
  expect((await workspace.verify()).orphaned).toEqual([]);
});

it("the tools take the parameters that the documentation lists", async () => {
  const page = await readFile(new URL("../../../docs/reading.md", import.meta.url), "utf8");
  const documented = [
    ...page.matchAll(/^\| `(?<name>(?:get|grep|query)_\w+)` +\| (?<cell>(?:\*\*)?`\w+`.*) \|$/gm),
  ].map(({ groups }) => ({
    name: groups?.["name"],
    parameters: [...(groups?.["cell"] ?? "").matchAll(/`(\w+)`/g)].map(([, word]) => word),
    required: [...(groups?.["cell"] ?? "").matchAll(/\*\*`(\w+)`\*\*/g)].map(([, word]) => word),
  }));
  const tools = (await openWorkspace()).tools().map(({ name, inputSchema }) => ({
    name,
    parameters: Object.keys(inputSchema.properties),
    required: [...(inputSchema.required ?? [])],
  }));
  expect(documented).toEqual(tools);
});

it("content whose tokens cannot be counted leaves no file behind", async () => {
  const root = await makeTempFolder();
  let calls = 0;
  const countTokens = () => {
    calls++;
    throw new Error("no vocabulary");
  };
  const workspace = createWorkspace({ root, countTokens });
  await expect(
    workspace.put({ content: "text" }, { sessionId: "default", toolCallId: "a" }),
  ).rejects.toMatchObject({
    code: "CALLER_FAILED",
  });
  expect(calls).toBeGreaterThan(0);
  const { artifacts, orphaned } = await workspace.verify();
  expect({ artifacts, orphaned }).toEqual({ artifacts: 0, orphaned: [] });
});
