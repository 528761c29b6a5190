import { generateText, modelMessageSchema, stepCountIs, type ModelMessage } from "ai-7";
import { MockLanguageModelV4 } from "ai-7/test";
import { describe, expect, it } from "vitest";
import { aiSdkFormat as format } from "../../../src/formats/index.js";
import { GREP, offloadAndRestore, readMessage } from "./offload-and-restore.js";

/** Loosely typed, since most kinds of parts are deprecated in favor of `file`. */
const toolMessage = (...value: readonly object[]) => ({
  role: "tool",
  content: [
    {
      type: "tool-result",
      toolCallId: "call_1",
      toolName: "look",
      output: { type: "content", value },
    },
  ],
});

const words = { type: "text", text: "words" } as const;

describe("the AI SDK, version 7", () => {
  it("has assistant parts that are taken: custom, and files of reasoning", () => {
    const message = {
      role: "assistant",
      content: [
        { type: "custom", kind: "openai.compaction" },
        { type: "reasoning-file", data: "AAAA", mediaType: "image/png" },
        { type: "file", data: { type: "data", data: new Uint8Array(3) }, mediaType: "image/png" },
        { type: "tool-call", toolCallId: "a", toolName: "web", input: {}, providerExecuted: true },
      ],
    } satisfies ModelMessage;
    expect(modelMessageSchema.safeParse(message).success).toBe(true);
    expect(format.mismatch([message])).toBeUndefined();
    const reading = readMessage(format, message);
    expect(reading).toMatchObject({ calls: [], unknownTypes: [], fromModel: true });
  });

  it.each<{ type: string } & Record<string, unknown>>([
    { type: "file", data: { type: "data", data: "AAAA" }, mediaType: "image/png" },
    { type: "file", data: { type: "reference", reference: { openai: "f" } }, mediaType: "x/y" },
    { type: "file-reference", providerReference: { openai: "f" } },
    { type: "image-file-reference", providerReference: { openai: "f" } },
    { type: "file-data", data: "AAAA", mediaType: "application/pdf" },
    { type: "image-url", url: "https://example.org/a.png" },
  ])("has result parts that are kept as media: $type", (media) => {
    const message = toolMessage(words, media);
    const [result] = readMessage(format, message).results;
    expect(result).toMatchObject({ soleText: "words", chars: JSON.stringify([words]).length });
    const kept = offloadAndRestore(format, message);
    expect(kept.offloaded).toEqual(toolMessage({ type: "text", text: "reference 0" }, media));
    expect(kept.restored).toEqual(message);
    expect(modelMessageSchema.safeParse(kept.offloaded).success).toBe(true);
    expect(modelMessageSchema.safeParse(message).success).toBe(true);
    const taken = offloadAndRestore(format, message, "offload");
    expect(JSON.stringify(taken.offloaded)).not.toContain(media.type);
    expect(taken.restored).toEqual(message);
  });

  it("has files that are text, which are offloaded", () => {
    const file = { type: "text", text: "a long document" } as const;
    const message = toolMessage({ type: "file", data: file, mediaType: "text/plain" });
    const { offloaded, restored } = offloadAndRestore(format, message);
    expect(JSON.stringify(offloaded)).not.toContain("a long document");
    expect(restored).toEqual(message);
  });

  it("runs the tools by itself", async () => {
    const prompts: unknown[] = [];
    const model = new MockLanguageModelV4({
      doGenerate: ({ prompt, tools }) => {
        prompts.push(prompt.at(-1), tools);
        const isDone = prompts.length > 2;
        return Promise.resolve({
          content: isDone
            ? [{ type: "text" as const, text: "done" }]
            : [
                {
                  type: "tool-call" as const,
                  toolCallId: "c1",
                  toolName: "grep",
                  input: '{"pattern":"x"}',
                },
              ],
          finishReason: { unified: isDone ? ("stop" as const) : ("tool-calls" as const), raw: "" },
          usage: {
            inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 1, text: 1, reasoning: 0 },
          },
          warnings: [],
        });
      },
    });
    const tools = format.describeTools([GREP]);
    const { text } = await generateText({
      model,
      prompt: "find it",
      tools,
      stopWhen: stepCountIs(3),
    });
    expect(text).toBe("done");
    expect(prompts[1]).toMatchObject([{ name: "grep", inputSchema: GREP.inputSchema }]);
    expect(prompts[2]).toMatchObject({
      role: "tool",
      content: [{ output: { type: "text", value: "line 7" } }],
    });
  });
});
