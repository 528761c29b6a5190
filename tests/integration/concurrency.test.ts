import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { offloadToolResult, offloadToolResults } from "../../src/index.js";
import { readOffloadedFile } from "../../src/files.js";
import { listTree, readTree } from "../support/list-tree.js";
import { startChild } from "../support/run-child.js";
import { makeTempFolder } from "../support/temp-folder.js";
import {
  carrying,
  historyOf,
  resultContents,
  textOf,
  toolResult,
  type AnyMessage,
} from "../support/tool-messages.js";

const CALLS = Array.from({ length: 20 }, (_, call) => call);
const IDS = ["a", "b", "a", "../c", ""];

const readAll = (files: readonly string[]) => Promise.all(files.map(readOffloadedFile));

/** The same ids in every history, and content that differs by the label. */
const historyOfCall = (label: string): AnyMessage[] =>
  historyOf(...IDS.map((id, at) => [id, textOf(200, `${label}-${at}`)] as const));

/** No file but those that were told, and no temporary one among them. */
async function expectOnly(outputDir: string, files: readonly string[]): Promise<void> {
  const paths = (await listTree(outputDir)).map((path) => join(outputDir, path));
  expect(new Set(paths)).toEqual(new Set(files));
}

describe("twenty calls at once into one folder", () => {
  it("history, the same ids with different content: all of it is found again", async () => {
    const outputDir = join(await makeTempFolder(), "not", "there-yet");
    const outcomes = await Promise.all(
      CALLS.map((call) => offloadToolResults(historyOfCall(`call ${call}`), { outputDir })),
    );
    for (const [call, { files }] of outcomes.entries()) {
      expect(await readAll(files)).toEqual(resultContents(historyOfCall(`call ${call}`)));
    }
    const files = outcomes.flatMap((outcome) => outcome.files);
    expect(new Set(files).size).toBe(CALLS.length * IDS.length);
    await expectOnly(outputDir, files);
  });

  it("history, the same ids with the same content: one file for each", async () => {
    const outputDir = join(await makeTempFolder(), "not", "there-yet");
    const input = historyOfCall("same");
    const outcomes = await Promise.all(CALLS.map(() => offloadToolResults(input, { outputDir })));
    const [first] = outcomes;
    for (const outcome of outcomes) expect(outcome).toEqual(first);
    expect(await readAll(first?.files ?? [])).toEqual(resultContents(input));
    await expectOnly(outputDir, first?.files ?? []);
  });

  it("direct, an id for each: every content is found again", async () => {
    const outputDir = join(await makeTempFolder(), "not", "there-yet");
    const files = await Promise.all(
      CALLS.map(async (call) => {
        const input = carrying(toolResult(`toolu_${call}`, textOf(200, `call ${call}`)));
        return (await offloadToolResult(input, { sessionId: "s1", outputDir })).file;
      }),
    );
    expect(await readAll(files)).toEqual(CALLS.map((call) => textOf(200, `call ${call}`)));
    await expectOnly(join(outputDir, "s1"), files);
  });

  it("direct, one id: one content is there, whole, and nothing else", async () => {
    const outputDir = await makeTempFolder();
    const contents = CALLS.map((call) => textOf(20_000 + call, `call ${call}`));
    await Promise.all(
      contents.map((content) =>
        offloadToolResult(carrying(toolResult("a", content)), { sessionId: "s1", outputDir }),
      ),
    );
    const written = await readTree(outputDir);
    expect([...written.keys()]).toEqual(["s1/a.md"]);
    expect(contents).toContain(written.get("s1/a.md"));
  });

  it("both presets, side by side", async () => {
    const outputDir = await makeTempFolder();
    const results = await Promise.all(
      CALLS.map(async (call) => {
        const content = textOf(200, `call ${call}`);
        const input = carrying(toolResult(`t${call}`, content));
        const direct = await offloadToolResult(input, { sessionId: "s1", outputDir });
        const history = await offloadToolResults([input], { outputDir });
        return { content, files: [direct.file, ...history.files] };
      }),
    );
    for (const { content, files } of results) {
      expect(await readAll(files)).toEqual([content, content]);
    }
  });
});

it("two processes at once: each result is read through the files that each returned", async () => {
  const outputDir = join(await makeTempFolder(), "shared");
  const COUNT = 200;
  const tasks = ["one", "two"].map((label) => ({
    outputDir,
    // Every third result is the same in both; the others have their ids in common only.
    messages: historyOf(
      ...Array.from({ length: COUNT }, (_, at) => {
        const content = textOf(2_000, at % 3 === 0 ? `both ${at}` : `${label} ${at}`);
        return [`id${at % 50}`, content] as const;
      }),
    ),
  }));
  // Both have loaded the package before either gets its task.
  const children = await Promise.all(tasks.map(() => startChild()));
  const outcomes = await Promise.all(
    tasks.map((task, at) => children[at]?.(task) ?? Promise.reject(new Error("no child"))),
  );

  for (const [at, { files, error }] of outcomes.entries()) {
    expect(error).toBeUndefined();
    expect(files).toHaveLength(COUNT);
    expect(await readAll(files ?? [])).toEqual(resultContents(tasks[at]?.messages ?? []));
    for (const file of files ?? []) expect(dirname(file)).toBe(outputDir);
  }
  await expectOnly(
    outputDir,
    outcomes.flatMap(({ files }) => files ?? []),
  );
});
