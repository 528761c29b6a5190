import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createOffloader,
  createWorkspace,
  type OffloaderOptions,
  type OffloadReport,
} from "../../../src/index.js";
import { type Format, type AnthropicMessage, anthropicFormat } from "../../../src/formats/index.js";
import {
  afterTurns,
  all,
  tokenBudget,
  cacheAware,
  keepRecent,
  minChars,
  minRatio,
  minTokens,
} from "../../../src/policies.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { countReads } from "../../support/count-reads.js";
import { deepFreeze } from "../../support/shared-objects.js";
import { conversationOf, logOf, readSample } from "../../support/conversation.js";

const hosts = ["same objects", "loaded anew", "fed back"] as const;

/** Everything but short results, when it arrives; the default lets results grow old. */
const atArrival = minTokens(400);

async function makeOffloader(options: Partial<OffloaderOptions> = {}) {
  const workspace = createWorkspace({ root: join(await makeTempFolder(), "workspace") });
  return createOffloader({ workspace, sessionId: "s1", ...options });
}

interface Outcome {
  readonly messages: AnthropicMessage[];
  readonly report: OffloadReport;
}

/** The outcomes of every turn, the history given in the way that a host keeps it. */
async function replayTurns(
  history: readonly AnthropicMessage[],
  options: Partial<OffloaderOptions>,
  host: (typeof hosts)[number],
): Promise<Outcome[]> {
  const offloader = await makeOffloader(options);
  const outcomes: Outcome[] = [];
  let kept: AnthropicMessage[] = [];
  for (let length = 1; length <= history.length; length += 2) {
    const grown = history.slice(0, length);
    const given = {
      "same objects": grown,
      "loaded anew": structuredClone(grown),
      "fed back": [...kept, ...grown.slice(kept.length)],
    }[host];
    const outcome = await offloader.offload(given);
    outcomes.push(outcome);
    kept = outcome.messages;
  }
  return outcomes;
}

async function replay(...given: Parameters<typeof replayTurns>): Promise<AnthropicMessage[][]> {
  return (await replayTurns(...given)).map(({ messages }) => messages);
}

/** Makes the sample conversation again and again, each time with other ids and other content. */
async function nextSample(): Promise<(_: unknown, round: number) => AnthropicMessage[]> {
  const sample = JSON.stringify(await readSample());
  return (_, round) =>
    JSON.parse(
      sample.replaceAll("toolu_01", `toolu_${round}1`).replaceAll("checkout", `checkout${round}`),
    ) as AnthropicMessage[];
}

describe("a history that grows turn by turn", () => {
  it.each(hosts)("keeps its earlier messages byte for byte (%s)", async (host) => {
    const history = await readSample();
    const outcomes = await replay(history, { policy: atArrival }, host);
    for (const [turn, messages] of outcomes.entries()) {
      const next = outcomes[turn + 1];
      if (next)
        expect(JSON.stringify(next.slice(0, messages.length))).toBe(JSON.stringify(messages));
    }
    const whole = await (await makeOffloader({ policy: atArrival })).offload(history);
    expect(JSON.stringify(outcomes.at(-1))).toBe(
      JSON.stringify(whole.messages.slice(0, outcomes.at(-1)?.length)),
    );
  });

  it.each(hosts)("by default changes its earlier messages in steps alone (%s)", async (host) => {
    // Four times as long as the sample, so that there are several steps.
    const history = Array.from({ length: 4 }, await nextSample()).flat();
    const outcomes = await replayTurns(history, {}, host);
    let steps = 0;
    for (const [turn, { messages }] of outcomes.entries()) {
      const next = outcomes[turn + 1];
      if (!next) continue;
      const isSame =
        JSON.stringify(next.messages.slice(0, messages.length)) === JSON.stringify(messages);
      expect(isSame).toBe(next.report.step === undefined);
      if (!isSame) steps++;
    }
    expect(steps).toBeGreaterThan(1);
    expect(steps).toBeLessThan(outcomes.length / 4);
    const last = outcomes.at(-1)?.messages ?? [];
    const whole = await (await makeOffloader()).offload(history.slice(0, last.length));
    expect(JSON.stringify(last)).toBe(JSON.stringify(whole.messages));
  });

  it("gives the same bytes on another machine", async () => {
    const history = await readSample();
    const one = await (await makeOffloader()).offload(history);
    const other = await (await makeOffloader()).offload(structuredClone(history));
    expect(JSON.stringify(other.messages)).toBe(JSON.stringify(one.messages));
  });

  it("looks only at what is new when the message objects are the same", async () => {
    let reads = 0;
    const counting: Format = {
      ...anthropicFormat,
      read: (message, visitor, options) => {
        reads++;
        anthropicFormat.read(message, visitor, options);
      },
    };
    const offloader = await makeOffloader({ format: counting, policy: atArrival });
    const history = conversationOf(
      ...Array.from({ length: 50 }, (_, turn) => ({
        id: `t${turn}`,
        text: logOf(6_000, `${turn}`),
      })),
    );
    await offloader.offload(history);
    expect(reads).toBeGreaterThanOrEqual(history.length);
    reads = 0;
    const more = [...history, ...conversationOf({ id: "new", text: logOf(6_000, "new") }).slice(1)];
    const { report } = await offloader.offload(more);
    expect(reads).toBe(2);
    expect(report.results.map(({ toolCallId }) => toolCallId)).toEqual(["new"]);
    expect(report.totals).toMatchObject({ results: 51, offloaded: 51 });
  });

  it("does not look again at messages that are frozen", async () => {
    const offloader = await makeOffloader({ policy: atArrival });
    const turns = Array.from({ length: 20 }, (_, turn) => ({
      id: `t${turn}`,
      text: logOf(6_000, `${turn}`),
    }));
    const counted = countReads(deepFreeze(conversationOf(...turns)));
    const history = [...counted.value];
    const oneMore = (id: string) => conversationOf({ id, text: logOf(6_000, id) }).slice(1);
    await offloader.offload(history);
    counted.reads = 0;
    const more = [...history, ...oneMore("new")];
    const { messages, report } = await offloader.offload(more);
    expect(counted.reads).toBe(0);
    expect(report.totals).toMatchObject({ results: 21, offloaded: 21 });
    expect(await offloader.restore(messages)).toEqual(more);
  });

  it("is not confused by a history that was cut or changed in the middle", async () => {
    const offloader = await makeOffloader();
    const history = await readSample();
    await offloader.offload(history);
    const cut = history.slice(20);
    const { messages } = await offloader.offload(cut);
    expect(await offloader.restore(messages)).toEqual(cut);
    const changed = history.with(2, structuredClone(history[2] as AnthropicMessage));
    const again = await offloader.offload(changed);
    expect(await offloader.restore(again.messages)).toEqual(changed);
  });

  it.each([
    ["a policy that looks at one result", minChars(1_000)],
    ["a policy that looks at the place", afterTurns(0)],
  ])("sees what the host changed in place, with %s", async (_what, policy) => {
    const offloader = await makeOffloader({ policy });
    const history = conversationOf({ id: "a", text: logOf(9_000, "old") });
    await offloader.offload(history);
    const blocks = history[2]?.content as { content?: string; cache_control?: object }[];
    const check = async () => {
      const { messages } = await offloader.offload(history);
      expect(await offloader.restore(messages)).toEqual(history);
      return messages;
    };
    (blocks[0] as object as { content: string }).content = logOf(9_000, "new");
    await check();
    blocks.push({ type: "text", text: "beside it" } as object);
    expect(JSON.stringify(await check())).toContain("beside it");
    Object.assign(blocks[0] as object, { cache_control: { type: "ephemeral" } });
    expect(JSON.stringify(await check())).toContain("cache_control");
    delete blocks[0]?.cache_control;
    expect(JSON.stringify(await check())).not.toContain("cache_control");
  });

  it("does not grow with an array that the host lets grow", async () => {
    const offloader = await makeOffloader({ policy: atArrival });
    const history = conversationOf({ id: "a", text: logOf(9_000, "a") });
    await offloader.offload(history);
    history.push(...conversationOf({ id: "b", text: logOf(9_000, "b") }).slice(1));
    const { report } = await offloader.offload(history);
    expect(report.totals).toMatchObject({ offloaded: 2 });
  });
});

describe("policies that look at the place", () => {
  const history = conversationOf(
    ...Array.from({ length: 6 }, (_, turn) => ({ id: `t${turn}`, text: logOf(9_000, `${turn}`) })),
  );
  const left = (messages: readonly AnthropicMessage[]) =>
    messages.map((message) => JSON.stringify(message).includes("<knowledge_list>")).filter(Boolean)
      .length;

  it("keepRecent and afterTurns rewrite as the history grows", async () => {
    for (const policy of [keepRecent(2), afterTurns(2)]) {
      const outcomes = await replay(history, { policy }, "same objects");
      expect(outcomes.map(left)).toEqual([0, 0, 0, 1, 2, 3, 4].map((n) => n));
    }
  });

  it("wrapped in cacheAware rewrite only when it pays, and what was offloaded is not brought back", async () => {
    const never = all(keepRecent(1), cacheAware({ turnsAhead: 0 }));
    for (const host of hosts) {
      const outcomes = await replay(history, { policy: never }, host);
      expect(outcomes.map(left)).toEqual([0, 0, 0, 0, 0, 0, 0]);
      const rarely = all(keepRecent(1), cacheAware({ turnsAhead: 6 }));
      const some = await replay(history, { policy: rarely }, host);
      const counts = some.map(left);
      expect(counts.at(-1)).toBeGreaterThan(0);
      // It rewrites now and then rather than at every turn, and never takes anything back.
      const rewrites = counts.filter((count, turn) => turn > 0 && count !== counts[turn - 1]);
      expect(rewrites.length).toBeLessThan(counts.length - 2);
      expect([...counts].sort((a, b) => a - b)).toEqual(counts);
    }
  });

  it.each(hosts)("bring nothing back that was offloaded (%s)", async (host) => {
    for (const policy of [tokenBudget({ maxTokens: 6_000 }), minRatio(0.5)]) {
      const counts = (await replay(history, { policy }, host)).map(left);
      expect(counts.at(-1)).toBeGreaterThan(0);
      expect([...counts].sort((a, b) => a - b)).toEqual(counts);
    }
  });

  it("cacheAware costs nothing for what the model has not seen", async () => {
    const policy = all(minChars(1_000), cacheAware({ turnsAhead: 0 }));
    const outcomes = await replay(history, { policy }, "same objects");
    expect(outcomes.map(left)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (const [turn, messages] of outcomes.entries()) {
      const next = outcomes[turn + 1];
      if (next)
        expect(JSON.stringify(next.slice(0, messages.length))).toBe(JSON.stringify(messages));
    }
  });
});
