import { readdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { aiSdkFormat } from "../../../src/formats/index.js";
import { MemoryStore } from "../../../src/testing/index.js";
import { type WorkspaceEvent, createOffloader } from "../../../src/index.js";
import {
  connectSessions,
  type MultiSessionOptions,
  type OffloadSession,
} from "../../../src/integrations/shared/sessions.js";
import { minTokens } from "../../../src/policies.js";
import { openMemoryWorkspace } from "../../support/memory-workspace.js";
import { makeTempFolder } from "../../support/temp-folder.js";

const LONG = "a line of a log\n".repeat(4_000);

/** The session of a call that the framework names so. */
const sessionOf = (options: MultiSessionOptions<string>, id?: string): OffloadSession =>
  connectSessions(options).of("context", id);

class FullStore extends MemoryStore {
  override put(): never {
    throw new Error("disk full");
  }
}

describe("connectSessions", () => {
  it("takes the host's session before the framework's, and that before a random one", () => {
    const workspace = openMemoryWorkspace();
    expect(sessionOf({ workspace, sessionId: "host" }, "thread").sessionId).toBe("host");
    expect(sessionOf({ workspace }, "thread").sessionId).toBe("thread");
    const sessions = connectSessions({ workspace });
    expect(sessions.common.sessionId).toMatch(/^session-[-0-9a-f]{36}$/);
    expect(sessions.of({})).toBe(sessions.common);
    expect(sessions.of({}, "")).toBe(sessions.common);
    expect(sessionOf({ workspace }).sessionId).not.toBe(sessions.common.sessionId);
  });

  it("asks the host for the session of a context, before the framework", () => {
    const workspace = openMemoryWorkspace();
    const sessionId = (context: string): string => `of ${context}`;
    expect(sessionOf({ workspace, sessionId }, "thread").sessionId).toBe("of context");
  });

  it.each([
    ["", "an empty one"],
    [undefined, "undefined"],
    [Promise.resolve("later"), "a Promise"],
  ])("rejects a session that the host's function cannot name: %j", (answer, shown) => {
    const options = { workspace: openMemoryWorkspace(), sessionId: () => answer as string };
    expect(() => sessionOf(options, "thread")).toThrow(
      `sessionId must return a non-empty string synchronously; it returned ${shown}.`,
    );
  });

  it("gives what the host's function throws a code", () => {
    const sessionId = (): string => {
      throw new Error("no user");
    };
    const options = { workspace: openMemoryWorkspace(), sessionId };
    expect(() => sessionOf(options)).toThrow(expect.objectContaining({ code: "CALLER_FAILED" }));
  });

  it("runs the reading tools by name", async () => {
    const workspace = openMemoryWorkspace();
    await workspace.put({ artifactId: "a", content: LONG }, { sessionId: "s" });
    const session = sessionOf({ workspace }, "s");
    expect(session.isReadingTool("get_knowledge_by_id")).toBe(true);
    expect(session.isReadingTool("fetch_log")).toBe(false);
    const read = await session.run("get_knowledge_by_id", { artifact_id: "a" });
    expect(read).toMatchObject({ isError: false });
    expect(read.text).toContain("a line of a log");
    expect(await session.run("fetch_log", {})).toMatchObject({ isError: true });
    const stopped = AbortSignal.abort();
    const aborted = await session.run("get_knowledge_by_id", { artifact_id: "a" }, stopped);
    expect(aborted.text).toContain("ABORTED");
  });

  it("tells of one tool, or of five, and names them in prompt and references", async () => {
    const namesIn = async (options: MultiSessionOptions<string>) => {
      const session = sessionOf(options, "s");
      const reference = await session.result(LONG.repeat(9), { toolCallId: "c" });
      const told = session.tools.map(({ name }) => name);
      expect(session.systemPrompt()).toContain(told[0]);
      expect(session.isReadingTool("read_stored")).toBe(true);
      expect(session.isReadingTool("grep_knowledge")).toBe(true);
      return [told.length, /More: (.*)/.exec(reference)?.[1]];
    };
    const workspace = openMemoryWorkspace();
    const five = [5, "grep_knowledge, get_knowledge_by_lines"];
    expect(await namesIn({ workspace })).toEqual([1, "read_stored"]);
    expect(await namesIn({ workspace, readingTools: "five" })).toEqual(five);
    const offloader = createOffloader({ workspace, sessionId: "s", readingTools: "five" });
    expect(await namesIn({ offloader })).toEqual(five);
    const renamed = openMemoryWorkspace({ toolNames: { read_stored: "peek" } });
    const session = sessionOf({ workspace: renamed });
    expect(session.isReadingTool("read_stored")).toBe(false);
    expect(session.isReadingTool("peek")).toBe(true);
    const wrong = { workspace, readingTools: "six" as "five" };
    expect(() => sessionOf(wrong)).toThrow(/readingTools must be "one" or "five"/);
  });

  it("uses the session and the workspace of an offloader", async () => {
    const workspace = openMemoryWorkspace();
    const offloader = createOffloader({ workspace, sessionId: "own" });
    const session = sessionOf({ offloader }, "thread");
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
    const session = sessionOf({}, "chat");
    expect(readdirSync(".")).toEqual([]);
    expect(await session.result(LONG, { toolCallId: "c" })).toContain('<knowledge id="c"');
    expect(readdirSync(".")).toEqual([".offload"]);
    await sessionOf({ root: "elsewhere" }, "chat").result(LONG, { toolCallId: "c" });
    expect(readdirSync(".").sort()).toEqual([".offload", "elsewhere"]);
  });

  it("decides by the host's policy, and stores what the host says of itself", async () => {
    const workspace = openMemoryWorkspace();
    const short = "a line of a log\n".repeat(300);
    const strict = sessionOf({ workspace, policy: minTokens(1_000_000) }, "chat");
    expect(await strict.result(LONG, { toolCallId: "a" })).toBe(LONG);
    const options = { policy: minTokens(100), agentId: "agent", taskId: "task" };
    const lenient = sessionOf({ workspace, ...options }, "chat");
    expect(await lenient.result(short, { toolCallId: "b" })).toContain('<knowledge id="b"');
    const { metadata } = await workspace.getArtifact("b", { sessionId: "chat" });
    expect(metadata).toMatchObject({ agent_id: "agent", task_id: "task", session_id: "chat" });
  });

  it("gives a parent access, but not a child to its parent", async () => {
    const workspace = openMemoryWorkspace();
    const sessions = connectSessions({ workspace });
    await sessions.named("child", "parent").result(LONG, { toolCallId: "c" });
    await sessions.of({}, "parent").result(LONG, { toolCallId: "p" });
    expect(await workspace.getOriginal("c", { sessionId: "parent" })).toBe(LONG);
    await expect(workspace.getOriginal("p", { sessionId: "child" })).rejects.toThrow();
  });

  it("names a child as the framework does, whatever the host calls its own session", () => {
    const workspace = openMemoryWorkspace();
    const sessions = connectSessions({ workspace, sessionId: "host" });
    expect(sessions.named("child", sessions.of({}, "thread").sessionId).sessionId).toBe("child");
  });

  it("has one session for each id and parent", () => {
    const sessions = connectSessions({ workspace: openMemoryWorkspace() });
    expect(sessions.named("a")).toBe(sessions.of({}, "a"));
    expect(sessions.named("a")).not.toBe(sessions.named("a", "b"));
  });

  it("forgets the sessions that were not used for long", () => {
    const sessions = connectSessions({ workspace: openMemoryWorkspace() });
    const [first, second] = [sessions.named("1"), sessions.named("2")];
    for (let at = 3; at <= 900; at++) sessions.named(String(at));
    expect(sessions.named("1")).toBe(first);
    for (let at = 901; at <= 1_100; at++) sessions.named(String(at));
    expect(sessions.named("1")).toBe(first);
    expect(sessions.named("2")).not.toBe(second);
  });

  it.each(["history", "exchange", "result"] as const)(
    "keeps what %s cannot store, and reports it",
    async (verb) => {
      const events: WorkspaceEvent[] = [];
      const logger = (event: WorkspaceEvent) => void events.push(event);
      const workspace = openMemoryWorkspace({ store: new FullStore(), logger });
      const output = { type: "text", value: LONG };
      const part = { type: "tool-result", toolCallId: "c", toolName: "t", output };
      const message = { role: "tool", content: [part] };
      const run = (onError?: "throw") => {
        const session = sessionOf({ workspace, onError });
        return verb === "result" ? session.result(LONG) : session[verb]([message], aiSdkFormat);
      };
      expect(await run()).toEqual(verb === "result" ? LONG : [message]);
      expect(events).toContainEqual(expect.objectContaining({ event: "failure" }));
      await expect(run("throw")).rejects.toThrow(/disk full/);
    },
  );

  it("keeps a history of another format, and reports it", async () => {
    const events: WorkspaceEvent[] = [];
    const workspace = openMemoryWorkspace({ logger: (event) => void events.push(event) });
    const history = [{ role: "unheard-of" }];
    expect(await sessionOf({ workspace }, "s").history(history, aiSdkFormat)).toBe(history);
    expect(events).toMatchObject([{ event: "failure", session_id: "s" }]);
  });

  it("explains references where tools accept them", () => {
    const workspace = openMemoryWorkspace();
    const plain = sessionOf({ workspace });
    expect(plain.describe("save", "Saves.")).toBe("Saves.");
    expect(plain.systemPrompt()).toBe(workspace.systemPrompt({ readingTools: "one" }));
    const accepting = sessionOf({ workspace, acceptReferences: ["save"] });
    expect(accepting.describe("save", "Saves.")).toMatch(/^Saves\. Instead of copying/);
    expect(accepting.describe("send", "Sends.")).toBe("Sends.");
    expect(accepting.systemPrompt()).toContain("offload:<artifact_id>");
  });

  it("resolves references for the tools on the list only", async () => {
    const workspace = openMemoryWorkspace();
    await workspace.put({ artifactId: "a", content: LONG }, { sessionId: "s" });
    const session = sessionOf({ workspace, acceptReferences: ["save"] }, "s");
    expect(await session.resolve("save", { text: "offload:a" })).toEqual({ text: LONG });
    expect(await session.resolve("send", { text: "offload:a" })).toEqual({ text: "offload:a" });
  });

  it("rejects options that contradict each other or are not options", () => {
    const workspace = openMemoryWorkspace();
    const offloader = createOffloader({ workspace, sessionId: "s" });
    expect(() => connectSessions({ offloader, workspace })).toThrow(/without root and workspace/);
    expect(() => connectSessions({ onError: "ignore" as "keep" })).toThrow(/onError/);
    expect(() => connectSessions("chat" as never)).toThrow(/options/);
    expect(() => connectSessions({ workspace: {} as never })).toThrow(/workspace/);
  });
});
