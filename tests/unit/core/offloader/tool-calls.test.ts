import { describe, expect, it } from "vitest";
import { createToolCalls } from "../../../../src/core/offloader/tool-calls.js";
import { FORMATS } from "../../../../src/formats/formats.js";
import type { Format, AnthropicMessage } from "../../../../src/formats/index.js";
import { createOffloader, TOOL_NAMES, type OffloaderOptions } from "../../../../src/index.js";
import { everything } from "../../../../src/policies.js";
import { createMemoryWorkspace, MemoryStore } from "../../../../src/testing/index.js";
import { conversationOf } from "../../../support/conversation.js";
import { openMemoryWorkspace } from "../../../support/memory-workspace.js";
import { rejectionOf } from "../../../support/rejection.js";

const formatNamed = (name: string) => FORMATS.find((format) => format.name === name) as Format;
async function open(named?: string, current?: string, readingTools: "one" | "five" = "one") {
  const workspace = createMemoryWorkspace();
  await workspace.put({ content: "one\ntwo" }, { toolCallId: "a", sessionId: "s1" });
  await workspace.put({ content: "secret" }, { toolCallId: "b", sessionId: "s2" });
  return createToolCalls(
    workspace,
    {
      ...{ sessionId: "s1", readingTools },
      format: named === undefined ? undefined : formatNamed(named),
      formats: FORMATS,
    },
    () => (current === undefined ? undefined : formatNamed(current)),
  );
}
const INPUT = { artifact_id: "a", start_line: 2, end_line: 2 };
const ANTHROPIC_CALL = { type: "tool_use", id: "x", name: "get_knowledge_by_lines", input: INPUT };
const OPENAI_CALL = {
  type: "function",
  id: "x",
  function: { name: "get_knowledge_by_lines", arguments: JSON.stringify(INPUT) },
};
describe("the reading tools of an offloader", () => {
  it("come in the shape that was asked for, else in the conversation's", async () => {
    const shapeOf = (tools: unknown) => Object.keys((tools as object[])[0] ?? {}).sort();
    const openAi = shapeOf((await open()).tools("openai-chat"));
    expect(openAi).toEqual(["function", "type"]);
    expect(shapeOf((await open("openai-chat")).tools())).toEqual(openAi);
    expect(shapeOf((await open(undefined, "openai-chat")).tools())).toEqual(openAi);
    expect(shapeOf((await open("openai-chat", "anthropic")).tools("anthropic"))).toContain(
      "input_schema",
    );
  });

  it("are refused before the format is known, and in one that there is not", async () => {
    const calls = await open();
    expect(() => calls.tools()).toThrow(/Pass a format to tools\(\), one of: anthropic, /);
    expect(() => calls.tools("klingon")).toThrow(/no format "klingon".*anthropic, /);
  });

  it.each([
    ["anthropic", ANTHROPIC_CALL, { type: "tool_result", tool_use_id: "x" }],
    ["openai-chat", OPENAI_CALL, { role: "tool", tool_call_id: "x" }],
  ])("answer a call in its own shape: %s", async (_, call, answer) => {
    const calls = await open();
    expect(calls.handles(call)).toBe(true);
    expect(await calls.handleToolCall(call)).toEqual({
      ...answer,
      content: "two",
    });
  });

  it.each(["one", "five"] as const)("answer all names, told of %s", async (readingTools) => {
    const calls = await open("anthropic", undefined, readingTools);
    const told = (calls.tools() as { name: string }[]).map(({ name }) => name);
    expect(told).toHaveLength(readingTools === "one" ? 1 : 5);
    const inputs = {
      get_knowledge_by_id: { artifact_id: "a" },
      get_knowledge_by_lines: { artifact_id: "a", start_line: 1 },
      grep_knowledge: { artifact_id: "a", pattern: "two" },
      query_knowledge: { artifact_id: "a" },
      get_tool_result_offload_info: {},
      read_stored: { id: "a", lines: "2" },
    };
    expect(Object.keys(inputs).sort()).toEqual([...TOOL_NAMES].sort());
    for (const [name, input] of Object.entries(inputs)) {
      const call = { type: "tool_use", id: "x", name, input };
      expect(calls.handles(call), name).toBe(true);
      const answer = await calls.handleToolCall(call);
      expect(answer, name).toMatchObject({ type: "tool_result", tool_use_id: "x" });
      if (name !== "query_knowledge") expect(answer).not.toHaveProperty("is_error");
    }
  });

  it("read nothing of another session", async () => {
    const call = { ...ANTHROPIC_CALL, input: { ...INPUT, artifact_id: "b" } };
    const answer = await (await open()).handleToolCall(call);
    expect(answer).toMatchObject({ is_error: true });
    expect(JSON.stringify(answer)).not.toContain("secret");
  });

  it.each([
    [
      "another tool",
      { ...ANTHROPIC_CALL, name: "bash" },
      /a call of one of read_stored, get_knowledge_by_id/,
    ],
    ["what is not a call", { hello: "world" }, /a tool call in the shape of a known format/],
    ["nothing", undefined, /a tool call in the shape/],
  ])("do not handle %s, and refuse to answer it", async (_, call, message) => {
    const calls = await open("anthropic");
    expect(calls.handles(call)).toBe(false);
    const error = await rejectionOf(calls.handleToolCall(call));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "call" });
    expect(error.message).toMatch(message);
  });

  it("give no answer to a call that was aborted", async () => {
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect((await open()).handleToolCall(ANTHROPIC_CALL, { signal })).rejects.toBe(reason);
  });
});

function create(options: Partial<OffloaderOptions> = {}) {
  const workspace = createMemoryWorkspace();
  return createOffloader({ workspace, sessionId: "s1", format: "anthropic", ...options });
}
/** A long text of names, most of which do not fit a digest. */
function namesOf(prefix: string, count = 400): string {
  return Array.from({ length: count }, (_, n) => `${prefix}_name_${n} is one of them`).join("\n");
}
const SAID = Array.from({ length: 60 }, (_, n) => `alpha_name_${n}`).join(" ");
/** Three results; the second repeats names of the first, the third of both and of what was said. */
function makeHistory(): AnthropicMessage[] {
  return conversationOf(
    { id: "a", text: namesOf("alpha") },
    { id: "b", text: `${namesOf("alpha", 100)}\n${namesOf("beta")}` },
    { id: "c", text: `${namesOf("beta", 100)}\n${namesOf("gamma")}` },
  );
}
async function offloadedIn(history: readonly AnthropicMessage[], options = {}) {
  return JSON.stringify((await create(options).offload([...history])).messages);
}
describe("the names that a conversation shows", () => {
  it("come last in the digest of a later result", async () => {
    const verbs = ["parse", "load", "check", "send", "close", "merge", "price", "void"];
    const nouns = ["Order", "Cart", "Invoice", "Refund", "Customer", "Session", "Address", "Label"];
    const names = verbs.flatMap((verb) => nouns.map((noun) => verb + noun));
    const said = names.filter((_, index) => index % 2 === 0);
    const code = names.map((name) => `export function ${name}(input) { return input; }`).join("\n");
    const countShown = async (text: string) => {
      const history = conversationOf({ id: "a", text: code });
      const messages = await offloadedIn([{ role: "user", content: text }, ...history]);
      const reference = messages.split("<knowledge_list>")[1] ?? "";
      return said.filter((name) => reference.includes(name)).length;
    };
    expect(await countShown("Go on.")).toBeGreaterThan(5);
    expect(await countShown(`These I know: ${said.join(" ")}`)).toBeLessThan(3);
  });

  it("are judged by what is sent: originals, outputs and a mixture of both give the same bytes", async () => {
    const history = makeHistory();
    const whole = (await create().offload(history)).messages;
    // Each number is a choice for every message: the original, or what was returned for it.
    for (let choice = 0; choice < 8; choice += 1) {
      const workspace = createMemoryWorkspace();
      const first = await create({ workspace }).offload(history);
      let results = 0;
      const given = history.map((message, index) => {
        if (first.messages[index] === message) return message;
        return (choice >> results++) & 1 ? (first.messages[index] ?? message) : message;
      });
      expect(results).toBe(3);
      const fresh = await create({ workspace }).offload(structuredClone(given));
      expect(JSON.stringify(fresh.messages)).toBe(JSON.stringify(whole));
    }
  });

  it("are judged anew when the messages before a result have changed", async () => {
    const [, ...rest] = makeHistory();
    const offloader = create();
    await offloader.offload(makeHistory());
    const changed: AnthropicMessage[] = [{ role: "user", content: SAID }, ...rest];
    const { messages } = await offloader.offload(changed);
    expect(JSON.stringify(messages)).toBe(await offloadedIn(changed));
    expect(JSON.stringify(messages.slice(1))).not.toBe(
      JSON.stringify((await create().offload(makeHistory())).messages.slice(1)),
    );
  });

  it("are the same for an estimate before, between and beside calls", async () => {
    const history = makeHistory();
    const offloader = create();
    const [before, during, beside] = await Promise.all([
      offloader.estimate(history),
      offloader.offload(history),
      offloader.estimate(history),
    ]);
    const { messages } = await offloader.offload(history);
    expect(JSON.stringify(messages)).toBe(await offloadedIn(history));
    const saved = (results: readonly { readonly referenceTokens?: number | undefined }[]) =>
      results.map(({ referenceTokens }) => referenceTokens);
    expect(JSON.stringify(during.messages)).toBe(JSON.stringify(messages));
    expect(saved(before.results)).toEqual(saved(during.report.results));
    expect(saved(beside.results)).toEqual(saved(during.report.results));
  });

  it("do not depend on which results are stored first", async () => {
    class SlowStore extends MemoryStore {
      override async put(...given: Parameters<MemoryStore["put"]>) {
        const [{ wantedId }] = given;
        for (let turn = wantedId === "a" ? 50 : 0; turn > 0; turn--) await Promise.resolve();
        return super.put(...given);
      }
    }
    const workspace = openMemoryWorkspace({ store: new SlowStore() });
    const plain = openMemoryWorkspace();
    expect(await offloadedIn(makeHistory(), { workspace })).toBe(
      await offloadedIn(makeHistory(), { workspace: plain }),
    );
  });

  it("play no part under a policy that may change what was sent before", async () => {
    const later = { ...everything, perResult: false };
    const history = makeHistory();
    const [a, b] = [history.slice(0, 3), history.slice(3, 5)];
    const alone = await offloadedIn([...history.slice(0, 1), ...b], { policy: later });
    const after = await offloadedIn([...a, ...b], { policy: later });
    const reference = (messages: string) => messages.split("<knowledge_list>").at(-1);
    expect(reference(after)).toBe(reference(alone));
  });
});
describe("the arguments of a call", () => {
  it("steer the digest at arrival, and give the same bytes for the same call", async () => {
    const text = Array.from({ length: 300 }, (_, n) => `entry number ${n} of the list`)
      .with(211, "the handler of loadInvoice_v2 starts here")
      .join("\n");
    const arrive = async (input: unknown) =>
      (await create().result(text, { toolCallId: "a", toolName: "read", input })).content;
    const asked = await arrive({ symbol: "loadInvoice_v2" });
    expect(asked).toContain("loadInvoice_v2 starts here");
    expect(await arrive('{"symbol":"loadInvoice_v2"}')).toBe(asked);
    expect(await arrive({ symbol: "loadInvoice_v2" })).toBe(asked);
  });
});
describe("a call that failed", () => {
  it("is tried again as a whole by the next one", async () => {
    let isDown = true;
    class FailingStore extends MemoryStore {
      override put(...given: Parameters<MemoryStore["put"]>) {
        return isDown ? Promise.reject(new Error("down")) : super.put(...given);
      }
    }
    const offloader = create({ workspace: openMemoryWorkspace({ store: new FailingStore() }) });
    const history = makeHistory();
    await expect(offloader.offload(history)).rejects.toThrow("down");
    isDown = false;
    const { report, messages } = await offloader.offload(history);
    expect(report.totals.offloaded).toBe(3);
    expect(JSON.stringify(messages)).toBe(
      await offloadedIn(history, { workspace: openMemoryWorkspace() }),
    );
  });
});
