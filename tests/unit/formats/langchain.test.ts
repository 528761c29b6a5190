import { deepStrictEqual } from "node:assert";
import {
  AIMessage,
  ChatMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
  ToolMessageChunk,
  coerceMessageLikeToMessage,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { load } from "@langchain/core/load";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FormatOptions,
  anthropicFormat,
  langchainFormat,
} from "../../../src/formats/index.js";
import { GREP, readMessage } from "./offload-and-restore.js";
import { deepFreeze } from "../../support/shared-objects.js";
import { anyString } from "../../support/any-string.js";

const KEEP: FormatOptions = { media: "keep" };
const OFFLOAD: FormatOptions = { media: "offload" };
const REFERENCE = "<knowledge_list>…</knowledge_list>";

const picture = { type: "image_url", image_url: { url: "data:image/png;base64,aWJhc2U2NA==" } };

/** Replaces all that is found, as a store that keeps JSON would see it. */
function replaceAll<M>(message: M, options = KEEP): { replaced: M; restored: M } {
  const { results } = readMessage(langchainFormat, message, options);
  const texts = results.map(({ slot }) => ({ slot, text: REFERENCE }));
  const stored = results.map(({ slot, content, wrapping }) => ({
    slot,
    content: JSON.parse(JSON.stringify(content)) as typeof content,
    wrapping,
  }));
  const replaced = langchainFormat.replace(message, texts, options) as M;
  return { replaced, restored: langchainFormat.restore(replaced, stored) as M };
}

const toolFields = () => ({
  content: "a long answer",
  tool_call_id: "call_1",
  name: "search",
  id: "message-1",
  status: "error" as const,
  artifact: { rows: [1, 2] },
  metadata: { took: 3 },
  additional_kwargs: { extra: true },
  response_metadata: { seen: 1 },
});

/** The same tool message in every form that LangChain has for it. */
const FORMS: readonly [string, () => unknown][] = [
  ["an instance", () => new ToolMessage(toolFields())],
  ["a chunk", () => new ToolMessageChunk(toolFields())],
  [
    "the serialized form",
    () => JSON.parse(JSON.stringify(new ToolMessage(toolFields()))) as unknown,
  ],
  ["the stored form", () => new ToolMessage(toolFields()).toDict()],
  ["a plain object by its type", () => ({ type: "tool", ...toolFields() })],
  ["a plain object by its role", () => ({ role: "tool", ...toolFields() })],
];

describe("the LangChain format: reading", () => {
  it.each(FORMS)("finds the result in %s", (_, build) => {
    const reading = readMessage(langchainFormat, build(), KEEP);
    expect(reading).toMatchObject({ fromModel: false, calls: [] });
    expect(reading.otherChars).toBe(0);
    expect(reading.results).toEqual([
      {
        slot: 0,
        id: "call_1",
        content: "a long answer",
        soleText: "a long answer",
        chars: 13,
        toolName: "search",
        isError: true,
      },
    ]);
  });

  it("finds the calls of the model, in every form", () => {
    const message = new AIMessage({
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "a", name: "search", input: { q: "x" } },
      ],
      tool_calls: [
        { id: "a", name: "search", args: { q: "x" }, type: "tool_call" },
        { id: "b", name: "list", args: {} },
      ],
      invalid_tool_calls: [{ id: "c", name: "search", args: "{", error: "Malformed args." }],
    });
    const forms = [message, JSON.parse(JSON.stringify(message)) as unknown, message.toDict()];
    for (const form of forms) {
      const reading = readMessage(langchainFormat, form, KEEP);
      expect(reading).toMatchObject({ fromModel: true, results: [] });
      expect(reading.calls).toEqual([
        { id: "a", name: "search" },
        { id: "b", name: "list" },
        { id: "c", name: "search" },
      ]);
      expect(reading.otherChars).toBe("I look.".length + '{"q":"x"}'.length + "{}".length);
    }
  });

  it("finds calls where they stood in older versions", () => {
    const call = { id: "a", type: "function", function: { name: "search", arguments: "{}" } };
    const additional_kwargs = { tool_calls: [call, { id: "b" }] };
    const stored = { type: "ai", data: { content: "", additional_kwargs } };
    expect(readMessage(langchainFormat, stored, KEEP).calls).toEqual([{ id: "a", name: "search" }]);
  });

  it("counts the text of other messages", () => {
    const count = (message: unknown) => readMessage(langchainFormat, message, KEEP).otherChars;
    expect(count(new HumanMessage("four"))).toBe(4);
    expect(count(new SystemMessage({ content: [{ type: "text", text: "four" }] }))).toBe(4);
    expect(count(new HumanMessage({ content: [picture] }))).toBe(JSON.stringify(picture).length);
    expect(count("no message")).toBe(0);
  });

  it("has nothing to offload where content is missing or cannot come back from JSON", () => {
    const bytes = { type: "image", mimeType: "image/png", data: new Uint8Array(3) };
    const content = [{ type: "text", text: "x" }, bytes];
    expect(
      readMessage(langchainFormat, new ToolMessage({ content, tool_call_id: "a" }), KEEP).results,
    ).toEqual([]);
    expect(readMessage(langchainFormat, { type: "tool", data: {} }, KEEP).results).toEqual([]);
    const computed = Object.create({ content: "x", getType: () => "tool" }) as object;
    expect(readMessage(langchainFormat, computed, KEEP).results).toEqual([]);
  });

  it("takes a missing or empty id and name as unknown", () => {
    const [found] = readMessage(langchainFormat, new ToolMessage("x", ""), KEEP).results;
    expect(found).toMatchObject({ id: undefined, toolName: undefined, isError: false });
  });
});

describe("the LangChain format: replacing and restoring", () => {
  it.each(FORMS)("changes nothing but the content of %s, and puts it back", (_, build) => {
    const message = deepFreeze(build()) as object;
    const { replaced, restored } = replaceAll(message);
    deepStrictEqual(restored, build());
    deepStrictEqual(message, build());
    expect(JSON.stringify(restored)).toBe(JSON.stringify(message));
    const changed = JSON.stringify(message).replace("a long answer", REFERENCE);
    expect(JSON.stringify(replaced)).toBe(changed);
    expect(Object.getPrototypeOf(replaced)).toBe(Object.getPrototypeOf(message));
    expect(readMessage(langchainFormat, replaced, KEEP).results[0]?.soleText).toBe(REFERENCE);
  });

  it("gives an instance that LangChain takes for one, in all that it can do", async () => {
    const fields = toolFields();
    const message = new ToolMessage(fields);
    const { replaced, restored } = replaceAll(message);
    expect(ToolMessage.isInstance(replaced)).toBe(true);
    expect(replaced.text).toBe(REFERENCE);
    expect(replaced.lc_kwargs["content"]).toBe(REFERENCE);
    expect(replaced.artifact).toBe(fields.artifact);
    expect(mapStoredMessagesToChatMessages([replaced.toDict()])[0]?.content).toBe(REFERENCE);
    const loaded = await load<ToolMessage>(JSON.stringify(replaced));
    expect(loaded).toBeInstanceOf(ToolMessage);
    expect(loaded.content).toBe(REFERENCE);
    expect(message.content).toBe("a long answer");
    expect(message.lc_kwargs).toBe(fields);
    expect(fields.content).toBe("a long answer");
    expect(restored).toStrictEqual(message);
  });

  it("keeps what the class was made with when its content was set later", () => {
    const message = new ToolMessage("first", "call_1");
    message.content = "second";
    const { replaced, restored } = replaceAll(message);
    expect(replaced.toDict().data.content).toBe(REFERENCE);
    deepStrictEqual(restored, message);
    expect(restored.lc_kwargs["content"]).toBe("first");
  });

  it("keeps a message made of contentBlocks in blocks, serialized too", async () => {
    const contentBlocks = [{ type: "text" as const, text: "a long answer" }];
    const message = new ToolMessage({ contentBlocks, tool_call_id: "call_1" });
    const { replaced, restored } = replaceAll(message);
    expect(replaced.content).toEqual([{ type: "text", text: REFERENCE }]);
    expect(replaced.text).toBe(REFERENCE);
    deepStrictEqual(restored, message);
    const serialized: unknown = JSON.parse(JSON.stringify(message));
    const plain = replaceAll(serialized);
    expect((await load<ToolMessage>(JSON.stringify(plain.replaced))).text).toBe(REFERENCE);
    expect(JSON.stringify(plain.replaced)).toBe(JSON.stringify(replaced));
    deepStrictEqual(plain.restored, serialized);
  });

  it("keeps media in place, or offloads it too when asked", () => {
    const content = [{ type: "text", text: "seen" }, picture];
    const message = new ToolMessage({ content, tool_call_id: "call_1" });
    const chars = (options: FormatOptions) =>
      readMessage(langchainFormat, message, options).results[0]?.chars;
    expect(chars(KEEP)).toBe(JSON.stringify([content[0]]).length);
    expect(chars(OFFLOAD)).toBe(JSON.stringify(content).length);
    const kept = replaceAll(message);
    expect(kept.replaced.content).toEqual([{ type: "text", text: REFERENCE }, picture]);
    deepStrictEqual(kept.restored, message);
    const taken = replaceAll(message, OFFLOAD);
    expect(taken.replaced.content).toBe(REFERENCE);
    deepStrictEqual(taken.restored, message);
  });

  it("keeps every cache mark", () => {
    const cache_control = { type: "ephemeral" };
    const marked = { type: "text", text: "seen", cache_control };
    const build = (...content: object[]) =>
      new ToolMessage({ content, tool_call_id: "c" } as never);
    const mark = { type: "text", text: REFERENCE, cache_control };
    expect(replaceAll(build(marked)).replaced.content).toEqual([mark]);
    const markedPicture = { ...picture, cache_control };
    expect(replaceAll(build(marked, markedPicture)).replaced.content).toEqual([
      mark,
      markedPicture,
    ]);
  });

  it("returns the message itself when there is nothing to put in", () => {
    const message = new HumanMessage("x");
    expect(langchainFormat.replace(message, [], KEEP)).toBe(message);
    expect(langchainFormat.restore(message, [])).toBe(message);
  });

  it("gives back any conversation exactly and changes no input", () => {
    const text = anyString();
    const block = fc.oneof(
      fc.record({ type: fc.constant("text"), text }),
      fc.record({ type: fc.constant("image_url"), image_url: fc.record({ url: fc.webUrl() }) }),
      fc.record({ type: fc.constant("audio"), mimeType: text, data: fc.base64String() }),
      fc.record({ type: fc.constant("file"), fileId: text }),
      fc.record({ type: fc.constant("non_standard"), value: fc.dictionary(text, fc.jsonValue()) }),
      text,
    );
    const fields = fc.record(
      {
        content: fc.oneof(text, fc.array(block, { maxLength: 5 })),
        tool_call_id: fc.constantFrom("call_1", "call_2"),
        name: fc.constantFrom("search", "list"),
        id: text,
        status: fc.constantFrom("success", "error"),
        artifact: fc.jsonValue(),
        additional_kwargs: fc.dictionary(text, fc.jsonValue()),
      },
      { requiredKeys: ["content", "tool_call_id"] },
    );
    const form = fc.constantFrom("instance", "serialized", "stored", "plain");
    const rule = fc.constantFrom(KEEP, OFFLOAD);
    fc.assert(
      fc.property(fields, form, rule, (generated, as, options) => {
        const build = (): object => {
          const message = new ToolMessage(structuredClone(generated) as never);
          if (as === "instance") return message;
          if (as === "serialized") return JSON.parse(JSON.stringify(message)) as object;
          return as === "stored"
            ? message.toDict()
            : { type: "tool", ...structuredClone(generated) };
        };
        const message = deepFreeze(build());
        const { replaced, restored } = replaceAll(message, options);
        deepStrictEqual(restored, build());
        deepStrictEqual(message, build());
        // A value that JSON would change, such as -0, is not offered.
        if (readMessage(langchainFormat, message, options).results.length === 0) return;
        expect(readMessage(langchainFormat, replaced, options).results[0]?.soleText).toBe(
          REFERENCE,
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe("the LangChain format: whose messages", () => {
  const own = [
    new SystemMessage("be brief"),
    new HumanMessage("q"),
    new AIMessage({ content: "", tool_calls: [{ id: "a", name: "search", args: {} }] }),
    new ToolMessage("x", "a"),
    new ChatMessage("x", "critic"),
    new RemoveMessage({ id: "m" }),
  ];

  it("takes its own in every form, which Anthropic's refuses", () => {
    const serialized: unknown = JSON.parse(JSON.stringify(own));
    for (const messages of [own, serialized as unknown[], own.map((one) => one.toDict())]) {
      expect(langchainFormat.mismatch(messages)).toBeUndefined();
      expect(anthropicFormat.mismatch(messages)).toBeTypeOf("string");
    }
    const python = { type: "AIMessageChunk", content: "x", tool_calls: [] };
    expect(langchainFormat.mismatch([python])).toBeUndefined();
    expect(langchainFormat.mismatch([])).toBeUndefined();
  });

  it("takes the plain messages that LangChain takes, beside its own", () => {
    const question = { role: "user", content: "q" };
    expect(langchainFormat.mismatch([question, ...own])).toBeUndefined();
    expect(langchainFormat.mismatch([question])).toContain(
      "no message has the type of a LangChain",
    );
  });

  it.each<[string, unknown, string]>([
    [
      "Anthropic",
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] },
      "no message has the type of a LangChain message",
    ],
    ["OpenAI chat", { role: "tool", tool_call_id: "a", content: "x" }, "no message has the type"],
    [
      "Responses",
      { type: "function_call_output", call_id: "a", output: "x" },
      'message 0 has the type "function_call_output"',
    ],
    ["Responses message", { type: "message", role: "user", content: [] }, 'the type "message"'],
    ["Gemini", { role: "user", parts: [] }, 'message 0 has the role "user" or no content'],
    ["MCP", { content: [{ type: "text", text: "x" }] }, "has neither a type nor a role"],
    [
      "AI SDK",
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", output: {} }] },
      "no message has the type",
    ],
    ["another class", { lc: 1, type: "constructor", id: ["x", "Prompt"], kwargs: {} }, "the type"],
    ["an odd type", { type: "constructor", content: "x" }, 'the type "constructor"'],
    ["a text", "x", "message 0 is a line of text, not an object"],
  ])("refuses %s", (_, message, why) => {
    expect(langchainFormat.mismatch([message])).toContain(why);
  });
});

describe("the LangChain format: content behind an accessor", () => {
  const message = (content: object) =>
    Object.defineProperties(new ToolMessage({ content: "x", tool_call_id: "a" }), { ...content });

  it("is kept, since an accessor could not be restored", () => {
    const computed = message({ content: { get: () => "computed", enumerable: true } });
    const { results } = readMessage(langchainFormat, computed, KEEP);
    expect(results).toEqual([]);
    expect(replaceAll(computed).replaced).toBe(computed);
  });

  it("is not even read, so that one that throws does no harm", () => {
    const throwing = message({
      content: {
        get: () => {
          throw new Error("not now");
        },
      },
    });
    expect(readMessage(langchainFormat, throwing, KEEP).results).toEqual([]);
  });

  it("does not keep a message from being replaced if only its arguments are computed", () => {
    const kwargs = { content: "x", tool_call_id: "a" };
    const computed = message({ lc_kwargs: { get: () => kwargs, enumerable: true } });
    const { replaced, restored } = replaceAll(computed);
    expect(replaced).toMatchObject({ content: REFERENCE, lc_kwargs: { content: REFERENCE } });
    expect(restored).toMatchObject({ content: "x", lc_kwargs: kwargs });
    const wrapped = Object.defineProperty({ type: "tool" }, "data", { get: () => kwargs });
    expect(replaceAll(wrapped).replaced).toMatchObject({ data: { content: REFERENCE } });
  });
});

describe("the LangChain format: tools", () => {
  it("gives tools in the form that bindTools converts", () => {
    const [tool] = langchainFormat.describeTools([GREP]);
    expect(convertToOpenAITool(tool ?? {})).toEqual({
      type: "function",
      function: { name: "grep", description: "Searches.", parameters: GREP.inputSchema },
    });
  });

  it("reads a call and answers it with what becomes a tool message", () => {
    const { tool_calls = [] } = new AIMessage({
      content: "",
      tool_calls: [{ id: "a", name: "grep", args: { pattern: "x" }, type: "tool_call" }],
    });
    const [call] = tool_calls;
    expect(langchainFormat.readCall(call)).toEqual({ name: "grep", input: { pattern: "x" } });
    expect(langchainFormat.readCall({ ...call, type: undefined })).toBeDefined();
    for (const isError of [false, true]) {
      const answer = langchainFormat.answerCall(call, { text: "line 7", isError });
      const message = coerceMessageLikeToMessage(answer);
      expect(message).toBeInstanceOf(ToolMessage);
      const status = isError ? "error" : "success";
      expect(message).toMatchObject({ content: "line 7", tool_call_id: "a", name: "grep", status });
      expect(readMessage(langchainFormat, answer, KEEP)).toEqual(
        readMessage(langchainFormat, message, KEEP),
      );
    }
    expect(
      langchainFormat.answerCall({ id: "a" }, { text: "x", isError: false }),
    ).not.toHaveProperty("name");
  });

  it("does not read the calls of others", () => {
    const others = [
      { type: "tool_use", id: "a", name: "grep", input: {} },
      { type: "function", id: "a", function: { name: "grep", arguments: "{}" } },
      { type: "function_call", call_id: "a", name: "grep", arguments: "{}" },
      { name: "grep", args: {} },
    ];
    for (const call of others) expect(langchainFormat.readCall(call)).toBeUndefined();
  });
});
