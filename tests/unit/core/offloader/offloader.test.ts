import { describe, expect, it, vi } from "vitest";
import {
  createOffloader,
  estimateTokens,
  type OffloaderOptions,
  type WorkspaceEvent,
  DEFAULTS,
} from "../../../../src/index.js";
import { anthropicFormat, type AnthropicMessage } from "../../../../src/formats/index.js";
import {
  afterTurns,
  all,
  byTool,
  everything,
  flagged,
  keepErrors,
  keepRecent,
  minChars,
  minRatio,
} from "../../../../src/policies.js";
import { createMemoryWorkspace, MemoryStore } from "../../../../src/testing/index.js";
import { conversationOf, logOf } from "../../../support/conversation.js";
import { openMemoryWorkspace } from "../../../support/memory-workspace.js";
import { rejectionOf } from "../../../support/rejection.js";

function create(options: Partial<OffloaderOptions> = {}) {
  const workspace = createMemoryWorkspace();
  return createOffloader({ workspace, sessionId: "s1", format: "anthropic", ...options });
}

const LONG_ID = Array.from({ length: 700 }, (_, n) => ((n * 7919) % 9973).toString(36)).join("_");

describe("it must pay", () => {
  it.each([
    ["a long id", LONG_ID, 4_500],
    ["a long id of few tokens", "a".repeat(20_000), 18_000],
    ["short content", "a", 300],
  ])("keeps content that %s would hardly make smaller", async (_, id, chars) => {
    const workspace = createMemoryWorkspace();
    const offloader = create({ workspace, policy: everything });
    const { report } = await offloader.offload(conversationOf({ id, text: logOf(chars) }));
    expect(report.results).toMatchObject([
      { outcome: "kept", reason: "its reference would save too little" },
    ]);
    expect(await workspace.queryArtifacts()).toMatchObject({ artifacts: [] });
  });

  it("offloads with any limit of a digest, which is never more than a share", async () => {
    const workspace = createMemoryWorkspace({ digestChars: 50_000 });
    const offloader = create({ workspace, policy: everything });
    const { report } = await offloader.offload(conversationOf({ id: "a", text: logOf(23_999) }));
    expect(report.results).toMatchObject([{ outcome: "offloaded" }]);
    expect(report.totals.tokensSaved).toBeGreaterThan(0.6 * (report.results[0]?.tokens ?? 0));
  });

  it("saves at least the share of the defaults of whatever is offloaded", async () => {
    const offloader = create({ policy: everything });
    const sizes = Array.from({ length: 60 }, (_, step) => 200 + step * 10);
    const history = conversationOf(
      ...sizes.map((size, index) => ({ id: `t${index}`, text: logOf(size, `${index}`) })),
    );
    const { report } = await offloader.offload(history);
    const offloaded = report.results.filter(({ outcome }) => outcome === "offloaded");
    expect(offloaded.length).toBeGreaterThan(10);
    expect(offloaded.length).toBeLessThan(sizes.length);
    const shares = offloaded.map(({ tokens = 0, referenceTokens = 0 }) => referenceTokens / tokens);
    const most = 1 - DEFAULTS.minSavedShare;
    expect(Math.max(...shares)).toBeLessThanOrEqual(most);
    // Close enough to the limit for another one to be noticed.
    expect(Math.max(...shares)).toBeGreaterThan(most - 0.05);
  });
});

describe("a result that is decided on, previewed and stored", () => {
  it("has its tokens counted once, and so has its reference", async () => {
    const counted: string[] = [];
    const countTokens = (text: string) => counted.push(text) && text.length;
    const offloader = create({ workspace: openMemoryWorkspace({ countTokens }) });
    const text = logOf(20_000);
    const { report } = await offloader.offload(conversationOf({ id: "a", text }));
    const reference = report.results[0]?.reference;
    const ofResult = counted.filter((one) => one === text || one === reference);
    expect(ofResult).toEqual([text, reference]);
  });
});

describe("a message", () => {
  it.each(["anthropic", "auto"] as const)("is read once in all turns, with %s", async (format) => {
    const read = vi.spyOn(anthropicFormat, "read");
    const offloader = create({ format });
    const history = conversationOf({ id: "a", text: logOf(20_000) }, { id: "b", text: "short" });
    await offloader.offload(history);
    expect(read).toHaveBeenCalledTimes(history.length);
    const more = [...history, { role: "user", content: "Go on." }];
    await offloader.offload(more);
    expect(read).toHaveBeenCalledTimes(more.length);
    read.mockRestore();
  });

  it("of an unknown kind is refused in every turn, and is not remembered", async () => {
    const offloader = create({ format: "anthropic" });
    const unknown = [
      { role: "user", content: "Go." },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "bash", input: {} }] },
      { role: "user", content: [{ type: "tool_output", run: logOf(20_000) }] },
    ];
    for (const history of [unknown, unknown, [...unknown, { role: "user", content: "On." }]]) {
      const error = await rejectionOf(offloader.offload(history));
      expect(error).toMatchObject({ code: "UNKNOWN_FORMAT" });
      expect(error.message).toContain("tool_output");
    }
    const { report } = await offloader.offload(conversationOf({ id: "a", text: logOf(20_000) }));
    expect(report.totals.offloaded).toBe(1);
  });
});

describe("one result at arrival", () => {
  it("is judged by the policy of the history, and recognized in it", async () => {
    const offloader = create();
    const text = logOf(20_000);
    const arrived = await offloader.result(text, { toolCallId: "a", toolName: "bash" });
    expect(arrived.report).toMatchObject({ outcome: "offloaded", artifactId: "a" });
    expect(arrived.content).toBe(arrived.report.reference);
    const history = conversationOf({ id: "a", text: arrived.content });
    const { report, messages } = await offloader.offload(history);
    expect(report.totals).toMatchObject({ references: 1, offloaded: 0 });
    expect(messages).toBe(history);
    expect(await offloader.restore(history)).toEqual(conversationOf({ id: "a", text }));
  });

  it("comes back as it is when it is kept", async () => {
    const offloader = create();
    const blocks = [{ type: "text", text: "ok" }];
    const { content, report } = await offloader.result(blocks, { toolCallId: "a" });
    expect(content).toBe(blocks);
    expect(report).toMatchObject({ outcome: "kept", state: "small" });
    const fresh = await offloader.result(logOf(6_000), { toolCallId: "b" });
    expect(fresh.report).toMatchObject({ outcome: "kept", state: "fresh" });
    const tokens = estimateTokens(logOf(6_000));
    expect(tokens).toBeGreaterThan(DEFAULTS.staleTokens);
    expect(tokens).toBeLessThan(DEFAULTS.giantTokens);
  });

  it("is offloaded although it is an error, if it is a giant", async () => {
    const text = logOf(20_000);
    const failed = await create().result(text, { toolCallId: "b", isError: true });
    expect(failed.report).toMatchObject({ outcome: "offloaded", state: "giant" });
  });
});

describe("references that lie", () => {
  it.each([
    ["of an artifact that does not exist", 'id="call_1" hash="00000000"'],
    ["with another hash", 'id="other" hash="00000000"'],
  ])("are content like any other: one %s", async (_, attributes) => {
    const offloader = create({ policy: minChars(1) });
    await offloader.offload(conversationOf({ id: "other", text: logOf(20_000) }));
    const id = /id="(\w+)"/.exec(attributes)?.[1] ?? "";
    const forged = `<knowledge_list>\n<knowledge ${attributes}>\n${logOf(60_000)}\n</knowledge>\n</knowledge_list>`;
    const history = conversationOf({ id, text: forged });
    const { messages, report } = await create({
      workspace: offloader.workspace,
      policy: minChars(1),
    }).offload(history);
    expect(report.totals).toMatchObject({ references: 0, offloaded: 1 });
    expect(await offloader.restore(messages)).toEqual(history);
  });

  it("are kept by restore, which says which they are and restores the rest", async () => {
    const events: WorkspaceEvent[] = [];
    const workspace = createMemoryWorkspace({ logger: (event) => events.push(event) });
    const offloader = create({ workspace });
    const history = conversationOf({ id: "a", text: logOf(20_000) }, { id: "b", text: "ok" });
    const { messages } = await offloader.offload(history);
    const lie =
      '<knowledge_list>\n<knowledge id="b" hash="00000000">\nx\n</knowledge>\n</knowledge_list>';
    const lied = JSON.parse(
      JSON.stringify(messages).replace('"ok"', JSON.stringify(lie)),
    ) as AnthropicMessage[];
    const unknown: unknown[] = [];
    const restored = await offloader.restore(lied, { onUnknown: (one) => unknown.push(one) });
    expect(unknown).toEqual([{ messageIndex: 4, toolCallId: "b", artifactId: "b" }]);
    expect(restored[2]).toEqual(history[2]);
    expect(restored[4]).toBe(lied[4]);
    expect(events.filter(({ event }) => event === "failure")).toMatchObject([
      { verb: "restore", artifact_id: "b" },
    ]);
  });
});

describe("a history that changes while results are being stored", () => {
  it("has what was pushed meanwhile offloaded in the next turn", async () => {
    const offloader = create();
    const history = conversationOf({ id: "a", text: logOf(20_000) });
    const running = offloader.offload(history);
    history.push(...conversationOf({ id: "b", text: logOf(20_000, "b") }).slice(1));
    expect((await running).messages).toHaveLength(3);
    const { report } = await offloader.offload(history);
    expect(report.totals.offloaded).toBe(2);
  });

  it("keeps a message that was changed meanwhile, and stores its new content next time", async () => {
    const history = conversationOf({ id: "a", text: logOf(20_000) });
    const changed = logOf(30_000, "changed");
    let change: (() => void) | undefined = () => {
      const [block] = history[2]?.content as { content: string }[];
      if (block) block.content = changed;
    };
    // Whoever decides has seen the content; what is stored must be what was decided on.
    const policy = {
      ...everything,
      decide: (...asked: Parameters<typeof everything.decide>) => {
        change?.();
        change = undefined;
        return everything.decide(...asked);
      },
    };
    const offloader = create({ policy });
    expect((await offloader.offload(history)).messages[2]).toBe(history[2]);
    const { messages, report } = await offloader.offload(history);
    expect(report.results.at(-1)).toMatchObject({ outcome: "offloaded", chars: 30_000 });
    expect(await offloader.restore(messages)).toEqual(history);
  });
});

describe("two calls at once with histories that differ", () => {
  it("do not mix them up, whichever ends last", async () => {
    const store = new MemoryStore();
    const put = store.put.bind(store);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    store.put = async (artifact) => {
      if (artifact.wantedId === "x") await released;
      return put(artifact);
    };
    const offloader = create({ workspace: openMemoryWorkspace({ store }) });
    const start = { id: "a", text: logOf(20_000) };
    const one = conversationOf(start, { id: "x", text: logOf(20_000, "x") });
    const other = conversationOf(start, { id: "y", text: logOf(20_000, "y") });
    const first = offloader.offload(one);
    const { messages } = await offloader.offload(other);
    release();
    await first;
    expect((await offloader.offload(other)).messages).toEqual(messages);
    expect(await offloader.restore(messages)).toEqual(other);
    expect((await offloader.offload(one)).messages).toEqual((await first).messages);
  });
});

describe("what an offloader looks up for itself", () => {
  it("reaches no logger", async () => {
    const events: WorkspaceEvent[] = [];
    const workspace = createMemoryWorkspace({ logger: (event) => events.push(event) });
    const offloader = create({ workspace, policy: afterTurns(0) });
    const history = conversationOf({ id: "a", text: logOf(20_000) });
    const { messages } = await offloader.offload(history);
    await offloader.offload(structuredClone(history));
    await offloader.estimate(history);
    await offloader.restore(messages);
    const told = events.map(({ event, verb }) => `${event} ${verb}`);
    expect(told.filter((event) => event !== "request offload")).toEqual(["offload put"]);
  });
});

describe("a result that was offloaded", () => {
  it.each(["the same objects", "loaded anew"])(
    "is stored again when its artifact was removed and the id given to other content, %s",
    async (host) => {
      const workspace = createMemoryWorkspace();
      const offloader = create({ workspace });
      const history = conversationOf({ id: "a", text: logOf(20_000) });
      await offloader.offload(history);
      await workspace.remove("a", { sessionId: "s1" });
      const other = { toolCallId: "a", sessionId: "s1" };
      await workspace.put({ content: logOf(20_000, "other") }, other);
      const next = host === "loaded anew" ? structuredClone(history) : history;
      const { messages } = await offloader.offload(next);
      expect(await offloader.restore(messages)).toEqual(history);
    },
  );

  it("is not brought back by a later verdict, with an id or without, in a fresh offloader too", async () => {
    const workspace = createMemoryWorkspace();
    const policy = keepRecent(1);
    const history = conversationOf(
      { id: "a", text: logOf(20_000) },
      { id: "", text: logOf(20_000, "b") },
      { id: "c", text: logOf(20_000, "c") },
    );
    const first = await create({ workspace, policy }).offload(history);
    expect(first.report.totals.offloaded).toBe(2);
    const fresh = create({ workspace, policy: keepRecent(9) });
    const again = await fresh.offload(structuredClone(history));
    expect(again.messages).toEqual(first.messages);
    expect(again.report.results.map(({ reason }) => reason).slice(0, 2)).toEqual([
      "it was offloaded before",
      "it was offloaded before",
    ]);
  });

  it("is another one when its id comes with other content of the same length", async () => {
    const workspace = createMemoryWorkspace();
    const policy = keepRecent(0);
    await create({ workspace, policy }).offload(conversationOf({ id: "a", text: logOf(20_000) }));
    const other = logOf(20_000).replaceAll("served", "failed");
    const fresh = create({ workspace, policy: keepRecent(9) });
    const { report } = await fresh.offload(conversationOf({ id: "a", text: other }));
    expect(report.totals).toMatchObject({ offloaded: 0, kept: 1 });
  });
});

describe("what an offloader does with each result", () => {
  it("says of every result whether it was offloaded, why, its size, its reference and its artifact", async () => {
    const offloader = create();
    const history = conversationOf(
      { id: "a", text: logOf(50_000), tool: "read_log" },
      { id: "b", text: "ok" },
      { id: "c", text: logOf(4_000, "trace"), isError: true },
    );
    const { messages, report } = await offloader.offload(history);
    const { content } = messages[2] as { content: { content: string }[] };
    expect(report.results).toEqual([
      {
        messageIndex: 2,
        toolCallId: "a",
        toolName: "read_log",
        outcome: "offloaded",
        reason: expect.stringContaining("giant") as string,
        state: "giant",
        chars: 50_000,
        tokens: expect.any(Number) as number,
        reference: content[0]?.content,
        referenceTokens: expect.any(Number) as number,
        artifactId: "a",
        error: undefined,
      },
      expect.objectContaining({ toolCallId: "b", outcome: "kept", state: "small", chars: 2 }),
      expect.objectContaining({ toolCallId: "c", outcome: "kept", state: "fresh" }),
    ]);
    expect(report.totals).toMatchObject({
      results: 3,
      offloaded: 1,
      kept: 2,
      references: 0,
      failed: 0,
    });
    expect(report.totals.charsSaved).toBe(50_000 - (content[0]?.content.length ?? 0));
    expect(report.totals.tokensSaved).toBeGreaterThan(5_000);
  });

  it("lets a policy that is given replace the default altogether", async () => {
    const offloader = create({ policy: minChars(2_000) });
    const history = conversationOf({ id: "a", text: logOf(3_000), isError: true });
    expect((await offloader.offload(history)).report.totals.offloaded).toBe(1);
  });

  it("keeps a result whose reference would not be shorter", async () => {
    const offloader = create({ policy: minChars(1) });
    const history = conversationOf({ id: "a", text: "a few words that no digest makes shorter" });
    const { messages, report } = await offloader.offload(history);
    expect(messages).toBe(history);
    expect(report.results[0]).toMatchObject({
      outcome: "kept",
      reason: "its reference would save too little",
    });
    expect(await offloader.workspace.queryArtifacts()).toMatchObject({ artifacts: [] });
  });

  it("gives a short reference whatever the content's length: no inline rule", async () => {
    const offloader = create();
    const history = conversationOf(
      { id: "a", text: logOf(39_000) },
      { id: "b", text: logOf(900_000) },
    );
    const { report } = await offloader.offload(history);
    expect(report.results).toHaveLength(2);
    for (const { reference } of report.results) expect(reference?.length).toBeLessThan(2_500);
  });

  it("never offloads answers of the reading tools, under any name, nor references", async () => {
    const workspace = createMemoryWorkspace({ toolNames: { grep_knowledge: "mcp__x__grep" } });
    const make = () => create({ workspace, policy: minChars(1) });
    await workspace.put({ content: "stored" }, { toolCallId: "r", sessionId: "s1" });
    const input = { artifact_id: "r", start_line: 1, end_line: 9, pattern: "x" };
    const history = conversationOf(
      { id: "a", text: logOf(30_000), tool: "get_knowledge_by_lines", input },
      { id: "b", text: logOf(30_000), tool: "mcp__x__grep", input },
      { id: "c", text: logOf(30_000) },
    );
    const { messages, report } = await make().offload(history);
    expect(report.results.map(({ outcome }) => outcome)).toEqual(["kept", "kept", "offloaded"]);
    const again = await make().offload(structuredClone(messages).slice(5));
    expect(again.report.results.map(({ outcome }) => outcome)).toEqual(["reference"]);
  });

  it("composes policies, each with its reason", async () => {
    const policy = all(byTool({ never: ["read_file"] }), minChars(5_000), keepErrors);
    const offloader = create({ policy });
    const history = conversationOf(
      { id: "a", text: logOf(9_000), tool: "read_file" },
      { id: "b", text: logOf(3_000) },
      { id: "c", text: logOf(9_000), isError: true },
      { id: "d", text: logOf(9_000) },
    );
    const { report } = await offloader.offload(history);
    expect(report.results.map(({ reason }) => reason)).toEqual([
      "byTool(-read_file): a tool whose results are kept",
      "minChars(5000): too small",
      "keepErrors: an error",
      "byTool(-read_file): a tool whose results are offloaded; minChars(5000): large enough; keepErrors: not an error",
    ]);
  });

  it("lets the host flag results", async () => {
    const offloader = create({
      policy: flagged,
      shouldOffload: ({ toolCallId, toolName }) => toolName === "read_log" && toolCallId !== "b",
    });
    const history = conversationOf(
      { id: "a", text: logOf(9_000), tool: "read_log" },
      { id: "b", text: logOf(9_000), tool: "read_log" },
      { id: "c", text: logOf(9_000) },
    );
    const { report } = await offloader.offload(history);
    expect(report.results.map(({ outcome }) => outcome)).toEqual(["offloaded", "kept", "kept"]);
  });

  it("counts tokens of what can be read, not of pictures that are kept", async () => {
    const offloader = create();
    const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo".repeat(5_000) };
    const content = [
      { type: "text", text: logOf(300) },
      { type: "image", source },
    ];
    const history = [
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "shot", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content }] },
    ];
    expect((await offloader.offload(history)).messages).toBe(history);
  });

  it("has nothing to do with an empty history", async () => {
    const offloader = create();
    const history: never[] = [];
    expect((await offloader.offload(history)).messages).toBe(history);
  });
});

describe("content that JSON cannot give back", () => {
  const cycle: Record<string, unknown> = {};
  cycle["itself"] = cycle;
  const odd = {
    date: new Date(0),
    bytes: new Uint8Array([1, 2]),
    number: Number.NaN,
    bigint: 10n,
    cycle,
  };

  it.each(Object.entries(odd))(
    "is kept as it is, and harms no other result: %s",
    async (_, value) => {
      for (const policy of [everything, keepRecent(0)]) {
        const offloader = create({ policy });
        const history = conversationOf({ id: "a", text: "" }, { id: "b", text: logOf(20_000) });
        const [block] = history[2]?.content as { content: unknown }[];
        if (block) block.content = [{ type: "text", text: logOf(20_000), extra: value }];
        const { messages, report } = await offloader.offload(history);
        expect(report.results.map(({ outcome }) => outcome)).toEqual(["kept", "offloaded"]);
        expect(report.results[0]?.reason).toBe("JSON cannot hold its content");
        expect(messages[2]).toBe(history[2]);
        expect(await offloader.restore(messages)).toEqual(history);
      }
    },
  );

  it("is kept in the answer of a reading tool, too", async () => {
    const read = { id: "a", text: "", tool: "grep_knowledge", input: { pattern: "x" } };
    const history = conversationOf(read);
    const [block] = history[2]?.content as { content: unknown }[];
    if (block) block.content = [{ type: "text", text: logOf(20_000), extra: 10n }];
    const { messages, report } = await create().offload(history);
    expect(messages).toBe(history);
    expect(report.totals).toMatchObject({ kept: 1 });
  });

  it("counts as part of the conversation in every turn", async () => {
    const offloader = create({ policy: minRatio(0.2) });
    const history = conversationOf({ id: "a", text: "" }, { id: "b", text: logOf(3_000) });
    const [block] = history[2]?.content as { content: unknown }[];
    if (block) block.content = [{ type: "text", text: logOf(20_000), extra: new Date(0) }];
    for (let turn = 0; turn < 3; turn++) {
      const { report } = await offloader.offload(history);
      expect(report.totals).toMatchObject({ kept: 2, offloaded: 0 });
    }
  });

  it("elsewhere in a message does not keep its results from being offloaded", async () => {
    const offloader = create();
    const history = conversationOf({ id: "a", text: logOf(20_000) });
    Object.assign(history[2] ?? {}, { cost: Number.NaN, at: new Date(0) });
    const { messages, report } = await offloader.offload(history);
    expect(report.totals.offloaded).toBe(1);
    expect(messages[2]).not.toBe(history[2]);
    expect(await offloader.restore(messages)).toEqual(history);
  });
});
