import { textOf } from "./conversation.mjs";
import { mentionsIn } from "./facts.mjs";
import { createPromptCache } from "./prompt-cache.mjs";
import { factsUsedLater, usedFacts } from "./used-facts.mjs";

/**
 * @typedef {import("./conversation.mjs").Item} Item
 * @typedef {import("./conversation.mjs").ResultItem} ResultItem
 *
 * @typedef {object} ReadStep one call of a reading tool, and its answer
 * @property {string} name
 * @property {object} input
 * @property {string} answer
 *
 * @typedef {AsyncGenerator<ReadStep[], void, readonly string[]>} Reading
 *   Yields the calls of one request; is told which facts are still missing, and ends when it has
 *   nothing more to try.
 *
 * @typedef {object} Session a system at work on one conversation
 * @property {string} overhead what it adds to each request: tools and prompt
 * @property {(history: readonly Item[]) => Promise<Item[]> | Item[]} present the history as it is sent
 * @property {(result: ResultItem, sent: string | undefined, facts: readonly string[]) => Reading} [read]
 *   fetches facts of a result, which was sent in this form
 * @property {() => Promise<void>} [close]
 *
 * @typedef {object} System
 * @property {string} name
 * @property {(start: SessionStart) => Promise<Session>} start
 *
 * @typedef {object} SessionStart
 * @property {string} folder an empty folder of its own
 * @property {"search" | "page"} reader how the scripted reader looks for a fact
 * @property {number | undefined} contextLines how many lines around a match it asks for; `undefined`: what the tool gives
 * @property {ReadonlyMap<ResultItem, ReadonlySet<string>>} usedLater the future, for the oracle
 *
 * @typedef {object} ReplayOptions
 * @property {(text: string) => number} countTokens
 * @property {import("./prompt-cache.mjs").CachePrices} prices
 * @property {number} systemTokens the size of the agent's own system prompt
 * @property {import("./facts.mjs").FactOptions} facts
 * @property {"search" | "page"} reader
 * @property {number | undefined} [contextLines] that the reader asks for around a match
 * @property {boolean} [together] whether the reader makes its calls for several results in one request
 *
 * @typedef {object} Outcome
 * @property {number} turns
 * @property {number} requests with those of the reader
 * @property {number} tokens that were sent, all requests together
 * @property {number} price with a prompt cache
 * @property {number} readBacks calls of reading tools
 * @property {number} readTokens in their answers
 * @property {number} readTurns turns that had to read
 * @property {number} needed uses of facts that first came with a result
 * @property {number} lost of these, the ones that nothing could bring back
 */

/** What a message costs besides its text. */
const MESSAGE_TOKENS = 4;
/** How the systems say so, and may repeat the pattern; not a line of content that says it. */
const NOTHING_FOUND =
  /^\[?(?:[^\s\]]+: )?(?:no (?:lines? |text )?match|nothing matche|error: reference)/i;
/** A reader that gets no nearer gives up. */
const MOST_READS = 100;

/**
 * Sends a recorded conversation again, request by request, as a system would have sent it. Where the
 * recorded reply uses a fact that is not in what was sent, a scripted reader fetches it first.
 *
 * @param {import("./conversation.mjs").Conversation} conversation
 * @param {System} system
 * @param {string} folder an empty folder
 * @param {ReplayOptions} options
 * @returns {Promise<Outcome>}
 */
export async function replayConversation(conversation, system, folder, options) {
  const { countTokens, prices, systemTokens, facts, reader, contextLines, together } = options;
  const { items } = conversation;
  const uses = usedFacts(conversation, facts);
  /** @type {Map<ResultItem, ReadonlySet<string>>} */
  const usedLater = new Map();
  for (const [index, used] of factsUsedLater(conversation, facts)) {
    const item = items[index];
    if (item?.role === "result") usedLater.set(item, used);
  }
  const session = await system.start({ folder, reader, contextLines, usedLater });
  const cache = createPromptCache(prices);
  const describe = createDescriber(countTokens, facts);
  const fixed = [
    { text: "system", tokens: systemTokens },
    { text: session.overhead, tokens: countTokens(session.overhead) },
  ];
  const outcome = { turns: 0, readBacks: 0, readTokens: 0, readTurns: 0, needed: 0, lost: 0 };
  /** @type {Item[]} */
  const history = [];

  /** @param {number | undefined} at */
  async function send(at) {
    const sent = await session.present(history);
    const parts = sent.map(describe);
    cache.send([...fixed, ...parts], at);
    return { sent, parts };
  }

  try {
    for (const [index, item] of items.entries()) {
      if (item.role === "assistant") {
        const used = uses.get(index) ?? [];
        outcome.turns++;
        outcome.needed += used.length;
        const at = items[index - 1]?.at ?? item.at;
        let request = await send(at);
        const isMissing = (/** @type {import("./used-facts.mjs").FactUse} */ { fact }) =>
          !request.parts.some(({ mentions }) => mentions.has(fact));
        let missing = used.filter(isMissing);
        if (missing.length > 0) outcome.readTurns++;
        /** @type {Map<number, Reading | undefined>} */
        const readings = new Map();
        for (let round = 0; missing.length > 0 && round < MOST_READS; round++) {
          const steps = await readOnce(missing, readings, request.sent);
          if (steps.length === 0) break;
          outcome.readBacks += steps.length;
          for (const { answer } of steps) outcome.readTokens += countTokens(answer);
          history.push(...itemsOf(steps, `read_${outcome.readBacks}`));
          request = await send(at);
          missing = used.filter(isMissing);
        }
        outcome.lost += missing.length;
      }
      history.push(item);
    }
  } finally {
    await session.close?.();
  }
  return { ...outcome, ...cache.spent };

  /**
   * The next call for what is missing, one result after another, or one call for each.
   *
   * @param {readonly import("./used-facts.mjs").FactUse[]} missing
   * @param {Map<number, Reading | undefined>} readings by index of the result
   * @param {readonly Item[]} sent
   * @returns {Promise<ReadStep[]>}
   */
  async function readOnce(missing, readings, sent) {
    /** @type {ReadStep[]} */
    const steps = [];
    for (const origin of new Set(missing.map((use) => use.origin))) {
      const wanted = missing.filter((use) => use.origin === origin).map(({ fact }) => fact);
      const result = items[origin];
      if (!readings.has(origin) && result?.role === "result") {
        const shown = sent.find((item) => item.role === "result" && item.callId === result.callId);
        readings.set(origin, session.read?.(result, shown && textOf(shown), wanted));
      }
      const next = await readings.get(origin)?.next(wanted);
      if (next?.value) steps.push(...next.value);
      if (steps.length > 0 && !together) break;
    }
    return steps;
  }
}

/**
 * @param {readonly ReadStep[]} steps
 * @param {string} id
 * @returns {Item[]}
 */
function itemsOf(steps, id) {
  const calls = steps.map(({ name, input }, index) => ({ id: `${id}_${index}`, name, input }));
  return [
    { role: "assistant", text: "", calls, isReading: true },
    ...steps.map(
      ({ name, input, answer }, index) =>
        /** @type {ResultItem} */ ({
          role: "result",
          callId: `${id}_${index}`,
          toolName: name,
          text: answer,
          isError: false,
          found: foundIn(answer, "pattern" in input ? String(input.pattern) : ""),
        }),
    ),
  ];
}

/**
 * What an answer brought back: a pattern that it merely repeats is nothing new.
 *
 * @param {string} answer
 * @param {string} pattern
 */
function foundIn(answer, pattern) {
  if (NOTHING_FOUND.test(answer)) return "";
  if (!pattern.includes("|")) return answer;
  return answer.replaceAll(pattern, "").replaceAll(JSON.stringify(pattern).slice(1, -1), "");
}

/**
 * The text, the tokens and the mentions of an item, each found once.
 *
 * @param {(text: string) => number} countTokens
 * @param {import("./facts.mjs").FactOptions} facts
 */
function createDescriber(countTokens, facts) {
  /** @type {WeakMap<Item, { text: string, tokens: number, mentions: Set<string> }>} */
  const described = new WeakMap();
  return (/** @type {Item} */ item) => {
    const known = described.get(item);
    if (known) return known;
    const calls = item.role === "assistant" ? item.calls : [];
    const text = [
      item.text,
      ...calls.map(({ name, input }) => JSON.stringify({ name, input })),
    ].join("\n");
    const tokens = countTokens(text) + MESSAGE_TOKENS * (1 + calls.length);
    const made = { text, tokens, mentions: mentionsIn(knownFrom(item), facts) };
    described.set(item, made);
    return made;
  };
}

/**
 * What can be known from an item. What the reader asks for is what it does not know.
 *
 * @param {Item} item
 */
function knownFrom(item) {
  if (item.role === "assistant" && item.isReading) return "";
  return item.role === "result" && item.found !== undefined ? item.found : textOf(item);
}
