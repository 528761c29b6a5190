import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOffloader, createToolResultOffload, createWorkspace } from "../../src/index.js";
import { minTokens, tokenBudget } from "../../src/policies.js";
import { rejectionOf } from "../support/rejection.js";
import { makeStore, openStore } from "../support/store-files.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { historyOf, textOf } from "../support/tool-messages.js";

const broken = new Error("the tokenizer broke");
const COUNTERS: [string, () => unknown][] = [
  ["NaN", () => NaN],
  ["undefined", () => undefined],
  ["Infinity", () => Infinity],
  ["a negative number", () => -1],
  ["a promise", () => Promise.resolve(5)],
  ["a promise that is rejected", () => Promise.reject(broken)],
  ["a text", () => "5"],
  ["a BigInt", () => 5n],
  [
    "an error",
    () => {
      throw broken;
    },
  ],
];

describe.each(COUNTERS)("a token counter that answers with %s", (_, count) => {
  const countTokens = count as () => number;
  const refused = { code: expect.stringMatching(/^(?:INVALID_ARGUMENT|CALLER_FAILED)$/) as string };

  async function* stream() {
    yield await Promise.resolve(Buffer.from("of a stream"));
  }

  it.each([
    ["a text", () => "hello"],
    ["blocks", () => [{ type: "text", text: "hello" }]],
    ["a stream", stream],
  ])("stores nothing of %s", async (_what, content) => {
    const workspace = createWorkspace({ root: await makeTempFolder(), countTokens });
    const error = await rejectionOf(
      workspace.put({ content: content() }, { sessionId: "default", toolCallId: "t" }),
    );
    expect(error).toMatchObject(refused);
    expect(error.message).toContain("countTokens");
    const { brokenLines, orphaned, artifacts } = await workspace.verify();
    expect({ brokenLines, orphaned, artifacts }).toEqual({
      brokenLines: 0,
      orphaned: [],
      artifacts: 0,
    });
  });

  it("is refused wherever a counter can be passed", async () => {
    const { workspace } = await makeStore();
    const history = historyOf(["a", textOf(50_000)]);
    const offload = (options: object) =>
      createOffloader({ workspace, sessionId: "s", ...options }).offload(history);
    const toolResult = { toolCallId: "a", toolName: "t", content: textOf(50_000) };
    for (const call of [
      () => offload({ countTokens }),
      () => offload({ policy: minTokens(1, countTokens) }),
      () => offload({ policy: tokenBudget({ maxTokens: 1, countTokens }) }),
      () => createToolResultOffload({ workspace, countTokens }).process(toolResult),
    ]) {
      await expect(call()).rejects.toMatchObject(refused);
    }
    expect((await workspace.verify()).artifacts).toBe(0);
  });
});

it("a counter that is not a function is refused at once", () => {
  const countTokens = 5 as unknown as () => number;
  expect(() => createWorkspace({ root: "never-made", countTokens })).toThrow(/countTokens/);
});

it("an error in the caller's stream is reported as the caller's own", async () => {
  const { root, workspace } = await makeStore();
  const cause = Object.assign(new Error("the connection was reset"), { code: "ECONNRESET" });
  async function* stream() {
    yield await Promise.resolve(Buffer.from("half"));
    throw cause;
  }
  const error = await rejectionOf(
    workspace.put({ content: stream() }, { sessionId: "default", toolCallId: "a" }),
  );
  expect(error).toMatchObject({ code: "CALLER_FAILED", what: "content", cause });
  expect(error.message).toContain("the connection was reset");
  expect(error.message).not.toContain(root);
  expect(await workspace.verify()).toMatchObject({ artifacts: 0, orphaned: [] });
});

it("a session that cannot be read is reported, and hides no other", async () => {
  const { root, workspace, sessionFolder } = await makeStore();
  for (const sessionId of ["a", "b", "c"]) {
    await workspace.put({ content: `of ${sessionId}` }, { toolCallId: sessionId, sessionId });
  }
  const manifest = join(sessionFolder("b"), "manifest.jsonl");
  await rm(manifest);
  await mkdir(manifest);
  for (const one of [workspace, openStore(root)]) {
    expect(await one.verify()).toMatchObject({
      sessions: 3,
      artifacts: 2,
      damaged: [],
      unreadable: [
        { folder: sessionFolder("b"), problem: expect.stringContaining("plain file") as string },
      ],
    });
  }
  const fresh = openStore(root);
  expect(await fresh.getOriginal("c")).toBe("of c");
  expect((await fresh.queryArtifacts()).artifacts).toHaveLength(2);
  await expect(fresh.getOriginal("b", { sessionId: "b" })).rejects.toMatchObject({
    code: "READ_FAILED",
  });
});
