import { describe, expect, it } from "vitest";
import { memoryWorkspaceOf, openMemoryWorkspace } from "../../../../support/memory-workspace.js";
import { toolRunner } from "../../../../support/run-tools.js";

const LOG = ["Connection refused", "retry (1)", "word", "sword", "An Error", "a/b", "x<y"].join(
  "\n",
);

async function answerTo(input: object): Promise<string> {
  const run = toolRunner(await memoryWorkspaceOf(LOG));
  const { text, isError } = await run("grep_knowledge", { artifact_id: "a", ...input });
  expect(isError, text).toBe(false);
  return text;
}

describe("a pattern in the syntax of another tool, where it matches nothing as it stands", () => {
  it.each([
    ["/error/i", '5:An Error\n[Searched for "error", ignoring case.]'],
    ["(?i:error)", '5:An Error\n[Searched for "(?:error)", ignoring case.]'],
    [String.raw`\<word\>`, String.raw`3:word` + "\n" + String.raw`[Searched for "\\bword\\b".]`],
    [
      String.raw`refused\|retry`,
      '1:Connection refused\n2:retry (1)\n[Searched for "refused|retry".]',
    ],
  ])("%s is understood, and the answer says so", async (pattern, text) => {
    expect(await answerTo({ pattern })).toBe(text);
  });

  it("is taken as it stands where it matches", async () => {
    expect(await answerTo({ pattern: "a/b" })).toBe("6:a/b");
    expect(await answerTo({ pattern: String.raw`x\<y` })).toBe("7:x<y");
  });
});

describe("a search without a match", () => {
  it.each([
    [{ pattern: "connection" }, "1 ignoring case", { pattern: "connection", ignore_case: true }],
    [{ pattern: "retry (1)" }, "1 as plain text", { pattern: "retry (1)", literal: true }],
    [
      { pattern: "RETRY (1)" },
      "1 as plain text, ignoring case",
      { pattern: "RETRY (1)", literal: true, ignore_case: true },
    ],
    [{ pattern: "refused", start_line: 3 }, "1 before that line", { pattern: "refused" }],
  ])("%j tells what would match, and gives the call", async (input, found, next) => {
    const call = JSON.stringify({ artifact_id: "a", ...next });
    expect(await answerTo(input)).toBe(`[No match. ${found}. Next: grep_knowledge(${call})]`);
    expect(await answerTo(next)).toMatch(/^[12]:/);
  });

  it("says in which other results of the session there are some", async () => {
    const workspace = openMemoryWorkspace();
    for (const [toolCallId, content = "", sessionId = ""] of [
      ["one", "needle\nneedle", "s"],
      ["two", "nothing", "s"],
      ["three", "needle", "s"],
      ["other", "needle", "another"],
    ]) {
      await workspace.put({ content }, { toolCallId, sessionId });
    }
    const run = toolRunner(workspace, { sessionId: "s" });
    const { text } = await run("grep_knowledge", { artifact_id: "two", pattern: "needle" });
    const call = '{"artifact_id":"three","pattern":"needle"}';
    expect(text).toBe(`[No match. But 1 in "three", 2 in "one". Next: grep_knowledge(${call})]`);
  });

  it("that nothing like it matches says only that", async () => {
    expect(await answerTo({ pattern: "nowhere" })).toBe("[No match.]");
  });
});
