import { describe, expect, it } from "vitest";
import { createOffloader } from "../../../../src/index.js";
import { type AnthropicMessage } from "../../../../src/formats/index.js";
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
