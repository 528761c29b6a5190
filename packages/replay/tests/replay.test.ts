import { describe, expect, it } from "vitest";
import {
  bareReference,
  everything,
  oracle,
  ours,
  peersIn,
  replayConversation,
  systemNamed,
  type RecordedConversation,
  type Item,
  type SystemSession,
  type System,
} from "../src/index.js";
import { options } from "./support/char-prices.js";

const RESULT: Item = {
  role: "result",
  callId: "c1",
  toolName: "bash",
  text: "the order_id was 4711",
  isError: false,
};
const conversation: RecordedConversation = {
  source: "test",
  name: "test",
  items: [
    { role: "user", text: "Which one?" },
    { role: "assistant", text: "", calls: [{ id: "c1", name: "bash", input: { a: 1 } }] },
    RESULT,
    { role: "assistant", text: "It was order_id 4711.", calls: [] },
  ],
};

/** Shows nothing of a result; `answer` is what its reading tool says. */
function hiding(answer?: string): System {
  const session: SystemSession = {
    overhead: "",
    present: (history) =>
      history.map((item) => (item === RESULT ? { ...RESULT, text: "gone" } : item)),
  };
  const reading: SystemSession = {
    ...session,
    async *read(_result, _sent, facts) {
      const input = { pattern: facts.join("|") };
      yield await Promise.resolve([{ name: "grep", input, answer: answer ?? "" }]);
    },
  };
  const start = () => Promise.resolve(answer === undefined ? session : reading);
  return { name: "hiding", start };
}

describe("the replay", () => {
  it("asks for one missing result after another, or with `together` for all in one request", async () => {
    const other: Item = { ...RESULT, callId: "c2", text: "its user_name was Ada" };
    const calls = ["c1", "c2"].map((id) => ({ id, name: "bash", input: {} }));
    const items: Item[] = [
      { role: "assistant", text: "", calls },
      ...[RESULT, other],
      { role: "assistant", text: "order_id 4711 of user_name Ada", calls: [] },
    ];
    const session: SystemSession = {
      overhead: "",
      present: (history) =>
        history.map((item) => (item === RESULT || item === other ? { ...item, text: "-" } : item)),
      async *read({ text }) {
        yield await Promise.resolve([{ name: "read", input: {}, answer: text }]);
      },
    };
    const system: System = { name: "hiding", start: () => Promise.resolve(session) };
    const replay = (together: boolean) =>
      replayConversation({ ...conversation, items }, system, { ...options, together });
    expect(await replay(false)).toMatchObject({ requests: 4, readBacks: 2, readTurns: 1, lost: 0 });
    expect(await replay(true)).toMatchObject({ requests: 3, readBacks: 2, readTurns: 1, lost: 0 });
  });

  it("sends a request for each reply, and prices it by hand", async () => {
    // 10 + 4 for the question; 1 + 31 + 2 * 4 for the call; 21 + 4 for the result.
    const first = 100 + 14;
    const second = 40 + 25;
    expect(await replayConversation(conversation, everything, options)).toEqual({
      turns: 2,
      requests: 2,
      tokens: first + first + second,
      price: 1.25 * first + 0.1 * first + 1.25 * second,
      plainPrice: first + first + second,
      // The two replies: the call, and 21 + 1 + 4 for the answer.
      replyPrice: 5 * (40 + 25),
      readBacks: 0,
      readsAtArrival: 0,
      readTokens: 0,
      readTurns: 0,
      needed: 2,
      lost: 0,
    });
  });

  it("fetches what a reply uses and was not sent: a request, a call, an answer", async () => {
    const outcome = await replayConversation(conversation, hiding("order_id 4711"), options);
    expect(outcome).toMatchObject({ requests: 3, readBacks: 1, readTokens: 13, readTurns: 1 });
    expect(outcome.lost).toBe(0);
  });

  it("counts as lost what nothing brings back", async () => {
    const outcome = await replayConversation(conversation, hiding(), options);
    expect(outcome).toMatchObject({ requests: 2, readBacks: 0, readTurns: 1, lost: 2 });
  });

  it("does not take an answer that repeats the question for an answer", async () => {
    const none = hiding("No matches found for pattern 'order_id'");
    const short: RecordedConversation = {
      ...conversation,
      items: [
        ...conversation.items.slice(0, 3),
        { role: "assistant", text: "order_id", calls: [] },
      ],
    };
    expect(await replayConversation(short, none, options)).toMatchObject({ lost: 1 });
    const line = hiding("7: Error: not found: order_id");
    expect(await replayConversation(short, line, options)).toMatchObject({ lost: 0 });
    const one = hiding("[matches of order_id|4711]\n1: the 4711");
    expect(await replayConversation(conversation, one, options)).toMatchObject({ lost: 1 });
  });

  it("loses what pruning removes", async () => {
    // It is installed with this repository, for the tests of its format.
    const pruning = systemNamed("ai-sdk-pruning", peersIn("."));
    const later: RecordedConversation = {
      ...conversation,
      items: [
        ...conversation.items.slice(0, 3),
        { role: "assistant", text: "I see.", calls: [] },
        { role: "user", text: "So?" },
        { role: "assistant", text: "It was order_id 4711.", calls: [] },
      ],
    };
    const outcome = await replayConversation(later, pruning, options);
    expect(outcome).toMatchObject({ turns: 3, lost: 2 });
  });
});

describe("the replay of a large result", () => {
  const log = Array.from({ length: 2_000 }, (_, line) => `line ${line} value ${line % 7}`);
  log[1_000] = "the order_id was 4711";
  const large: RecordedConversation = {
    ...conversation,
    items: conversation.items.map((item) =>
      item.role === "result" ? { ...item, text: log.join("\n") } : item,
    ),
  };

  it.each(["search", "page"] as const)("reads it back from ours: %s", async (reader) => {
    const system = ours({ name: "ours", digestChars: 80 });
    const outcome = await replayConversation(large, system, { ...options, reader });
    expect(outcome).toMatchObject({ readTurns: 1, needed: 2, lost: 0 });
    expect(outcome.readBacks).toBeGreaterThan(0);
  });

  it("needs no reading where the digest knew the future, and pays more for reading without it", async () => {
    const all = await replayConversation(large, everything, options);
    const knowing = await replayConversation(large, oracle, options);
    const bare = await replayConversation(large, bareReference, options);
    expect(knowing.readBacks).toBe(0);
    expect(bare).toMatchObject({ readBacks: 1, lost: 0 });
    expect(knowing.price).toBeLessThan(bare.price);
    expect(bare.price).toBeLessThan(all.price);
  });

  it("gives the same figures each time", async () => {
    const system = ours({ name: "ours" });
    const once = await replayConversation(large, system, options);
    expect(await replayConversation(large, system, options)).toEqual(once);
  });
});
