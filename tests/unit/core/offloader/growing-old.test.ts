import { describe, expect, it } from "vitest";
import {
  createOffloader,
  type OffloaderOptions,
  type WorkspaceEvent,
} from "../../../../src/index.js";
import { freshAndStale, minTokens } from "../../../../src/policies.js";
import { createMemoryWorkspace } from "../../../../src/testing/index.js";
import { conversationOf, logOf } from "../../../support/conversation.js";

function create(options: Partial<OffloaderOptions> = {}) {
  const workspace = createMemoryWorkspace();
  return createOffloader({ workspace, sessionId: "s", format: "anthropic", ...options });
}

/** Turns with a result of about a thousand tokens each. */
const turns = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `t${at}`, text: logOf(3_000, `log ${at}`) }));

/** One step after another, soon. */
const soon = freshAndStale({ afterTurns: 2, gatherTokens: 3_000, turnsAhead: 20 });

describe("results that grow old", () => {
  it("are kept by default while the conversation is short, and go in one step when it is long", async () => {
    const offloader = create();
    const short = await offloader.offload(conversationOf(...turns(9)));
    expect(short.report.totals).toMatchObject({ offloaded: 0, kept: 9 });
    expect(short.report.gathered.results).toBe(4);
    let steps = 0;
    for (let count = 10; count <= 60; count++) {
      const { report } = await offloader.offload(conversationOf(...turns(count)));
      if (report.step) steps++;
      else expect(report.results.some(({ outcome }) => outcome === "offloaded")).toBe(false);
    }
    expect(steps).toBeGreaterThan(1);
    const { report } = await offloader.offload(conversationOf(...turns(60)));
    expect(report.totals.offloaded).toBeGreaterThan(20);
    expect(report.totals.results).toBe(60);
  });

  it("have short references, and a giant's reference never changes", async () => {
    const offloader = create({ policy: soon });
    const giant = { id: "giant", text: logOf(60_000, "giant") };
    const references = async (count: number) => {
      const history = conversationOf(giant, ...turns(count));
      const { messages } = await offloader.offload(history);
      return messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    };
    const early = (await references(1))[1];
    const late = await references(12);
    expect(late[1]).toEqual(early);
    const text = JSON.stringify(late[3]);
    expect(text).toContain("knowledge_list");
    expect(text.length).toBeLessThan(400);
    expect(JSON.stringify(early)).toContain("giant line 1:");
  });

  it("are told of in the report, in the events and in an estimate before it happens", async () => {
    const events: WorkspaceEvent[] = [];
    const workspace = createMemoryWorkspace({ logger: (event) => events.push(event) });
    const offloader = create({ workspace, policy: soon });
    const upTo = (count: number) => conversationOf(...turns(count));
    let count = 1;
    while ((await offloader.estimate(upTo(count))).nextStep.results === 0) {
      const { report } = await offloader.offload(upTo(count));
      expect(report.step).toBeUndefined();
      count++;
    }
    const { nextStep, gathered } = await offloader.estimate(upTo(count));
    expect(gathered.tokens).toBeLessThan(3_000);
    await offloader.offload(upTo(count));
    const { report } = await offloader.offload(upTo(count + 1));
    expect(report.step).toMatchObject({ turn: count + 1, results: nextStep.results });
    const step = events.find(({ event }) => event === "step");
    expect(step).toMatchObject({
      ...{ session_id: "s", turn: count + 1, results: nextStep.results },
      tokens_saved: report.step?.freedTokens,
      tokens_rewritten: report.step?.rewrittenTokens,
    });
    const again = await offloader.offload(upTo(count + 1));
    expect(again.report.step).toBeUndefined();
  });

  it("are not read again once they have gone", async () => {
    const offloader = create({ policy: soon });
    let looked = 0;
    for (let count = 1; count <= 40; count++) {
      const { report } = await offloader.offload(conversationOf(...turns(count)));
      looked = Math.max(looked, report.results.length);
      expect(report.totals.results).toBe(count);
    }
    expect(looked).toBeLessThan(12);
  });
});

describe("equal results", () => {
  const same = logOf(3_000, "same");
  const texts = ["a", "", "b", "", "", "c", "", "d", "e", "", "f", "g"].map((seed) =>
    seed === "" ? same : logOf(3_000, seed),
  );
  const sentBy = async (offloader: ReturnType<typeof create>, history: readonly unknown[]) =>
    (await offloader.offload(history)).messages.map((message) => JSON.stringify(message));
  const withoutIds = (contents: readonly string[]) =>
    contents.map((text) => ({ content: [{ type: "text", text }] }));
  const withOneId = (contents: readonly string[]) =>
    conversationOf(...contents.map((text) => ({ id: "again", text })));

  it.each([
    ["without ids", "mcp" as const, withoutIds],
    ["of one id", "anthropic" as const, withOneId],
  ])(
    "%s go at the same moments in one process, in many, and in one that goes back",
    async (_, format, build) => {
      const policy = freshAndStale({ giantTokens: 5_000, minTokens: 100, maxTokens: 3_500 });
      const workspace = createMemoryWorkspace();
      const growing = create({ workspace, format, policy });
      const requests: { history: readonly unknown[]; sent: string[] }[] = [];
      for (let count = 1; count <= texts.length; count++) {
        const history = build(texts.slice(0, count));
        requests.push({ history, sent: await sentBy(growing, history) });
      }
      expect(requests.at(-1)?.sent.join().split("<knowledge_list>").length).toBeGreaterThan(6);
      for (const { history, sent } of requests) {
        expect(await sentBy(create({ format, policy }), history)).toEqual(sent);
        expect(await sentBy(create({ workspace, format, policy }), history)).toEqual(sent);
      }
    },
  );

  it("without ids go by their own records in a new process, also those that others went beside", async () => {
    const policy = freshAndStale({ afterTurns: 1, gatherTokens: 0, turnsAhead: 1_000 });
    const call = { functionCall: { name: "read", args: {} } };
    const answer = (text: string) => ({
      functionResponse: { name: "read", response: { output: text } },
    });
    const turn = (...answers: readonly string[]) => [
      { role: "model", parts: answers.map(() => call) },
      { role: "user", parts: answers.map(answer) },
    ];
    const history = [...turn(texts[0] ?? "", same), ...turn(same), ...turn("done")];
    const workspace = createMemoryWorkspace();
    const growing = create({ workspace, format: "gemini", policy });
    let sent: string[] = [];
    for (let count = 2; count <= history.length; count += 2) {
      sent = await sentBy(growing, history.slice(0, count));
    }
    expect(sent.join().split("<knowledge_list>")).toHaveLength(4);
    const fresh = create({ workspace, format: "gemini", policy });
    expect(await sentBy(fresh, history)).toEqual(sent);
  });

  it("that are giants keep the id that the first of them got, whatever came before it", async () => {
    const workspace = createMemoryWorkspace();
    const giant = { id: "again", text: logOf(60_000, "giant") };
    const history = conversationOf({ id: "again", text: "short" }, giant, giant);
    const offloader = create({ workspace });
    const first = await sentBy(offloader, history.slice(0, -2));
    const sent = await sentBy(offloader, history);
    expect(sent.slice(0, first.length)).toEqual(first);
    expect(await sentBy(create({ workspace }), history)).toEqual(sent);
  });

  it("keep their references when the host drops old messages, in a new process and in the same", async () => {
    const workspace = createMemoryWorkspace();
    const policy = freshAndStale({ afterTurns: 2, gatherTokens: 1, turnsAhead: 1_000 });
    const offloader = create({ workspace, policy });
    let sent: string[] = [];
    for (let count = 1; count <= texts.length; count++) {
      sent = await sentBy(offloader, withOneId(texts.slice(0, count)));
    }
    // A reference also says how many equal calls came before: of originals, fewer do.
    const uncounted = (message: string) => message.replace(/(hash=\\"[0-9a-f]{8})\.\d+/g, "$1");
    const history = withOneId(texts);
    for (const dropped of [3, 5, 9, 11]) {
      const rest = history.slice(dropped);
      const expected = sent.slice(dropped).map(uncounted);
      for (const host of [create({ workspace, policy }), offloader]) {
        const { messages } = await host.offload(rest);
        expect(messages.map((message) => uncounted(JSON.stringify(message)))).toEqual(expected);
        expect(await host.restore(messages)).toEqual(rest);
      }
    }
  });
});

describe("answers of the reading tools", () => {
  const READ = { artifact_id: "log", start_line: 5, end_line: 160 };
  const converse = async (offloader: ReturnType<typeof create>) => {
    const start = conversationOf({ id: "log", text: logOf(60_000) });
    await offloader.offload(start);
    const answer = (await offloader.handleToolCall({
      type: "tool_use",
      id: "read_1",
      name: "get_knowledge_by_lines",
      input: READ,
    })) as { content: string };
    const reading = {
      ...{ id: "read_1", text: answer.content },
      ...{ tool: "get_knowledge_by_lines", input: READ },
    };
    return (count: number) =>
      conversationOf({ id: "log", text: logOf(60_000) }, reading, ...turns(count));
  };

  it.each([
    ["as the default does", soon],
    ["also where other results go when they arrive", minTokens(400)],
  ])("grow old, are hidden, and come back exactly, %s", async (_, policy) => {
    const offloader = create({ policy });
    const upTo = await converse(offloader);
    const fresh = await offloader.offload(upTo(0));
    expect(JSON.stringify(fresh.messages[4])).not.toContain("knowledge_list");
    let sent = fresh.messages;
    for (let count = 1; count <= 60; count++) {
      const { messages } = await offloader.offload(upTo(count));
      sent = messages;
      if (count % 10 === 0) expect(await offloader.restore(messages)).toEqual(upTo(count));
    }
    if (policy === soon) expect(JSON.stringify(sent[4])).toContain("knowledge_list");
    const { workspace } = offloader;
    const { artifacts } = await workspace.queryArtifacts({}, { sessionId: "s", limit: 500 });
    expect(artifacts.map(({ artifactId }) => artifactId)).not.toContain("read_1");
    const info = await workspace.getToolResultOffloadInfo({ sessionId: "s", limit: 500 });
    expect(info.artifacts.map(({ artifact_id }) => artifact_id)).not.toContain("read_1");
    const found = await workspace.grepSession("log line 77", { sessionId: "s" });
    expect(found.text).not.toContain("read_1");
    if (policy !== soon) return;
    const read = await workspace.getKnowledgeById("read_1", { sessionId: "s" });
    expect(read.text).toContain("log line 77");
    await expect(workspace.getKnowledgeById("read_2", { sessionId: "s" })).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('"read_1"') as string }),
    );
  });
});

describe("replies that only read", () => {
  it("let nothing grow old", async () => {
    const offloader = create({ policy: freshAndStale({ readPrice: 1, writePrice: 1 }) });
    const giant = { id: "log", text: logOf(60_000) };
    await offloader.offload(conversationOf(giant));
    const reads = Array.from({ length: 8 }, (_, at) => ({
      ...{ id: `r${at}`, text: logOf(3_000, `read ${at}`), tool: "get_knowledge_by_lines" },
      input: { artifact_id: "log", start_line: at + 1 },
    }));
    const reading = await offloader.offload(conversationOf(giant, ...reads));
    expect(reading.report.results.map(({ state }) => state)).not.toContain("stale");
    const { report } = await offloader.offload(conversationOf(giant, ...reads, ...turns(5)));
    expect(report.results.filter(({ state }) => state === "stale")).toHaveLength(8);
  });
});

describe("large parts", () => {
  it("go in the same steps as results", async () => {
    const offloader = create({ policy: soon, parts: ["results", "userMessages", "toolInputs"] });
    const paste = { role: "user" as const, content: logOf(9_000, "paste") };
    const withInput = { id: "in", text: "ok", input: { text: logOf(6_000, "input") } };
    const upTo = (count: number) => [paste, ...conversationOf(withInput, ...turns(count))];
    let isGone = false;
    for (let count = 1; count <= 12; count++) {
      const { messages, report } = await offloader.offload(upTo(count));
      const parts = report.parts ?? [];
      if (parts.length > 0) {
        expect(isGone).toBe(false);
        expect(parts.map(({ kind }) => kind).sort()).toEqual(["toolInputs", "userMessages"]);
        expect(report.step?.results).toBeGreaterThan(1);
        isGone = true;
      }
      expect(messages[0] === paste).toBe(!isGone);
      expect(await offloader.restore(messages)).toEqual(upTo(count));
    }
    expect(isGone).toBe(true);
  });
});
