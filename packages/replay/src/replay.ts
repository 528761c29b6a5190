import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  textOf,
  type RecordedConversation,
  type Item,
  type ResultItem,
} from "./conversation/conversation.js";
import { factsUsedLater, mentionsIn, usedFacts, type FactOptions, type FactUse } from "./facts.js";
import { PromptCache, type CachePrices } from "./prompt-cache.js";
import {
  foundBy,
  partReadBack,
  type ReadBackBand,
  type ReaderKind,
  type ReadSteps,
  type ReadStep,
} from "./reader.js";
import { once, type SystemSession, type System } from "./systems/system.js";

export interface ReplayOptions {
  readonly countTokens: (text: string) => number;
  readonly prices: CachePrices;
  /** The price of a token that the model writes. */
  readonly outputPrice: number;
  /** The size of the agent's own system prompt. */
  readonly systemTokens: number;
  readonly facts: FactOptions;
  readonly reader: ReaderKind;
  /** How results that are hidden when they arrive are read back at once; none are when nothing is said. */
  readonly readBacks?: readonly ReadBackBand[] | undefined;
  /** Whether what a reference shows counts for nothing: the reader wants to see it in the text. */
  readonly distrust?: boolean;
  /** How many lines the reader asks for around a match. */
  readonly contextLines?: number | undefined;
  /** Whether the reader makes its calls for several results in one request. */
  readonly together?: boolean;
}

/** What a conversation cost; outcomes can be added up. */
export interface Outcome {
  readonly turns: number;
  /** With those of the reader. */
  readonly requests: number;
  /** All that were sent, all requests together. */
  readonly tokens: number;
  /**
   * In tokens at the full price: what was sent, through a prompt cache, and what the reader wrote to
   * make its calls. The recorded replies are the same under every system and are not in it.
   */
  readonly price: number;
  /** The same without a prompt cache. */
  readonly plainPrice: number;
  /** What writing the recorded replies cost. */
  readonly replyPrice: number;
  /** Calls of reading tools. */
  readonly readBacks: number;
  /** Of these, the ones for results that were hidden when they arrived, made at once. */
  readonly readsAtArrival: number;
  /** Tokens in the answers of all of them. */
  readonly readTokens: number;
  /** Turns that had to read. */
  readonly readTurns: number;
  /** Uses of facts that first came with a result. */
  readonly needed: number;
  /** Of these, the ones that nothing could bring back. */
  readonly lost: number;
}

/** What a message costs besides its text. */
const MESSAGE_TOKENS = 4;
/** A reader that gets no nearer gives up. */
const MAX_READS = 100;

/**
 * Sends a recorded conversation again, request by request, as a system would have sent it. A scripted
 * reader reads back what was hidden when it arrived, as `readBacks` says; and where the recorded reply
 * uses a fact that is not in what was sent, it fetches that first.
 */
export async function replayConversation(
  { items }: Pick<RecordedConversation, "items">,
  system: System,
  options: ReplayOptions,
): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), "context-offload-replay-"));
  const uses = usedFacts({ items }, options.facts);
  const { reader, contextLines } = options;
  try {
    const usedLater = usedLaterIn(items, uses);
    const session = await system.start({ folder, reader, contextLines, usedLater });
    try {
      return await new Replay(items, uses, session, options).run();
    } finally {
      await session.close?.();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function usedLaterIn(items: readonly Item[], uses: ReadonlyMap<number, readonly FactUse[]>) {
  const usedLater = new Map<ResultItem, ReadonlySet<string>>();
  for (const [index, used] of factsUsedLater(uses)) {
    const item = items[index];
    if (item?.role === "result") usedLater.set(item, used);
  }
  return usedLater;
}

/** One conversation under one system. */
class Replay {
  readonly #items: readonly Item[];
  readonly #uses: ReadonlyMap<number, readonly FactUse[]>;
  readonly #session: SystemSession;
  readonly #options: ReplayOptions;
  readonly #cache: PromptCache;
  /** The text, the tokens and the mentions of an item, each found once. */
  readonly #describe = once((item: Item) => this.#describeItem(item));
  readonly #history: Item[] = [];
  /** How much of the history a request has carried. */
  #sentItems = 0;
  /** Tokens that the model wrote: the recorded replies, and the calls of the reader. */
  readonly #written = { replies: 0, reads: 0 };
  readonly #outcome = {
    ...{ turns: 0, readBacks: 0, readsAtArrival: 0, readTokens: 0 },
    ...{ readTurns: 0, needed: 0, lost: 0 },
  };

  constructor(
    items: readonly Item[],
    uses: ReadonlyMap<number, readonly FactUse[]>,
    session: SystemSession,
    options: ReplayOptions,
  ) {
    this.#items = items;
    this.#uses = uses;
    this.#session = session;
    this.#options = options;
    this.#cache = new PromptCache(options.prices);
  }

  async run(): Promise<Outcome> {
    for (const [index, item] of this.#items.entries()) {
      if (item.role === "assistant") {
        const at = this.#items[index - 1]?.at ?? item.at;
        await this.#reply(this.#uses.get(index) ?? [], at);
        this.#written.replies += this.#describe(item).tokens;
      }
      this.#history.push(item);
    }
    const { outputPrice } = this.#options;
    const { requests, tokens, price } = this.#cache.spent;
    const readsPrice = this.#written.reads * outputPrice;
    return {
      ...this.#outcome,
      ...{ requests, tokens, price: price + readsPrice, plainPrice: tokens + readsPrice },
      replyPrice: this.#written.replies * outputPrice,
    };
  }

  /** The requests for one reply: its own, and those of the reader, which fetches what it lacks. */
  async #reply(used: readonly FactUse[], at: number | undefined): Promise<void> {
    const outcome = this.#outcome;
    outcome.turns++;
    outcome.needed += used.length;
    const before = outcome.readBacks;
    const arrived = this.#history.slice(this.#sentItems);
    let sent = await this.#readArrived(arrived, await this.#send(at), at);
    const isMissing = ({ fact }: FactUse) =>
      !sent.some((item) => this.#describe(item).mentions.has(fact) && this.#isTrusted(item));
    let missing = used.filter(isMissing);
    if (missing.length > 0 || outcome.readBacks > before) outcome.readTurns++;
    const readings = new Map<number, ReadSteps | undefined>();
    for (let round = 0; missing.length > 0 && round < MAX_READS; round++) {
      const steps = await this.#readOnce(missing, readings, sent);
      if (steps.length === 0) break;
      sent = await this.#call(steps, at);
      missing = used.filter(isMissing);
    }
    outcome.lost += missing.length;
  }

  /**
   * Reads back what has just arrived and is hidden. Results that arrived together were asked for
   * together, and are read back so.
   */
  async #readArrived(
    arrived: readonly Item[],
    sent: readonly Item[],
    at: number | undefined,
  ): Promise<readonly Item[]> {
    const { countTokens, readBacks } = this.#options;
    const readings = arrived.flatMap((item) => {
      if (item.role !== "result" || sent.includes(item)) return [];
      const part = partReadBack(item.text, countTokens(item.text), readBacks);
      return part === 0 ? [] : (this.#session.readPart?.(item, shownAs(item, sent), part) ?? []);
    });
    for (let round = 0; readings.length > 0 && round < MAX_READS; round++) {
      const next = await Promise.all(readings.map((reading) => reading.next()));
      const steps = next.flatMap(({ value }) => value ?? []);
      if (steps.length === 0) break;
      this.#outcome.readsAtArrival += steps.length;
      sent = await this.#call(steps, at);
    }
    return sent;
  }

  /** The request that follows calls of the reader. */
  async #call(steps: readonly ReadStep[], at: number | undefined): Promise<readonly Item[]> {
    const outcome = this.#outcome;
    outcome.readBacks += steps.length;
    for (const { answer } of steps) outcome.readTokens += this.#options.countTokens(answer);
    const [call, ...answers] = itemsOf(steps, `read_${outcome.readBacks}`);
    this.#written.reads += this.#describe(call).tokens;
    this.#history.push(call, ...answers);
    return this.#send(at);
  }

  async #send(at: number | undefined): Promise<readonly Item[]> {
    const { countTokens, systemTokens } = this.#options;
    const { overhead } = this.#session;
    const sent = await this.#session.present(this.#history);
    this.#sentItems = this.#history.length;
    const prompt = { text: "system", tokens: systemTokens };
    const added = { text: overhead, tokens: countTokens(overhead) };
    this.#cache.send([prompt, added, ...sent.map(this.#describe)], at);
    return sent;
  }

  /** The next call for what is missing, one result after another, or one call for each. */
  async #readOnce(
    missing: readonly FactUse[],
    readings: Map<number, ReadSteps | undefined>,
    sent: readonly Item[],
  ): Promise<readonly ReadStep[]> {
    const steps: ReadStep[] = [];
    for (const origin of new Set(missing.map((use) => use.origin))) {
      const wanted = missing.filter((use) => use.origin === origin).map(({ fact }) => fact);
      const result = this.#items[origin];
      if (!readings.has(origin) && result?.role === "result") {
        readings.set(origin, this.#session.read?.(result, shownAs(result, sent), wanted));
      }
      const next = await readings.get(origin)?.next(wanted);
      if (next?.value) steps.push(...next.value);
      if (steps.length > 0 && this.#options.together !== true) break;
    }
    return steps;
  }

  /** What is not in the history was put in place of something. */
  #isTrusted(item: Item): boolean {
    return this.#options.distrust !== true || this.#history.includes(item);
  }

  #describeItem(item: Item) {
    const calls = item.role === "assistant" ? item.calls : [];
    const text = [
      item.text,
      ...calls.map(({ name, input }) => JSON.stringify({ name, input })),
    ].join("\n");
    const tokens = this.#options.countTokens(text) + MESSAGE_TOKENS * (1 + calls.length);
    return { text, tokens, mentions: mentionsIn(knownFrom(item), this.#options.facts) };
  }
}

/** The text that was sent in place of a result. */
function shownAs({ callId }: ResultItem, sent: readonly Item[]): string | undefined {
  return sent.find((item) => item.role === "result" && item.callId === callId)?.text;
}

function itemsOf(steps: readonly ReadStep[], id: string): readonly [Item, ...Item[]] {
  const calls = steps.map(({ name, input }, index) => ({ id: `${id}_${index}`, name, input }));
  const results = steps.map((step, index): ResultItem => ({
    role: "result",
    callId: `${id}_${index}`,
    toolName: step.name,
    text: step.answer,
    isError: false,
    found: foundBy(step),
  }));
  return [{ role: "assistant", text: "", calls, isReading: true }, ...results];
}

/** What can be known from an item. What the reader asks for is what it does not know. */
function knownFrom(item: Item): string {
  if (item.role === "assistant" && item.isReading === true) return "";
  return item.role === "result" && item.found !== undefined ? item.found : textOf(item);
}

const NOTHING = {
  ...{ turns: 0, requests: 0, tokens: 0, price: 0, plainPrice: 0, replyPrice: 0 },
  ...{ readBacks: 0, readsAtArrival: 0, readTokens: 0, readTurns: 0, needed: 0, lost: 0 },
};

/** The sum of outcomes; of none, all zero. */
export function addOutcomes(...outcomes: readonly (Outcome | undefined)[]): Outcome {
  const sum: Record<keyof Outcome, number> = { ...NOTHING };
  for (const outcome of outcomes) {
    for (const key of Object.keys(NOTHING) as (keyof Outcome)[]) sum[key] += outcome?.[key] ?? 0;
  }
  return sum;
}
