import { describe, expect, it } from "vitest";
import { readCallsAndResults } from "../../src/core/engine/survey.js";
import { offloadToolResult, offloadToolResults } from "../../src/index.js";
import { InvalidArgumentError, UnknownFormatError } from "../../src/errors.js";
import { longText, PARALLEL } from "../../src/testing/format-fixture.js";
import { FIXTURES } from "../conformance/fixtures.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";

const one = async (message: unknown) =>
  offloadToolResult(message as never, { sessionId: "s1", outputDir: await makeTempFolder() });

const all = async (messages: readonly unknown[]) =>
  offloadToolResults(messages as never[], { outputDir: await makeTempFolder() });

async function expectRefusal(call: Promise<unknown>, format: string): Promise<void> {
  const error = await rejectionOf(call);
  expect(error).toBeInstanceOf(UnknownFormatError);
  expect(error.message).toContain(`look like ${format},`);
  expect(error.message).toContain(`Use createOffloader({ root, sessionId, format: "${format}" })`);
}

describe.each(FIXTURES)("a conversation of $name", ({ format, build }) => {
  const messages = build(PARALLEL);
  const withResult = messages.find(
    (message) => readCallsAndResults(format, message).results.length > 0,
  );

  if (format.name === "anthropic") {
    it("is offloaded", async () => {
      expect(await all(messages)).toMatchObject({ offloadedCount: 3 });
      expect((await one(withResult)).files).toHaveLength(3);
    });
  } else if (format.name.endsWith("-jsonl")) {
    it("is refused, since a line is not a message", async () => {
      for (const call of [() => all(messages), () => one(withResult)]) {
        const error = await rejectionOf(call());
        expect(error).toBeInstanceOf(InvalidArgumentError);
        expect(error.message).toContain("must be a message object, but it is the string");
      }
    });
  } else {
    it("is refused with its format and the function that takes it", async () => {
      await expectRefusal(all(messages), format.name);
    });

    // Hosts with Anthropic's messages store a result as a message of role tool too.
    const isAnybodys = format.name === "openai-chat";
    it(`has a result that is ${isAnybodys ? "anybody's" : "refused likewise"}`, async () => {
      if (isAnybodys) expect((await one(withResult)).files).toHaveLength(1);
      else await expectRefusal(one(withResult), format.name);
    });
  }
});

describe("a message that only nearly is in a format", () => {
  const dict = { type: "tool", content: longText("a"), tool_call_id: "call_1", name: "bash" };
  const call = { type: "tool-call", toolCallId: "call_1", toolName: "bash", args: {} };
  const result = { ...call, type: "tool-result", args: undefined, result: longText("b") };
  const aiSdk4 = { role: "tool", content: [result] };

  it("of LangChain, serialized as a dict, is refused", async () => {
    await expectRefusal(one(dict), "langchain");
    await expectRefusal(all([{ type: "human", content: "Look." }, dict]), "langchain");
    await expectRefusal(all([{ role: "user", content: "Look." }, dict]), "langchain");
  });

  it("of version 4 of the AI SDK is refused", async () => {
    const error = await rejectionOf(one(aiSdk4));
    expect(error).toBeInstanceOf(UnknownFormatError);
    expect(error.message).toContain("- ai-sdk: message 0 has a part of type tool-result without");
    const asked = { role: "user", content: "Look." };
    await expectRefusal(all([asked, { role: "assistant", content: [call] }, aiSdk4]), "ai-sdk");
  });
});

describe("a message of Anthropic's is not taken for another's", () => {
  const block = { type: "tool_result", tool_use_id: "toolu_1", content: longText("a") };
  const use = { type: "tool_use", id: "toolu_1", name: "bash", input: {} };
  const asked = { role: "user", content: "Look." };

  it.each([
    ["a block that nobody knows", { role: "user", content: [block, { type: "future_block" }] }],
    ["a type of its own", { role: "user", type: "user", content: [block] }],
    ["the type of the API", { role: "user", type: "message", content: [block] }],
    ["fields of the host", { role: "user", content: [block], id: "1", timestamp: "t", parts: [] }],
  ])("with %s", async (_, message) => {
    expect((await one(message)).files).toHaveLength(1);
    const called = { role: "assistant", content: [use] };
    expect(await all([asked, called, message])).toMatchObject({ offloadedCount: 1 });
  });

  it("that is only a tool's output", async () => {
    expect((await one({ content: longText("a") })).files).toHaveLength(1);
    expect((await one(block)).files).toHaveLength(1);
  });

  it("in a conversation without results", async () => {
    const messages = [asked, { role: "assistant", content: [use, { type: "future_block" }] }];
    expect(await all(messages)).toMatchObject({ offloadedCount: 0 });
    expect(await all([])).toMatchObject({ offloadedCount: 0 });
    expect(await all([{ content: "no role" }])).toMatchObject({ offloadedCount: 0 });
  });

  it("in a conversation whose results are messages of role tool", async () => {
    const parallel = ["a", "b", "c"].map((id) => ({
      role: "tool",
      tool_call_id: id,
      content: longText(id),
    }));
    const called = { role: "assistant", content: [use, { type: "future_block" }] };
    expect(await all([asked, called, ...parallel])).toMatchObject({ offloadedCount: 3 });
  });
});
