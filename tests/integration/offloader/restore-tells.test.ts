import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AnthropicMessage } from "../../../src/formats/index.js";
import {
  createOffloader,
  createWorkspace,
  redactSecrets,
  type RedactedResult,
  type WorkspaceEvent,
  type WorkspaceOptions,
} from "../../../src/index.js";
import { freshAndStale } from "../../../src/policies.js";
import { EAGER } from "../../support/aging-policy.js";
import { conversationOf, logOf } from "../../support/conversation.js";
import { makeTempFolder } from "../../support/temp-folder.js";

const TOKEN = ["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"].join("");

/** A paste, a call with a long input and its long result, long ago; each with a secret in it. */
const HISTORY: AnthropicMessage[] = [
  { role: "user", content: `${logOf(9_000, "pasted")}\n${TOKEN}` },
  ...conversationOf({
    id: "t1",
    tool: "write",
    input: { path: "a", content: `${logOf(9_000, "file")}\n${TOKEN}` },
    text: `${logOf(9_000, "result")}\n${TOKEN}`,
  }).slice(1),
  ...Array.from({ length: 5 }, (_, at): AnthropicMessage[] => [
    { role: "assistant", content: `Reply ${at}.` },
    { role: "user", content: "Go on." },
  ]).flat(),
];

function open(options: WorkspaceOptions) {
  const workspace = createWorkspace(options);
  return createOffloader({
    ...{ workspace, sessionId: "s", format: "anthropic", policy: freshAndStale(EAGER) },
    parts: ["results", "userMessages", "toolInputs"],
  });
}

/** The messages with a reference in place of one thing alone. */
function only(messages: readonly AnthropicMessage[], at: number): AnthropicMessage[] {
  return HISTORY.map((message, index) => (index === at ? (messages[at] ?? message) : message));
}

const KEY = randomBytes(32);

describe.each<[string, Omit<WorkspaceOptions, "root">]>([
  ["plain", {}],
  ["encrypted", { encryption: { key: KEY } }],
  ["redacting", { redact: redactSecrets }],
])("a reference in a workspace that is %s", (_, options) => {
  it.each([0, 1, 2])("to what was removed throws, for message %i", async (at) => {
    const root = await makeTempFolder();
    const { messages } = await open({ root, ...options }).offload(HISTORY);
    expect(messages[at]).not.toEqual(HISTORY[at]);
    await open({ root, ...options }).workspace.removeSession("s");
    const restoring = open({ root, ...options }).restore(only(messages, at));
    await expect(restoring).rejects.toMatchObject({ code: "ARTIFACT_GONE" });
  });

  it("to what was removed is left alone by offload, and stored by nobody", async () => {
    const root = await makeTempFolder();
    const { messages } = await open({ root, ...options }).offload(HISTORY);
    const offloader = open({ root, ...options });
    await offloader.workspace.removeSession("s");
    expect((await offloader.offload(messages)).messages).toEqual(messages);
    expect((await offloader.workspace.queryArtifacts({})).artifacts).toEqual([]);
  });
});

it.each([0, 1, 2])(
  "a reference to what is sealed with another key throws, for message %i",
  async (at) => {
    const root = await makeTempFolder();
    const { messages } = await open({
      root,
      encryption: { keyFor: () => KEY, keyId: "old" },
    }).offload(HISTORY);
    const other = open({
      ...{ root },
      encryption: {
        keyFor: (id: string) => (id === "new" ? randomBytes(32) : undefined),
        keyId: "new",
      },
    });
    await expect(other.restore(only(messages, at))).rejects.toMatchObject({ code: "KEY_MISSING" });
    expect((await other.offload(messages)).messages).toEqual(messages);
  },
);

it("everything that comes back redacted is told, results and parts alike", async () => {
  const offloader = open({ root: await makeTempFolder(), redact: redactSecrets });
  const { messages } = await offloader.offload(HISTORY);
  const told: RedactedResult[] = [];
  const back = await offloader.restore(messages, { onRedacted: (one) => void told.push(one) });
  const changed = HISTORY.flatMap((message, at) =>
    JSON.stringify(message) === JSON.stringify(back[at]) ? [] : [at],
  );
  expect(changed).toEqual([0, 1, 2]);
  expect(told.map(({ messageIndex }) => messageIndex)).toEqual(changed);
  expect(told.every(({ redactions }) => redactions === 1)).toBe(true);
});

it("what this session never held is kept; without onUnknown the logger is told", async () => {
  const { messages } = await open({ root: await makeTempFolder() }).offload(HISTORY);
  const logged: WorkspaceEvent[] = [];
  const logger = (event: WorkspaceEvent) => void logged.push(event);
  const other = open({ root: await makeTempFolder(), logger });
  expect(await other.restore(messages)).toEqual(messages);
  expect(
    logged.filter(({ event, verb }) => event === "failure" && verb === "restore"),
  ).toHaveLength(3);
});
