import { describe, expect, it } from "vitest";
import {
  createOffloader,
  type UnknownReference,
  type WorkspaceEvent,
} from "../../../../src/index.js";
import { type AnthropicMessage } from "../../../../src/formats/index.js";
import { logOf } from "../../../support/conversation.js";
import { openMemoryWorkspace } from "../../../support/memory-workspace.js";

const LONG = logOf(20_000);
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
    const { artifacts } = await offloader.workspace.queryArtifacts();
    for (const { artifactId } of artifacts) {
      await offloader.workspace.remove(artifactId, { sessionId: "s" });
    }
    const unknown: UnknownReference[] = [];
    const restored = await offloader.restore(messages, { onUnknown: (one) => unknown.push(one) });
    expect(restored).toEqual(messages);
    expect(unknown.map(({ messageIndex }) => messageIndex).sort()).toEqual([0, 2, 4]);
    const said = logged.flatMap(({ verb, error }) => (verb === "restore" ? [error] : []));
    expect(said).toContain("the session holds no such artifact; the reference was kept");
    expect(said).toContain("what was read cannot be read again as it was; the line was kept");
  });
});
