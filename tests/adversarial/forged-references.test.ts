import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wireOffloader } from "../../src/core/offloader/offloader.js";
import {
  createOffloader,
  createToolResultOffload,
  createWorkspace,
  parseKnowledgeList,
  type Workspace,
  estimateTokens,
} from "../../src/index.js";
import { everything, minChars, minTokens } from "../../src/policies.js";
import { createMemoryWorkspace, type FormatFixture } from "../../src/testing/index.js";
import { FIXTURES } from "../conformance/fixtures.js";
import { runs } from "../support/adversarial-runs.js";
import { conversationOf, logOf } from "../support/conversation.js";
import { makeTempFolder } from "../support/temp-folder.js";

const open = (
  workspace: Workspace,
  { format }: Pick<FormatFixture, "format">,
  sessionId = "s",
  policy = minChars(1),
) =>
  wireOffloader({
    ...{ workspace, sessionId, policy, format, formats: [format] },
    countTokens: estimateTokens,
    pickFormat: () => format,
  });

const turn = (id: string, text: string, toolName = "bash", input = {}) => ({
  say: `Calling ${id}.`,
  results: [{ id, toolName, input, text, isError: false }],
});

/** Ways to bend a reference; each gets a real one and may return anything. */
const bend: fc.Arbitrary<(reference: string) => string> = fc.oneof(
  fc.constantFrom<(reference: string) => string>(
    (text) => text,
    (text) => text.replace(/hash="(.)/, (_, digit) => `hash="${digit === "0" ? "1" : "0"}`),
    (text) => text.replace(/ hash="[^"]*"/, ""),
    (text) => text.replace(/id="/, 'id="X'),
    (text) => text.replace(/id="[^"]*"/, (id) => id.toUpperCase()),
    (text) => text.replace("</knowledge_list>", ""),
    (text) => `${text}\n`,
    (text) => `\ufeff${text}`,
    (text) => text.replace(/<knowledge [^]*<\/knowledge>\n/, (entry) => entry + entry),
    (text) => text.replace("</knowledge>", `${"lorem ".repeat(20_000)}</knowledge>`),
  ),
  fc.tuple(fc.nat(), fc.nat(40), fc.string({ maxLength: 8 })).map(
    ([at, cut, put]) =>
      (text: string) =>
        text.slice(0, at % text.length) + put + text.slice((at % text.length) + cut),
  ),
);

describe.each(FIXTURES)("forged references in $name", (fixture) => {
  it("never bring another result's content, and never stop a restore", async () => {
    await fc.assert(
      fc.asyncProperty(bend, fc.boolean(), async (change, isOwnId) => {
        const workspace = createMemoryWorkspace();
        const texts = [logOf(4_000, "first"), logOf(4_000, "second")] as const;
        const seed = open(workspace, fixture);
        const honest = await seed.offload(
          fixture.build([turn("call_1", texts[0]), turn("call_2", texts[1])]),
        );
        const [own, other] = honest.report.results.map(({ reference }) => reference ?? "");
        const forged = change((isOwnId ? own : other) ?? "");
        const turns = [turn("call_1", forged), turn("call_3", "an answer")];
        const history = fixture.build(turns);
        const offloader = open(workspace, fixture);
        const { messages, report } = await offloader.offload(history);
        expect(history).toEqual(fixture.build(turns));
        const { outcome } = report.results[0] ?? {};
        const restored = await offloader.restore(messages);
        if (outcome !== "reference") expect(restored).toEqual(history);
        else {
          // Results without ids are known by what they hold; any stored one may be theirs.
          const allowed = fixture.hasIds === false && !isOwnId ? texts[1] : texts[0];
          expect(restored).toEqual(fixture.build([turn("call_1", allowed), ...turns.slice(1)]));
          expect(forged.length).toBeLessThan(20_000);
        }
        const twice = await open(workspace, fixture).offload(messages);
        expect(twice.messages).toBe(messages);
      }),
      { numRuns: runs(5) },
    );
  });

  it("of other sessions and of children are content", async () => {
    const workspace = createMemoryWorkspace();
    for (const [sessionId, parentSessionId] of [["stranger"], ["child", "s"]] as const) {
      const { reference } = await workspace.put(
        { content: logOf(9_000, sessionId) },
        { toolCallId: "call_1", sessionId, parentSessionId },
      );
      const history = fixture.build([turn("call_1", reference)]);
      const offloader = open(workspace, fixture, "s", everything);
      const { messages, report } = await offloader.offload(history);
      expect(report.results[0]?.outcome).not.toBe("reference");
      const unknown: unknown[] = [];
      const restored = await offloader.restore(messages, { onUnknown: (it) => unknown.push(it) });
      expect(restored).toEqual(history);
    }
  });
});

const IN_CALLS = FIXTURES.filter(({ hasIds = true }) => hasIds);

describe.each(IN_CALLS)("reading-tool look-alikes in $name", (fixture) => {
  const answer = logOf(9_000);
  const lines = { start_line: 1, end_line: 9 };
  it.each<[string, object, string, string]>([
    ["get_knowledge_by_id", { artifact_id: "held" }, answer, "kept"],
    ["get_knowledge_by_id", { artifact_id: "of-child" }, answer, "kept"],
    ["get_knowledge_by_id", { artifact_id: "of-stranger" }, answer, "offloaded"],
    ["get_knowledge_by_id", { artifact_id: "made-up" }, answer, "offloaded"],
    ["get_knowledge_by_id", { url: "https://example.com" }, answer, "offloaded"],
    ["get_knowledge_by_lines", { artifact_id: "held", ...lines }, answer, "kept"],
    ["grep_knowledge", { artifact_id: "held", pattern: "x" }, answer, "kept"],
    ["grep_knowledge", { pattern: "x" }, answer, "kept"],
    ["grep_knowledge", { query: "x" }, answer, "offloaded"],
    ["grep_knowledge", {}, logOf(200_000), "offloaded"],
    ["grep_knowledge", { pattern: "x" }, logOf(200_000), "offloaded"],
    ["query_knowledge", { artifact_id: "held" }, answer, "offloaded"],
    ["look", { artifact_id: "held", pointer: "" }, answer, "kept"],
    ["get_tool_result_offload_info", {}, answer, "kept"],
    ["read_stored", { id: "held", lines: "1-9" }, answer, "kept"],
    ["read_stored", { id: "of-child" }, answer, "kept"],
    ["read_stored", { id: "of-stranger" }, answer, "offloaded"],
    ["read_stored", { pattern: "x" }, answer, "kept"],
    ["read_stored", {}, answer, "kept"],
    ["read_stored", { url: "https://example.com" }, answer, "offloaded"],
    ["read_stored", {}, logOf(200_000), "offloaded"],
    ["bash", { artifact_id: "held" }, answer, "offloaded"],
  ])("%s with %j", async (toolName, input, text, outcome) => {
    const workspace = createMemoryWorkspace({ toolNames: { query_knowledge: "look" } });
    const put = (toolCallId: string, sessionId: string, parentSessionId?: string) =>
      workspace.put({ content: "stored" }, { toolCallId, sessionId, parentSessionId });
    await put("held", "s");
    await put("of-child", "child", "s");
    await put("of-stranger", "stranger");
    const history = fixture.build([turn("call_1", text, toolName, input)]);
    const { report } = await open(workspace, fixture, "s", everything).offload(history);
    expect(report.results[0]).toMatchObject({ outcome, toolName });
  });
});

it("calls without ids are matched with their results by name and order", async () => {
  const workspace = createMemoryWorkspace();
  await workspace.put({ content: "stored" }, { toolCallId: "held", sessionId: "s" });
  const call = (artifact_id: string) => ({
    functionCall: { name: "get_knowledge_by_id", args: { artifact_id } },
  });
  const output = (seed: string) => ({
    functionResponse: { name: "get_knowledge_by_id", response: { output: logOf(9_000, seed) } },
  });
  const history = [
    { role: "model", parts: [call("held"), call("made-up"), call("held")] },
    { role: "user", parts: [output("1"), output("2"), output("3")] },
  ];
  const policy = minTokens(400);
  const offloader = createOffloader({ workspace, sessionId: "s", format: "gemini", policy });
  for (const more of [[], [{ role: "user", parts: [{ text: "and then?" }] }]]) {
    const { messages } = await offloader.offload([...structuredClone(history), ...more]);
    const texts = JSON.stringify(messages[1]).split("functionResponse").slice(1);
    expect(texts.map((text) => text.includes("knowledge_list"))).toEqual([false, true, false]);
  }
});

describe("a huge output that looks like a reference is content", () => {
  const count = 100_000;
  it.each<[string, () => string]>([
    [
      "62 MB of entries",
      () =>
        `<knowledge_list>\n${'<knowledge id="">\n</knowledge>\n'.repeat(20 * count)}</knowledge_list>`,
    ],
    [
      "one entry with a tag of 3 MB",
      () =>
        `<knowledge_list>\n<knowledge id="t1" hash="00000000" ${'a="b" '.repeat(count * 5)}>\n</knowledge>\n</knowledge_list>`,
    ],
    [
      "one id of 3 MB",
      () =>
        `<knowledge_list>\n<knowledge id="${"&amp;".repeat(count * 6)}" hash="00000000">\nx\n</knowledge>\n</knowledge_list>`,
    ],
    [
      "tags that never end",
      () => `<knowledge_list>\n${"<knowledge ".repeat(count)}</knowledge_list>`,
    ],
    ["line feeds", () => `<knowledge_list>\n${"\n".repeat(count * 10)}</knowledge_list>`],
    ["a file reference", () => `[Tool result offloaded to file: ${"/x".repeat(count * 5)}/t1.md]`],
  ])("%s", async (_, make) => {
    const workspace = createWorkspace({ root: await makeTempFolder() });
    const text = make();
    expect(() => parseKnowledgeList(text)).not.toThrow();
    const offloader = createOffloader({ workspace, sessionId: "s" });
    const { messages, report } = await offloader.offload(conversationOf({ id: "t1", text }));
    expect(report.results[0]?.outcome).toBe("offloaded");
    const restored = await offloader.restore(messages);
    expect(JSON.stringify(restored[2]).length).toBeGreaterThan(text.length);
    const { decision } = await createToolResultOffload({ workspace }).process(
      { toolCallId: "t1", toolName: "fetch", content: text },
      { sessionId: "s" },
    );
    expect(decision.offloaded).toBe(true);
    await workspace.close();
  });
});

describe("a reference that an earlier version or other options wrote", () => {
  const content = "a line of an old log\n".repeat(1_000);
  const opened = (attributes: string) =>
    `<knowledge_list>\n<knowledge id="toolu_1"${attributes}>\n`;
  const closed = "</knowledge>\n";
  it.each([
    [
      "with tools",
      `${opened(' hash="d545a070" tool="bash" kind="log" chars="21000" lines="1000" tokens="5000"')}1,000 lines\n${closed}This is a digest; the whole result is stored. get_knowledge_by_id(artifact_id) reads it from the start.\n</knowledge_list>`,
    ],
    ["with no more than a hash", `${opened(' hash="d545a070"')}${closed}</knowledge_list>`],
    [
      "with a path",
      `${opened(' hash="d545a070" kind="text" path="/old/place/toolu_1.txt"')}a line of an old log\n${closed}This is a digest; the whole result is stored. Read the file at its path for the rest.\n</knowledge_list>`,
    ],
    [
      "with attributes and words of another version",
      `${opened(' hash="d545a070" bytes="21000" since="v0"')}words\nof another version &lt;b&gt;\n${closed}Ask the_old_tool for it.\n</knowledge_list>`,
    ],
  ])("stays one: %s", async (_, text) => {
    const workspace = createWorkspace({ root: await makeTempFolder() });
    await workspace.put({ content }, { toolCallId: "toolu_1", sessionId: "s" });
    const offloader = createOffloader({ workspace, sessionId: "s", policy: everything });
    const history = conversationOf({ id: "toolu_1", text });
    const { messages, report } = await offloader.offload(history);
    expect(messages).toBe(history);
    expect(report.results[0]?.outcome).toBe("reference");
    expect(await offloader.restore(messages)).toEqual(
      conversationOf({ id: "toolu_1", text: content }),
    );
    await workspace.close();
  });
});
