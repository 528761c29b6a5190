import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UnknownFormatError } from "../../../src/errors.js";
import {
  langchainFormat,
  openaiChatFormat,
  parseConversation,
  piFormat,
} from "../../../src/formats/index.js";
import { FORMATS } from "../../../src/formats/formats.js";
import { anyString } from "../../support/any-string.js";
import { deepFreeze } from "../../support/shared-objects.js";
import { offloadAndRestore, readMessage } from "./offload-and-restore.js";

const chat = [
  { role: "user", content: "What is there?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "c1", content: "two files" },
];
const line = '{"type":"user","uuid":"u","message":{"role":"user","content":"words"}}';
describe("a value that holds a conversation", () => {
  it("is the messages themselves", () => {
    const { format, messages, stringify } = parseConversation(chat);
    expect(format).toBe("openai-chat");
    expect(messages).toBe(chat);
    expect(stringify(messages)).toBe(JSON.stringify(chat, null, 2));
  });

  it.each([
    "messages",
    "traj",
    "history",
    "contents",
    "input",
    "trajectory",
    "events",
    "conversation",
  ])("is an object with %s", (key) => {
    const file = deepFreeze({ id: 7, [key]: chat, info: { score: 1 } });
    const { messages, stringify } = parseConversation(file);
    expect(messages).toBe(chat);
    expect(stringify(["other"])).toBe(JSON.stringify({ ...file, [key]: ["other"] }, null, 2));
  });

  it.each<[string, (messages: unknown) => object]>([
    ["values", (messages) => ({ values: { messages, todos: [] }, next: [], metadata: {} })],
    ["a checkpoint", (messages) => ({ v: 4, channel_values: { messages }, id: "1f0" })],
    [
      "a checkpoint tuple",
      (messages) => ({ config: {}, checkpoint: { channel_values: { messages } } }),
    ],
  ])("is the state of a LangGraph thread: %s", (_what, hold) => {
    const call = { id: "c1", name: "ls", args: {} };
    const instances = [
      new HumanMessage("What is there?"),
      new AIMessage({ content: "", tool_calls: [call] }),
      new ToolMessage({ content: "two files", tool_call_id: "c1" }),
    ];
    const forms = [
      instances.map((message) => message.toJSON()),
      instances.map((message) => message.toDict()),
      [
        { type: "human", content: "What is there?", id: "h" },
        { type: "ai", content: "", tool_calls: [{ ...call, type: "tool_call" }] },
        { type: "tool", content: "two files", tool_call_id: "c1", status: "success" },
      ],
    ].map((form) => JSON.parse(JSON.stringify(form)) as object[]);
    for (const form of forms) {
      const text = JSON.stringify(hold(form));
      const { format, messages, stringify } = parseConversation(text);
      expect(format).toBe("langchain");
      expect(readMessage(langchainFormat, messages[2]).results).toMatchObject([
        { id: "c1", content: "two files" },
      ]);
      const { offloaded, restored } = offloadAndRestore(langchainFormat, messages[2]);
      const shorter = stringify([...messages.slice(0, 2), offloaded]);
      expect(shorter).toBe(text.replaceAll("two files", "reference 0"));
      expect(stringify([...messages.slice(0, 2), restored])).toBe(text);
    }
  });

  it("gives the history of a file that has its steps as well", () => {
    const file = { trajectory: [{ action: "ls", observation: "a" }], history: chat };
    expect(parseConversation(file).messages).toBe(chat);
  });

  it("is a request that was recorded with its reply", () => {
    const file = { input: { system: "Be brief.", messages: chat }, output: { text: "Two files." } };
    const { messages, stringify } = parseConversation(file);
    expect(messages).toBe(chat);
    expect(JSON.parse(stringify([]))).toEqual({ ...file, input: { ...file.input, messages: [] } });
  });

  it("may hold no messages yet", () => {
    expect(parseConversation([])).toMatchObject({ format: "anthropic", messages: [] });
  });
});
describe("the text of a JSON file", () => {
  it.each<[string, string]>([
    ["two spaces", `${JSON.stringify({ messages: chat }, null, 2)}\n`],
    ["four spaces", JSON.stringify({ type: "chatml", messages: chat }, null, 4)],
    ["tabs", `${JSON.stringify(chat, null, "\t")}\n`],
    ["one line", JSON.stringify({ messages: chat })],
  ])("comes back with its indentation: %s", (_how, text) => {
    const { format, messages, stringify } = parseConversation(text);
    expect(format).toBe("openai-chat");
    expect(messages).toEqual(chat);
    expect(stringify(messages)).toBe(text);
    expect(stringify([...messages])).toBe(text);
    expect(stringify(chat.slice(0, 1))).not.toContain("two files");
  });

  it("comes back as it was, whatever its spaces, when its messages did not change", () => {
    const text = '[ {"role":"user",\n"content":"caf\\u00e9"} ]';
    const { messages, stringify } = parseConversation(text);
    expect(stringify(messages)).toBe(text);
  });
});
describe("the text of a JSONL file", () => {
  it("is its lines, byte for byte", () => {
    const text = `${line}\r\n\n${line}\nbroken\u2028line\n${line}`;
    const { format, messages, stringify } = parseConversation(text);
    expect(format).toBe("claude-code-jsonl");
    expect(messages).toEqual([`${line}\r\n`, "\n", `${line}\n`, "broken\u2028line\n", line]);
    expect(stringify(messages)).toBe(text);
  });

  it("may be of one line", () => {
    expect(parseConversation(line).messages).toEqual([line]);
  });

  it("counts the lines of it that are broken, and keeps them", () => {
    const text = `{"type":"us\n${line}\n\n${line.slice(0, -9)}\n \n${line}\nnull\n${line}`;
    const { format, messages, stringify, brokenLines } = parseConversation(text);
    expect(format).toBe("claude-code-jsonl");
    expect(brokenLines).toBe(2);
    expect(stringify(messages)).toBe(text);
    expect(parseConversation(line).brokenLines).toBe(0);
    expect(parseConversation(chat).brokenLines).toBe(0);
  });

  it("may have a message of any format in each line", () => {
    const text = `${chat.map((one) => JSON.stringify(one)).join("\r\n")}\r\n{"role":"to`;
    const { format, messages, stringify, brokenLines } = parseConversation(text);
    expect(format).toBe("openai-chat-jsonl");
    expect(messages).toHaveLength(4);
    expect(stringify(messages)).toBe(text);
    expect(brokenLines).toBe(1);
  });

  it("comes back from any lines", () => {
    const each = fc.oneof(fc.constant(line), anyString());
    fc.assert(
      fc.property(fc.array(each), fc.constantFrom("\n", "\r\n"), (some, lineEnd) => {
        const text = [...some.map(() => line), line, ...some].join(lineEnd);
        const { messages, stringify } = parseConversation(text);
        expect(stringify(messages)).toBe(text);
      }),
    );
  });
});
describe("what is not a conversation", () => {
  it.each<[string, unknown, string]>([
    ["a number", 7, "It is the number 7, not an array of messages"],
    ["an object of another kind", { name: "x" }, 'It is an object with keys ["name"], not'],
    ["the text of such an object", '{\n"name": "x"\n}', 'It is an object with keys ["name"], not'],
    [
      "requests by their hashes",
      { a: { input: { messages: chat } }, b: { input: { messages: chat } } },
      'It holds 2 conversations: parse the "input.messages" of each',
    ],
    [
      "the text of such requests",
      JSON.stringify(
        { a: { input: { messages: chat } }, b: { input: { messages: chat } } },
        null,
        2,
      ),
      "It holds 2 conversations",
    ],
    ["several conversations", [{ traj: chat }, { traj: chat }], 'parse the "traj" of each'],
    ["lines of conversations", '{"messages":[]}\n{"messages":[]}\n', "Every line of it is"],
    ["other text", "# Heading\ntext\n", "No line of it is a JSON object"],
    ["no text", " \n", "It is empty"],
  ])("is refused: %s", (_, value, message) => {
    expect(() => parseConversation(value)).toThrow(message);
    expect(() => parseConversation(value)).toThrow(
      expect.objectContaining({ code: "UNKNOWN_FORMAT", mismatches: [] }),
    );
  });

  const refusalOf = (messages: unknown): string[] => {
    try {
      parseConversation(messages);
      return [];
    } catch (error) {
      return (error as Error).message.split("\n");
    }
  };
  const NEXT = "If another program wrote them, pass your own format.";
  const names = FORMATS.map(({ name }) => name).filter((name) => !name.endsWith("-jsonl"));
  const formatOf = (line: string) => line.slice("- ".length, line.indexOf(":"));

  it("is refused with the nearest format first, one a line", () => {
    const said = refusalOf([...chat, { role: "narrator", content: "x" }]);
    expect(said.slice(0, 2)).toEqual([
      `No known format matches these messages. They look most like openai-chat. ${NEXT}`,
      '- openai-chat: message 3 has the role "narrator"',
    ]);
    const between = said.indexOf("These do not fit a single message:");
    expect(said.slice(2, between)).toContain("- anthropic: message 1 has tool_calls");
    expect(said.slice(between + 1)).toContain("- ai-sdk-ui: message 0 has no parts");
    const listed = said.filter((line) => line.startsWith("- ")).map(formatOf);
    expect(listed.sort()).toEqual(names.sort());
  });

  it("is refused without a nearest format where nothing fits, one a line", () => {
    const [headline, ...lines] = refusalOf([{ role: "narrator", content: "x" }]);
    expect(headline).toBe(`No known format matches any of these messages. ${NEXT}`);
    expect(lines.map(formatOf).sort()).toEqual(names.sort());
    // Blank lines fit every format for lines, and say nothing.
    const [ofLines] = refusalOf('\n{"x":1}\n\n{"x":2}\n');
    expect(ofLines).toBe(`No known format matches any of these messages. ${NEXT}`);
  });

  it("is refused as what it is where a text is one value, with the formats that were tried", () => {
    const said = refusalOf('\n{"x":1}\n');
    expect(said.join()).toMatch(/offloaded\. It is an object with keys \["x"\], not an array of/);
    try {
      parseConversation('{"x":1}');
      expect.unreachable();
    } catch (error) {
      const { mismatches } = error as UnknownFormatError;
      expect(mismatches.map(({ format }) => format)).toContain("anthropic-jsonl");
    }
  });

  it.each([
    ["<returncode>0</returncode>\n<output>\na\n</output>"],
    ["<tool_response>\na\n</tool_response>"],
    ["Observation: a"],
    [[{ type: "text", text: "OBSERVATION:\na" }]],
    [
      [
        { type: "text", text: "[read_file for 'a.ts'] Result:" },
        { type: "text", text: "a" },
      ],
    ],
  ])("is refused when its results are plain text: %j", (observed) => {
    const messages = [
      { role: "system", content: "Answer with a command." },
      { role: "user", content: "What is there?" },
      { role: "assistant", content: "ls" },
      { role: "user", content: observed },
      { role: "assistant", content: "One file." },
    ];
    const refused = expect.objectContaining({
      code: "UNKNOWN_FORMAT",
      message:
        "This is not a conversation that can be offloaded. Its tool results (1) are plain text in " +
        "user messages, without the id of the call that each one answers, so none could be put " +
        "back into its place.",
    }) as Error;
    expect(() => parseConversation({ messages })).toThrow(refused);
    const lines = messages.map((message) => JSON.stringify(message)).join("\n");
    expect(() => parseConversation(lines)).toThrow(refused);
  });

  it("is not a conversation whose user quotes what a program printed", () => {
    const messages = [
      { role: "user", content: "Observation: none" },
      { role: "assistant", content: "I see." },
      { role: "user", content: "Observation: it rains" },
      { role: "assistant", content: "So it does." },
      { role: "user", content: "Thank you." },
      { role: "assistant", content: "Gladly." },
      { role: "user", content: [] },
    ];
    expect(parseConversation(messages).messages).toBe(messages);
    const called = [...chat, { role: "assistant" }, { role: "user", content: "<returncode>" }];
    expect(parseConversation(called).messages).toBe(called);
  });
});

describe("programs that record in the format of another", () => {
  it("Hermes: chat messages, with notes among them", () => {
    const call = { id: "c1", type: "function", function: { name: "shell", arguments: "{}" } };
    const session = {
      session_id: "s",
      system_prompt: "You are Hermes.",
      messages: [
        { role: "user", content: "Where am I?" },
        { role: "assistant", content: "", reasoning: "Look.", tool_calls: [call] },
        { role: "tool", content: "/tmp", tool_call_id: "c1", tool_name: "shell" },
        { role: "session_meta" },
      ],
    };
    const text = JSON.stringify(session, null, 1);
    const { format, messages, stringify } = parseConversation(text);
    expect(format).toBe("openai-chat");
    const restored = messages.map((one) => offloadAndRestore(openaiChatFormat, one).restored);
    expect(stringify(restored)).toBe(text);
    const note = { role: "session_meta", content: { model: "x" } };
    expect(readMessage(openaiChatFormat, note)).toMatchObject({ results: [], otherChars: 0 });
  });

  it("OpenClaw: lines of pi, whose results may be texts", () => {
    const line = (record: object) => `${JSON.stringify({ id: "i", timestamp: "t", ...record })}\n`;
    const message = (inner: object) => line({ type: "message", message: inner });
    const call = { type: "toolCall", id: "c1", name: "run", arguments: {} };
    const lines = [
      line({ type: "session", version: 3 }),
      line({ type: "custom_message", customType: "openclaw.runtime-context", content: "context" }),
      message({ role: "assistant", content: [call] }),
      message({
        role: "toolResult",
        toolCallId: "c1",
        toolName: "run",
        content: "M a",
        isError: false,
      }),
    ];
    const { format, messages, stringify } = parseConversation(lines.join(""));
    expect(format).toBe("pi-jsonl");
    expect(readMessage(piFormat, lines[3]).results).toMatchObject([{ id: "c1", content: "M a" }]);
    const restored = messages.map((one) => offloadAndRestore(piFormat, one).restored);
    expect(stringify(restored)).toBe(lines.join(""));
  });
});
