import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openConversation } from "../../../src/formats/parse-conversation.js";
import { freeze } from "./offload-and-restore.js";

const chat = [
  { role: "user", content: "What is there?" },
  { role: "assistant", content: null, tool_calls: [{ id: "c1" }] },
  { role: "tool", tool_call_id: "c1", content: "two files" },
];

describe("a conversation's file", () => {
  it("is the messages themselves", () => {
    const { messages, close } = openConversation(chat);
    expect(messages).toBe(chat);
    expect(close(messages)).toBe(chat);
  });

  it.each(["messages", "traj", "history", "contents", "input", "trajectory"])(
    "is an object with %s",
    (key) => {
      const file = freeze({ id: 7, [key]: chat, info: { score: 1 } });
      const { messages, close } = openConversation(file);
      expect(messages).toBe(chat);
      expect(close(messages)).toBe(file);
      const closed = close(["other"]);
      expect(JSON.stringify(closed)).toBe(JSON.stringify({ ...file, [key]: ["other"] }));
    },
  );

  it("takes the history of a file that has its steps as well", () => {
    const file = { trajectory: [{ action: "ls", observation: "a" }], history: chat };
    expect(openConversation(file).messages).toBe(chat);
  });

  it("is the text of a JSONL file, line by line [DESIGN-O-files]", () => {
    const text = '{"type":"user"}\r\n\n{"type":"assistant"}\nbroken\u2028line\n{"type":"user"}';
    const { messages, close } = openConversation(text);
    expect(messages).toEqual([
      '{"type":"user"}\r\n',
      "\n",
      '{"type":"assistant"}\n',
      "broken\u2028line\n",
      '{"type":"user"}',
    ]);
    expect(close(messages)).toBe(text);
  });

  it("gives back the text of any lines", () => {
    const line = fc.oneof(fc.constant('{"type":"user"}'), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom("\n", "\r\n"), (lines, lineEnd) => {
        const text = ['{"type":"user"}', ...lines].join(lineEnd);
        const { messages, close } = openConversation(text);
        expect(close(messages)).toBe(text);
      }),
    );
  });

  it.each<[string, unknown, string]>([
    ["a number", 7, "It is the number 7, not an array of messages"],
    ["an object of another kind", { name: "x" }, 'It is an object with keys ["name"], not'],
    [
      "several conversations",
      [{ traj: chat }, { traj: chat }],
      '2 of them, not one: open the "traj"',
    ],
    ["lines of conversations", '{"messages":[]}\n{"messages":[]}\n', "Every line of it is"],
    ["JSON that was not parsed", '[\n{"role":"user"}\n]', "It is the text of one JSON value"],
    ["an object that was not parsed", '{\n"messages":[]}', "It is the text of one JSON value"],
    ["other text", "# Heading\ntext\n", "no line is a JSON object"],
    ["no text", " \n", "It is a text without lines"],
  ])("is not %s [DESIGN-O-files]", (_, value, message) => {
    expect(() => openConversation(value)).toThrow(message);
    expect(() => openConversation(value)).toThrow(
      expect.objectContaining({ code: "UNKNOWN_FORMAT", refusals: [] }),
    );
  });

  it.each([
    ["<returncode>0</returncode>\n<output>\na\n</output>"],
    ["<tool_response>\na\n</tool_response>"],
    ["Observation: a"],
    [[{ type: "text", text: "OBSERVATION:\na" }]],
  ])("is not one with results as plain text: %j [DESIGN-O-files]", (observed) => {
    const messages = [
      { role: "system", content: "Answer with a command." },
      { role: "user", content: "What is there?" },
      { role: "assistant", content: "ls" },
      { role: "user", content: observed },
      { role: "assistant", content: "One file." },
    ];
    expect(() => openConversation({ messages })).toThrow("without an id");
  });

  it("may have a user who quotes what a program printed", () => {
    const messages = [
      { role: "user", content: "Observation: none" },
      { role: "assistant", content: "I see." },
      { role: "user", content: "Observation: it rains" },
      { role: "assistant", content: "So it does." },
      { role: "user", content: "Thank you." },
      { role: "assistant", content: "Gladly." },
      { role: "user", content: [] },
    ];
    expect(openConversation(messages).messages).toBe(messages);
    expect(openConversation([]).messages).toEqual([]);
    const called = [...chat, { role: "assistant" }, { role: "user", content: "<returncode>" }];
    expect(openConversation(called).messages).toBe(called);
  });
});
