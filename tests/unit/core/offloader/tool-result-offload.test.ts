import { describe, expect, it } from "vitest";
import {
  createToolResultOffload,
  DEFAULTS,
  parseKnowledgeList,
  TOOL_NAMES,
  type ToolResultInput,
  type ToolResultOffloadOptions,
} from "../../../../src/index.js";
import { rejectionOf } from "../../../support/rejection.js";
import { deepFreeze } from "../../../support/shared-objects.js";
import { textOf } from "../../../support/tool-messages.js";
import { openMemoryWorkspace } from "../../../support/memory-workspace.js";

const CONTEXT = { agentId: "agent", taskId: "task", sessionId: "s1" };
const SNAPSHOT = { toolCallId: "call_1", toolName: "browser", actionName: "snapshot" };
const BIG = textOf(DEFAULTS.inlineChars + 10_000, "a line of a long result");

function openOffload(options: Partial<ToolResultOffloadOptions> = {}) {
  const workspace = options.workspace ?? openMemoryWorkspace();
  return { workspace, op: createToolResultOffload({ ...options, workspace }) };
}

describe("the decision", () => {
  it.each<[string, Partial<ToolResultInput>, object]>([
    ["nothing speaks for it", {}, { offloaded: false, reason: "none", inline: true }],
    ["white list: the tool", { toolName: "bash" }, { offloaded: true, reason: "white_list" }],
    ["white list: tool and action", SNAPSHOT, { offloaded: true, reason: "white_list" }],
    ["another action", { ...SNAPSHOT, actionName: "click" }, { offloaded: false, reason: "none" }],
    ["no action", { toolName: "browser" }, { offloaded: false, reason: "none" }],
    ["metadata true", { metadata: { offload: true } }, { offloaded: true, reason: "metadata" }],
    [
      "metadata false beats the white list",
      { ...SNAPSHOT, metadata: { offload: false } },
      { offloaded: false, reason: "metadata", inline: true },
    ],
    [
      "metadata false beats the tokens",
      { content: BIG, metadata: { offload: false } },
      { offloaded: false, reason: "metadata", inline: true },
    ],
    [
      "the white list beats metadata true",
      { ...SNAPSHOT, metadata: { offload: true } },
      { offloaded: true, reason: "white_list" },
    ],
    [
      "metadata true beats the tokens",
      { content: BIG, metadata: { offload: true } },
      { offloaded: true, reason: "metadata" },
    ],
    [
      "a word in metadata is not a flag",
      { metadata: { offload: "true" } },
      { offloaded: false, reason: "none" },
    ],
    ["tokens", { content: BIG }, { offloaded: true, reason: "tokens", inline: false }],
  ])("%s", async (_, result, expected) => {
    const { op, workspace } = openOffload({
      whiteList: ["browser:snapshot", "bash"],
      tokenThreshold: 1_000,
    });
    const { decision } = await op.process({ toolCallId: "call_1", content: "ok", ...result });
    expect(decision).toMatchObject(expected);
    const { artifacts } = await workspace.queryArtifacts();
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(
      decision.offloaded ? [decision.artifactId] : [],
    );
    expect(decision.artifactId).toBe(decision.offloaded ? "call_1" : undefined);
  });

  it("more tokens than the threshold are offloaded, as many are kept, by the counter passed in", async () => {
    const counted: string[] = [];
    const countTokens = (text: string) => {
      counted.push(text);
      return text.length * 2;
    };
    const { op } = openOffload({ tokenThreshold: 200, countTokens });
    const process = (content: ToolResultInput["content"]) => op.process({ content });
    expect((await process("x".repeat(100))).decision).toMatchObject({ offloaded: false });
    expect((await process("x".repeat(101))).decision).toMatchObject({ reason: "tokens" });
    const blocks = [{ type: "text", text: "y".repeat(101) }];
    expect((await process(blocks)).decision).toMatchObject({ reason: "tokens" });
    expect(counted).toEqual(["x".repeat(100), "x".repeat(101), "y".repeat(101)]);
  });

  it("the content and its reference are compared by the same counter, which counts each once", async () => {
    const workspace = openMemoryWorkspace({ countTokens: () => 1 });
    const counted: string[] = [];
    const countTokens = (text: string) => {
      counted.push(text);
      return text.length;
    };
    const { op } = openOffload({ workspace, tokenThreshold: 1_000, inlineChars: 0, countTokens });
    const { content, decision } = await op.process({ content: BIG });
    expect(decision).toMatchObject({ offloaded: true, inline: false });
    expect(counted).toEqual([BIG, content]);
  });

  it("the threshold is 30,000 tokens unless told", async () => {
    const offloaded = async (tokens: number) => {
      const { op } = openOffload({ countTokens: () => tokens });
      return (await op.process({ content: "x" })).decision.offloaded;
    };
    expect(await offloaded(30_000)).toBe(false);
    expect(await offloaded(30_001)).toBe(true);
  });

  it.each(["white list", "metadata", "tokens"])(
    "answers of the reading tools are never offloaded, whatever the %s says",
    async (why) => {
      const workspace = openMemoryWorkspace({ toolNames: { grep_knowledge: "search_results" } });
      const names = TOOL_NAMES.map((name) => (name === "grep_knowledge" ? "search_results" : name));
      const { op } = openOffload({
        workspace,
        whiteList: why === "white list" ? names : [],
        tokenThreshold: why === "tokens" ? 0 : 1e9,
      });
      await workspace.put({ content: "stored" }, { sessionId: "default", toolCallId: "r" });
      const metadata = { offload: why === "metadata" };
      const answer = BIG.slice(0, 20_000);
      const input = { artifact_id: "r", start_line: 1, end_line: 9, pattern: "x" };
      for (const toolName of names) {
        for (const more of [{ input }, {}]) {
          const { content, decision } = await op.process({
            toolName,
            content: answer,
            metadata,
            ...more,
          });
          expect(content).toBe(answer);
          expect(decision.offloaded).toBe(false);
        }
      }
      expect((await workspace.queryArtifacts()).artifacts).toHaveLength(1);
      for (const [toolName = "", content, more] of [
        [names[0], BIG, { input }],
        [names[0], answer, { input: { artifact_id: "x" } }],
        ["grep_knowledge", answer, { input: { ...input } }],
      ] as const) {
        const { decision } = await op.process({ toolName, content, ...more });
        expect(decision.offloaded).toBe(
          why === "tokens" || (toolName === names[0] && why === "white list"),
        );
      }
    },
  );

  it.each([
    ["tokenThreshold", { tokenThreshold: -1 }],
    ["inlineChars", { inlineChars: 1.5 }],
    ["whiteList", { whiteList: "browser" as unknown as string[] }],
  ])("a wrong %s is refused at once", (option, options) => {
    const workspace = openMemoryWorkspace();
    expect(() => createToolResultOffload({ workspace, ...options })).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", argument: option }) as Error,
    );
  });

  it.each([
    ["toolResult", undefined],
    ["toolResult.content", { toolCallId: "a" }],
    ["toolResult.content", { content: 7 }],
    ["toolResult.toolCallId", { toolCallId: 7, content: "x" }],
  ])("a wrong %s is refused", async (argument, result) => {
    const { op } = openOffload();
    const error = await rejectionOf(op.process(result as ToolResultInput));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument });
  });
});

describe("what comes back", () => {
  const always = { whiteList: ["bash"] };
  const of = (content: ToolResultInput["content"]) => ({
    toolCallId: "call_1",
    toolName: "bash",
    content,
  });

  it("39,999 characters come back as they went in, 40,000 as a list", async () => {
    const { op } = openOffload(always);
    const short = await op.process(of("x".repeat(39_999)));
    expect(short.content).toBe("x".repeat(39_999));
    expect(short.decision).toMatchObject({ offloaded: true, inline: true, artifactId: "call_1" });
    const { workspace, op: other } = openOffload(always);
    const long = await other.process(of("x".repeat(40_000)));
    expect(long.decision).toMatchObject({ offloaded: true, inline: false, artifactId: "call_1" });
    expect(parseKnowledgeList(long.content as string)).toEqual(["call_1"]);
    expect(await workspace.getOriginal("call_1")).toBe("x".repeat(40_000));
  });

  it("blocks count as their JSON, and under 40,000 are the same array", async () => {
    const blocksOf = (chars: number) => {
      const empty = JSON.stringify([{ type: "text", text: "" }]).length;
      return [{ type: "text", text: "x".repeat(chars - empty) }];
    };
    const short = deepFreeze(blocksOf(39_999));
    const { op } = openOffload(always);
    expect((await op.process(of(short))).content).toBe(short);
    const long = deepFreeze(blocksOf(40_000));
    const { workspace, op: other } = openOffload(always);
    const { content } = await other.process(of(long));
    expect(parseKnowledgeList(content as string)).toEqual(["call_1"]);
    expect(await workspace.getOriginal("call_1")).toEqual(long);
  });

  it("a reference that would be no shorter is not given", async () => {
    const { op } = openOffload({ ...always, inlineChars: 0 });
    const { content, decision } = await op.process(of("short"));
    expect(content).toBe("short");
    expect(decision).toMatchObject({ offloaded: true, inline: true });
  });

  it("the tool result that was passed in is not changed", async () => {
    const { op } = openOffload(always);
    const result = deepFreeze({ ...of(BIG), metadata: { deep: { kept: [1] } }, isError: true });
    const { content } = await op.process(result, CONTEXT);
    expect(content).not.toBe(BIG);
    expect(result.content).toBe(BIG);
  });

  it.each(["plain text", " ", "", "null", "{}", "[]", "0"])(
    "plain text never becomes empty or another: %j",
    async (content) => {
      const { op, workspace } = openOffload(always);
      expect((await op.process(of(content))).content).toBe(content);
      expect(await workspace.getOriginal("call_1")).toBe(content);
    },
  );
});
