import {
  guardHost,
  type OptionNames,
  rejectMisspelled,
  requireCount,
  requireNumber,
  requireObject,
} from "../arguments.js";
import { DEFAULTS } from "../defaults.js";
import type { ToolResult } from "../engine/format.js";
import type { Conversation, Policy, ResultState, Step, Verdict } from "../engine/policy.js";
import { InvalidArgumentError } from "../errors/argument-errors.js";
import { formatCount } from "../lib/text/printable.js";
import { couldHave, tokensOf } from "./by-size.js";

/** Options of `freshAndStale`. All of them are optional. */
export interface FreshAndStaleOptions {
  /** A result of at least this many tokens is offloaded when it arrives. Default 6,400. */
  readonly giantTokens?: number | undefined;
  /** A result is stale once the model has replied this often since it arrived; replies that only read what was stored do not count. Default 5. */
  readonly afterTurns?: number | undefined;
  /** Stale results are offloaded together once they have this many tokens. Default 8,000; where the prices are equal, 0. */
  readonly gatherTokens?: number | undefined;
  /** Smaller results are always kept. Default 300. */
  readonly minTokens?: number | undefined;
  /** The price of a token that is read from the prompt cache, in any unit. Default 0.1; without a cache, make both prices equal. */
  readonly readPrice?: number | undefined;
  /** The price of a token that is written to the prompt cache, in the same unit. Default 1.25. */
  readonly writePrice?: number | undefined;
  /**
   * How many more turns the conversation is expected to have: a number, or a function of the replies so
   * far. Default: an eighth of them, since a conversation that was long is likely to go on.
   */
  readonly turnsAhead?: number | ((replies: number) => number) | undefined;
  /** No request may have more tokens of messages: the oldest results are offloaded, even fresh ones. Default: no limit. */
  readonly maxTokens?: number | undefined;
}

const OPTIONS: OptionNames<FreshAndStaleOptions> = {
  giantTokens: true,
  afterTurns: true,
  gatherTokens: true,
  minTokens: true,
  readPrice: true,
  writePrice: true,
  turnsAhead: true,
  maxTokens: true,
};

type Settings = {
  readonly [Name in Exclude<keyof FreshAndStaleOptions, "turnsAhead">]-?: number;
} & { readonly turnsAhead: (replies: number) => number };

/**
 * Keeps what is fresh and offloads what is stale. Two kinds of results are offloaded: giants when they
 * arrive, with a digest; and those that the model has seen and worked with, many in one step, with a
 * short reference. A step is made only when what it frees, over the turns ahead, is worth more than
 * writing what comes after it to the prompt cache again; between two steps, nothing that was sent
 * changes.
 *
 * What is offloaded depends on the messages up to the last reply alone: the same history always gives
 * the same requests, in one process or in many.
 *
 * @example
 * freshAndStale({ maxTokens: 150_000 });
 */
export function freshAndStale(options: FreshAndStaleOptions = {}): Policy {
  requireObject("freshAndStale", options, "an object with thresholds and prices, or omitted");
  rejectMisspelled<FreshAndStaleOptions>(options, OPTIONS);
  const settings = requireSettings(options);
  const given = Object.entries(options).filter(([, value]) => typeof value === "number");
  const name = `freshAndStale(${given.map(([key, value]) => `${key}: ${value}`).join(", ")})`;
  return {
    name,
    needsTotalChars: true,
    perResult: false,
    ages: true,
    decide(candidates, conversation) {
      const verdicts = new Fold(settings, candidates, conversation).run();
      return candidates.map((result) => verdicts.get(result) as Verdict);
    },
  };
}

function requireSettings(options: FreshAndStaleOptions): Settings {
  const readPrice = requireNumber("readPrice", options.readPrice ?? DEFAULTS.cacheReadPrice, 0);
  const writePrice = requireNumber("writePrice", options.writePrice ?? DEFAULTS.cacheWritePrice, 0);
  if (readPrice > writePrice) {
    throw new InvalidArgumentError("readPrice", readPrice, "no more than writePrice");
  }
  // Where nothing has to be written again, there is nothing to wait for.
  const gatherTokens = readPrice === writePrice ? 0 : DEFAULTS.gatherTokens;
  return {
    ...{ readPrice, writePrice },
    giantTokens: requireLimit("giantTokens", options.giantTokens ?? DEFAULTS.giantTokens),
    afterTurns: requireCount("afterTurns", options.afterTurns, DEFAULTS.staleTurns),
    gatherTokens: requireLimit("gatherTokens", options.gatherTokens ?? gatherTokens),
    minTokens: requireLimit("minTokens", options.minTokens ?? DEFAULTS.staleTokens),
    turnsAhead: requireTurnsAhead(options.turnsAhead),
    maxTokens: requireLimit("maxTokens", options.maxTokens ?? Infinity),
  };
}

/** A number of tokens; `Infinity` for one that is never reached. */
function requireLimit(name: string, value: number): number {
  return value === Infinity ? value : requireNumber(name, value, 0);
}

function requireTurnsAhead(value: FreshAndStaleOptions["turnsAhead"]): Settings["turnsAhead"] {
  if (value === undefined) return (replies) => replies * DEFAULTS.aheadShare;
  if (typeof value !== "function") {
    const turns = requireNumber("turnsAhead", value, 0);
    return () => turns;
  }
  const count = guardHost("turnsAhead", value);
  return (replies) => requireNumber("what turnsAhead returned", count(replies), 0);
}

/** A result on its way through the conversation. */
interface Item {
  readonly result: ToolResult;
  /** Its tokens while it is whole. */
  readonly weight: number;
  /** Whether it may go; what is gone was allowed to. */
  readonly canGo: boolean;
  /** After how many replies it went, by the record of an earlier call. */
  readonly offloadedAfter?: number | undefined;
  isGone: boolean;
  state: ResultState;
  step?: Step;
}

/** Goes through a conversation reply by reply, and finds out what goes at each. */
class Fold {
  readonly #settings: Settings;
  readonly #conversation: Conversation;
  /** In the order of their messages. */
  readonly #items: readonly Item[];
  /** Those that went after a reply, by its number, as the records of earlier calls say. */
  readonly #byRecord = new Map<number, Item[]>();
  /** Whole results that can go and are stale at this point, oldest first. */
  #stale: Item[] = [];
  /** Why the stale results are kept. */
  #keeping: Verdict = { offload: false, reason: "" };
  /** What the messages before each index take as they are sent at this point; found anew when something goes. */
  #tokensBefore: Float64Array | undefined;

  constructor(settings: Settings, candidates: readonly ToolResult[], conversation: Conversation) {
    this.#settings = settings;
    this.#conversation = conversation;
    const asked = new Set(candidates);
    this.#items = conversation.results.map((result) => this.#open(result, asked.has(result)));
    for (const item of this.#items) {
      const { offloadedAfter } = item;
      if (offloadedAfter === undefined) continue;
      this.#byRecord.set(offloadedAfter, [...(this.#byRecord.get(offloadedAfter) ?? []), item]);
    }
  }

  run(): ReadonlyMap<ToolResult, Verdict> {
    const { replies, workingReplies, decidedTurns } = this.#conversation;
    let next = 0;
    let worked = 0;
    if (decidedTurns === 0) this.#makeRoom(0);
    for (let turn = 1; turn <= replies.length; turn++) {
      // While an agent reads one result after another, what it has just read must not grow old.
      if (workingReplies[worked] === replies[turn - 1]) worked++;
      const staleBefore = workingReplies[worked - this.#settings.afterTurns] ?? 0;
      for (; (this.#items[next]?.result.messageIndex ?? Infinity) < staleBefore; next++) {
        const item = this.#items[next] as Item;
        if (item.canGo && !item.isGone) this.#stale.push(item);
      }
      if (this.#stale.length > 0) this.#step(turn, turn <= decidedTurns);
      this.#followRecords(turn);
      // More may have arrived since the last reply.
      if (turn >= decidedTurns) this.#makeRoom(turn);
    }
    const stale = new Set(this.#stale);
    return new Map(this.#items.map((item) => [item.result, this.#judge(item, stale.has(item))]));
  }

  #open(result: ToolResult, isCandidate: boolean): Item {
    const { minTokens, giantTokens } = this.#settings;
    const { isReference, offloadedBefore, offloadFlag, chars, due } = result;
    if (isReference || offloadedBefore || due) {
      const { offloadedAs: state = "giant", offloadedAfter = due?.step?.turn ?? 0 } = result;
      const weight = due ? tokensOf(result) : (result.weight ?? 0);
      return { result, weight, canGo: true, offloadedAfter, isGone: offloadedAfter === 0, state };
    }
    const least = Math.max(minTokens, DEFAULTS.shortReferenceTokens + 1);
    const mayGo = isCandidate && offloadFlag !== false && couldHave(result, least);
    const tokens = mayGo ? tokensOf(result) : 0;
    const canGo = mayGo && tokens >= least;
    const weight = canGo ? tokens : chars / DEFAULTS.charsPerToken;
    const isGiant = canGo && (weight >= giantTokens || offloadFlag === true);
    // The answer of a reading tool was asked for in this form, and what a user writes is not hidden.
    const isGone = isGiant && result.isReadingAnswer !== true && result.part === undefined;
    return { result, weight, canGo, isGone, state: isGone ? "giant" : canGo ? "fresh" : "small" };
  }

  /** Lets all stale results go after this reply, if there are enough of them and it pays. */
  #step(turn: number, isDecided: boolean): void {
    const { gatherTokens, readPrice, writePrice, turnsAhead } = this.#settings;
    const gathered = this.#stale.reduce((sum, { weight }) => sum + weight, 0);
    if (gathered < gatherTokens) {
      const share = `${count(gathered)} of ${count(gatherTokens)} tokens gathered`;
      this.#keeping = { offload: false, state: "stale", reason: `stale, ${share}` };
      return;
    }
    const step = this.#planStep(this.#stale, turn, this.#conversation.replies[turn - 1] ?? 0);
    const { freedTokens, rewrittenTokens } = step;
    if (freedTokens * readPrice * turnsAhead(turn) > rewrittenTokens * (writePrice - readPrice)) {
      // What went meanwhile to make room is not counted any more: together with that, it did not pay.
      if (isDecided)
        this.#keeping = { offload: false, state: "stale", reason: "stale, kept so far" };
      else this.#release(this.#stale, step);
      return;
    }
    const why = `${count(freedTokens)} tokens freed, ${count(rewrittenTokens)} rewritten`;
    const state = "not worth a rewrite";
    this.#keeping = { offload: false, state, reason: `stale, but ${state}: ${why}` };
  }

  /**
   * What was a reference after this reply is one, even if it would not go by what is left of the
   * history: a host may have dropped messages since.
   */
  #followRecords(turn: number): void {
    const going = this.#byRecord.get(turn)?.filter(({ isGone }) => !isGone) ?? [];
    if (going.length === 0) return;
    for (const item of going) item.isGone = true;
    this.#stale = this.#stale.filter(({ isGone }) => !isGone);
    this.#tokensBefore = undefined;
  }

  /** Lets the oldest results go until the request after this reply has no more tokens than allowed. */
  #makeRoom(turn: number): void {
    const { maxTokens } = this.#settings;
    const { from, settledTokens, replies, messageCount } = this.#conversation;
    const end = replies[turn] ?? messageCount;
    if (maxTokens === Infinity || end <= from) return;
    let over = settledTokens + this.#tokensBetween(from, end) - maxTokens;
    const sent = replies[turn - 1] ?? -1;
    const going = this.#items.filter((item) => {
      const { messageIndex, part } = item.result;
      const isInRequest = messageIndex < end && (part === undefined || messageIndex < sent);
      if (over <= 0 || !isInRequest || !item.canGo || item.isGone) return false;
      // What the model has not seen goes with a digest, which saves too little of a short result.
      if (messageIndex > sent && item.weight < DEFAULTS.staleTokens) return false;
      over -= item.weight - DEFAULTS.shortReferenceTokens;
      return true;
    });
    if (going.length === 0) return;
    this.#release(going, { ...this.#planStep(going, turn, sent), before: end, isOverflow: true });
    // The model has not seen these, and needs to know what they are.
    for (const item of going) if (item.result.messageIndex > sent) item.state = "giant";
  }

  /** @param reply - Where the last reply is: what comes before it was sent. */
  #planStep(going: readonly Item[], turn: number, reply: number): Step {
    const freed = going.reduce((sum, item) => sum + item.weight - DEFAULTS.shortReferenceTokens, 0);
    const first = going[0]?.result.messageIndex ?? 0;
    const rewritten = Math.max(0, this.#tokensBetween(first, reply) - freed);
    return {
      turn,
      before: reply + 1,
      results: going.length,
      freedTokens: Math.round(freed),
      rewrittenTokens: Math.round(rewritten),
    };
  }

  #release(going: readonly Item[], step: Step): void {
    for (const item of going) Object.assign(item, { isGone: true, state: "stale", step });
    this.#stale = this.#stale.filter(({ isGone }) => !isGone);
    this.#tokensBefore = undefined;
  }

  /** What these messages take as they are sent at this point; the one at `end` is not included. */
  #tokensBetween(start: number, end: number): number {
    const { from } = this.#conversation;
    const sums = (this.#tokensBefore ??= this.#addUp());
    const [low, high] = [Math.max(start - from, 0), Math.max(end - from, 0)];
    return (sums[Math.max(low, high)] ?? 0) - (sums[low] ?? 0);
  }

  #addUp(): Float64Array {
    const { from, messageCount } = this.#conversation;
    const otherTokens = this.#conversation.otherTokens.bind(this.#conversation);
    const sums = new Float64Array(messageCount - from + 1);
    for (let index = from; index < messageCount; index++)
      sums[index - from + 1] = otherTokens(index);
    for (const { result, weight, isGone } of this.#items) {
      const at = result.messageIndex - from + 1;
      sums[at] = (sums[at] ?? 0) + (isGone ? DEFAULTS.shortReferenceTokens : weight);
    }
    for (let at = 1; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + (sums[at - 1] ?? 0);
    return sums;
  }

  #judge({ result, canGo, isGone, state, step }: Item, isStale: boolean): Verdict {
    const { minTokens, afterTurns } = this.#settings;
    if (isGone) return { offload: true, isFinal: true, state, step, reason: whyGone(state, step) };
    if (isStale) return this.#keeping;
    if (canGo) {
      const reason = `fresh: fewer than ${afterTurns} replies since`;
      return { offload: false, state: "fresh", reason };
    }
    const isKept = result.offloadFlag === false;
    const reason = isKept ? "kept by the host" : `small: under ${count(minTokens)} tokens`;
    return { offload: false, isFinal: true, state: "small", reason };
  }
}

function whyGone(state: ResultState, step: Step | undefined): string {
  if (!step) return state === "giant" ? "giant: too large to be sent whole" : "stale";
  const others = `${count(step.results)} results free ${count(step.freedTokens)} tokens`;
  const when = step.turn === 0 ? "before the first reply" : `after reply ${step.turn}`;
  return step.isOverflow
    ? `to make room for the request ${when}: ${others}`
    : `stale: ${when}, ${others}`;
}

function count(tokens: number): string {
  return formatCount(Math.round(tokens));
}
