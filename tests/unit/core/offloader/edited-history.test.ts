import { expect, it } from "vitest";
import type { AnthropicMessage } from "../../../../src/formats/index.js";
import { createOffloader } from "../../../../src/index.js";
import { freshAndStale } from "../../../../src/policies.js";
import { createMemoryWorkspace } from "../../../../src/testing/index.js";
import { EAGER } from "../../../support/aging-policy.js";
import { conversationOf, logOf } from "../../../support/conversation.js";

const goOn = (replies: number): AnthropicMessage[] =>
  Array.from({ length: replies }, (_, at): AnthropicMessage[] => [
    { role: "assistant", content: `Reply ${at}.` },
    { role: "user", content: `Go on ${at}.` },
  ]).flat();

it("after an edit of an earlier message, everything that was offloaded is still replaced", async () => {
  const workspace = createMemoryWorkspace();
  const create = () =>
    createOffloader({
      ...{ workspace, sessionId: "s", format: "anthropic", policy: freshAndStale(EAGER) },
      parts: ["results", "userMessages", "toolInputs"],
    });
  const input = { path: "a.ts", content: logOf(9_000, "file") };
  const history: AnthropicMessage[] = [
    { role: "user", content: "First." },
    { role: "assistant", content: "Yes." },
    { role: "user", content: logOf(9_000, "pasted") },
    ...conversationOf({ id: "t1", text: logOf(9_000, "result"), tool: "write", input }).slice(1),
    ...goOn(5),
  ];
  const offloader = create();
  for (let length = 1; length <= history.length; length++) {
    await offloader.offload(history.slice(0, length));
  }
  const edited = [{ role: "user", content: "First, edited." } as const, ...history.slice(1)];
  for (const after of [edited, [...edited, ...goOn(2)], history]) {
    const { messages } = await offloader.offload(after);
    expect(messages).toEqual((await create().offload(after)).messages);
    expect(JSON.stringify(messages).length).toBeLessThan(9_000);
    expect(await offloader.restore(messages)).toEqual(after);
  }
});
