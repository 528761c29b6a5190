import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createOffloader } from "context-offload";
import { describe, expect, it } from "vitest";
import { FIXTURES } from "../../conformance/fixtures.js";
import { eagerPolicy as policy } from "../../support/aging-policy.js";
import { createMemoryWorkspace } from "../../../src/testing/index.js";
import { makeTempFolder } from "../../support/temp-folder.js";

const FILE = Array.from({ length: 300 }, (_, i) => `export const value${i} = ${i * 31};`);
const LAST_LINE = FILE.at(-1) ?? "";
const WRITE = { path: "src/values.ts", content: FILE.join("\n"), options: { dryRun: false } };

/** A call that writes a file, and so many short ones after it that its turn is past. */
const TURNS = Array.from({ length: 6 }, (_, turn) => ({
  say: `Step ${turn}.`,
  results: [
    {
      ...{ id: `call_${turn}`, toolName: "write", text: "ok", isError: false },
      input: turn === 0 ? WRITE : { path: `src/${turn}.ts` },
    },
  ],
}));

const parts = ["toolInputs"] as const;
const supported = FIXTURES.filter(({ format }) => format.parts);
const others = FIXTURES.filter(({ format }) => !format.parts);

describe("large inputs of calls", () => {
  it.each(supported)("of $name are offloaded on request, and come back", async (fixture) => {
    const { format, build } = fixture;
    const root = await makeTempFolder();
    const offloader = createOffloader({ root, sessionId: "s", format, policy });
    const messages = build(TURNS);
    const before = JSON.stringify(messages);
    expect(before).toContain(LAST_LINE);

    const { messages: short, report } = await offloader.offload(messages, { parts });
    expect(report.parts?.[0]).toMatchObject({ kind: "toolInputs", artifactId: "call_0-input" });
    const after = JSON.stringify(short);
    expect(after).not.toContain(LAST_LINE);
    // The keys and the short values are still there.
    for (const kept of ["values.ts", "content", "dryRun"]) expect(after).toContain(kept);
    expect(format.mismatch(short)).toBeUndefined();
    expect(JSON.stringify(await offloader.restore(short))).toBe(before);

    const unasked = createOffloader({ root, sessionId: "other", format, policy });
    expect((await unasked.offload(messages)).messages).toBe(messages);
    expect(JSON.stringify(messages)).toBe(before);
  });

  it.each(supported)(
    "of $name come back where a call of the same id repeats one",
    async (fixture) => {
      const { format, build } = fixture;
      const workspace = createMemoryWorkspace();
      const create = () => createOffloader({ workspace, sessionId: "s", format, policy, parts });
      const history = build([...TURNS, ...TURNS]);
      let sent: readonly unknown[] = [];
      for (const count of [history.length / 2, history.length]) {
        const next = history.slice(sent.length, Math.floor(count));
        ({ messages: sent } = await create().offload([...sent, ...next]));
      }
      expect(await create().restore(sent, { onUnknown: () => expect.fail() })).toEqual(history);
      expect(JSON.stringify(sent)).not.toContain(LAST_LINE);
    },
  );

  it.each(others)("of $name are refused", async ({ format, build }) => {
    const root = await makeTempFolder();
    const offloader = createOffloader({ root, sessionId: "s", format });
    const refused = { code: "INVALID_ARGUMENT", argument: "parts" };
    await expect(offloader.offload(build(TURNS), { parts })).rejects.toMatchObject(refused);
  });

  it("of LangChain's own messages are replaced wherever a message repeats them", async () => {
    const offloader = createOffloader({ root: await makeTempFolder(), sessionId: "s", policy });
    const text = JSON.stringify(WRITE);
    const call = { id: "call_0", name: "write", args: WRITE };
    const openaiCall = {
      id: "call_0",
      type: "function",
      function: { name: "write", arguments: text },
    };
    const older: Record<string, unknown> = { tool_calls: [openaiCall] };
    const chunk = { id: "call_0", name: "write", args: text, index: 0, type: "tool_call_chunk" };
    const calling = [
      new AIMessage({
        content: [{ type: "tool_use", id: "call_0", name: "write", input: WRITE }],
        tool_calls: [call],
        additional_kwargs: older,
      }),
      new AIMessageChunk({
        content: "",
        tool_call_chunks: [{ ...chunk, type: "tool_call_chunk" }],
      }),
    ];
    for (const message of calling) {
      const messages = [
        message,
        new ToolMessage({ content: "ok", tool_call_id: "call_0" }),
        ...TURNS.flatMap(({ say }) => [new HumanMessage("Go on."), new AIMessage(say)]),
      ];
      const before = JSON.stringify(messages);
      const { messages: short } = await offloader.offload(messages, { parts });
      expect(JSON.stringify(short)).not.toContain(LAST_LINE);
      expect(short[0]).toBeInstanceOf(message.constructor);
      expect(short[0]).toMatchObject({ tool_calls: [{ args: { path: WRITE.path } }] });
      const restored = await offloader.restore(short);
      expect(JSON.stringify(restored)).toBe(before);
      expect(restored[0]).toEqual(message);
    }
  });
});
