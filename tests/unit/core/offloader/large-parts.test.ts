import { describe, expect, it } from "vitest";
import {
  parseInputReference,
  renderInputReference,
} from "../../../../src/core/offloader/input-reference.js";
import {
  findStrings,
  replaceStrings,
  targetOf,
} from "../../../../src/core/offloader/large-parts.js";
import type { AnthropicMessage } from "../../../../src/formats/index.js";
import {
  createOffloader,
  type UnknownReference,
  type WorkspaceEvent,
} from "../../../../src/index.js";
import { logOf } from "../../../support/conversation.js";
import { openMemoryWorkspace } from "../../../support/memory-workspace.js";

const LONG = logOf(20_000);
/** A large text of the user and a large input, and as many replies after them. */
function historyOf(replies: number): AnthropicMessage[] {
  const input = { path: "a.ts", content: LONG };
  return [
    { role: "user", content: `Read this:\n${LONG}` },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "write", input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] },
    ...Array.from({ length: replies }, (): AnthropicMessage[] => [
      { role: "assistant", content: "Done." },
      { role: "user", content: "Go on." },
    ]).flat(),
  ];
}
function create(parts: readonly ("results" | "userMessages" | "toolInputs")[]) {
  const options = { sessionId: "s", format: "anthropic", parts } as const;
  return createOffloader({ ...options, workspace: openMemoryWorkspace() });
}
describe("large parts besides results", () => {
  it("are offloaded once they are old, and come back exactly", async () => {
    const offloader = create(["results", "userMessages", "toolInputs"]);
    const history = historyOf(12);
    const { messages, report } = await offloader.offload(history);
    expect(report.parts?.map(({ kind }) => kind)).toEqual(["userMessages", "toolInputs"]);
    expect(JSON.stringify(messages).length).toBeLessThan(LONG.length / 2);
    expect(JSON.stringify(messages[1])).toContain("[Stored: artifact_id=");
    expect(await offloader.restore(messages)).toEqual(history);
  });

  it("are kept while the model works with them, and unless they are asked for", async () => {
    const recent = historyOf(0);
    expect((await create(["results", "toolInputs"]).offload(recent)).messages).toBe(recent);
    const old = historyOf(12);
    expect((await create(["results"]).offload(old)).messages).toBe(old);
  });
});

const HASH = "0123456789abcdef";
describe("the reference to a string of an input", () => {
  it.each(["t1-input", 'a "quoted" id\\', "日本"])("can be parsed back: %j", (artifactId) => {
    const reference = renderInputReference(
      { artifactId, hash: HASH, equalBefore: 0 },
      { pointer: '/a~1b/"0"', text: "x".repeat(5_000) },
    );
    expect(reference).toContain("5000 chars, hash 01234567]");
    expect(parseInputReference(reference)).toEqual({
      ...{ artifactId, hash: "01234567", chars: 5_000, equalBefore: 0 },
    });
  });

  it.each(["", "[Stored: something]", "see [Stored: artifact_id=1]"])("is not %j", (text) => {
    expect(parseInputReference(text)).toBeUndefined();
  });

  it("is found in an input, as a value or as JSON, and not in one that contains itself", () => {
    const place = { pointer: "/deep/0", text: "x".repeat(500) };
    const text = renderInputReference(
      { artifactId: "t1-input", hash: HASH, equalBefore: 2 },
      place,
    );
    const part = { kind: "toolInput", id: "t1", path: [] } as const;
    const target = { artifactId: "t1-input", hash: "01234567", chars: 500, equalBefore: 2 };
    const input: Record<string, unknown> = { path: "a.ts", deep: [text] };
    expect(targetOf({ ...part, value: input })).toEqual(target);
    expect(targetOf({ ...part, value: JSON.stringify(input) })).toEqual(target);
    input["self"] = input;
    expect(targetOf({ ...part, value: input })).toBeUndefined();
    expect(targetOf({ ...part, kind: "userMessage", value: text })).toBeUndefined();
  });
});
describe("the strings of an input", () => {
  const input = { "a/b": "one", list: [1, "two", { c: "three" }], none: null };

  it("are found at any depth, with their pointers", () => {
    expect(findStrings(input)).toEqual([
      { pointer: "/a~1b", text: "one" },
      { pointer: "/list/1", text: "two" },
      { pointer: "/list/2/c", text: "three" },
    ]);
  });

  it("are replaced by their pointers, and nothing else is", () => {
    const replaced = replaceStrings(input, new Map([["/list/2/c", "3"]]));
    expect(replaced).toEqual({ ...input, list: [1, "two", { c: "3" }] });
    expect(Object.keys(replaced as object)).toEqual(Object.keys(input));
    expect(input.list[2]).toEqual({ c: "three" });
  });
});

const READ = { artifact_id: "t1", start_line: 1, end_line: 400 };
function open(logged: WorkspaceEvent[] = []) {
  const workspace = openMemoryWorkspace({ logger: (event) => logged.push(event) });
  const parts = ["results", "userMessages"] as const;
  return createOffloader({ workspace, sessionId: "s", format: "anthropic", parts });
}
/** A pasted log, a long result, a long answer of a reading tool; then replies until all of it is old. */
async function converse(offloader: ReturnType<typeof open>): Promise<AnthropicMessage[]> {
  const call = (id: string, name: string, input: object): AnthropicMessage => ({
    role: "assistant",
    content: [{ type: "tool_use", id, name, input }],
  });
  const result = (id: string, content: string): AnthropicMessage => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content }],
  });
  const start: AnthropicMessage[] = [
    { role: "user", content: `Look at this:\n${LONG}` },
    call("t1", "read_log", {}),
    result("t1", `the log\n${LONG}`),
  ];
  await offloader.offload(start);
  const { workspace, sessionId } = offloader;
  const tool = workspace.tools({ sessionId }).find(({ name }) => name === "get_knowledge_by_lines");
  const answer = (await tool?.execute(READ))?.text ?? "";
  return [
    ...start,
    call("t2", "get_knowledge_by_lines", READ),
    result("t2", answer),
    ...Array.from({ length: 6 }, (_, at): AnthropicMessage[] => [
      { role: "assistant", content: `Reply ${at}.` },
      { role: "user", content: "Go on." },
    ]).flat(),
  ];
}
describe("old messages of every kind in one history", () => {
  it("are each replaced, stay the same on further turns, and all come back", async () => {
    const offloader = open();
    const history = await converse(offloader);
    const { messages, report } = await offloader.offload(history);
    const changed = history.flatMap((message, at) => (messages[at] === message ? [] : [at]));
    expect(changed).toEqual([0, 2, 4]);
    expect(report.parts?.map(({ kind }) => kind)).toEqual(["userMessages"]);
    const further = await offloader.offload([...history, { role: "assistant", content: "End." }]);
    expect(further.messages.slice(0, -1)).toEqual(messages);
    expect(await offloader.restore(messages)).toEqual(history);
  });

  it("that cannot come back are named, each with its reason, and stay as they were sent", async () => {
    const logged: WorkspaceEvent[] = [];
    const offloader = open(logged);
    const { messages } = await offloader.offload(await converse(offloader));
    const { workspace } = offloader;
    const { artifacts: listed } = await workspace.queryArtifacts();
    const hidden = await workspace.queryArtifacts({ context_type: "reading_answer" });
    expect(hidden.artifacts.map(({ artifactId }) => artifactId)).toEqual(["t2"]);
    // In a session that never held them, they are told; in the one that did, their loss is an error.
    const other = createOffloader({ workspace, sessionId: "other", format: "anthropic" });
    const unknown: UnknownReference[] = [];
    const restored = await other.restore(messages, { onUnknown: (one) => unknown.push(one) });
    expect(restored).toEqual(messages);
    expect(unknown.map(({ messageIndex }) => messageIndex).sort()).toEqual([0, 2, 4]);
    expect(
      logged.filter(({ verb, event }) => verb === "restore" && event === "failure"),
    ).toHaveLength(3);
    for (const { artifactId } of [...listed, ...hidden.artifacts].reverse()) {
      await offloader.workspace.remove(artifactId, { sessionId: "s" });
      await expect(offloader.restore(messages)).rejects.toMatchObject({ code: "ARTIFACT_GONE" });
    }
  });
});
