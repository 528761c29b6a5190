import { describe, expect, it } from "vitest";
import { tidy } from "../../../../bench/replay/conversation.mjs";
import { parseConversations } from "../../../../bench/replay/conversations.mjs";

const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");
const roles = (text: string) =>
  parseConversations(text)?.map((items) => tidy(items).map(({ role }) => role));

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
    const user = (content: unknown) => ({ type: "user", message: { role: "user", content } });
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
    const [items] = parseConversations(text) ?? [];
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
    const [items] = parseConversations(text) ?? [];
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
    const copilot = lines(
      { type: "user.message", data: { content: "Go." } },
      {
        type: "assistant.message",
        data: { content: "", toolRequests: [{ toolCallId: "c1", name: "bash", arguments: {} }] },
      },
      { type: "tool.execution_complete", data: { toolCallId: "c1", result: { content: "text" } } },
      { type: "assistant.message", data: { content: "Done." } },
    );
    expect(roles(copilot)).toEqual(EXPECTED);
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
    const [items] = parseConversations(JSON.stringify({ messages: bash })) ?? [];
    expect(items?.[1]).toMatchObject({ calls: [{ name: "bash", input: { command: "ls -F" } }] });
  });

  it("says that anything else is not a conversation", () => {
    expect(parseConversations('{"a":1}')).toBeUndefined();
    expect(parseConversations("plain text")).toBeUndefined();
  });
});
