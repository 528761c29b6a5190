import { expect, it } from "vitest";
import { createOffloader, createWorkspace } from "../../../src/index.js";
import { type AnthropicMessage } from "../../../src/formats/index.js";
import { EAGER, eagerPolicy } from "../../support/aging-policy.js";
import { conversationOf, logOf } from "../../support/conversation.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { freshAndStale, minTokens } from "../../../src/policies.js";

/** So large that a step is worth it by the default's own measure, with any policy. */
const BIG = 18_000;

/** A conversation in which the model reads parts of a log, and then goes on for some turns. */
async function readAndGoOn(root: string, policy = eagerPolicy) {
  const open = () =>
    createOffloader({
      workspace: createWorkspace({ root, readChars: 2 * BIG }),
      ...{ sessionId: "s", format: "anthropic" as const, policy },
    });
  const offloader = open();
  const history: AnthropicMessage[] = conversationOf({ id: "log", text: logOf(80_000) });
  await offloader.offload(history);
  for (let at = 0; at < 3; at++) {
    const input = { artifact_id: "log", start_line: 1 + at, end_line: 500 + at };
    const call = { type: "tool_use", id: `read-${at}`, name: "get_knowledge_by_lines", input };
    history.push({ role: "assistant", content: [call] } as AnthropicMessage);
    const answer = await offloader.handleToolCall(call);
    history.push({ role: "user", content: [answer] });
  }
  const arrived = await offloader.offload(history);
  for (let turn = 0; turn < 12; turn++) {
    history.push(...conversationOf({ id: `later-${turn}`, text: "ok" }).slice(1));
  }
  return { offloader, open, history, arrived, ...(await offloader.offload(history)) };
}

it.each([
  ["with the default's rules", eagerPolicy],
  ["of a policy at arrival", minTokens(400)],
  ["even where everything large is a giant", freshAndStale({ ...EAGER, giantTokens: 500 })],
])("answers of the reading tools grow old, %s", async (_, policy) => {
  const root = await makeTempFolder();
  const { offloader, open, history, arrived, messages } = await readAndGoOn(root, policy);
  const newest = arrived.report.results.find(({ toolCallId }) => toolCallId === "read-2");
  expect(newest?.outcome).toBe("kept");

  const old = JSON.stringify(messages.slice(3, 9));
  expect(old).toMatch(/<knowledge id=\\"read-0\\"/);
  expect(old).not.toContain("line 300:");
  // They are neither listed nor searched, since they repeat what the log says; but they can be read.
  const { workspace } = offloader;
  const listed = await workspace.queryArtifacts({}, { sessionId: "s" });
  expect(listed.artifacts.map(({ artifactId }) => artifactId)).toEqual(["log"]);
  const found = await workspace.grepSession("line 300:", { sessionId: "s" });
  expect(found.text).not.toContain("read-0");
  const { text } = await workspace.grepKnowledge("read-0", "line 300:", { sessionId: "s" });
  expect(text).toContain("line 300:");

  expect(await offloader.restore(messages)).toEqual(history);
  // In another process, too, with originals and with what was returned.
  expect(await open().restore(messages)).toEqual(history);
  expect((await open().offload(structuredClone(history))).messages).toEqual(messages);
  expect((await open().offload(structuredClone(messages))).messages).toEqual(messages);
});

/** What the tools of the model answered, and what a host made of it. */
it.each<[string, (text: string) => string]>([
  ["an answer as the tool gave it", (text) => text],
  [
    "an answer that the host has cut, which the tool would not give again",
    (text) => `${text.slice(0, 9_000)}\n[cut by host]`,
  ],
])(
  "%s comes back, with an id that comes back, long inputs and a dropped call",
  async (_, change) => {
    const workspace = createWorkspace({ root: await makeTempFolder() });
    const open = () =>
      createOffloader({
        ...{ workspace, sessionId: "s", format: "anthropic" as const, policy: eagerPolicy },
        parts: ["results", "userMessages", "toolInputs"],
      });
    const offloader = open();
    const log = logOf(80_000);
    const history: AnthropicMessage[] = conversationOf({ id: "log", text: log });
    await offloader.offload(history);
    const pattern = Array.from({ length: 200 }, (_, at) => `line ${at}: request`).join("|");
    const input = { artifact_id: "log", pattern };
    const tools = workspace.tools({ sessionId: "s", readChars: 12_000 });
    const answer = await tools.find(({ name }) => name === "grep_knowledge")?.execute(input);
    const text = change(answer?.text ?? "");
    // The same id reads, then runs a command whose result shares a message with a late answer.
    const use = (id: string, name: string, given: Record<string, unknown>) => ({
      type: "tool_use" as const,
      id,
      name,
      input: given,
    });
    const answered = (id: string, content: string) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content,
    });
    const command = logOf(9_000, "command");
    history.push(
      {
        role: "assistant",
        content: [use("x", "grep_knowledge", input), use("y", "grep_knowledge", input)],
      },
      { role: "user", content: [answered("x", text)] },
      { role: "assistant", content: [use("x", "bash", { command: "make" })] },
      { role: "user", content: [answered("x", command), answered("y", text)] },
      ...conversationOf(
        ...Array.from({ length: 8 }, (_, at) => ({ id: `later-${at}`, text: "ok" })),
      ).slice(1),
    );
    const { messages } = await offloader.offload(history);
    expect(JSON.stringify(messages.slice(3, 7)).length).toBeLessThan(5_000);
    const onUnknown = (unknown: unknown) => {
      expect(unknown).toBeUndefined();
    };
    for (let from = 0; from < 7; from++) {
      // From the fifth message on, calls are dropped whose answers are kept.
      const left = messages.slice(from);
      expect(await open().restore(left, { onUnknown })).toEqual(history.slice(from));
      expect((await open().offload(left)).messages).toEqual(left);
    }
  },
);
