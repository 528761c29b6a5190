import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  createOffloader,
  createWorkspace,
  memoryStore,
  type WorkspaceOptions,
} from "../../src/index.js";
import type { AnthropicMessage } from "../../src/formats/index.js";
import { freshAndStale, minTokens } from "../../src/policies.js";
import { runs } from "../support/adversarial-runs.js";
import { EAGER } from "../support/aging-policy.js";
import { conversationOf, logOf } from "../support/conversation.js";
import { makeTempFolder } from "../support/temp-folder.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LIMITS = { maxAgeMs: HOUR, maxArtifacts: 0 };
const POLICIES = [minTokens(100), freshAndStale({ ...EAGER, giantTokens: 100 })];

const PLACES: Record<string, () => Promise<WorkspaceOptions>> = {
  files: async () => ({ root: await makeTempFolder() }),
  "files, encrypted": async () => ({
    root: await makeTempFolder(),
    encryption: { key: randomBytes(32) },
  }),
  memory: () => Promise.resolve({ store: memoryStore() }),
  SQLite: async () => ({
    store: `sqlite:${await makeTempFolder()}/retention.db`,
  }),
};

const moves = fc.array(
  fc.record({
    /** What is passed: the conversation's own messages, those that were returned, or one result put again. */
    kind: fc.constantFrom("originals", "references", "put", "nothing"),
    /** A part of the conversation, as other hosts or windows have it. */
    length: fc.integer({ min: 1, max: 4 }),
    minutes: fc.constantFrom(0, 5, 11, 49, 61, 3_000),
    prunes: fc.constantFrom("no", "before", "after", "meanwhile"),
    isNewProcess: fc.boolean(),
  }),
  { minLength: 4, maxLength: 12 },
);

describe.each(Object.entries(PLACES))("retention in %s", (_, place) => {
  it("removes nothing that was handed out in the last hour, and restore tells of the rest", async () => {
    const real = Date.now;
    let passedMs = 0;
    vi.spyOn(Date, "now").mockImplementation(() => real() + passedMs);
    try {
      await fc.assert(
        fc.asyncProperty(
          moves,
          fc.constantFrom(...POLICIES),
          fc.boolean(),
          fc.boolean(),
          async (steps, policy, runsByItself, hasParts) => {
            const options = await place();
            const lastPut: { at: number; artifactId: string }[] = [];
            const retention = runsByItself ? { retention: LIMITS } : {};
            const open = () => {
              const workspace = createWorkspace({ ...options, ...retention });
              const offloader = createOffloader({
                ...{ workspace, sessionId: "s", format: "anthropic", policy },
                ...(hasParts ? { parts: ["results", "userMessages", "toolInputs"] } : {}),
              });
              return { workspace, offloader };
            };
            let { workspace, offloader } = open();
            const turns = ["a", "b", "c", "d"].map((id) =>
              conversationOf({
                id,
                text: logOf(3_000, id),
                input: { path: id, text: logOf(2_000, `input of ${id}`) },
              }),
            );
            /** Behind a paste, which may go as well, and before replies with which all of it grows old. */
            const history = (length: number): AnthropicMessage[] => [
              { role: "user", content: logOf(3_000, "pasted") },
              ...turns.slice(0, length).flat(),
              ...conversationOf(...["x", "y", "z"].map((id) => ({ id, text: "ok" }))).slice(1),
            ];
            /** What was handed out, when, and what it stands for. */
            const handed = new Map<string, { readonly at: number; readonly length: number }>();
            const check = async () => {
              for (const [json, { at, length }] of handed) {
                const restoring = offloader.restore(JSON.parse(json) as AnthropicMessage[]);
                if (Date.now() - at < HOUR) expect(await restoring).toEqual(history(length));
                else {
                  const outcome = await restoring.catch((error: unknown) => error);
                  if (outcome instanceof Error) {
                    expect(outcome).toMatchObject({ code: "ARTIFACT_GONE" });
                  } else expect(outcome).toEqual(history(length));
                }
              }
            };
            let returned: { json: string; length: number } | undefined;
            for (const { kind, length, minutes, prunes, isNewProcess } of steps) {
              passedMs += minutes * MINUTE;
              if (isNewProcess) {
                await workspace.close();
                ({ workspace, offloader } = open());
              }
              const prune = () => workspace.prune(LIMITS);
              if (prunes === "before") await prune();
              const handOut = async () => {
                if (kind === "nothing") return;
                if (kind === "put") {
                  const put = { content: logOf(3_000, "put") };
                  const { record } = await workspace.put(put, { toolCallId: "p", sessionId: "s" });
                  lastPut.splice(0, 1, { at: Date.now(), artifactId: record.artifactId });
                  return;
                }
                const isOld = kind === "references" && returned !== undefined;
                const given = isOld
                  ? (JSON.parse(returned?.json ?? "[]") as AnthropicMessage[])
                  : history(length);
                const { messages } = await offloader.offload(given);
                const json = JSON.stringify(messages);
                const wasGone = isOld && !(await isRestorable(messages));
                returned = { json, length: isOld ? (returned?.length ?? 0) : length };
                // A reference to what was removed before cannot be renewed.
                if (!wasGone) handed.set(json, { at: Date.now(), length: returned.length });
              };
              const isRestorable = (messages: readonly AnthropicMessage[]) =>
                offloader.restore(messages).then(
                  () => true,
                  () => false,
                );
              if (prunes === "meanwhile") await Promise.all([handOut(), prune(), prune()]);
              else await handOut();
              if (prunes === "after") await prune();
              await check();
              for (const { at, artifactId } of lastPut) {
                if (Date.now() - at >= HOUR) continue;
                const original = workspace.getOriginal(artifactId, { sessionId: "s" });
                expect(await original).toBe(logOf(3_000, "put"));
              }
            }
            await workspace.close();
          },
        ),
        { numRuns: runs(15) },
      );
    } finally {
      vi.restoreAllMocks();
    }
  });
});
