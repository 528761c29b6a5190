import { createOffloader } from "context-offload";
import { describe, expect, it } from "vitest";
import { FIXTURES } from "../../conformance/fixtures.js";
import { eagerPolicy as policy } from "../../support/aging-policy.js";
import { makeTempFolder } from "../../support/temp-folder.js";

const LINES = Array.from({ length: 400 }, (_, i) => `pasted line ${i} of module-${i % 7}`);
const PASTED = LINES.join("\n");
/** Not in a digest, which shows the first lines and the last. */
const MIDDLE_LINE = LINES[222] ?? "";
const text = { type: "text", text: PASTED };
const line = (record: object) => `${JSON.stringify(record)}\n`;

/** A message with a text that the user pasted, in the formats in which it is one message. */
const PASTING: Record<string, unknown> = {
  Anthropic: { role: "user", content: [text] },
  "OpenAI chat": { role: "user", content: PASTED },
  "OpenAI Responses": { role: "user", content: [{ type: "input_text", text: PASTED }] },
  "OpenAI Agents": { role: "user", content: PASTED },
  "AI SDK": { role: "user", content: PASTED },
  "AI SDK UI": { id: "m", role: "user", parts: [text] },
  Bedrock: { role: "user", content: [{ text: PASTED }] },
  Gemini: { role: "user", parts: [{ text: PASTED }] },
  "Gemini CLI": { id: "m", type: "user", timestamp: "t", content: PASTED },
  LangChain: { type: "human", content: PASTED },
  "Copilot CLI": { type: "user.message", data: { content: PASTED }, timestamp: "t" },
  "Claude Code": line({ type: "user", uuid: "u", message: { role: "user", content: PASTED } }),
  pi: line({ type: "message", timestamp: "t", message: { role: "user", content: [text] } }),
  OpenClaw: line({ type: "message", timestamp: "t", message: { role: "user", content: PASTED } }),
  OpenCode: { info: { id: "msg_0", role: "user" }, parts: [text] },
  "OpenCode events": line({ type: "text", sessionID: "s", part: { ...text, messageID: "m" } }),
  "Pydantic AI": {
    kind: "request",
    parts: [{ part_kind: "user-prompt", content: ["Look.", PASTED] }],
  },
  "Google ADK": { author: "user", content: { role: "user", parts: [{ text: PASTED }] } },
  "Google ADK in Python": { author: "user", content: { role: "user", parts: [{ text: PASTED }] } },
  OpenHands: {
    kind: "MessageEvent",
    source: "user",
    llm_message: { role: "user", content: [text] },
  },
  "OpenHands before its SDK": {
    ...{ id: 0, source: "user", action: "message" },
    args: { content: PASTED },
  },
  Goose: { role: "user", created: 1, content: [text] },
  Continue: { message: { role: "user", content: PASTED }, contextItems: [] },
  Amp: { role: "user", messageId: 0, content: [text] },
  "Kimi Code": line({
    ...{ type: "context.append_message", time: 1 },
    message: { role: "user", content: [text], toolCalls: [] },
  }),
  "Kimi CLI": line({
    timestamp: 1.5,
    message: { type: "TurnBegin", payload: { user_input: PASTED } },
  }),
};

const TURNS = Array.from({ length: 6 }, (_, turn) => ({
  say: `Step ${turn}.`,
  results: [{ id: `call_${turn}`, toolName: "read", input: {}, text: "ok", isError: false }],
}));

describe("large messages of users", () => {
  it.each(Object.entries(PASTING))("of %s are offloaded on request", async (name, pasting) => {
    const fixture = FIXTURES.find((one) => one.name === name);
    if (!fixture) throw new Error(`There is no fixture ${name}.`);
    const { format, build } = fixture;
    const messages = [pasting, ...build(TURNS)];
    expect(format.mismatch(messages)).toBeUndefined();
    const before = JSON.stringify(messages);
    const root = await makeTempFolder();
    const offloader = createOffloader({ root, sessionId: "s", format, policy });
    const { messages: short, report } = await offloader.offload(messages, {
      parts: ["userMessages"],
    });
    expect(report.parts?.[0]).toMatchObject({
      kind: "userMessages",
      artifactId: expect.stringMatching(/^user-[0-9a-f]{16}$/) as string,
    });
    expect(JSON.stringify(short)).not.toContain(MIDDLE_LINE);
    expect(JSON.stringify(await offloader.restore(short))).toBe(before);
  });
});
