import { describe, expect, it } from "vitest";
import { createOffloader } from "../../../src/index.js";
import { offloadToolResultsWithWriter, offloadToolResultWithWriter } from "../../../src/files.js";
import { type AnthropicMessageLike } from "../../../src/formats/index.js";
import { everything } from "../../../src/policies.js";
import { createMemoryWorkspace } from "../../../src/testing/index.js";
import { logOf } from "../../support/conversation.js";
import { MemoryWriter } from "../../support/memory-writer.js";
import { rejectionOf } from "../../support/rejection.js";
import { carrying, toolResult } from "../../support/tool-messages.js";

const TEXT = logOf(5_000);
const FUNCTION = { name: "run", arguments: "{}" };

const aiSdkResult = (id: string) => ({
  type: "tool-result",
  toolCallId: id,
  toolName: "run",
  output: { type: "text", value: TEXT },
});
const AI_SDK = [
  { role: "user", content: "Look." },
  {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId: "a", toolName: "run", input: {} },
      { type: "tool-call", toolCallId: "b", toolName: "run", input: {} },
    ],
  },
  { role: "tool", content: [aiSdkResult("a"), aiSdkResult("b")] },
];
const openAi = (content: string | null) => [
  { role: "user", content: "Look." },
  {
    role: "assistant",
    content,
    tool_calls: [{ id: "a", type: "function", function: FUNCTION }],
  },
  { role: "tool", tool_call_id: "a", content: TEXT },
];

describe("messages of another format are refused by the file presets, and nothing is written", () => {
  async function expectRefusal(
    call: (writer: MemoryWriter) => Promise<unknown>,
    name: string,
  ): Promise<void> {
    const writer = new MemoryWriter();
    const error = await rejectionOf(call(writer));
    expect(error).toMatchObject({ code: "UNKNOWN_FORMAT" });
    expect(error.message).toContain(name);
    expect(error.message).toContain(`createOffloader({ root, sessionId, format: "${name}" })`);
    expect(writer.files.size).toBe(0);
  }

  it.each<[string, string, readonly unknown[]]>([
    ["the AI SDK", "ai-sdk", AI_SDK],
    ["OpenAI, calls alone", "openai-chat", openAi(null)],
    ["OpenAI, words beside the calls", "openai-chat", openAi("Let me look.")],
  ])("history: %s", async (_, name, messages) => {
    const before = structuredClone(messages);
    await expectRefusal(
      (writer) =>
        offloadToolResultsWithWriter(messages as AnthropicMessageLike[], "/out", writer, {
          charThreshold: 1,
          ratioThreshold: 0,
        }),
      name,
    );
    expect(messages).toEqual(before);
  });

  it("direct: a tool message of the AI SDK", async () => {
    const [, , message] = AI_SDK as AnthropicMessageLike[];
    if (!message) throw new Error("there are three");
    await expectRefusal(
      (writer) => offloadToolResultWithWriter(message, "s1", "/out", writer),
      "ai-sdk",
    );
  });
});

describe("one Anthropic for the file presets and the offloader", () => {
  const mark = { type: "ephemeral" };
  const content = [
    { type: "text", text: TEXT },
    { type: "text", text: TEXT, cache_control: mark },
  ];
  const history = [
    { role: "user", content: "Look." },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "run", input: {} }] },
    carrying(toolResult("a", content, { cache_control: mark })),
  ];

  const byPreset = () =>
    offloadToolResultsWithWriter(history, "/out", new MemoryWriter(), { ratioThreshold: 0 });
  const byOffloader = () =>
    createOffloader({
      workspace: createMemoryWorkspace(),
      sessionId: "s1",
      policy: everything,
      media: "offload",
    }).offload(history);

  it("keeps a cache mark inside of the content, and the block's own", async () => {
    const outcomes = [(await byPreset()).messages, (await byOffloader()).messages];
    expect(outcomes).toHaveLength(2);
    for (const messages of outcomes) {
      expect(messages[2]).toEqual(
        carrying(
          toolResult(
            "a",
            [{ type: "text", text: expect.any(String) as string, cache_control: mark }],
            { cache_control: mark },
          ),
        ),
      );
      expect(JSON.stringify(messages)).not.toContain(TEXT.slice(0, 1_000));
    }
  });

  it("counts the same characters of the same result", async () => {
    const { report } = await byOffloader();
    expect(report.results).toHaveLength(1);
    expect((await byPreset()).freedChars).toBe(report.results[0]?.chars);
    expect(report.results[0]?.chars).toBe(JSON.stringify(content).length);
  });
});
