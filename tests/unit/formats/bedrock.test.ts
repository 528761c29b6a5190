import { describe, expect, it } from "vitest";
import { bedrockFormat as format, parseConversation } from "../../../src/formats/index.js";
import { expectToKnowItsOwn, GREP, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const picture = { image: { format: "png", source: { s3Location: { uri: "s3://a" } } } };
const user = (...content: object[]) => ({ role: "user", content });
const result = (content: unknown, more: object = {}) => ({
  toolResult: { toolUseId: "t1", content, status: "success", ...more },
});

describe("the format of Bedrock Converse", () => {
  it("reads calls, results and texts", () => {
    const use = { toolUseId: "t1", name: "bash", input: { a: 1 } };
    const said = { role: "assistant", content: [{ text: "Look." }, { toolUse: use }] };
    expect(readMessage(format, said)).toMatchObject({
      fromModel: true,
      calls: [{ id: "t1", name: "bash" }],
      otherChars: "Look.".length + '{"a":1}'.length,
    });
    const answered = user(result([{ text: "no such file" }], { status: "error" }));
    expect(readMessage(format, answered).results).toMatchObject([
      { slot: 0, id: "t1", soleText: "no such file", isError: true },
    ]);
  });

  it.each<[string, object[], object[]]>([
    ["text", [{ text: "a" }], []],
    ["JSON", [{ json: { rows: [1] } }], []],
    ["a JSON array", [{ json: [{ text: "a" }] }], []],
    ["two texts", [{ text: "a" }, { text: "b" }], []],
    ["a block with more", [{ text: "a", more: 1 }], []],
    ["text and a picture", [{ text: "a" }, picture], [picture]],
    [
      "a document and text",
      [{ document: { name: "d" } }, { text: "a" }],
      [{ document: { name: "d" } }],
    ],
  ])("replaces and restores %s", (_what, content, kept) => {
    const message = user({ text: "Here." }, result(content));
    const { offloaded, restored } = offloadAndRestore(format, message);
    expect(offloaded).toEqual(user({ text: "Here." }, result([{ text: "reference 1" }, ...kept])));
    expect(restored).toEqual(message);
    const taken = offloadAndRestore(format, message, "offload");
    expect(taken.offloaded).toEqual(user({ text: "Here." }, result([{ text: "reference 1" }])));
    expect(taken.restored).toEqual(message);
  });

  it("stores a single text or JSON value as what it is, so that it is read as that", () => {
    const stored = (...content: object[]) =>
      readMessage(format, user(result(content))).results[0]?.content;
    expect(stored({ text: "a log" })).toBe("a log");
    expect(stored({ json: { rows: [1] } })).toEqual({ rows: [1] });
    expect(stored({ json: 7 })).toEqual([{ json: 7 }]);
    expect(stored({ text: "a", more: 1 })).toEqual([{ text: "a", more: 1 }]);
    expect(stored({ text: "a" }, { text: "b" })).toEqual([{ text: "a" }, { text: "b" }]);
  });

  it.each<[string, object]>([
    ["bytes", result([{ text: "a" }, { image: { source: { bytes: new Uint8Array(3) } } }])],
    ["a tool of the provider", result([{ json: {} }], { type: "nova_code_interpreter_result" })],
  ])("keeps a result as it is: %s", (_what, block) => {
    expect(readMessage(format, user(block))).toMatchObject({ results: [], answers: ["t1"] });
  });

  it("is told from others' messages", () => {
    expectToKnowItsOwn(format);
    const use = { toolUse: { toolUseId: "t1", name: "x", input: {}, type: "server_tool_use" } };
    expect(readMessage(format, user(use)).calls).toEqual([]);
    expect(readMessage(format, user({ novelty: 1 })).unknownTypes).toEqual(["novelty"]);
    const messages = [user({ text: "Go." }), { role: "assistant", content: [use] }];
    expect(parseConversation({ messages }).format).toBe("bedrock");
  });

  it("has the tools and answers of the Converse API", () => {
    expect(format.describeTools([GREP])).toEqual([
      {
        toolSpec: {
          name: "grep",
          description: "Searches.",
          inputSchema: { json: GREP.inputSchema },
        },
      },
    ]);
    const call = { toolUseId: "t", name: "grep", input: {} };
    expect(format.readCall(call)).toEqual({ name: "grep", input: {} });
    expect(format.answerCall(call, { text: "x", isError: true })).toEqual({
      toolResult: { toolUseId: "t", content: [{ text: "x" }], status: "error" },
    });
  });
});
