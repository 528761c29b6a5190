import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Conversation, Item } from "../../../../bench/replay/conversation.mjs";
import {
  replayConversation,
  type ReplayOptions,
  type Session,
  type System,
} from "../../../../bench/replay/replay.mjs";
import { aiSdkPruning } from "../../../../bench/replay/systems/ai-sdk-pruning.mjs";
import { bareReference, oracle } from "../../../../bench/replay/systems/bounds.mjs";
import { everything } from "../../../../bench/replay/systems/everything.mjs";
import { ours } from "../../../../bench/replay/systems/ours.mjs";

/** One token for each character, so that every price can be worked out by hand. */
const options: ReplayOptions = {
  countTokens: (text) => text.length,
  prices: { read: 0.1, write: 1.25 },
  systemTokens: 100,
  facts: {},
  reader: "search",
};

const RESULT: Item = {
  role: "result",
  callId: "c1",
  toolName: "bash",
  text: "the order_id was 4711",
  isError: false,
};
const conversation: Conversation = {
  source: "test",
  name: "test",
  items: [
    { role: "user", text: "Which one?" },
    { role: "assistant", text: "", calls: [{ id: "c1", name: "bash", input: { a: 1 } }] },
    RESULT,
    { role: "assistant", text: "It was order_id 4711.", calls: [] },
  ],
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "replay-test-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Shows nothing of a result; `answer` is what its reading tool says. */
function hiding(answer?: string): System {
  const session: Session = {
    overhead: "",
    present: (history) =>
      history.map((item) => (item === RESULT ? { ...RESULT, text: "gone" } : item)),
  };
  if (answer !== undefined) {
    session.read = async function* (_result, _sent, facts) {
      yield await Promise.resolve([{ name: "grep", input: { pattern: facts.join("|") }, answer }]);
    };
  }
  return { name: "hiding", start: () => Promise.resolve(session) };
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
    const session: Session = {
      overhead: "",
      present: (history) =>
        history.map((item) => (item === RESULT || item === other ? { ...item, text: "-" } : item)),
      async *read({ text }) {
        yield await Promise.resolve([{ name: "read", input: {}, answer: text }]);
      },
    };
    const system: System = { name: "hiding", start: () => Promise.resolve(session) };
    const replay = (together: boolean) =>
      replayConversation({ ...conversation, items }, system, folder, { ...options, together });
    expect(await replay(false)).toMatchObject({ requests: 4, readBacks: 2, readTurns: 1, lost: 0 });
    expect(await replay(true)).toMatchObject({ requests: 3, readBacks: 2, readTurns: 1, lost: 0 });
  });

  it("sends a request for each reply, and prices it by hand", async () => {
    // 10 + 4 for the question; 1 + 31 + 2 * 4 for the call; 21 + 4 for the result.
    const first = 100 + 14;
    const second = 40 + 25;
    expect(await replayConversation(conversation, everything, folder, options)).toEqual({
      turns: 2,
      requests: 2,
      tokens: first + first + second,
      price: 1.25 * first + 0.1 * first + 1.25 * second,
      readBacks: 0,
      readTokens: 0,
      readTurns: 0,
      needed: 2,
      lost: 0,
    });
  });

  it("fetches what a reply uses and was not sent: a request, a call, an answer", async () => {
    const outcome = await replayConversation(
      conversation,
      hiding("order_id 4711"),
      folder,
      options,
    );
    expect(outcome).toMatchObject({ requests: 3, readBacks: 1, readTokens: 13, readTurns: 1 });
    expect(outcome.lost).toBe(0);
  });

  it("counts as lost what nothing brings back", async () => {
    const outcome = await replayConversation(conversation, hiding(), folder, options);
    expect(outcome).toMatchObject({ requests: 2, readBacks: 0, readTurns: 1, lost: 2 });
  });

  it("does not take an answer that repeats the question for an answer", async () => {
    const none = hiding("No matches found for pattern 'order_id'");
    const short: Conversation = {
      ...conversation,
      items: [
        ...conversation.items.slice(0, 3),
        { role: "assistant", text: "order_id", calls: [] },
      ],
    };
    expect(await replayConversation(short, none, folder, options)).toMatchObject({ lost: 1 });
    const line = hiding("7: Error: not found: order_id");
    expect(await replayConversation(short, line, folder, options)).toMatchObject({ lost: 0 });
    const one = hiding("[matches of order_id|4711]\n1: the 4711");
    expect(await replayConversation(conversation, one, folder, options)).toMatchObject({ lost: 1 });
  });

  it("loses what pruning removes", async () => {
    const later: Conversation = {
      ...conversation,
      items: [
        ...conversation.items.slice(0, 3),
        { role: "assistant", text: "I see.", calls: [] },
        { role: "user", text: "So?" },
        { role: "assistant", text: "It was order_id 4711.", calls: [] },
      ],
    };
    const outcome = await replayConversation(later, aiSdkPruning, folder, options);
    expect(outcome).toMatchObject({ turns: 3, lost: 2 });
  });
});

describe("the replay of a large result", () => {
  const log = Array.from({ length: 2_000 }, (_, line) => `line ${line} value ${line % 7}`);
  log[1_000] = "the order_id was 4711";
  const large: Conversation = {
    ...conversation,
    items: conversation.items.map((item) =>
      item.role === "result" ? { ...item, text: log.join("\n") } : item,
    ),
  };

  it.each(["search", "page"] as const)("reads it back from ours: %s", async (reader) => {
    const system = ours({ name: "ours", digestChars: 80 });
    const outcome = await replayConversation(large, system, folder, { ...options, reader });
    expect(outcome).toMatchObject({ readTurns: 1, needed: 2, lost: 0 });
    expect(outcome.readBacks).toBeGreaterThan(0);
  });

  it("needs no reading where the digest knew the future, and pays more for reading without it", async () => {
    const all = await replayConversation(large, everything, folder, options);
    const knowing = await replayConversation(large, oracle, join(folder, "a"), options);
    const bare = await replayConversation(large, bareReference, join(folder, "b"), options);
    expect(knowing.readBacks).toBe(0);
    expect(bare).toMatchObject({ readBacks: 1, lost: 0 });
    expect(knowing.price).toBeLessThan(bare.price);
    expect(bare.price).toBeLessThan(all.price);
  });

  it("gives the same figures each time", async () => {
    const system = ours({ name: "ours" });
    const once = await replayConversation(large, system, join(folder, "a"), options);
    expect(await replayConversation(large, system, join(folder, "b"), options)).toEqual(once);
  });
});
