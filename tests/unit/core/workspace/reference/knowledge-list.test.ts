import { describe, expect, it } from "vitest";
import {
  parseKnowledgeList,
  parseReference,
  renderKnowledgeList,
  type KnowledgeEntry,
} from "../../../../../src/core/workspace/reference/knowledge-list.js";

const NOTICE = { readBy: "tools", toolNames: {} } as const;

function entry(changes: Partial<KnowledgeEntry> = {}): KnowledgeEntry {
  return {
    artifactId: "toolu_1",
    hash: "0123456789abcdef".repeat(4),
    tool: "bash",
    chars: 9_000,
    lines: 100,
    tokens: 3_000,
    digest: { kind: "text", text: "Text, 100 lines.\n1: a < b && c > d" },
    path: "/tmp/x",
    ...changes,
  };
}

describe("the reference of a workspace", () => {
  it("is read back, with the first digits of the hash", () => {
    const text = renderKnowledgeList([entry()], NOTICE);
    expect(parseKnowledgeList(text)).toEqual(["toolu_1"]);
    expect(parseReference(text, "toolu_1")).toEqual({ artifactId: "toolu_1", hash: "01234567" });
  });

  it("lists several, and is then no call's own reference", () => {
    const text = renderKnowledgeList([entry(), entry({ artifactId: "b" })], NOTICE);
    expect(parseKnowledgeList(text)).toEqual(["toolu_1", "b"]);
    expect(parseReference(text, "toolu_1")).toBeUndefined();
  });

  it.each([
    ["of another call", (text: string) => text, "toolu_2"],
    ["with text before it", (text: string) => `see ${text}`, "toolu_1"],
    ["with text after it", (text: string) => `${text}\nmore`, "toolu_1"],
    ["without its hash", (text: string) => text.replace(/ hash="\w+"/, ""), "toolu_1"],
    ["with a second end", (text: string) => text + text, "toolu_1"],
    ["with markup in its digest", (text: string) => text.replace("&lt;", "<"), "toolu_1"],
    ["without an end", (text: string) => text.replace("</knowledge>\n", ""), "toolu_1"],
  ])("is not recognized %s", (_, change, toolCallId) => {
    const text = change(renderKnowledgeList([entry()], NOTICE));
    expect(parseReference(text, toolCallId)).toBeUndefined();
  });

  it("is parsed without recursion or backtracking, however long a forged one is", () => {
    const one = renderKnowledgeList([entry()], NOTICE);
    const start = one.indexOf("<knowledge ");
    const forgedEntry = one.slice(start, one.indexOf("</knowledge>\n") + "</knowledge>\n".length);
    const forged = one.slice(0, start) + forgedEntry.repeat(200_000) + one.slice(start);
    expect(parseReference(forged, "toolu_1")).toBeUndefined();
    expect(parseKnowledgeList(forged)).toHaveLength(200_001);
  });

  it.each(["tools", "path", "none"] as const)("mentions only how the agent reads: %s", (readBy) => {
    const text = renderKnowledgeList([entry()], { readBy, toolNames: { query_knowledge: false } });
    expect(text.includes("grep_knowledge(artifact_id, pattern)")).toBe(readBy === "tools");
    expect(text.includes('path="/tmp/x"')).toBe(readBy === "path");
    expect(text).not.toContain("query_knowledge");
  });
});
