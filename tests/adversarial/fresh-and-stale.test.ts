import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wireOffloader } from "../../src/core/offloader/offloader.js";
import { estimateTokens, type OffloaderSettings } from "../../src/index.js";
import { freshAndStale, type FreshAndStaleOptions } from "../../src/policies.js";
import { MemoryStore, type SampleTurn } from "../../src/testing/index.js";
import { FIXTURES } from "../conformance/fixtures.js";
import { runs } from "../support/adversarial-runs.js";
import { openMemoryWorkspace } from "../support/memory-workspace.js";

/** Small, so that a short conversation has giants and several steps. */
const SMALL: FreshAndStaleOptions = {
  giantTokens: 900,
  afterTurns: 2,
  gatherTokens: 700,
  minTokens: 100,
};

/** A reference in a message, as JSON or as JSON in JSON. */
const REFERENCE = /<knowledge_list>.*?<\/knowledge_list>/g;

/** Without how many equal calls came before: of originals, fewer do once old messages are dropped. */
function uncounted(text: string): string {
  return text.replace(/(hash=\\*"[0-9a-f]{8})\.\d+/g, "$1");
}

/** Of several results of one id, the one that was stored first has it as it is. */
function unnamed(text: string): string {
  return text.replace(/(<knowledge id=\\*"call_\d+)-[0-9a-f]+/g, "$1");
}

/** Another text for every seed, of about so many tokens. */
function linesOf(seed: number, tokens: number): string {
  const lines = Array.from({ length: Math.ceil(tokens / 12) }, (_, at) => {
    return `entry ${at} of ${seed}: request ${(seed * 7919 + at * 31) % 10_007} was served`;
  });
  return lines.join("\n");
}

/** How the next turn goes: how long its results are, and what they are called. */
const turn = fc.record({
  say: fc.constantFrom("", "Let me look.", "words ".repeat(120)),
  results: fc.array(
    fc.record({
      tokens: fc.constantFrom(3, 60, 150, 300, 300, 500, 700, 1_500),
      isError: fc.boolean(),
      /** Vendors use ids again, and tools give the same answer twice. */
      isTwin: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

const conversations = fc.record({
  turns: fc.array(turn, { minLength: 4, maxLength: 12 }),
  policy: fc.constantFrom<FreshAndStaleOptions>(
    { ...SMALL, turnsAhead: 30 },
    { ...SMALL, turnsAhead: 4 },
    { ...SMALL, readPrice: 1, writePrice: 1 },
    { ...SMALL, turnsAhead: (replies) => replies, maxTokens: 3_000 },
    { ...SMALL, turnsAhead: 30, maxTokens: 1_200 },
  ),
  at: fc.nat(1_000),
});

type Conversation = typeof conversations extends fc.Arbitrary<infer Value> ? Value : never;

function sampleOf({ turns }: Pick<Conversation, "turns">): SampleTurn[] {
  let seed = 0;
  return turns.map(({ say, results }) => ({
    say,
    results: results.map(({ tokens, isError, isTwin }) => {
      if (!isTwin || seed === 0) seed++;
      const input = { path: `src/${seed}.ts` };
      return { id: `call_${seed}`, toolName: "bash", input, text: linesOf(seed, tokens), isError };
    }),
  }));
}

function json(messages: readonly unknown[]): string[] {
  return messages.map((message) => JSON.stringify(message));
}

describe.each(FIXTURES)("results that grow old in $name", ({ format, build: buildAll }) => {
  /** A conversation that goes on: some formats close one with a message of their own. */
  const build = (sample: readonly SampleTurn[]) => {
    const messages = buildAll(sample);
    const last = sample.at(-1);
    const longer = json(buildAll(last ? [...sample, last] : sample));
    const end = json(messages).findIndex((message, index) => message !== longer[index]);
    return end === -1 ? messages : messages.slice(0, end);
  };
  const open = (
    policy: FreshAndStaleOptions,
    store = new MemoryStore(),
    more: Pick<OffloaderSettings, "onError"> = {},
  ) =>
    wireOffloader({
      ...{ workspace: openMemoryWorkspace({ store }), sessionId: "s" },
      ...{ format, formats: [format], pickFormat: () => format },
      ...{ policy: freshAndStale(policy), countTokens: estimateTokens, ...more },
    });
  /** The requests of a conversation, one after each turn, by a host that passes the originals. */
  const grow = async (sample: readonly SampleTurn[], offloader: ReturnType<typeof open>) => {
    const requests: { history: unknown[]; sent: string[] }[] = [];
    for (let count = 1; count <= sample.length; count++) {
      const history = build(sample.slice(0, count));
      const before = JSON.stringify(history);
      const { messages } = await offloader.offload(history);
      expect(JSON.stringify(history)).toBe(before);
      requests.push({ history, sent: json(messages) });
    }
    return requests;
  };

  const check = (
    property: (conversation: Conversation & { sample: SampleTurn[] }) => Promise<void>,
  ) =>
    fc.assert(
      fc.asyncProperty(conversations, (conversation) =>
        property({ ...conversation, sample: sampleOf(conversation) }),
      ),
      { numRuns: runs(3) },
    );

  it("go at the same moment, turn by turn, at once, and in a fresh process", () =>
    check(async ({ sample, policy }) => {
      const store = new MemoryStore();
      const requests = await grow(sample, open(policy, store));
      for (const { history, sent } of requests) {
        expect(json((await open(policy).offload(history)).messages)).toEqual(sent);
      }
      const { history = [], sent } = requests.at(-1) ?? {};
      expect(json((await open(policy, store).offload(history)).messages)).toEqual(sent);
    }));

  it("come back exactly, and are the same for a host that passes on what it got", () =>
    check(async ({ sample, policy }) => {
      const store = new MemoryStore();
      const requests = await grow(sample, open(policy));
      const offloader = open(policy, store);
      let passed: unknown[] = [];
      for (const { history, sent } of requests) {
        const next = [...passed, ...history.slice(passed.length)];
        const { messages } = await offloader.offload(next);
        expect(json(messages)).toEqual(sent);
        expect(json(await open(policy, store).restore(messages))).toEqual(json(history));
        passed = messages;
      }
    }));

  it("change what was sent only in steps, and never what has gone", () =>
    check(async ({ sample, policy }) => {
      const offloader = open(policy);
      let last: string[] = [];
      let originals: string[] = [];
      for (let count = 1; count <= sample.length; count++) {
        const history = build(sample.slice(0, count));
        const { messages, report } = await offloader.offload(history);
        const sent = json(messages);
        const changed = last.flatMap((message, index) => (sent[index] === message ? [] : [index]));
        if (changed.length > 0) expect(report.step).toBeDefined();
        for (const index of changed) {
          // Another result of the same message may have been a reference already.
          const shared = last[index] ?? "";
          expect(shared === originals[index] || shared.includes("knowledge_list")).toBe(true);
          expect((sent[index] ?? "").length).toBeLessThan(shared.length);
        }
        last = sent;
        originals = json(history);
      }
    }));

  it("stay references when the host drops old messages, and are whole again when it goes back", () =>
    check(async ({ sample, policy, at }) => {
      const store = new MemoryStore();
      const requests = await grow(sample, open(policy, store));
      const { history = [], sent = [] } = requests.at(-1) ?? {};
      const earlier = requests[at % requests.length];
      const again = await open(policy, store).offload(earlier?.history ?? []);
      expect(json(again.messages)).toEqual(earlier?.sent);

      const dropped = build(sample.slice(0, at % sample.length)).length;
      // A window that holds so many messages at most makes no sense with a limit of tokens as well.
      if (policy.maxTokens !== undefined) return;
      const rest = await open(policy, store).offload(history.slice(dropped));
      const originals = json(history);
      for (const [index, message] of json(rest.messages).entries()) {
        const place = index + dropped;
        for (const [reference] of (sent[place] ?? "").matchAll(REFERENCE)) {
          expect(uncounted(message)).toContain(uncounted(reference));
        }
      }
      expect(json(await open(policy, store).restore(rest.messages))).toEqual(
        originals.slice(dropped),
      );
    }));

  it("stay references before a message that is edited, and go only in steps after it", () =>
    check(async ({ sample, policy, at }) => {
      const store = new MemoryStore();
      const offloader = open(policy, store);
      const requests = await grow(sample, offloader);
      const { sent = [] } = requests.at(-1) ?? {};
      const turnAt = at % sample.length;
      const edited = sample.map((one, index) =>
        index === turnAt
          ? {
              ...one,
              results: one.results.map((result) => ({ ...result, text: linesOf(9_999, 400) })),
            }
          : one,
      );
      const { messages } = await offloader.offload(build(edited));
      const before = build(sample.slice(0, turnAt)).length;
      for (const [index, message] of json(messages).slice(0, before).entries()) {
        for (const [reference] of (sent[index] ?? "").matchAll(REFERENCE)) {
          expect(message).toContain(reference);
        }
      }
      expect(json(await offloader.restore(messages))).toEqual(json(build(edited)));
    }));

  it("are kept when a put of their step fails, and go at the next try", () =>
    check(async ({ sample, policy, at }) => {
      const store = new MemoryStore();
      const put = store.put.bind(store);
      let puts = 0;
      const failsAt = at % 7;
      store.put = (artifact) =>
        puts++ % 7 === failsAt ? Promise.reject(new Error("disk full")) : put(artifact);
      const offloader = open(policy, store, { onError: "keep" });
      const placeOf = (one: {
        messageIndex: number;
        toolCallId: string | undefined;
        chars: number;
      }) => `${one.messageIndex} ${one.toolCallId ?? ""} ${one.chars}`;
      /** The results of a step that failed: it is tried again in the next call, which may have another one. */
      let undone = new Set<string>();
      for (let count = 1; count <= sample.length; count++) {
        const history = build(sample.slice(0, count));
        const { messages, report } = await offloader.offload(history);
        const hasFailed = report.results.some(({ outcome }) => outcome === "failed");
        const stepped = report.results.filter(
          (result) =>
            result.outcome === "offloaded" &&
            result.state === "stale" &&
            !result.reason.includes("before") &&
            !undone.has(placeOf(result)),
        );
        const failedStale = report.results.some(
          ({ outcome, state }) => outcome === "failed" && state === "stale",
        );
        if (hasFailed && failedStale && policy.maxTokens === undefined) expect(stepped).toEqual([]);
        const isUndone = ({ outcome, state, reason }: (typeof report.results)[number]) =>
          state === "stale" && (outcome === "failed" || reason.startsWith("its step"));
        undone = new Set(report.results.filter(isUndone).map(placeOf));
        expect(json(await offloader.restore(messages))).toEqual(json(history));
      }
      store.put = put;
      const history = build(sample);
      const { messages } = await offloader.offload(history);
      expect(json(await offloader.restore(messages))).toEqual(json(history));
      // What was stored of a step that failed counts as gone where messages are read again: there is
      // less room to make then.
      if (policy.maxTokens !== undefined) return;
      const expected = await open(policy).offload(history);
      expect(json(messages).map(unnamed)).toEqual(json(expected.messages).map(unnamed));
    }));
});
