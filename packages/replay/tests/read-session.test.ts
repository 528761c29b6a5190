import { describe, expect, it } from "vitest";
import { readSessionText } from "../src/index.js";

const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");
const read = (text: string) =>
  readSessionText(text, "recorded.json")?.conversations.map(({ items }) => items);
const roles = (text: string) => read(text)?.map((items) => items.map(({ role }) => role));

const EXPECTED = [["user", "assistant", "result", "assistant"]];

describe("reading recorded conversations", () => {
  it("reads Claude Code: a reply of several lines is one, and a compaction starts anew", () => {
    const block = (id: string) => ({ type: "tool_use", id, name: "Read", input: { path: id } });
    const answer = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "text" });
    const assistant = (id: string, content: unknown[]) => ({
      type: "assistant",
      uuid: "u",
      message: { id, role: "assistant", content },
    });
    const user = (content: unknown) => ({
      type: "user",
      uuid: "u",
      message: { role: "user", content },
    });
    const text = lines(
      user("Go."),
      assistant("m1", [{ type: "thinking", thinking: "hm" }]),
      assistant("m1", [block("t1")]),
      user([answer("t1")]),
      assistant("m1", [block("t2")]),
      user([answer("t2")]),
      assistant("m2", [{ type: "text", text: "Done." }]),
      { type: "system", subtype: "compact_boundary" },
      { ...user("Summary."), isCompactSummary: true },
      assistant("m3", [{ type: "text", text: "On." }]),
    );
    expect(roles(text)).toEqual([
      ["user", "assistant", "result", "result", "assistant"],
      ["user", "assistant"],
    ]);
    const [items] = read(text) ?? [];
    expect(items?.[1]).toMatchObject({ text: "", calls: [{ id: "t1" }, { id: "t2" }] });
  });

  it("reads Codex: items of the model that follow one another are one reply", () => {
    const item = (payload: object) => ({ type: "response_item", payload });
    const message = (role: string, text: string) =>
      item({ type: "message", role, content: [{ type: "input_text", text }] });
    const text = lines(
      message("user", "Go."),
      message("assistant", "I look."),
      item({ type: "function_call", call_id: "c1", name: "exec", arguments: '{"cmd":"ls"}' }),
      item({ type: "function_call_output", call_id: "c1", output: "files" }),
      message("assistant", "Done."),
      { type: "compacted", payload: { message: "Summary." } },
      message("assistant", "On."),
    );
    expect(roles(text)).toEqual([...EXPECTED, ["user", "assistant"]]);
    const [items] = read(text) ?? [];
    expect(items?.[1]).toMatchObject({ text: "I look.", calls: [{ input: { cmd: "ls" } }] });
  });

  it("reads OpenAI's chat format, and SWE-agent's ids", () => {
    const call = { id: "c1", function: { name: "get", arguments: "{}" } };
    const messages = (result: object) => [
      { role: "user", content: "Go." },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", content: "text", ...result },
      { role: "assistant", content: "Done." },
    ];
    expect(roles(JSON.stringify({ traj: messages({ tool_call_id: "c1" }) }))).toEqual(EXPECTED);
    expect(roles(JSON.stringify({ history: messages({ tool_call_ids: ["c1"] }) }))).toEqual(
      EXPECTED,
    );
  });

  it("reads pi and the Copilot command line", () => {
    const message = (value: object) => ({ type: "message", timestamp: 1, message: value });
    const pi = lines(
      { type: "session" },
      message({ role: "user", content: "Go." }),
      message({ role: "assistant", content: [{ type: "toolCall", id: "c1", name: "read" }] }),
      message({ role: "toolResult", toolCallId: "c1", toolName: "read", content: "text" }),
      message({ role: "assistant", content: [{ type: "text", text: "Done." }] }),
    );
    expect(roles(pi)).toEqual(EXPECTED);
    const event = (type: string, data: object) => ({ type, data, timestamp: "2026-01-02T03:04Z" });
    const toolRequests = [{ toolCallId: "c1", name: "bash", arguments: {} }];
    const copilot = lines(
      event("user.message", { content: "Go." }),
      event("assistant.message", { content: "", toolRequests }),
      event("tool.execution_complete", { toolCallId: "c1", result: { content: "text" } }),
      event("assistant.message", { content: "Done." }),
    );
    expect(roles(copilot)).toEqual(EXPECTED);
  });

  it("leaves out subagents, and what the user took back", () => {
    const line = (type: string, content: string, more: object = {}) => ({
      ...{ type, uuid: "u", message: { id: content, role: type, content }, ...more },
    });
    const aside = { isSidechain: true };
    const claude = lines(
      ...[line("user", "Go."), line("user", "Look.", aside), line("assistant", "Hm.", aside)],
      line("assistant", "Done."),
    );
    expect(read(claude)).toMatchObject([[{ text: "Go." }, { text: "Done." }]]);
    const chat = (id: string, type: string, content: string) => ({
      ...{ id, type, content, timestamp: "2026-01-02T03:04Z" },
    });
    const gemini = lines(
      { sessionId: "s", projectHash: "p" },
      ...[chat("1", "user", "Go."), chat("2", "gemini", "Hm."), chat("3", "user", "No.")],
      { $rewindTo: "3" },
      chat("2", "gemini", "Done."),
    );
    expect(read(gemini)).toMatchObject([[{ text: "Go." }, { text: "Done." }]]);
  });

  it("reads every other format of the library, calls without ids by their order", () => {
    const part = (name: string) => ({ functionCall: { name, args: { path: name } } });
    const answer = (output: string) => ({ functionResponse: { name: "x", response: { output } } });
    const gemini = [
      { role: "user", parts: [{ text: "Go." }] },
      { role: "model", parts: [{ text: "hm", thought: true }, part("one"), part("two")] },
      { role: "user", parts: [answer("first"), answer("second")] },
      { role: "model", parts: [{ text: "Done." }] },
    ];
    expect(read(JSON.stringify({ contents: gemini }))).toMatchObject([
      [
        { role: "user", text: "Go." },
        { role: "assistant", text: "", calls: [{ name: "one" }, { name: "two" }] },
        { role: "result", toolName: "one", text: "first" },
        { role: "result", toolName: "two", text: "second" },
        { role: "assistant", text: "Done." },
      ],
    ]);
    const toolCall = { toolCallId: "c1", toolName: "get" };
    const output = { type: "json", value: { rows: 2 } };
    const sdk = [
      { role: "user", content: "Go." },
      { role: "assistant", content: [{ type: "tool-call", ...toolCall, input: {} }] },
      { role: "tool", content: [{ type: "tool-result", ...toolCall, output }] },
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ];
    expect(roles(JSON.stringify(sdk))).toEqual(EXPECTED);
    expect(roles(lines(...sdk))).toEqual(EXPECTED);
    expect(read(JSON.stringify(sdk))?.[0]?.[2]?.text).toContain('"rows":2');
  });

  it("reads results that are text in user messages", () => {
    const react = [
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: '<think>Hm</think><tool_call>{"name":"search","arguments":{"q":1}}</tool_call>',
      },
      { role: "user", content: "<tool_response>\ntext\n</tool_response>" },
      { role: "assistant", content: "<answer>Done.</answer>" },
    ];
    expect(roles(JSON.stringify({ messages: react }))).toEqual(EXPECTED);
    const bash = [
      { role: "user", content: "Go." },
      { role: "assistant", content: "THOUGHT: look\n\n```bash\nls -F\n```" },
      { role: "user", content: "<returncode>0</returncode>\n<output>\nfiles\n</output>" },
      { role: "assistant", content: "Done." },
    ];
    expect(roles(JSON.stringify({ messages: bash }))).toEqual(EXPECTED);
    const [items] = read(JSON.stringify({ messages: bash })) ?? [];
    expect(items?.[1]).toMatchObject({ calls: [{ name: "bash", input: { command: "ls -F" } }] });
  });

  it("says that anything else is not a conversation", () => {
    expect(read('{"a":1}')).toBeUndefined();
    expect(read("plain text")).toBeUndefined();
  });
});
