import { describe, expect, it } from "vitest";
import {
  aiSdkFormat,
  aiSdkUiFormat,
  anthropicFormat,
  type FormatName,
} from "../../../src/formats/index.js";
import { checkFit, detectFormat } from "../../../src/formats/detect-format.js";
import { FORMATS } from "../../../src/formats/formats.js";
import { FIXTURES } from "../../conformance/fixtures.js";

const named = (name: FormatName) =>
  FORMATS.find((format) => format.name === name) ?? anthropicFormat;
const lines = (...objects: object[]) => objects.map((line) => `${JSON.stringify(line)}\n`);
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const use = { type: "tool_use", id: "t1", name: "bash", input: { command: "ls" } };

/** Conversations of kinds that look like a format and are not, after the projects' own shapes. */
const STRANGERS: [kind: string, messages: unknown[], nearest: string, why: string][] = [
  [
    "any JSONL with a type and a sessionId",
    lines({ type: "click", sessionId: "s", x: 1 }, { type: "scroll", sessionId: "s", y: 2 }),
    "claude-code-jsonl",
    "0 of the first 2 lines are lines of a Claude Code session",
  ],
  [
    "any JSONL with a type and a payload",
    lines({ type: "order", payload: { id: 1 } }, { type: "refund", payload: { id: 1 } }),
    "claude-code-jsonl",
    "0 of the first 2 lines are lines of a Claude Code session",
  ],
  [
    "Cline",
    [
      user([{ type: "text", text: "<task>\nGo.\n</task>" }]),
      assistant([{ type: "text", text: "<read_file>\n<path>a.ts</path>\n</read_file>" }]),
      user([
        { type: "text", text: "[read_file for 'a.ts'] Result:" },
        { type: "text", text: "export {};" },
      ]),
      assistant([{ type: "text", text: "It is empty." }]),
    ],
    "anthropic",
    "its tool results (1) are plain text in user messages",
  ],
  [
    "SWE-agent, in text",
    [
      { role: "system", content: "Answer with a command." },
      { role: "user", content: "Fix it.", message_type: "demonstration" },
      { role: "assistant", content: "ls", message_type: "action", action: "ls" },
      { role: "user", content: "a\n(Open file: n/a)\n(Current directory: /)\nbash-$" },
      { role: "assistant", content: "cat a" },
      { role: "user", content: "text", message_type: "observation" },
    ],
    "openai-chat",
    "its tool results (2) are plain text in user messages",
  ],
  [
    "calls that nothing answers",
    [
      user("Go."),
      assistant([use]),
      user("And?"),
      assistant([{ type: "text", text: "I do not know." }]),
    ],
    "anthropic",
    "it has 1 unanswered tool call, but not one tool result in the shape of this format",
  ],
  [
    "results in blocks of an unknown type",
    [
      user("Go."),
      assistant([{ type: "tool_request", name: "bash" }]),
      user([{ type: "tool_reply", body: "a.ts\n".repeat(50) }]),
    ],
    "anthropic",
    'it has blocks of type "tool_request", "tool_reply", but not one tool result',
  ],
  [
    "most of the text in blocks of an unknown type",
    [user("Go."), assistant([{ type: "observation", body: "a.ts\n".repeat(50) }])],
    "anthropic",
    '99 % of its text is in blocks that this format does not know: "observation"',
  ],
  [
    "text",
    ["# Heading\n", "words\n"],
    "claude-code-jsonl",
    "0 of the first 2 lines are lines of a Claude Code session",
  ],
];

describe("conversations of an unknown kind", () => {
  it.each(STRANGERS)("are refused: %s", (_kind, messages, nearest, why) => {
    const found = detectFormat(messages);
    const mismatches = "mismatches" in found ? found.mismatches : [];
    expect(mismatches[0]?.format).toBe(nearest);
    expect(mismatches[0]?.why).toContain(why);
    expect(mismatches.map(({ format }) => format).sort()).toEqual(
      FORMATS.map(({ name }) => name)
        .filter((name) => name.endsWith("-jsonl") === (typeof messages[0] === "string"))
        .sort(),
    );
  });

  it("are called lines of text, or objects, where they are the other", () => {
    const whyNot = (name: FormatName, message: unknown) => checkFit(named(name), [message]);
    expect(whyNot("openai-chat", "words")).toBe("message 0 is a line of text, not an object");
    expect(whyNot("pi-jsonl", {})).toBe("message 0 is not a line of text");
    expect(whyNot("gemini", null)).toBe("message 0 is null, not an object");
  });
});

describe("conversations that are taken", () => {
  it.each(FIXTURES)("$name", ({ format, build }) => {
    const one = { id: "call_1", toolName: "bash", input: {}, text: "done", isError: false };
    const messages = build([
      { say: "Look.", results: [one] },
      { say: "Again.", results: [one] },
    ]);
    for (let count = 1; count <= messages.length; count++) {
      expect(checkFit(format, messages.slice(0, count))).toBeUndefined();
    }
    expect(detectFormat(messages)).toEqual({ format });
  });

  it.each<[string, unknown[]]>([
    ["none at all", []],
    ["a single exchange", [user("Hello."), assistant("Hello to you.")]],
    ["calls of the last reply, still open", [user("Go."), assistant([use])]],
    ["open calls that the user talks over", [user("Go."), assistant([use]), user("Stop.")]],
    [
      "results without content",
      [
        user("Go."),
        assistant([use]),
        user([{ type: "tool_result", tool_use_id: "t1" }]),
        assistant("Done."),
      ],
    ],
    [
      "calls that the provider answers",
      [
        user("Go."),
        assistant([{ type: "server_tool_use", id: "s1", name: "web_search", input: {} }]),
        user("And?"),
        assistant("Nothing."),
      ],
    ],
    [
      "a new block beside much text",
      [user("Go on. ".repeat(50)), assistant([{ type: "novelty" }])],
    ],
  ])("%s", (_what, messages) => {
    expect(detectFormat(messages)).toEqual({ format: named("anthropic") });
  });

  it("a reply over several lines, whose calls are open", () => {
    const line = (block: object) => ({
      type: "assistant",
      uuid: "u",
      message: { id: "msg_1", role: "assistant", content: [block] },
    });
    const note = { type: "progress", uuid: "n", data: {} };
    const messages = lines(line(use), note, line({ ...use, id: "t2" }));
    expect(detectFormat(messages)).toEqual({ format: named("claude-code-jsonl") });
  });

  it("a pi session whose reply was cut off before its calls ran", () => {
    const line = (message: object) => ({ type: "message", timestamp: "t", message });
    const call = { type: "toolCall", id: "c", name: "ls", arguments: {} };
    const cut = { role: "assistant", content: [call], stopReason: "aborted" };
    const messages = lines(
      line(cut),
      line(user("Again.")),
      line(assistant([{ type: "text", text: "Yes?" }])),
    );
    expect(detectFormat(messages)).toEqual({ format: named("pi-jsonl") });
  });

  it("an AI SDK conversation whose tools the provider ran, or the user denied", () => {
    const call = { type: "tool-call", toolCallId: "a", toolName: "web", input: {} };
    const ran = { ...call, providerExecuted: true };
    const output = { type: "execution-denied" };
    const denied = { type: "tool-result", toolCallId: "a", toolName: "web", output };
    expect(detectFormat([assistant([ran]), user("And?"), assistant("Nothing.")])).toEqual({
      format: named("ai-sdk"),
    });
    const messages = [assistant([call]), { role: "tool", content: [denied] }, assistant("Well.")];
    expect(detectFormat(messages)).toEqual({ format: named("ai-sdk") });
  });
});

describe("a call that was denied", () => {
  it("needs no result, as a model message", () => {
    const call = { type: "tool-call", toolCallId: "a", toolName: "rm", input: {} };
    const request = { type: "tool-approval-request", approvalId: "p", toolCallId: "a" };
    const messages = (approved: boolean) => [
      { role: "user", content: "Clean up." },
      { role: "assistant", content: [call, request] },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "p", approved }] },
      { role: "assistant", content: "I leave it." },
      { role: "user", content: "Thanks." },
      { role: "assistant", content: "You are welcome." },
    ];
    expect(checkFit(aiSdkFormat, messages(false))).toBeUndefined();
    expect(checkFit(aiSdkFormat, messages(true))).toContain("1 unanswered tool call");
  });

  it.each([
    [{ state: "approval-responded", approval: { id: "p", approved: false } }, undefined],
    [{ state: "approval-requested", approval: { id: "p" } }, undefined],
    [{ state: "approval-responded", approval: { id: "p", approved: true } }, "unanswered"],
  ])("needs no result, as a part in a UI: %j", (state, why) => {
    const part = { type: "tool-rm", toolCallId: "a", input: {}, ...state };
    const text = (role: string, said: string) => ({ role, parts: [{ type: "text", text: said }] });
    const messages = [
      text("user", "Clean up."),
      { role: "assistant", parts: [part] },
      text("user", "No."),
      text("assistant", "I leave it."),
    ];
    const found = checkFit(aiSdkUiFormat, messages);
    if (why === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(why);
  });
});
