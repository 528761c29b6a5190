import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createConversation } from "../../../../src/core/engine/policy.js";
import { DEFAULTS } from "../../../../src/index.js";
import {
  all,
  byTool,
  freshAndStale,
  type FreshAndStaleOptions,
  type ToolResult,
  type Verdict,
} from "../../../../src/policies.js";

/** A message of a made-up conversation: of the model, or with a result, or with other text. */
interface Message {
  readonly isReply: boolean;
  /** Tokens of its result, if it has one. */
  readonly tokens?: number;
  readonly otherTokens: number;
}

function resultAt(
  messageIndex: number,
  tokens: number,
  more: Partial<ToolResult> = {},
): ToolResult {
  const chars = tokens * DEFAULTS.charsPerToken;
  const found = { slot: 0, id: `call_${messageIndex}`, content: "", soleText: undefined };
  return { ...found, chars, isError: false, messageIndex, tokens, ...more };
}

function decide(
  messages: readonly Message[],
  options: FreshAndStaleOptions,
  more: (index: number) => Partial<ToolResult> = () => ({}),
): ReadonlyMap<number, Verdict> {
  const results = messages.flatMap(({ tokens }, index) =>
    tokens === undefined ? [] : [resultAt(index, tokens, more(index))],
  );
  const conversation = createConversation(messages.length, {
    results,
    otherChars: 0,
    modelMessages: messages.flatMap(({ isReply }, index) => (isReply ? [index] : [])),
    messageOtherChars: (index) => (messages[index]?.otherTokens ?? 0) * DEFAULTS.charsPerToken,
  });
  const verdicts = freshAndStale(options).decide(results, conversation);
  return new Map(results.map(({ messageIndex }, at) => [messageIndex, verdicts[at] as Verdict]));
}

/** The rule in the words of its description, slowly: what has gone before the next request. */
function goneByTheRule(
  messages: readonly Message[],
  settings: {
    readonly giantTokens: number;
    readonly afterTurns: number;
    readonly gatherTokens: number;
    readonly minTokens: number;
    readonly turnsAhead: (replies: number) => number;
  },
): ReadonlySet<number> {
  const R = DEFAULTS.shortReferenceTokens;
  const [read, write] = [DEFAULTS.cacheReadPrice, DEFAULTS.cacheWritePrice];
  const gone = new Set<number>();
  let replies = 0;
  for (const [now, { isReply }] of messages.entries()) {
    if (!isReply) continue;
    replies++;
    const sent = messages.slice(0, now);
    for (const [index, { tokens = 0 }] of sent.entries()) {
      if (tokens >= settings.giantTokens) gone.add(index);
    }
    const stale = sent.flatMap(({ tokens = 0 }, index) => {
      const since = messages.slice(index + 1, now + 1).filter((message) => message.isReply).length;
      const isStale = since >= settings.afterTurns && tokens >= settings.minTokens;
      return isStale && !gone.has(index) ? [{ index, tokens }] : [];
    });
    const sum = stale.reduce((total, { tokens }) => total + tokens, 0);
    if (stale.length === 0 || sum < settings.gatherTokens) continue;
    const freed = sum - stale.length * R;
    const going = new Set([...gone, ...stale.map(({ index }) => index)]);
    const tail = sent.reduce((total, { tokens, otherTokens }, index) => {
      if (index < (stale[0]?.index ?? 0)) return total;
      return total + otherTokens + (going.has(index) ? R : (tokens ?? 0));
    }, 0);
    const gain = freed * read * settings.turnsAhead(replies) - tail * (write - read);
    if (gain <= 0) continue;
    for (const { index } of stale) gone.add(index);
  }
  for (const [index, { tokens = 0 }] of messages.entries()) {
    if (tokens >= settings.giantTokens) gone.add(index);
  }
  return gone;
}

const conversations = fc.array(
  fc.oneof(
    fc.record({ isReply: fc.constant(true), otherTokens: fc.integer({ min: 0, max: 400 }) }),
    fc.record({
      isReply: fc.constant(false),
      tokens: fc.constantFrom(20, 299, 300, 700, 1_500, 3_000, 6_399, 6_400, 20_000),
      otherTokens: fc.constantFrom(0, 5),
    }),
  ),
  { maxLength: 60 },
);

describe("fresh is kept, stale goes", () => {
  it("does what the rule says, in one pass", () => {
    const settings = fc.record({
      giantTokens: fc.constantFrom(6_400, 2_000),
      afterTurns: fc.constantFrom(1, 2, 4),
      gatherTokens: fc.constantFrom(0, 4_000, 8_000),
      minTokens: fc.constantFrom(100, 300),
      turnsAhead: fc.constantFrom<(replies: number) => number>(
        () => 10,
        (replies) => replies * 0.2,
        () => 0,
      ),
    });
    fc.assert(
      fc.property(conversations, settings, (messages, options) => {
        const gone = goneByTheRule(messages, options);
        for (const [index, { offload }] of decide(messages, options)) {
          expect([index, offload]).toEqual([index, gone.has(index)]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("decides by the messages up to the last reply: what comes after it changes nothing before it", () => {
    fc.assert(
      fc.property(conversations, conversations, (before, after) => {
        const later = after.map((message) => ({ ...message, isReply: false }));
        const whole = decide([...before, ...later], {});
        for (const [index, { offload }] of decide(before, {})) {
          expect(whole.get(index)?.offload).toBe(offload);
        }
      }),
    );
  });

  it("never brings back what has gone, and says so of what is final", () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const whole = decide(messages, { turnsAhead: 20 });
        for (let count = 0; count < messages.length; count++) {
          for (const [index, verdict] of decide(messages.slice(0, count), { turnsAhead: 20 })) {
            if (verdict.isFinal) expect(whole.get(index)?.offload).toBe(verdict.offload);
            if (verdict.offload) expect(whole.get(index)?.offload).toBe(true);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  const reply = { isReply: true, otherTokens: 50 };
  const result = (tokens: number) => ({ isReply: false, tokens, otherTokens: 0 });
  /** So many turns with a result each, and a last reply. */
  const turns = (count: number, tokens: number) => [
    ...Array.from({ length: count }, () => [reply, result(tokens)]).flat(),
    reply,
  ];

  it("says of each result what it is", () => {
    const states = (messages: readonly Message[], options: FreshAndStaleOptions = {}) =>
      [...decide(messages, options).values()].map(({ state, offload }) => `${state} ${offload}`);
    expect(states([result(100), result(7_000), result(1_000)])).toEqual([
      "small false",
      "giant true",
      "fresh false",
    ]);
    expect(states(turns(7, 1_000)).slice(0, 4)).toEqual([
      "stale false",
      "stale false",
      "stale false",
      "fresh false",
    ]);
    const late = [...turns(10, 1_000), result(90_000), ...turns(1, 10)];
    expect(new Set(states(late, { giantTokens: Infinity, turnsAhead: 1 }).slice(0, 6))).toEqual(
      new Set(["not worth a rewrite false"]),
    );
  });

  it("goes in one step that tells what it frees and rewrites", () => {
    const verdicts = [...decide(turns(14, 1_000), { turnsAhead: 20 }).values()];
    const steps = new Set(verdicts.flatMap(({ step }) => (step ? [step] : [])));
    expect(steps.size).toBe(1);
    const [step] = [...steps];
    expect(step).toMatchObject({
      results: 8,
      freedTokens: 8 * (1_000 - DEFAULTS.shortReferenceTokens),
    });
    expect(verdicts.filter((verdict) => verdict.step === step)).toHaveLength(8);
    expect(step?.rewrittenTokens).toBeGreaterThan(3_000);
  });

  it("waits for nothing where there is no cache", () => {
    const isGone = (options: FreshAndStaleOptions) =>
      [...decide(turns(6, 1_000), options).values()].map(({ offload }) => offload);
    expect(isGone({})).not.toContain(true);
    expect(isGone({ readPrice: 1, writePrice: 1 })).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it("makes room, oldest first and even of fresh results, and says why", () => {
    const messages = [reply, result(3_000), result(3_000), result(3_000)];
    const verdicts = [...decide(messages, { maxTokens: 7_000 }).values()];
    expect(verdicts.map(({ offload }) => offload)).toEqual([true, false, false]);
    expect(verdicts[0]).toMatchObject({ step: { isOverflow: true, rewrittenTokens: 0 } });
    expect(verdicts[0]?.reason).toContain("to make room");
    // The model has not seen it, and needs to know what it is.
    expect(verdicts[0]?.state).toBe("giant");
  });

  it("makes no room by short results that the model has not seen, whose digest would save too little", () => {
    const messages = [reply, result(299), result(300)];
    const outcomes = (history: readonly Message[]) =>
      [...decide(history, { maxTokens: 400, minTokens: 100 }).values()].map(
        ({ offload, state }) => offload && state,
      );
    expect(outcomes(messages)).toEqual([false, "giant"]);
    // Once it has been seen, it goes without a digest.
    expect(outcomes([...messages, reply, result(299)])).toEqual(["stale", "giant", false]);
  });

  it("goes by what the host marks", () => {
    const verdicts = decide([result(9_000), result(1_000)], {}, (index) => ({
      offloadFlag: index === 1,
    }));
    expect([...verdicts.values()].map(({ offload }) => offload)).toEqual([false, true]);
  });

  it("does not hide the answer of a reading tool, or what a user writes, when it arrives", () => {
    for (const more of [{ isReadingAnswer: true }, { part: "userMessage" as const }]) {
      const fresh = decide([result(9_000), reply], {}, () => more);
      expect([...fresh.values()][0]).toMatchObject({ offload: false, state: "fresh" });
      const [old] = decide(
        [result(9_000), ...turns(9, 10)],
        { turnsAhead: 9 },
        () => more,
      ).values();
      expect(old).toMatchObject({ offload: true, state: "stale" });
    }
  });

  it("counts what an earlier policy keeps as whole", () => {
    const results = [
      resultAt(0, 9_000, { toolName: "read" }),
      resultAt(0, 9_000, { toolName: "sh" }),
    ];
    const policy = all(byTool({ never: ["read"] }), freshAndStale());
    const verdicts = policy.decide(results, createConversation(1, { results, otherChars: 0 }));
    expect(verdicts.map(({ offload, isFinal }) => [offload, isFinal])).toEqual([
      [false, true],
      [true, true],
    ]);
    expect(policy.ages).toBe(true);
  });

  it.each([
    [{ giantTokens: -1 }, "giantTokens"],
    [{ afterTurns: 0 }, "afterTurns"],
    [{ readPrice: 2, writePrice: 1 }, "readPrice"],
    [{ turnsAhead: "soon" as never }, "turnsAhead"],
    [{ maxTokens: Number.NaN }, "maxTokens"],
    [{ giantToken: 9_000 } as FreshAndStaleOptions, "giantToken"],
  ])("rejects %j", (options: FreshAndStaleOptions, argument) => {
    expect(() => freshAndStale(options)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", argument }),
    );
  });
});
