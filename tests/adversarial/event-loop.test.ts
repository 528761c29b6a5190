import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/index.js";
import { tokenizePattern, compilePattern } from "../../src/core/lib/search/compile-pattern.js";
import { openWorkspace, workspaceOf } from "../integration/workspace/open-workspace.js";
import { countTurns } from "../support/count-turns.js";
import { makeStore, openStore, readManifest } from "../support/store-files.js";
import { toolRunner } from "../support/run-tools.js";

const MANY = 100_000;

/** A workspace that has not read its folder, whose session lists so many artifacts. */
async function openUnread(): Promise<Workspace> {
  const { root, workspace, sessionFolder } = await makeStore();
  const metadata = { tool_name: "bash", task_id: "task", agent_id: "agent" };
  await workspace.put({ content: "text", metadata }, { toolCallId: "toolu_0", sessionId: "s-one" });
  const folder = sessionFolder("s-one");
  const [header, entry] = (await readManifest(folder)).map((line) => JSON.stringify(line));
  const lines = Array.from({ length: MANY }, (_, at) =>
    entry?.replaceAll("toolu_0", `toolu_${at}`),
  );
  await writeFile(join(folder, "manifest.jsonl"), `${[header, ...lines].join("\n")}\n`);
  return openStore(root);
}

describe("work that grows with the data lets others run in between", () => {
  it("the first read of a manifest of 100,000 lines", async () => {
    const workspace = await openUnread();
    const turns = await countTurns(async () => {
      const { artifactId } = await workspace.getArtifact(`toolu_${MANY - 1}`);
      expect(artifactId).toBe(`toolu_${MANY - 1}`);
    });
    // The manifest has more than 30 MB.
    expect(turns).toBeGreaterThan(20);
  });

  it("a listing of 100,000", async () => {
    const run = toolRunner(await openUnread());
    const turns = await countTurns(async () => {
      const { text } = await run("get_tool_result_offload_info", { limit: 1e6 });
      expect(text.length).toBeLessThan(21_000);
    });
    expect(turns).toBeGreaterThan(20);
  });

  it("a put of 20 MB from a stream, with its digest", async () => {
    const workspace = await openWorkspace();
    const chunk = Buffer.from(
      "2026-01-01 ERROR [worker] connection refused: retry\n".repeat(1_260),
    );
    const content = (async function* () {
      for (let at = 0; at < 20_000_000; at += chunk.length) {
        await Promise.resolve();
        yield chunk;
      }
    })();
    expect(
      await countTurns(() => workspace.put({ content }, { sessionId: "default" })),
    ).toBeGreaterThan(40);
  });

  it("a JSON query of 30 MB", async () => {
    const rows = Array.from({ length: 400_000 }, (_, id) => ({ id, name: "x".repeat(50) }));
    const workspace = await workspaceOf(JSON.stringify(rows));
    const turns = await countTurns(async () => {
      const { text } = await workspace.queryKnowledge("a", { pointer: "/399999/id" });
      expect(text).toBe("399999");
    });
    expect(turns).toBeGreaterThan(60);
  });

  it("a first read of 30 MB by lines", async () => {
    const workspace = await workspaceOf("a line of some length\n".repeat(1_400_000));
    const turns = await countTurns(async () => {
      const { text } = await workspace.getKnowledgeByLines("a", 1_400_000, 1_400_000);
      expect(text).toBe("a line of some length");
    });
    expect(turns).toBeGreaterThan(15);
  });
});

describe("what a search does before and after its worker is bounded", () => {
  /** At this length, work that grows with the square would take minutes. */
  const UNITS = 300_000;

  it.each(["\\u{", "\\p{", "\\k<", "(?<", "(?P<", "[", "[[:", "[^", "{1", "(?", "\\", "a{1,"])(
    "a pattern of many %j is taken apart in linear time",
    (unit) => {
      const source = unit.repeat(UNITS);
      const tokens = tokenizePattern(source);
      expect(tokens.reduce((sum, { text }) => sum + text.length, 0)).toBe(source.length);
    },
  );

  it.each(["\\u{", "(?<", "a|", "a+", "(a", "[a]", "é", "(?:a)*"])(
    "a pattern of many %j is compiled or refused in linear time",
    (unit) => {
      const pattern = unit.repeat(100_000);
      for (const literal of [false, true]) {
        try {
          compilePattern({ pattern, literal, ignoreCase: true });
        } catch (error) {
          expect(error).toHaveProperty("name", "PatternError");
        }
      }
    },
  );

  it("a huge context of a huge number of matches is as short as any answer", async () => {
    const run = toolRunner(await workspaceOf("needle\n\n\n".repeat(100_000)));
    const input = { artifact_id: "a", max_results: 1e6 };
    for (const pattern of ["needle", "^$", "^", "e"]) {
      const turns = await countTurns(async () => {
        const context = { context_before: 250_000, context_after: 250_000 };
        const { text, isError } = await run("grep_knowledge", { ...input, ...context, pattern });
        expect(isError).toBe(false);
        expect(text.length).toBeLessThan(21_000);
      });
      expect(turns).toBeGreaterThan(3);
    }
  });
});
