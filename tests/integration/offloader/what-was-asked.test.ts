import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOffloader, createWorkspace } from "../../../src/index.js";
import { makeTempFolder } from "../../support/temp-folder.js";

const LINES = Array.from({ length: 400 }, (_, at) => `word ${at} of harbour_${at} and more of it`);

const history = (question: string, sentence: string) => [
  { role: "user", content: question },
  {
    role: "assistant",
    content: [
      { type: "text", text: sentence },
      { type: "tool_use", id: "t1", name: "get_text", input: { query: "harbour_111" } },
    ],
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "t1", content: LINES.join("\n") }],
  },
];

describe("a reference depends on what its result was asked for", () => {
  const open = async (root?: string) => {
    const folder = root ?? join(await makeTempFolder(), "workspace");
    const workspace = createWorkspace({ root: folder });
    const offloader = createOffloader({ workspace, sessionId: "s", policy: () => true });
    const referenceOf = async (given: unknown[]) => {
      const { messages } = await offloader.offload(given);
      return /<knowledge_list>.*?<\/knowledge_list>/.exec(JSON.stringify(messages))?.[0] ?? "";
    };
    return { folder, referenceOf };
  };

  it("the call, the sentence with it and the names in the message of the user before it", async () => {
    const { referenceOf } = await open();
    const asked = await referenceOf(history("What is harbour_222?", "I look at harbour_333."));
    for (const at of [111, 222, 333]) expect(asked).toContain(`${at + 1}: ${LINES[at] ?? ""}\\n`);
  });

  it("stays as it is when a window drops that message, in a new process, too, whatever comes after", async () => {
    const { folder, referenceOf } = await open();
    const whole = history("What is harbour_222?", "I look.");
    const asked = await referenceOf(whole);
    expect(asked).toContain("223: word 222");
    const later = { role: "user", content: "And harbour_300?" };
    for (const messages of [whole.slice(1), [...whole, later], whole]) {
      expect(await referenceOf(messages)).toBe(asked);
      expect(await (await open(folder)).referenceOf(messages)).toBe(asked);
    }
  });
});
