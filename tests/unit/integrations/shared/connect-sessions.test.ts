import { readdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WorkspaceEvent } from "../../../../src/index.js";
import { aiSdkFormat } from "../../../../src/formats/ai-sdk.js";
import {
  connectSessions,
  sessionOf,
} from "../../../../src/integrations/shared/connect-sessions.js";
import { minTokens } from "../../../../src/policies.js";
import { createOffloader } from "../../../../src/presets/create-offloader.js";
import { MemoryStore } from "../../../../src/testing/memory-store.js";
import { openMemoryWorkspace } from "../../../support/memory-workspace.js";
import { makeTempFolder } from "../../../support/temp-folder.js";

const LONG = "a line of a log\n".repeat(1_000);

class FullStore extends MemoryStore {
  override put(): never {
    throw new Error("disk full");
  }
}

describe("connectSessions", () => {
  it("takes the host's session before the framework's, and that before a random one", () => {
    const workspace = openMemoryWorkspace();
    expect(connectSessions({ workspace, sessionId: "host" })("thread").sessionId).toBe("host");
    expect(connectSessions({ workspace })("thread").sessionId).toBe("thread");
    const sessions = connectSessions({ workspace });
    expect(sessions().sessionId).toMatch(/^session-[-0-9a-f]{36}$/);
    expect(sessions("").sessionId).toBe(sessions().sessionId);
    expect(connectSessions({ workspace })().sessionId).not.toBe(sessions().sessionId);
  });

  it("uses the session and the workspace of an offloader", async () => {
    const workspace = openMemoryWorkspace();
    const offloader = createOffloader({ workspace, sessionId: "own" });
    const session = connectSessions({ offloader })("thread");
    expect(session).toMatchObject({ sessionId: "own", workspace });
    expect(await session.result(LONG, { toolCallId: "c" })).toContain('<knowledge id="c"');
    expect(await workspace.getOriginal("c", { sessionId: "own" })).toBe(LONG);
  });

  it("stores in the folder .offload, unless the host names another", async () => {
    const before = process.cwd();
    onTestFinished(() => {
      process.chdir(before);
    });
    process.chdir(await makeTempFolder());
    // Nothing is made before there is something to store.
    const session = connectSessions()("chat");
    expect(readdirSync(".")).toEqual([]);
    expect(await session.result(LONG, { toolCallId: "c" })).toContain('<knowledge id="c"');
    expect(readdirSync(".")).toEqual([".offload"]);
    await connectSessions({ root: "elsewhere" })("chat").result(LONG, { toolCallId: "c" });
    expect(readdirSync(".").sort()).toEqual([".offload", "elsewhere"]);
  });

  it("decides by the host's policy, and stores what the host says of itself", async () => {
    const workspace = openMemoryWorkspace();
    const short = "a line of a log\n".repeat(300);
    const strict = connectSessions({ workspace, policy: minTokens(1_000_000) })("chat");
    expect(await strict.result(LONG, { toolCallId: "a" })).toBe(LONG);
    const options = { policy: minTokens(100), agentId: "agent", taskId: "task" };
    const lenient = connectSessions({ workspace, ...options })("chat");
    expect(await lenient.result(short, { toolCallId: "b" })).toContain('<knowledge id="b"');
    const { metadata } = await workspace.getArtifact("b", { sessionId: "chat" });
    expect(metadata).toMatchObject({ agent_id: "agent", task_id: "task", session_id: "chat" });
  });

  it("gives a parent access, but not a child to its parent", async () => {
    const workspace = openMemoryWorkspace();
    const sessions = connectSessions({ workspace });
    await sessions("child", "parent").result(LONG, { toolCallId: "c" });
    await sessions("parent").result(LONG, { toolCallId: "p" });
    expect(await workspace.getOriginal("c", { sessionId: "parent" })).toBe(LONG);
    await expect(workspace.getOriginal("p", { sessionId: "child" })).rejects.toThrow();
  });

  it("names a child as the framework does, whatever the host calls its own session", () => {
    const workspace = openMemoryWorkspace();
    const sessions = connectSessions({ workspace, sessionId: "host" });
    expect(sessions("child", sessions("thread").sessionId).sessionId).toBe("child");
  });

  it("has one session for each id and parent", () => {
    const sessions = connectSessions({ workspace: openMemoryWorkspace() });
    expect(sessions("a")).toBe(sessions("a"));
    expect(sessions("a")).not.toBe(sessions("a", "b"));
  });

  it("forgets the sessions that were not used for long", () => {
    const sessions = connectSessions({ workspace: openMemoryWorkspace() });
    const [first, second] = [sessions("1"), sessions("2")];
    for (let at = 3; at <= 1_000; at++) sessions(String(at));
    expect(sessions("1")).toBe(first);
    sessions("1001");
    expect(sessions("1")).toBe(first);
    expect(sessions("2")).not.toBe(second);
  });

  it.each(["history", "message", "result"] as const)(
    "keeps what %s cannot store, and reports it",
    async (verb) => {
      const events: WorkspaceEvent[] = [];
      const logger = (event: WorkspaceEvent) => void events.push(event);
      const workspace = openMemoryWorkspace({ store: new FullStore(), logger });
      const output = { type: "text", value: LONG };
      const part = { type: "tool-result", toolCallId: "c", toolName: "t", output };
      const message = { role: "tool", content: [part] };
      const run = (onError?: "throw") => {
        const session = connectSessions({ workspace, onError })();
        if (verb === "history") return session.history([message], aiSdkFormat);
        return verb === "message" ? session.message(message, aiSdkFormat) : session.result(LONG);
      };
      const whole = { history: [message], message, result: LONG };
      expect(await run()).toEqual(whole[verb]);
      expect(events).toContainEqual(expect.objectContaining({ event: "failure" }));
      await expect(run("throw")).rejects.toThrow(/disk full/);
    },
  );

  it("keeps a history of another format, and reports it", async () => {
    const events: WorkspaceEvent[] = [];
    const workspace = openMemoryWorkspace({ logger: (event) => void events.push(event) });
    const history = [{ role: "unheard-of" }];
    expect(await connectSessions({ workspace })("s").history(history, aiSdkFormat)).toBe(history);
    expect(events).toMatchObject([{ event: "failure", session_id: "s" }]);
  });

  it("explains references where tools accept them", () => {
    const workspace = openMemoryWorkspace();
    const plain = connectSessions({ workspace })();
    expect(plain.describe("save", "Saves.")).toBe("Saves.");
    expect(plain.systemPrompt()).toBe(workspace.systemPrompt());
    const accepting = connectSessions({ workspace, acceptReferences: ["save"] })();
    expect(accepting.describe("save", "Saves.")).toMatch(/^Saves\. Instead of copying/);
    expect(accepting.describe("send", "Sends.")).toBe("Sends.");
    expect(accepting.systemPrompt()).toContain("offload:<artifact_id>");
  });

  it("resolves references for the tools on the list only", async () => {
    const workspace = openMemoryWorkspace();
    await workspace.put({ artifactId: "a", content: LONG }, { sessionId: "s" });
    const session = connectSessions({ workspace, acceptReferences: ["save"] })("s");
    expect(await session.resolve("save", { text: "offload:a" })).toEqual({ text: LONG });
    expect(await session.resolve("send", { text: "offload:a" })).toEqual({ text: "offload:a" });
  });

  it("refuses options that contradict each other or are not options", () => {
    const workspace = openMemoryWorkspace();
    const offloader = createOffloader({ workspace, sessionId: "s" });
    expect(() => connectSessions({ offloader, workspace })).toThrow(/without root and workspace/);
    expect(() => connectSessions({ onError: "ignore" as "keep" })).toThrow(/onError/);
    expect(() => connectSessions("chat" as never)).toThrow(/options/);
    expect(() => connectSessions({ workspace: {} as never })).toThrow(/workspace/);
  });
});

describe("sessionOf", () => {
  it("depends on the first messages", () => {
    const [first, other] = [
      { role: "user", content: "a" },
      { role: "user", content: "b" },
    ];
    expect(sessionOf(first)).toBe(sessionOf({ ...first }));
    expect(sessionOf(first)).not.toBe(sessionOf(other));
    expect(sessionOf(first)).toMatch(/^conversation-[0-9a-f]{32}$/);
  });
});
