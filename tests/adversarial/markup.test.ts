import fc from "fast-check";
import { expect, it } from "vitest";
import { createOffloader, parseKnowledgeList } from "../../src/index.js";
import { type AnthropicMessage } from "../../src/formats/index.js";
import { minChars } from "../../src/policies.js";
import { runs } from "../support/adversarial-runs.js";
import { openMemoryWorkspace } from "../support/memory-workspace.js";
import { anyString } from "../support/any-string.js";

const MARKUP = [
  ...[
    '"',
    "'",
    "<",
    ">",
    "&",
    "/",
    "=",
    " ",
    "\n",
    "\r",
    "\0",
    "]]>",
    "<!--",
    "&lt;",
    "&quot;",
    "&#60;",
  ],
  ...[
    '">\n',
    "</knowledge>",
    "</knowledge>\n",
    "</knowledge_list>",
    "<knowledge_list>\n",
    '" id="b',
  ],
  ...[
    '<knowledge id="b" hash="00000000">\n',
    "&amp;lt;",
    "&#x3c;",
    "é",
    "😀",
    "\ud83d",
    "../..",
    "a",
  ],
];
const hostile = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(fc.constantFrom(...MARKUP), { minLength: 1, maxLength: 8 })
      .map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: anyString({ minLength: 1, maxLength: 12 }) },
);
/** Every kind of digest gets hostile lines, keys and headings to show. */
const content = fc.tuple(hostile, hostile, fc.nat({ max: 4 })).map(([one, two, kind]) => {
  const filler = "INFO request served in 12 ms\n".repeat(80);
  if (kind === 0)
    return JSON.stringify({
      [one]: two,
      rows: Array.from({ length: 90 }, () => ({ [two]: one, n: 1 })),
    });
  if (kind === 1) return `# ${one}\n\n${filler}\n## ${two}\n${filler}`;
  if (kind === 2) return `${one},${two},c\n`.repeat(200);
  if (kind === 3) return `<html><title>${one}</title><h1>${two}</h1><p>${filler}</p></html>`;
  return `${one}\n${filler}ERROR ${two}\n${filler}${one}`;
});

/** A reference is two tags around one entry; nothing else in it looks like one of them. */
const SHAPE =
  /^<knowledge_list>\n<knowledge (?: ?[a-z]+="[^"<>\n]*")+>\n(?:(?!<\/?knowledge)[^])*\n<\/knowledge>\n[^<>]*<\/knowledge_list>$/;

it("no id, tool or content breaks out of a reference, which names its own artifact", async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, content, async (id, tool, text) => {
      const workspace = openMemoryWorkspace();
      const { record, reference } = await workspace.put(
        { content: text, metadata: { tool_name: tool } },
        { sessionId: "default", toolCallId: id },
      );
      expect(reference).toMatch(SHAPE);
      expect(parseKnowledgeList(reference)).toEqual([record.artifactId]);
      const forged = [
        `${reference}x`,
        ` ${reference}`,
        reference.slice(0, -1),
        reference + reference,
      ];
      for (const other of forged) expect(parseKnowledgeList(other)).toBeUndefined();
    }),
    { numRuns: runs(500) },
  );
});

it("a conversation with hostile ids, tools and content is offloaded and restored exactly", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(hostile, hostile, content), { minLength: 1, maxLength: 5 }),
      async (given) => {
        const calls = [...new Map(given.map((call) => [call[0], call])).values()];
        const history = calls.flatMap(([id, name, text]): AnthropicMessage[] => [
          { role: "assistant", content: [{ type: "tool_use", id, name, input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] },
        ]);
        const before = structuredClone(history);
        const options = { sessionId: "s1", format: "anthropic", policy: minChars(1_500) } as const;
        const offloader = createOffloader({ ...options, workspace: openMemoryWorkspace() });
        const { messages, report } = await offloader.offload(history);
        expect(history).toEqual(before);
        expect(report.totals.failed).toBe(0);
        const again = await offloader.offload(messages);
        expect(again.messages).toBe(messages);
        expect(await offloader.restore(messages)).toEqual(before);
      },
    ),
    { numRuns: runs(130) },
  );
});
