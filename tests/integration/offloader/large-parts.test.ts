import { describe, expect, it } from "vitest";
import { AIMessage, HumanMessage, mapStoredMessageToChatMessage } from "@langchain/core/messages";
import { createOffloader, createWorkspace, type UnknownReference } from "context-offload";
import { parseConversation, type FormatName } from "context-offload/formats";
import { eagerPolicy as policy } from "../../support/aging-policy.js";
import { brokenWorkspace } from "../../support/framework-story.js";
import { openMemoryWorkspace } from "../../support/memory-workspace.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { MemoryStore } from "../../../src/testing/index.js";

const PASTED = Array.from({ length: 400 }, (_, i) => `pasted line ${i} of module-${i % 7}`).join(
  "\n",
);
const FILE = Array.from({ length: 300 }, (_, i) => `export const value${i} = ${i * 31};`).join(
  "\n",
);
const INPUT = {
  path: "src/values.ts",
  content: FILE,
  options: { mode: "overwrite", dryRun: false },
};
const BOTH = ["results", "userMessages", "toolInputs"] as const;

interface Story {
  /** The user's pasted text, a call that writes a file, and its short result. */
  start(signed?: boolean): unknown[];
  /** One more reply of the model. */
  reply(i: number): unknown;
  userText(message: unknown): unknown;
  input(message: unknown): unknown;
  /** Which message holds the call. */
  readonly callAt: number;
}

const asAny = (value: unknown) => value as never;
const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce((held: unknown, key) => (held as Record<string, unknown>)[key], value);

const STORIES: Partial<Record<FormatName, Story>> = {
  anthropic: {
    start: (signed) => [
      { role: "user", content: [{ type: "text", text: PASTED }] },
      {
        role: "assistant",
        content: [
          ...(signed ? [{ type: "thinking", thinking: "…", signature: "c2ln" }] : []),
          { type: "tool_use", id: "toolu_1", name: "write", input: INPUT },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "ok" }] },
    ],
    reply: (i) => ({ role: i % 2 ? "user" : "assistant", content: `turn ${i}` }),
    userText: (message) => at(message, "content", 0, "text"),
    input: (message) => asAny((at(message, "content") as { input?: unknown }[]).at(-1)?.input),
    callAt: 1,
  },
  "openai-chat": {
    start: (signed) => [
      { role: "user", content: PASTED },
      {
        role: "assistant",
        content: null,
        ...(signed ? { reasoning_opaque: "abc" } : {}),
        tool_calls: [
          // As a vendor writes it, with blanks: it must come back with them.
          {
            id: "call_1",
            type: "function",
            function: { name: "write", arguments: JSON.stringify(INPUT, null, 1) },
          },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "ok" },
    ],
    reply: (i) => ({ role: i % 2 ? "user" : "assistant", content: `turn ${i}` }),
    userText: (message) => at(message, "content"),
    input: (message) =>
      JSON.parse(at(message, "tool_calls", 0, "function", "arguments") as string) as unknown,
    callAt: 1,
  },
  "openai-responses": {
    start: (signed) => [
      { role: "user", content: [{ type: "input_text", text: PASTED }] },
      {
        type: "reasoning",
        id: "rs_1",
        summary: [],
        ...(signed ? { encrypted_content: "gAAA" } : {}),
      },
      { type: "function_call", call_id: "call_1", name: "write", arguments: JSON.stringify(INPUT) },
      { type: "function_call_output", call_id: "call_1", output: "ok" },
    ],
    reply: (i) =>
      i % 2
        ? { role: "user", content: `turn ${i}` }
        : {
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: `turn ${i}` }],
          },
    userText: (message) => at(message, "content", 0, "text"),
    input: (message) => JSON.parse(at(message, "arguments") as string) as unknown,
    callAt: 2,
  },
  "ai-sdk": {
    start: (signed) => [
      { role: "user", content: [{ type: "text", text: PASTED }] },
      {
        role: "assistant",
        content: [
          ...(signed
            ? [
                {
                  type: "reasoning",
                  text: "…",
                  providerOptions: { anthropic: { signature: "c2ln" } },
                },
              ]
            : []),
          { type: "tool-call", toolCallId: "call_1", toolName: "write", input: INPUT },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "call_1",
            toolName: "write",
            output: { type: "text", value: "ok" },
          },
        ],
      },
    ],
    reply: (i) => ({
      role: i % 2 ? "user" : "assistant",
      content: [{ type: "text", text: `turn ${i}` }],
    }),
    userText: (message) => at(message, "content", 0, "text"),
    input: (message) => asAny((at(message, "content") as { input?: unknown }[]).at(-1)?.input),
    callAt: 1,
  },
  gemini: {
    start: (signed) => [
      { role: "user", parts: [{ text: PASTED }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "call_1", name: "write", args: INPUT },
            ...(signed ? { thoughtSignature: "c2ln" } : {}),
          },
        ],
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "call_1", name: "write", response: { output: "ok" } } }],
      },
    ],
    reply: (i) => ({ role: i % 2 ? "user" : "model", parts: [{ text: `turn ${i}` }] }),
    userText: (message) => at(message, "parts", 0, "text"),
    input: (message) => at(message, "parts", 0, "functionCall", "args"),
    callAt: 1,
  },
};

const line = (type: string, message: unknown, i: number): string =>
  // Escapes and blanks that JSON.stringify would not write: they must come back, too.
  JSON.stringify({ type, sessionId: "s", uuid: `u${i}`, message }).replace(
    "pasted line 0",
    "\\u0070asted line 0",
  );

STORIES["claude-code-jsonl"] = {
  start: (signed) =>
    (STORIES.anthropic?.start(signed) ?? []).map((message, i) =>
      line(at(message, "role") as string, message, i),
    ),
  reply: (i) => line(i % 2 ? "user" : "assistant", STORIES.anthropic?.reply(i), 100 + i),
  userText: (text) => STORIES.anthropic?.userText(at(JSON.parse(text as string), "message")),
  input: (text) => STORIES.anthropic?.input(at(JSON.parse(text as string), "message")),
  callAt: 1,
};

describe.each(Object.entries(STORIES))("parts in %s", (name, story) => {
  const format = name as FormatName;
  const open = async () => {
    const workspace = createWorkspace({ root: await makeTempFolder() });
    return { workspace, offloader: createOffloader({ workspace, sessionId: "s", format, policy }) };
  };
  const history = (replies: number, signed = false): unknown[] => [
    ...story.start(signed),
    ...Array.from({ length: replies }, (_, i) => story.reply(i)),
  ];

  it("are offloaded once they are old, and come back exactly", async () => {
    const { workspace, offloader } = await open();
    const messages = history(8);
    const { messages: short, report } = await offloader.offload(messages, { parts: BOTH });
    expect(story.userText(short[0])).toMatch(
      /^<knowledge_list>\n<knowledge id="user-[0-9a-f]{16}"/,
    );
    const input = story.input(short[story.callAt]) as typeof INPUT;
    expect(Object.keys(input)).toEqual(Object.keys(INPUT));
    expect(input).toMatchObject({ path: INPUT.path, options: INPUT.options });
    expect(input.content).toMatch(
      /^\[Stored: artifact_id=".+-input", pointer="\/content", \d+ chars/,
    );
    expect(report.parts?.map(({ kind }) => kind)).toEqual(["userMessages", "toolInputs"]);
    expect(await offloader.restore(short)).toEqual(messages);
    const id = report.parts?.[1]?.artifactId ?? "";
    const read = await workspace.queryKnowledge(id, { sessionId: "s", pointer: "/path" });
    expect(read.text).toContain("src/values.ts");
  });

  it("are kept where nobody asks for them", async () => {
    const { offloader } = await open();
    const messages = history(8);
    expect((await offloader.offload(messages)).messages).toBe(messages);
    const only = await offloader.offload(messages, { parts: ["userMessages"] });
    expect(story.input(only.messages[story.callAt])).toEqual(INPUT);
  });

  it("of the last replies are kept, and what was replaced never changes again", async () => {
    const { offloader } = await open();
    let before: unknown[] = [];
    for (let replies = 0; replies < 12; replies++) {
      const { messages: short } = await offloader.offload(history(replies), { parts: BOTH });
      if (replies === 1) expect(story.input(short[story.callAt])).toEqual(INPUT);
      const replaced = before.findIndex(
        (message, i) => JSON.stringify(message) !== JSON.stringify(history(12)[i]),
      );
      if (replaced !== -1)
        expect(short.slice(0, before.length)).toEqual(expect.arrayContaining([before[replaced]]));
      before = short;
    }
    // A fresh process that has the originals says the same.
    const { offloader: fresh } = await open();
    expect((await fresh.offload(history(11), { parts: BOTH })).messages).toEqual(before);
  });

  it("that are references already are left alone", async () => {
    const { offloader } = await open();
    const messages = history(8);
    const { messages: short } = await offloader.offload(messages, { parts: BOTH });
    const again = await offloader.offload(structuredClone(short), { parts: BOTH });
    expect(again.messages).toEqual(short);
    expect(await offloader.restore(again.messages)).toEqual(messages);
  });

  it("in a reply with signed or encrypted reasoning are kept whole", async () => {
    const { offloader } = await open();
    const { messages: short } = await offloader.offload(history(8, true), { parts: BOTH });
    expect(story.input(short[story.callAt])).toEqual(INPUT);
  });

  it("that a user pastes after a signed reply are offloaded, since no signature covers them", async () => {
    const { offloader } = await open();
    const signed = story.start(true);
    const messages = [...signed, story.start()[0], ...history(8, true).slice(signed.length)];
    const { messages: short } = await offloader.offload(messages, { parts: BOTH });
    expect(story.userText(short[signed.length])).toMatch(/^<knowledge_list>/);
    expect(story.input(short[story.callAt])).toEqual(INPUT);
    expect(await offloader.restore(short)).toEqual(messages);
  });

  it("are kept when the store fails, and the agent goes on", async () => {
    const { workspace, events } = await brokenWorkspace();
    const offloader = createOffloader({
      workspace,
      sessionId: "s",
      format,
      policy,
      onError: "keep",
      parts: BOTH,
    });
    const messages = history(8);
    expect((await offloader.offload(messages)).messages).toEqual(messages);
    expect(events.some(({ event }) => event === "failure")).toBe(true);
  });

  it("that could not be stored are tried again in the next turn", async () => {
    const store = new MemoryStore();
    const put = store.put.bind(store);
    let isDown = true;
    store.put = (artifact) => (isDown ? Promise.reject(new Error("down")) : put(artifact));
    const workspace = openMemoryWorkspace({ store });
    const settings = { workspace, sessionId: "s", format, policy, parts: BOTH };
    const offloader = createOffloader({ ...settings, onError: "keep" });
    const messages = history(8);
    expect((await offloader.offload(messages)).report.parts).toEqual([]);
    isDown = false;
    expect((await offloader.offload(messages)).report.parts).toHaveLength(2);
  });

  it("that only look like references are content", async () => {
    const { offloader } = await open();
    const { messages: short } = await offloader.offload(history(8), { parts: BOTH });
    const other = createOffloader({ workspace: offloader.workspace, sessionId: "other", format });
    const unknown: UnknownReference[] = [];
    const same = await other.restore(short, { onUnknown: (reference) => unknown.push(reference) });
    expect(same).toEqual(short);
    expect(unknown).toHaveLength(2);
  });
});

describe("parts", () => {
  it("of LangChain are the users' messages, instances included", async () => {
    const offloader = createOffloader({
      root: await makeTempFolder(),
      sessionId: "s",
      format: "langchain",
      policy,
    });
    const messages = [
      new HumanMessage({ content: PASTED, id: "m1" }),
      ...Array.from({ length: 8 }, (_, i) =>
        i % 2 ? new HumanMessage(`${i}`) : new AIMessage(`${i}`),
      ),
    ];
    const { messages: short } = await offloader.offload(messages, { parts: BOTH });
    expect(short[0]).toBeInstanceOf(HumanMessage);
    expect(short[0]?.content).toMatch(/^<knowledge_list>/);
    expect(JSON.stringify(short[0])).not.toContain("pasted line 200 ");
    expect(await offloader.restore(short)).toEqual(messages);
    const stored = messages.map((message) => message.toDict());
    const again = await offloader.offload(stored, { parts: BOTH });
    expect(mapStoredMessageToChatMessage(again.messages[0] ?? asAny({})).content).toMatch(
      /^<knowledge_list>/,
    );
    expect(await offloader.restore(again.messages)).toEqual(stored);
  });

  it("that do not exist are refused with the list of those that do", async () => {
    const offloader = createOffloader({ root: await makeTempFolder(), sessionId: "s" });
    await expect(offloader.offload([], { parts: ["inputs" as never] })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("toolInputs") as string,
    });
  });

  it("of a recorded file come back byte for byte", async () => {
    const text = (STORIES["claude-code-jsonl"]?.start() ?? [])
      .concat(Array.from({ length: 8 }, (_, i) => STORIES["claude-code-jsonl"]?.reply(i)))
      .join("\n");
    const file = parseConversation(text);
    const offloader = createOffloader({
      root: await makeTempFolder(),
      sessionId: "s",
      format: file.format,
      policy,
    });
    const { messages } = await offloader.offload(file.messages, { parts: BOTH });
    expect(file.stringify(messages).length).toBeLessThan(text.length / 2);
    expect(file.stringify(await offloader.restore(messages))).toBe(text);
  });
});
